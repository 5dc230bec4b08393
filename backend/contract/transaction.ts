/** The Transaction, its status words and its reasons (conventions, "Transaction"; interface, "Resources and their fields"). */
import { z } from "zod";
import { example, field } from "./field.ts";
import { transactionIdLength } from "./ids.ts";
import { isCurrency } from "./money.ts";
import { reasons } from "./reasons.ts";

/** Every status of a withdrawal (conventions, "Transaction"). */
export const statuses = [
  "requested",
  "ready",
  "awaiting_sca",
  "settling",
  "settled",
  "linked",
  "undelivered",
  "declined",
  "rejected",
  "canceled",
  "expired",
  "failed",
] as const;
/** One of `statuses`. */
export type Status = (typeof statuses)[number];

/** Closed without cash and without money: nothing more can happen. */
const closedStatuses = ["declined", "rejected", "canceled", "expired", "failed"] as const satisfies readonly Status[];
/** Final statuses: no transition leaves them. */
export const finalStatuses = [...closedStatuses, "linked", "undelivered"] as const satisfies readonly Status[];

/** Whether no call and no time can change the status any more. */
export const isFinal = (status: Status): boolean => (finalStatuses as readonly Status[]).includes(status);
/** Whether it ended without cash and without a payment. */
export const isClosed = (status: Status): status is (typeof closedStatuses)[number] =>
  (closedStatuses as readonly Status[]).includes(status);

/** RFC 3339, UTC, with milliseconds. */
export const timeSchema = z.iso
  .datetime({ precision: 3 })
  .meta({ description: "RFC 3339, UTC, with milliseconds.", example: example.createdAt });

/** A decimal string with exactly the currency's minor digits; checked against the currency by money.ts. */
export const amountSchema = z
  .string()
  .regex(/^(0|[1-9]\d{0,12})(\.\d{1,4})?$/)
  .meta({ description: "Decimal string with exactly the currency's minor digits.", example: example.amount });

/** A currency of ISO 4217 in circulation. */
export const currencySchema = z
  .string()
  .refine(isCurrency, "must be a currency of ISO 4217, as EUR")
  .meta({ description: "ISO 4217.", pattern: "^[A-Z]{3}$", example: example.currency });

/** Checks the form only; an id with a wrong check character is answered as unknown. */
export const transactionIdSchema = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[\x21-\x7e]+$/)
  .meta({
    description: `The barcode: ${transactionIdLength} characters of Crockford base 32, the last one a check character.`,
    example: example.transactionId,
  });

/** An id assigned by others: 1 to 64 visible ASCII characters. */
const foreignId = (description: string, example: string, refusal?: string) =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/, refusal)
    .meta({ description, example });

/** The terminal's own id: 1 to 64 visible ASCII characters, unique for a device. */
export const partnerTransactionIdSchema = foreignId(
  "The POS's own id, 1 to 64 visible ASCII characters, unique per device.",
  example.transactionIdPartner,
);

/** The bank's own name for a withdrawal: 1 to 64 visible ASCII characters. */
export const partnerReferenceSchema = foreignId(
  "The bank's own name for the withdrawal, 1 to 64 visible ASCII characters; echoed, never read.",
  example.partnerReference,
  "must be 1 to 64 visible ASCII characters",
);

/** A time that is null until something has happened. */
const timeOf = (what: string, shown: string | null) => field(timeSchema.nullable(), what, shown);

/** A withdrawal as terminals and banks see it (interface 4.8); never the user's id. */
export const transactionSchema = z
  .object({
    transaction_id: transactionIdSchema,
    status: field(z.enum(statuses), "Where it stands; see *Statuses of a transaction*.", "linked"),
    amount: amountSchema,
    currency: currencySchema,
    store: field(z.string(), "The shop's `merchant_id`.", example.store),
    store_name: field(
      z.string(),
      "Extension: what a person called the shop when the withdrawal was asked for, as the customer read it.",
      example.storeName,
    ),
    transaction_id_partner: field(
      partnerTransactionIdSchema.nullable(),
      "The POS's own id; null until confirmed.",
      example.transactionIdPartner,
    ),
    partner_reference: field(
      partnerReferenceSchema.nullable(),
      "The bank's own name for it; null when it gave none.",
      example.partnerReference,
    ),
    sca_required: field(z.boolean(), "Whether the customer has to approve after the cashier.", true),
    created_at: field(timeSchema, "When the bank asked.", example.createdAt),
    expires_at: field(timeSchema, "Until then the barcode can be confirmed.", example.expiresAt),
    confirmed_at: timeOf("When the cashier confirmed.", example.confirmedAt),
    sca_expires_at: timeOf("Until then the customer can approve.", example.scaExpiresAt),
    settled_at: timeOf("When the bank paid.", example.settledAt),
    linked_at: timeOf("When the cash was handed out.", example.linkedAt),
    closed_at: timeOf("When it ended without cash.", null),
    reason: field(
      z.string().nullable(),
      `Why it ended: null, one of ${reasons.map((reason) => `\`${reason}\``).join(", ")}, or for \`undelivered\` what the cashier said.`,
      null,
    ),
  })
  .meta({ id: "Transaction", description: "A withdrawal as it is now." });
/** A withdrawal on the wire. */
export type Transaction = z.infer<typeof transactionSchema>;

/** The terminal's own id of one hand-out of cash. */
export const handOutIdSchema = foreignId(
  "Extension: the terminal's own id of this hand-out, 1 to 64 visible ASCII characters.",
  example.handOutId,
);

/** The answer to a link, or to an undelivered report. */
export const linkedTransactionSchema = transactionSchema
  .extend({
    hand_out_id: field(
      handOutIdSchema.optional(),
      "Extension: the hand-out that the service has. Another than the one that was sent: the same device has reported two.",
      example.handOutId,
    ),
    journal_kept: field(
      z.literal(true).optional(),
      "Extension: the `journal_head` that came along is kept. Absent: report it by itself, to hear why.",
      true,
    ),
  })
  .meta({ id: "LinkedTransaction", description: "A withdrawal of which the terminal said what became of the cash." });
/** The answer to a report about cash. */
export type LinkedTransaction = z.infer<typeof linkedTransactionSchema>;
