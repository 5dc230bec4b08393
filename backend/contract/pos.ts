/** What a terminal sends and reads (interface 4.1, 4.5 to 4.8; conventions, "Point-of-sale calls"). Replies are a Transaction. */
import { z } from "zod";
import { plainText } from "./client.ts";
import { partnerTransactionIdSchema, statuses, transactionIdSchema } from "./transaction.ts";

export const scopes = ["transactions", "checkin", "users", "withdrawals", "reconciliation"] as const;
export type Scope = (typeof scopes)[number];

export const tokenLifetimeSeconds = 86_400;
/** A confirmed transaction waits this long for the customer's SCA (interface, "Limits"). */
export const scaTimeoutSeconds = 40;
export const orderTtlSeconds = 900;
/** Longest time a GET may be held open by `wait`. */
export const waitSecondsMax = 25;

export const authorizeBodySchema = z.object({
  grant_type: z.string(),
  merchant_id: z.string().min(1).max(64),
  device_id: z.string().min(1).max(64),
  device_type: z.enum(["terminal", "client"]),
  password: z.string().min(1).max(256),
  scope: z.string().max(256).default(""),
});

/** RFC 6749 §4.4.2, form-encoded. Unknown parameters are ignored (§3.2). */
export const tokenBodySchema = z.object({
  grant_type: z.string().meta({ description: "`client_credentials`.", example: "client_credentials" }),
  scope: z
    .string()
    .max(256)
    .default("")
    .meta({ description: "Scopes, separated by spaces; absent: all that the credential has.", example: "withdrawals" }),
  client_id: z
    .string()
    .min(1)
    .max(129)
    .optional()
    .meta({ description: "`merchant_id/device_id`, where HTTP Basic is not used.", example: "my-bank/server-1" }),
  client_secret: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .meta({ description: "The credential's password, where HTTP Basic is not used.", example: "bank-secret" }),
  device_type: z
    .enum(["terminal", "client"])
    .default("client")
    .meta({ description: "Extension: `terminal` for a terminal's credential.", example: "client" }),
});

export const accessTokenSchema = z
  .object({
    token_type: z.literal("bearer"),
    access_token: z.string(),
    expires_in: z.int().meta({ description: "Seconds until the token ends.", example: tokenLifetimeSeconds }),
    scope: z.string(),
  })
  .meta({ id: "AccessToken" });

/** RFC 6749 §5.2. */
export const oauthErrorSchema = z
  .object({
    error: z.enum([
      "invalid_request",
      "invalid_client",
      "unsupported_grant_type",
      "invalid_scope",
      "invalid_token",
      "too_many_requests",
      "server_error",
      "temporarily_unavailable",
    ]),
    error_description: z.string().optional(),
  })
  .meta({ id: "OAuthError" });

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

export const getTransactionQuerySchema = waitQuerySchema.extend({ id: transactionIdSchema });

export const confirmBodySchema = z.object({
  transaction_id: transactionIdSchema,
  transaction_id_partner: partnerTransactionIdSchema,
});
export const rejectBodySchema = z.object({ transaction_id: transactionIdSchema });
export const linkBodySchema = z.object({ transaction_id: transactionIdSchema });

/** Extension: why a settled withdrawal was not handed out. */
export const undeliveredBodySchema = z.object({ reason: plainText(200) });
