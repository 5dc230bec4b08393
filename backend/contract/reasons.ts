/** Why a withdrawal ended (conventions, "Transaction"). */
export const reasons = [
  "sca_timeout",
  "sca_denied",
  "user_canceled",
  "order_expired",
  "partner_declined",
  "partner_unreachable",
  "cashier_rejected",
  "settle_declined",
  "restored",
  "decided_by_operator",
] as const;
/** One of `reasons`. */
export type Reason = (typeof reasons)[number];
/** An operator, not the terminal, reported the cash, or that the bank has paid. */
export const decidedByOperator = "decided_by_operator" satisfies Reason;

/** Reasons that a terminal may send with a reject; without one it is `cashier_rejected`. */
export const rejectReasons = ["sca_timeout"] as const satisfies readonly Reason[];
/** One of `rejectReasons`. */
export type RejectReason = (typeof rejectReasons)[number];

/** Why paid cash was not handed out, as chosen by the cashier; sent to the service unchanged. */
export const undeliveredReasons = ["till_short", "customer_left", "drawer_failed", "other"] as const;
