/** The calls the service makes to a bank (interface 4.2, 4.4; conventions, "Partner calls"). Field names as the interface spells them. */
import { z } from "zod";
import { example, field } from "./field.ts";
import { amountSchema } from "./transaction.ts";

/** Where Start order goes below a bank's address (interface 4.2). */
export const startOrderPath = "/api/svc/startwithdrawal";
/** Where Settle order goes below a bank's address (interface 4.4). */
export const settleOrderPath = "/api/svc/settlewithdrawal";

/** Body of Start order, as the interface spells it; the amount is decimal, times are RFC 3339. */
export const startOrderSchema = z
  .object({
    userId: field(z.string(), "Your customer, as you named it in the request or the check-in.", example.userId),
    amount: amountSchema,
    dateOfTransaction: field(z.string(), "When it was asked for.", example.createdAt),
    expiryTimeOfTheOrder: field(
      z.string(),
      "Hold the funds until then, unless an event tells you of an end before.",
      example.heldUntil,
    ),
    svcTransactionReferenceId: field(z.string(), "The `transaction_id`.", example.transactionId),
    store: field(z.string(), "The shop's name, for your customer.", example.storeName),
  })
  .meta({ id: "StartOrder", description: "Secure the funds of a withdrawal." });
/** The body of Start order. */
export type StartOrder = z.infer<typeof startOrderSchema>;

/** Body of Settle order, as the interface spells it. */
export const settleOrderSchema = z
  .object({
    userId: field(z.string(), "Your customer.", example.userId),
    TransactionId: field(z.string(), "The POS's own id.", example.transactionIdPartner),
    DateOperation: field(z.string(), "When the withdrawal became final.", example.approvedAt),
    SvcTransactionReferenceId: field(z.string(), "The `transaction_id`.", example.transactionId),
  })
  .meta({ id: "SettleOrder", description: "Pay the shop: the withdrawal is final." });
/** The body of Settle order. */
export type SettleOrder = z.infer<typeof settleOrderSchema>;

/** One call may take this long before it counts as no answer. */
export const partnerCallTimeoutMs = 5_000;
/** A bank holds the funds this long beyond the last approval that counts, so that its Settle order still finds them. */
export const holdMarginMs = 5 * 60_000;
/** A Start order is tried this long, then the withdrawal is declined as `partner_unreachable`. */
export const startOrderWindowMs = 15_000;

/** The calls to a bank: its two orders, and the status events that it may want. */
export type PartnerCallKind = "start" | "settle" | "event";

/** Where each order goes below a bank's address; events have an address of their own. */
export const orderPaths: Readonly<Record<Exclude<PartnerCallKind, "event">, string>> = {
  start: startOrderPath,
  settle: settleOrderPath,
};

/**
 * How a bank says yes and no: with a word in `status`, or, where the operator declared it (`partners set --answers`), by
 * the status code alone (conventions, "Partner calls").
 */
export const partnerAnswers = ["by-status-word", "by-status-code"] as const;
/** One of `partnerAnswers`. */
export type PartnerAnswers = (typeof partnerAnswers)[number];
