/** What a terminal sends and reads (interface 4.1, 4.5 to 4.8; conventions, "Point-of-sale calls"). Replies are a Transaction. */
import { z } from "zod";
import { plainText } from "./client.ts";
import { example, field } from "./field.ts";
import { rejectReasons } from "./reasons.ts";
import { journalHeadBodySchema } from "./terminal.ts";
import {
  amountSchema,
  currencySchema,
  handOutIdSchema,
  partnerTransactionIdSchema,
  statuses,
  transactionIdSchema,
} from "./transaction.ts";

/** Lifetime of an access token: a day (interface 4.1). */
export const tokenLifetimeSeconds = 86_400;
/** Seconds after the request until which a withdrawal can be confirmed. */
export const orderTtlSeconds = 900;
/** Longest time a GET may be held open by `wait`. */
export const waitSecondsMax = 25;

/** Body of `POST /oauth2/authorize` (interface 4.1). */
export const authorizeBodySchema = z
  .object({
    grant_type: field(z.string(), "`client_credentials`.", "client_credentials"),
    merchant_id: field(
      z.string().min(1).max(64),
      "The shop's id, the partner's for a `client`, the name of a `chain`.",
      example.store,
    ),
    device_id: field(z.string().min(1).max(64), "The terminal or the server; `office` for a `chain`.", example.device),
    device_type: field(
      z.enum(["terminal", "client", "chain"]),
      "`terminal` for a till, `client` for a partner's server, `chain` for the head office of several shops.",
      "terminal",
    ),
    password: field(z.string().min(1).max(256), "The credential's secret.", "the-access-key-of-this-terminal"),
    scope: field(
      z.string().max(256).default(""),
      "Scopes, separated by spaces; empty: all that the credential has.",
      "transactions",
    ),
  })
  .meta({ id: "AuthorizeRequest", description: "A credential, for an access token." });

/** RFC 6749 §4.4.2, form-encoded. Unknown parameters are ignored (§3.2). */
export const tokenBodySchema = z
  .object({
    grant_type: z.string().meta({ description: "`client_credentials`.", example: "client_credentials" }),
    scope: z.string().max(256).default("").meta({
      description: "Scopes, separated by spaces; absent: all that the credential has.",
      example: "withdrawals",
    }),
    client_id: z
      .string()
      .min(1)
      .max(129)
      .optional()
      .meta({
        description: "`merchant_id/device_id`, where HTTP Basic is not used.",
        example: `${example.partner}/server-1`,
      }),
    client_secret: z.string().min(1).max(256).optional().meta({
      description: "The credential's password, where HTTP Basic is not used.",
      example: "the-secret-of-this-server",
    }),
    device_type: z
      .enum(["terminal", "client", "chain"])
      .default("client")
      .meta({ description: "Extension: `terminal` or `chain` for such a credential.", example: "client" }),
  })
  .meta({ id: "TokenRequest", description: "The grant of RFC 6749 §4.4.2." });

/** The reply to a sign-in. */
export const accessTokenSchema = z
  .object({
    token_type: field(z.literal("bearer"), "Always `bearer`.", "bearer"),
    access_token: field(
      z.string(),
      "Opaque; goes into `Authorization: Bearer …`.",
      "Zq3tqHUCYd0wBGxTGSyAb5v1zXw7bR2mVvZ0oE1kU3s",
    ),
    expires_in: field(z.int(), "Seconds until the token ends.", tokenLifetimeSeconds),
    scope: field(z.string(), "What was granted, separated by spaces.", "transactions"),
  })
  .meta({ id: "AccessToken", description: "A bearer token." });

/** RFC 6749 §5.2. */
export const oauthErrorSchema = z
  .object({
    error: field(
      z.enum([
        "invalid_request",
        "invalid_client",
        "unsupported_grant_type",
        "invalid_scope",
        "invalid_token",
        "too_many_requests",
        "server_error",
        "temporarily_unavailable",
      ]),
      "What a program decides by.",
      "invalid_client",
    ),
    error_description: field(z.string().optional(), "The same in words, for people.", "unknown client or wrong secret"),
  })
  .meta({ id: "OAuthError", description: "A refusal in the words of RFC 6749 §5.2." });

