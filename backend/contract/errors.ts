/** One table of error codes and their HTTP status, and the one error shape (conventions, "Errors"; RFC 9457). */
import { z } from "zod";
import { example, field } from "./field.ts";
import { amountSchema, currencySchema, transactionSchema } from "./transaction.ts";

/** Every error code with its HTTP status and title (conventions, "Errors"). */
export const errorTable = {
  validation_failed: { status: 400, title: "The request is not valid" },
  amount_out_of_range: { status: 400, title: "The store does not hand out this amount" },
  amount_step: { status: 400, title: "The amount is no multiple of the store's step" },
  currency_mismatch: { status: 400, title: "The store hands out another currency" },
  unauthenticated: { status: 401, title: "A valid access token is needed" },
  insufficient_scope: { status: 403, title: "The access token does not allow this call" },
  cross_site_request: { status: 403, title: "Requests from pages of other sites are refused" },
  transaction_not_found: { status: 404, title: "No such transaction" },
  store_unknown: { status: 404, title: "No such store" },
  not_found: { status: 404, title: "No such resource" },
  method_not_allowed: { status: 405, title: "This resource does not know this method" },
  user_blocked: { status: 409, title: "This user is blocked" },
  transaction_conflict: { status: 409, title: "The transaction's status does not allow this" },
  limit_reached: { status: 409, title: "A limit of the user, the store or the terminal is reached" },
  partner_not_configured: { status: 409, title: "The bank's address is not set" },
  journal_forked: { status: 409, title: "The journal does not continue the one that is known" },
  payload_too_large: { status: 413, title: "The body is larger than 64 KiB" },
  unsupported_media_type: { status: 415, title: "The body must be application/json" },
  idempotency_key_reused: { status: 422, title: "The idempotency key was used with another body" },
  too_many_requests: { status: 429, title: "Too many requests" },
  internal_error: { status: 500, title: "Something went wrong on our side" },
  unavailable: { status: 503, title: "The service cannot answer now" },
} as const;
/** A code of `errorTable`. */
export type ErrorCode = keyof typeof errorTable;

/** Bytes of the largest body that is read: 64 KiB. */
export const bodyBytesMax = 64 * 1024;

/** What a store hands out: the limits that a refused request has violated. */
export const limitsSchema = z
  .object({
    currency: currencySchema,
    amount_min: amountSchema.meta({ description: "The smallest amount.", example: "10.00" }),
    amount_max: amountSchema.meta({ description: "The largest amount.", example: "500.00" }),
    amount_step: amountSchema.meta({ description: "Amounts are multiples of this.", example: "10.00" }),
  })
  .meta({ id: "Limits", description: "What a store hands out." });
/** A shop's limits as decimal amounts. */
export type Limits = z.infer<typeof limitsSchema>;

/** Limits over a period: per user and per shop in a day (UTC), per terminal in 60 minutes. */
export const caps = ["user_day", "shop_day", "terminal_hour"] as const;
/** One of `caps`. */
export type Cap = (typeof caps)[number];

/** Limits in a problem; `limit_reached` adds which limit, its maximum and what is left. */
const problemLimitsSchema = limitsSchema.extend({
  limit: field(z.enum(caps), "Which limit is reached.", "user_day").optional(),
  limit_max: amountSchema.meta({ description: "The most of it.", example: "400.00" }).optional(),
  limit_left: amountSchema.meta({ description: "What could still be asked for.", example: "120.00" }).optional(),
});
/** Limits in a refusal. */
export type ProblemLimits = z.infer<typeof problemLimitsSchema>;

/** Those of the example shop. */
export const exampleLimits = { currency: "EUR", amount_min: "10.00", amount_max: "500.00", amount_step: "10.00" };

/** An error in the form of RFC 9457 (`application/problem+json`). */
export const problemSchema = z
  .object({
    type: field(z.string(), "Names the kind of problem.", "urn:tillcash:problem:amount_out_of_range"),
    title: field(z.string(), "The kind of problem in words.", errorTable.amount_out_of_range.title),
    status: field(z.int(), "The HTTP status.", 400),
    detail: field(z.string(), "This problem in words, for people.", "The store hands out 10.00 to 500.00 EUR."),
    code: field(
      z.enum(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]),
      "What a program decides by; the table of errors says what to do.",
      "amount_out_of_range",
    ),
    request_id: field(z.string(), "The answer's `X-Request-Id`.", example.requestId),
    errors: field(
      z
        .array(
          z.object({
            path: field(z.string(), "The field, with points between levels.", "amount"),
            message: field(z.string(), "What is wrong with it.", "must be 10.00 to 500.00 EUR"),
          }),
        )
        .optional(),
      "With 400: what is wrong with which field.",
      [{ path: "amount", message: "must be 10.00 to 500.00 EUR" }],
    ),
    transaction: transactionSchema.optional(),
    limits: field(
      problemLimitsSchema.optional(),
      "Where a limit was met: what the store hands out, and which limit.",
      exampleLimits,
    ),
  })
  .meta({
    id: "Problem",
    description:
      "A refusal (RFC 9457). `errors` come with 400, `transaction` with `transaction_conflict`, `limits` where a limit was met.",
    example: {
      type: "urn:tillcash:problem:amount_out_of_range",
      title: errorTable.amount_out_of_range.title,
      status: 400,
      detail: "The store hands out 10.00 to 500.00 EUR.",
      code: "amount_out_of_range",
      request_id: example.requestId,
      errors: [{ path: "amount", message: "The store hands out 10.00 to 500.00 EUR." }],
      limits: exampleLimits,
    },
  });
/** The body of an error. */
export type Problem = z.infer<typeof problemSchema>;
