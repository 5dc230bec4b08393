/** The reconciliation report: findings, lines, and totals by shop (conventions, "Extensions"). */
import { z } from "zod";
import { example, field } from "./field.ts";
import { amountSchema, currencySchema, statuses, timeSchema, transactionIdSchema } from "./transaction.ts";

/** Findings of a report's line (conventions, "Extensions"). */
export const findings = [
  "matched",
  "not_linked",
  "undelivered",
  "settle_unknown",
  "no_after_silence",
  "restored",
  "disputed",
  "closed",
] as const;
/** One of `findings`. */
export type Finding = (typeof findings)[number];
/** Reasons of a `disputed` line that do not come from the bank: the device reported the cash twice, with different results. */
export const reportedTwice = ["handed_out_twice", "handed_out_after_undelivered"] as const;

/** One line of the reconciliation report: every confirmed transaction has one. */
export const reconciliationLineSchema = z
  .object({
    transaction_id: transactionIdSchema,
    transaction_id_partner: field(z.string().nullable(), "The POS's own id.", example.transactionIdPartner),
    store: field(z.string(), "The shop's `merchant_id`.", example.store),
    device_id: field(z.string().nullable(), "The terminal that confirmed.", example.device),
    status: field(z.enum(statuses), "The status now.", "linked"),
    finding: field(z.enum(findings), "What the shop and the bank have to look at.", "matched"),
    amount: amountSchema,
    currency: currencySchema,
    reason: field(
      z.string().nullable(),
      "Why it ended without cash, or is disputed, or `decided_by_operator`; null otherwise.",
      null,
    ),
    created_at: field(timeSchema, "When the bank asked.", example.createdAt),
    confirmed_at: field(timeSchema.nullable(), "When the cashier confirmed.", example.confirmedAt),
    settled_at: field(timeSchema.nullable(), "When the bank paid.", example.settledAt),
    linked_at: field(timeSchema.nullable(), "When the cash was handed out.", example.linkedAt),
    closed_at: field(timeSchema.nullable(), "When it ended without cash.", null),
    settle_attempts: field(z.int(), "Calls of Settle order so far.", 1),
    cashier: field(
      z.string().nullable(),
      "The terminal's code of the person who said what became of the cash; null where it did not say, and for a bank.",
      "C2",
    ),
    partner_reference: field(z.string().nullable(), "The bank's own name for it.", example.partnerReference),
  })
  .meta({ id: "ReconciliationLine", description: "One confirmed transaction." });

const totalSchema = z.object({
  finding: field(z.enum(findings), "As in the report.", "matched"),
  currency: currencySchema,
  count: field(z.int(), "Transactions.", 12),
  amount: field(z.string(), "Their sum.", "640.00"),
});

/** Totals of a period by shop. */
export const storeTotalsSchema = z
  .object({
    from: field(timeSchema, "First time of confirmation.", "2026-11-20T00:00:00.000Z"),
    to: field(timeSchema, "Time of confirmation before which.", "2026-11-21T00:00:00.000Z"),
    stores: z
      .array(
        z.object({
          store: field(z.string(), "The shop's `merchant_id`.", example.store),
          store_name: field(z.string(), "What a person calls the shop.", example.storeName),
          totals: z.array(totalSchema).meta({ description: "By finding; one that no transaction has is left out." }),
        }),
      )
      .meta({ description: "Those with a confirmed transaction, in the order of their ids." }),
    totals: z.array(totalSchema).meta({ description: "Of all of them together." }),
  })
  .meta({ id: "StoreTotals", description: "What the reconciliation report of a time comes to." });
