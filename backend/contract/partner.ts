/** The calls the service makes to a bank (interface 4.2, 4.4; conventions, "Partner calls"). Field names as the interface spells them. */
import { z } from "zod";
import { example, field } from "./field.ts";
import { amountSchema } from "./transaction.ts";

/** Path of Start order below a bank's address (interface 4.2). */
export const startOrderPath = "/api/svc/startwithdrawal";
/** Path of Settle order below a bank's address (interface 4.4). */
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

/** Timeout of one call; after it the call counts as unanswered. */
export const partnerCallTimeoutMs = 5_000;
/** A bank holds the funds this long after the last possible approval, so that the Settle order still finds them. */
export const holdMarginMs = 5 * 60_000;
/** A Start order is retried this long, then the withdrawal is declined as `partner_unreachable`. */
export const startOrderWindowMs = 15_000;

/** Kinds of call to a bank: the two orders, and optional status events. */
export type PartnerCallKind = "start" | "settle" | "event";

/** Paths of the orders; status events have an address of their own. */
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
