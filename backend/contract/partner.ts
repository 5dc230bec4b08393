/** The calls the service makes to a bank (interface 4.2, 4.4; conventions, "Partner calls"). Field names as the interface spells them. */
import { z } from "zod";

export const startOrderPath = "/api/svc/startwithdrawal";
export const settleOrderPath = "/api/svc/settlewithdrawal";

export const startOrderSchema = z
  .object({
    userId: z.string(),
    amount: z.string(),
    dateOfTransaction: z.string(),
    expiryTimeOfTheOrder: z.string(),
    svcTransactionReferenceId: z.string(),
    store: z.string(),
  })
  .meta({ id: "StartOrder" });
export type StartOrder = z.infer<typeof startOrderSchema>;

export const settleOrderSchema = z
  .object({
    userId: z.string(),
    TransactionId: z.string(),
    DateOperation: z.string(),
    SvcTransactionReferenceId: z.string(),
  })
  .meta({ id: "SettleOrder" });
export type SettleOrder = z.infer<typeof settleOrderSchema>;

/** One call may take this long before it counts as no answer. */
export const partnerCallTimeoutMs = 5_000;
/** A Start order is tried this long, then the withdrawal is declined as `partner_unreachable`. */
export const startOrderWindowMs = 15_000;

/** The calls to a bank: its two orders, and the status events that it may want. */
export type PartnerCallKind = "start" | "settle" | "event";

/**
 * How a bank says yes and no: with a word in `status`, or, where the operator declared it (`partners set --answers`), by
 * the status code alone (conventions, "Partner calls").
 */
export const partnerAnswers = ["by-status-word", "by-status-code"] as const;
export type PartnerAnswers = (typeof partnerAnswers)[number];
