/** Everything that a credential can be allowed (conventions, "Client-level calls"). */
export const scopes = [
  "transactions",
  "checkin",
  "users",
  "withdrawals",
  "reconciliation",
  "reports",
  "terminals",
] as const;
/** One of `scopes`. */
export type Scope = (typeof scopes)[number];
