/**
 * The life of a withdrawal, pure (conventions, "Transaction"): which status may follow which, and what time alone does.
 * The verbs write the same rules into the WHERE of their UPDATE; the tests hold the two against each other.
 */
import type { Reason } from "../contract/reasons.ts";
import { type Status, statuses } from "../contract/transaction.ts";
import type { RowOf } from "../store/schema.ts";

/** Which status may follow which; none follows a final one. */
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
/** What may follow a status. */
export type NextStatus<From extends Status> = (typeof nextStatuses)[From][number];

/** What a deadline leads to. */
interface Expiry<To extends Status = Status> {
  readonly status: To;
  readonly reason: Reason;
}

/** What a status becomes when its deadline passes and nothing else happened. */
export const expiries: { readonly [From in Status]?: Expiry<NextStatus<From>> } = {
  requested: { status: "declined", reason: "partner_unreachable" },
  ready: { status: "expired", reason: "order_expired" },
  awaiting_sca: { status: "canceled", reason: "sca_timeout" },
};

/** The status that time has ended, read from the row after it. */
export const expiredFrom = (row: { readonly reason: Reason | null }): Status => {
  const found = statuses.find((status) => expiries[status]?.reason === row.reason);
  if (found === undefined) throw new RangeError(`no expiry has the reason ${row.reason}`);
  return found;
};

/**
 * What a restore adds: it ends what was open in the copy, and what a terminal did after the copy counts all the same when it
 * reports it again.
 */
export const restoredStatuses: Readonly<Partial<Record<Status, readonly Status[]>>> = {
  requested: ["canceled"],
  canceled: ["linked", "undelivered"],
};

/**
 * Which status event of its withdrawal the transition to `row.status` is, from 1 (conventions, "Partner calls"). No withdrawal is in
 * a status twice, so what lies behind it follows from the row.
 */
export const eventSequence = (row: Pick<RowOf<"withdrawals">, "status" | "sca_expires_at">): number => {
  if (row.status === "ready" || row.status === "declined") return 1;
  if (row.status === "awaiting_sca") return 2;
  const before = 1 + (row.sca_expires_at === null ? 0 : 1);
  return row.status === "linked" || row.status === "undelivered" ? before + 2 : before + 1;
};

/** Whether a restore has ended it and its bank has not said since that it has paid. */
export const awaitsBank = (row: { readonly reason: Reason | null; readonly settled_at: number | null }): boolean =>
  row.reason === "restored" && row.settled_at === null;

const secondsFromMs = Date.UTC(2020, 0, 1);
/** With what `eventSequence` adds, above all of it also where the clock is years behind. */
const afterRestoreMin = 4;

/** The same after a restore: by the seconds, above all that the bank has seen and the copy has forgotten. */
export const eventSequenceAfterRestore = (row: Parameters<typeof eventSequence>[0], at: number): number =>
  Math.max(afterRestoreMin, Math.floor((at - secondsFromMs) / 1000)) + eventSequence(row);

/** The expiry that is due at `nowMs`: from the very millisecond of the deadline on. */
export const expiryAt = (row: Pick<RowOf<"withdrawals">, "status" | "deadline_at">, nowMs: number): Expiry | null =>
  row.deadline_at !== null && nowMs >= row.deadline_at ? (expiries[row.status] ?? null) : null;
