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
] as const;
/** One of `reasons`. */
export type Reason = (typeof reasons)[number];
