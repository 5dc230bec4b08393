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

export const accessTokenSchema = z
  .object({
    token_type: z.literal("bearer"),
    access_token: z.string(),
    expires_in: z.literal(tokenLifetimeSeconds),
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
  .pipe(z.number().max(waitSecondsMax));

export const getTransactionQuerySchema = z.object({
  id: transactionIdSchema,
  wait: waitSchema.optional(),
  status: z.enum(statuses).optional(),
});

export const confirmBodySchema = z.object({
  transaction_id: transactionIdSchema,
  transaction_id_partner: partnerTransactionIdSchema,
});
export const rejectBodySchema = z.object({ transaction_id: transactionIdSchema });
export const linkBodySchema = z.object({ transaction_id: transactionIdSchema });

/** Extension: why a settled withdrawal was not handed out. */
export const undeliveredBodySchema = z.object({ reason: plainText(200) });