/** Digits and nothing else: `Number` would also read "", "0x1" and "1e0". */
const waitSchema = z
  .string()
  .regex(/^\d{1,2}$/, `must be a whole number from 0 to ${waitSecondsMax}`)
  .transform(Number)
  .pipe(z.number().max(waitSecondsMax))
  .meta({
    description: `Extension: seconds for which the answer may be held, 0 to ${waitSecondsMax}. Absent or 0: at once.`,
    type: "integer",
    minimum: 0,
    maximum: waitSecondsMax,
    example: 20,
  });

/** `wait` and `status` of a held read (extension). */
export const waitQuerySchema = z.object({
  wait: waitSchema.optional(),
  status: z.enum(statuses).optional().meta({
    description: "Extension, with `wait`: hold the answer while the status is this; absent, while it stays as it is.",
    example: "awaiting_sca",
  }),
});

/** Query of `GET /transaction` (interface 4.8), with the extension that holds the answer. */
export const getTransactionQuerySchema = waitQuerySchema.extend({ id: transactionIdSchema });

/** Body of `POST /transaction/confirm` (interface 4.5). */
export const confirmBodySchema = z
  .object({
    transaction_id: transactionIdSchema,
    transaction_id_partner: partnerTransactionIdSchema,
  })
  .meta({ id: "ConfirmRequest", description: "What was scanned, and the terminal's own id for it." });
/** `reason` is an extension: the terminal's time-out for the approval ran out, rather than the cashier rejecting. */
export const rejectBodySchema = z
  .object({
    transaction_id: transactionIdSchema,
    reason: field(
      z.enum(rejectReasons).optional(),
      "Extension: the terminal rejects because the time for the approval ran out; the transaction's reason says so.",
      "sca_timeout",
    ),
  })
  .meta({ id: "RejectRequest", description: "What the cashier gives up." });
/** Extension: who reported the hand-out or that there was none. A terminal's code for a person, such as `C2`; never a name. */
const cashierSchema = field(
  z
    .string()
    .regex(/^[\x21-\x7e]{1,32}$/)
    .optional(),
  "The terminal's code of the person who says so: 1 to 32 visible ASCII characters, never a name. Extension.",
  "C2",
);

const reportedTime = z.iso.datetime({ offset: true }).optional();

/**
 * Extension: what a terminal reported since `forgot_since`, as it knows it: the service was restored from a copy that
 * may know less (`GET /ext/v1/till`).
 */
const asReportedSchema = z
  .object({
    transaction_id_partner: partnerTransactionIdSchema,
    amount: amountSchema,
    currency: currencySchema,
    confirmed_at: field(reportedTime, "RFC 3339. When the service had taken the confirmation.", example.confirmedAt),
    settled_at: field(reportedTime, "RFC 3339. When the bank had paid.", example.settledAt),
    reported_at: field(reportedTime, "RFC 3339. When the terminal reported it first.", example.linkedAt),
    restored_at: field(
      reportedTime,
      "The restore that it began before, as `GET /ext/v1/till` names it: these times then count for nothing.",
      "2026-11-20T11:00:00.000Z",
    ),
  })
  .meta({
    id: "AsReported",
    description: "Extension: what was reported before the service was put back to a copy, as the terminal knows it.",
  });
/** A report from before a restore. */
export type AsReported = z.infer<typeof asReportedSchema>;

const journalHeadBesideSchema = journalHeadBodySchema.optional().meta({
  description:
    "Extension: the newest link of the terminal's journal, kept in the same commit where it continues what is known; it never makes the report fail.",
});

/** Body of `POST /transaction/link` (interface 4.7). */
export const linkBodySchema = z
  .object({
    transaction_id: transactionIdSchema,
    hand_out_id: field(
      handOutIdSchema.optional(),
      "Extension: the terminal's own id of this hand-out, random, the same in every repeat. A second, different one for the transaction is answered alike and makes its line `disputed`: the cash may have been given twice.",
      example.handOutId,
    ),
    cashier: cashierSchema,
    as_reported: asReportedSchema.optional(),
    journal_head: journalHeadBesideSchema,
  })
  .meta({ id: "LinkRequest", description: "What was handed out." });

/** Extension: why a settled withdrawal was not handed out. */
export const undeliveredBodySchema = z
  .object({
    reason: field(plainText(200), "Why no cash was handed out: a code of the terminal's, or words.", "till_short"),
    cashier: cashierSchema,
    as_reported: asReportedSchema.optional(),
    journal_head: journalHeadBesideSchema,
  })
  .meta({ id: "UndeliveredRequest", description: "Why nothing was handed out." });
