/**
 * A withdrawal's life cycle (conventions, "Transaction"): allowed transitions, and expiry. Pure. The verbs' UPDATEs
 * have the same rules in their WHERE; tests compare the two.
 */
import type { Reason } from "../contract/reasons.ts";
import { type Status, statuses } from "../contract/transaction.ts";
import type { RowOf } from "../store/schema.ts";

/** Allowed next statuses; none for final ones. */
export const nextStatuses = {
  requested: ["ready", "declined"],
  ready: ["awaiting_sca", "settling", "rejected", "canceled", "expired"],
  awaiting_sca: ["settling", "canceled", "rejected"],
  settling: ["settled", "failed"],
  settled: ["linked", "undelivered"],
  linked: [],
  undelivered: [],
  declined: [],
  rejected: [],
  canceled: [],
  expired: [],
  failed: [],
} as const satisfies Readonly<Record<Status, readonly Status[]>>;
/** The statuses that may follow a status. */
export type NextStatus<From extends Status> = (typeof nextStatuses)[From][number];

/** The result of a passed deadline. */
interface Expiry<To extends Status = Status> {
  readonly status: To;
  readonly reason: Reason;
}

/** What each status becomes when its deadline passes. */
export const expiries: { readonly [From in Status]?: Expiry<NextStatus<From>> } = {
  requested: { status: "declined", reason: "partner_unreachable" },
  ready: { status: "expired", reason: "order_expired" },
  awaiting_sca: { status: "canceled", reason: "sca_timeout" },
};

/** The status before an expiry, from the row after it. */
export const expiredFrom = (row: { readonly reason: Reason | null }): Status => {
  const found = statuses.find((status) => expiries[status]?.reason === row.reason);
  if (found === undefined) throw new RangeError(`no expiry has the reason ${row.reason}`);
  return found;
};

/**
 * The number of a withdrawal's status event for `row.status`, from 1 (conventions, "Partner calls"). Statuses never
 * recur, so the earlier ones follow from the row.
 */
export const eventSequence = (row: Pick<RowOf<"withdrawals">, "status" | "sca_expires_at">): number => {
  if (row.status === "ready" || row.status === "declined") return 1;
  if (row.status === "awaiting_sca") return 2;
  const before = 1 + (row.sca_expires_at === null ? 0 : 1);
  return row.status === "linked" || row.status === "undelivered" ? before + 2 : before + 1;
};

/** Whether it was ended by a restore and its bank has not confirmed the payment since. */
export const awaitsBank = (row: { readonly reason: Reason | null; readonly settled_at: number | null }): boolean =>
  row.reason === "restored" && row.settled_at === null;

const secondsFromMs = Date.UTC(2020, 0, 1);
/** Together with `eventSequence`, above all earlier numbers even if the clock is years behind. */
const afterRestoreMin = 4;

/**
 * The same after a restore: based on its time in seconds, to be above all numbers that the bank has seen and the copy has forgotten. Not
 * on the event's own time, as a clock may be ahead then.
 */
export const eventSequenceAfterRestore = (row: Parameters<typeof eventSequence>[0], restoredAt: number): number =>
  Math.max(afterRestoreMin, Math.floor((restoredAt - secondsFromMs) / 1000)) + eventSequence(row);

/** The expiry that is due at `nowMs`: including the deadline's millisecond. */
export const expiryAt = (row: Pick<RowOf<"withdrawals">, "status" | "deadline_at">, nowMs: number): Expiry | null =>
  row.deadline_at !== null && nowMs >= row.deadline_at ? (expiries[row.status] ?? null) : null;
