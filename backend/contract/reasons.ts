/** Why a withdrawal ended so (conventions, "Transaction"). */
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
/** An operator has said what became of the cash, or that the bank has paid: the terminal has not. */
export const decidedByOperator = "decided_by_operator" satisfies Reason;

/** Those that a terminal may give with its reject; without one the reason is `cashier_rejected`. */
export const rejectReasons = ["sca_timeout"] as const satisfies readonly Reason[];
/** One of `rejectReasons`. */
export type RejectReason = (typeof rejectReasons)[number];
