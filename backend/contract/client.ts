/** What a partner's server sends with a client-level token (interface 4.3, 4.9; conventions, "Client-level calls" and "Extensions"). */
import { z } from "zod";
import {
  amountSchema,
  currencySchema,
  partnerReferenceSchema,
  statuses,
  timeSchema,
  transactionIdSchema,
} from "./transaction.ts";

/** Well-formed text without control characters: what every database and every log line can hold. */
export const plainText = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the point is to refuse them
    .regex(/^[^\u0000-\u001f\u007f]*$/)
    .refine((text) => text.isWellFormed(), "must be well-formed Unicode");

export const checkinBodySchema = z.object({
  referenceId: plainText(255),
  additionalData: z.object({
    brand: plainText(100),
    userId: plainText(64),
    balance: amountSchema,
    currency: currencySchema,
    urlBack: z.string().max(2048),
  }),
});

export const checkinReplySchema = z
  .object({
    status: z.enum(["new", "active", "blocked"]),
    destination_url: z.string().nullable().optional(),
    expires_at: timeSchema.nullable().optional(),
  })
  .meta({ id: "Checkin" });

/** The published set: `A-Z a-z 0-9`, U+00A1 to U+02AF, space and some signs; the whole value must match. */
export const restrictedText = /^[A-Za-z0-9\u00a1-\u02af &(){}[\].:,;?!+\-_$@#~`\\^€]*$/;

export const createUserBodySchema = z.object({
  id: z
    .string()
    .regex(/^[0-9A-Za-z\-_.+@]{1,36}$/)
    .optional(),
  password: z.string().min(6).max(128).regex(restrictedText).optional(),
  email: z.string().max(320).regex(restrictedText).optional(),
  phone: z.string().max(50).regex(restrictedText).optional(),
  isAutoUpdateEnabled: z.boolean().default(false),
});

export const createUserReplySchema = z
  .object({
    id: z.string(),
    password: z.string(),
    email: z.string().optional(),
    phone: z.string().optional(),
    isAutoUpdateEnabled: z.boolean(),
  })
  .meta({ id: "User" });

export const requestWithdrawalBodySchema = z.object({
  user_id: plainText(64),
  amount: amountSchema,
  currency: currencySchema,
  store: plainText(64),
  sca_required: z.boolean().optional(),
  partner_reference: partnerReferenceSchema.optional(),
});
export const idempotencyKeySchema = z.string().regex(/^[\x21-\x7e]{1,255}$/);

export const scaBodySchema = z.object({ outcome: z.enum(["approved", "denied"]) });

export const findings = ["matched", "not_linked", "undelivered", "settle_unknown", "closed"] as const;
export type Finding = (typeof findings)[number];

/** One line of the reconciliation report: every confirmed transaction has one. */
export const reconciliationLineSchema = z
  .object({
    transaction_id: transactionIdSchema,
    transaction_id_partner: z.string().nullable(),
    store: z.string(),
    device_id: z.string().nullable(),
    status: z.enum(statuses),
    finding: z.enum(findings),
    amount: amountSchema,
    currency: currencySchema,
    reason: z.string().nullable(),
    created_at: timeSchema,
    confirmed_at: timeSchema.nullable(),
    settled_at: timeSchema.nullable(),
    linked_at: timeSchema.nullable(),
    closed_at: timeSchema.nullable(),
    settle_attempts: z.int(),
  })
  .meta({ id: "ReconciliationLine" });
