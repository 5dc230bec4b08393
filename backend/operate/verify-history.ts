/**
 * `audit verify` for the history: checks rows against their withdrawal, their day's lines and the row before, and
 * withdrawals against their rows.
 */
import type { ChainKeys } from "../context.ts";
import { dayMs, minuteMs } from "../contract/times.ts";
import type { Status } from "../contract/transaction.ts";
import type { Store } from "../store/store.ts";
import { historyHash, type ProvenRow } from "../withdrawals/history.ts";
import {
  type AuditedHistory,
  addRow,
  createFold,
  dayOf,
  dayText,
  foldWithout,
  type Group,
  groupOf,
  historyEvents,
  type Moment,
  monthOf,
  monthOfRow,
  newestEvent,
  pagesFrom,
  type Said,
} from "./proof.ts";

/** How long after a rotation a process may still write rows under the old key. */
const everybodyRotatedMs = minuteMs;

/** Result of the verification; `what` describes the first row, withdrawal or line that fails. */
type HistoryCheck =
  | {
      readonly kind: "whole";
      readonly rows: number;
      /** Rows of the open day, and of a past one without lines so far. */
      readonly open: number;
      /** Rows without hashes or under an earlier key, protected only by their lines. */
      readonly unchained: number;
    }
  | { readonly kind: "broken"; readonly what: string };

class VerificationFailed extends Error {}

const ends: readonly Status[] = ["declined", "rejected", "canceled", "expired", "failed", "undelivered"];

/** How the withdrawal's columns contradict a transition in its history; null where they agree. */
const mismatch = (row: ProvenRow): string | null => {
  const { kind, from_status: from, to_status: to, at, actor_id: by } = row;
  if (kind !== "transition") return null;
  const isConfirm = from === "ready" && (to === "awaiting_sca" || to === "settling");
  if (isConfirm && (row.confirmed_at !== at || row.device_id !== by)) return "confirmed by whom and when";
  if (to === "settled" && row.settled_at !== at) return "settled when";
  if (to === "linked" && (row.linked_at !== at || row.withdrawal_cashier !== row.cashier))
    return "linked by whom and when";
  // The deadline had closed it before the sweeper wrote that.
  const closedAt = row.closed_at ?? Number.POSITIVE_INFINITY;
  const isClosedThen = row.actor === "sweeper" ? closedAt <= at : closedAt === at;
  // A restore had canceled it, and a terminal has reported its outcome since.
  if (to === "canceled" && row.reason === "restored" && row.status !== "canceled") return null;
  return ends.includes(to as Status) && !isClosedThen ? "closed when" : null;
};

/** Index of the oldest key allowed for a row; -1: it needs no hash. @param line the line that counts it, if any. */
const oldestKeyOf = (keys: readonly ChainKeys[], audited: AuditedHistory, row: ProvenRow, line: Said | undefined) => {
  const { chained, accepted, keyStarts } = audited;
  const isSince = (moment: Moment | null | undefined, lateMs = 0): boolean =>
    !!moment && row.at > moment.at + lateMs && (line === undefined || line.seq > moment.seq);
  const least = row.day > 0 ? 0 : -1;
  if (accepted !== null && row.at <= accepted.at) return least;
  if (!isSince(chained)) return least;
  return Math.max(
    0,
    keys.findLastIndex(({ auditKeyId }) => isSince(keyStarts.get(auditKeyId), everybodyRotatedMs)),
  );
};

/** @returns the index of the row's key; -1 without a hash. */
const checkRow = (keys: readonly ChainKeys[], audited: AuditedHistory, row: ProvenRow, line: Said | undefined) => {
  const { partner_id, sequence } = row;
  const named = `row ${sequence} of ${row.transaction_id}`;
  const fail = (what: string): never => {
    throw new VerificationFailed(what);
  };
  if (partner_id === null)
    return fail(
      `the withdrawal ${row.transaction_id} is gone, its history is not; or ${named} is filed under another time of asking`,
    );
  if (sequence > 1 && row.sequence_before === null) fail(`a row before ${named} is missing, or two were swapped`);
  if (row.is_there_twice === 1) fail(`the withdrawal ${row.transaction_id} is there twice: running, and archived`);
  const before = row.hash_before ?? "";
  const isUnder = ({ history }: ChainKeys) => historyHash(history, before, row, { ...row, partner_id }) === row.hash;
  const under = row.hash === null ? -1 : keys.findLastIndex(isUnder);
  if (row.hash !== null && under < 0) fail(`${named} was changed, or its withdrawal was`);
  if (under < oldestKeyOf(keys, audited, row, line))
    fail(`${named} is not chained as it should be (after a way back to an earlier release: audit accept)`);
  if (row.asked_at !== 0 && row.asked_at !== row.created_at) fail(`${named} is filed under another time of asking`);
  if (sequence > row.history_length) fail(`${named} is not counted by its withdrawal`);
  if (sequence === row.history_length && row.to_status !== row.status)
    fail(`the withdrawal ${row.transaction_id} is ${row.status}, its history ends with ${row.to_status}`);
  const what = mismatch(row);
  if (what !== null) fail(`the withdrawal ${row.transaction_id} says otherwise than ${named}: ${what}`);
  return under;
};

interface Verifying {
  readonly store: Store;
  readonly keys: readonly ChainKeys[];
  readonly audited: AuditedHistory;
  /** Lines whose rows were not found yet. */
  readonly left: Map<string, Said>;
  readonly counts: { rows: number; open: number; unchained: number };
  readonly visit: (rows: readonly ProvenRow[]) => Promise<void>;
  /** Called with each verified day. */
  readonly onDay: (day: number) => Promise<void>;
}

/** Verifies rows from a day on against their days' lines. */
const verifyRows = async (verifying: Verifying, from: Group): Promise<void> => {
  const { store, keys, audited, left, counts, visit, onDay } = verifying;
  let [group, day, fold, isClosed, isFirst] = [from, "", createFold(), false, true];
  const finish = async () => {
    for (const { month, rows, digest } of isClosed ? fold.result() : []) {
      const object = `${dayText(group.day)} ${month}`;
      const line = left.get(`${group.event} ${object}`);
      if (line === undefined && audited.ended.has(month)) continue;
      if (line === undefined)
        throw new VerificationFailed(`${rows} rows of ${object} are in no line of the audit, though their day is over`);
      if (line.rows !== rows)
        throw new VerificationFailed(
          `entry ${line.seq} of the audit counts ${line.rows} rows of ${object}, ${rows} are left`,
        );
      if (line.digest !== digest)
        throw new VerificationFailed(
          `rows of ${object} were changed: they are not those of entry ${line.seq} of the audit`,
        );
      left.delete(`${group.event} ${object}`);
    }
    if (isClosed && group.event === historyEvents.day) await onDay(group.day);
  };
  for await (const page of pagesFrom(store, from)) {
    await visit(page);
    for (const row of page) {
      const next = groupOf(row);
      if (isFirst || next.day !== group.day) {
        await finish();
        [group, day, fold] = [next, dayText(next.day), createFold()];
        [isClosed, isFirst] = [next.day <= audited.newest[next.event], false];
      }
      const line = isClosed ? audited.lines.get(`${group.event} ${day} ${monthOfRow(row)}`) : undefined;
      const under = checkRow(keys, audited, row, line);
      if (isClosed) addRow(fold, row);
      counts.rows += 1;
      if (!isClosed) counts.open += 1;
      if (under < keys.length - 1) counts.unchained += 1;
    }
  }
  await finish();
};

/** Checks that withdrawals since `from` have all of their rows, and that only those older than the history lack a first one. */
const verifyWithdrawals = async (store: Store, { begun, without, ended }: AuditedHistory, from: number) => {
  const found = await foldWithout(store, from, ({ id, history_length, rows, has_beginning, created_at }) => {
    if (rows !== history_length)
      throw new VerificationFailed(
        `the withdrawal ${id} counts ${history_length} rows of its history, there are ${rows}: the end was cut off`,
      );
    const month = monthOf(created_at);
    if (has_beginning === 0 && begun !== null && !without.has(month) && !ended.has(month))
      throw new VerificationFailed(`the withdrawal ${id} has no history`);
  });
  if (begun === null || from > 0) return;
  const left = new Map(without);
  for (const { month, rows, digest } of found) {
    const said = left.get(month);
    left.delete(month);
    if (said && (said.rows !== rows || said.digest !== digest))
      throw new VerificationFailed(
        `of the withdrawals of ${month} from before there was a history entry ${said.seq} of the audit counts ${said.rows}, there are ${rows} or others`,
      );
  }
  for (const [month, { seq, rows }] of left)
    throw new VerificationFailed(
      `entry ${seq} of the audit counts ${rows} withdrawals of ${month} from before there was a history, none is left`,
    );
};

interface VerifyOptions {
  readonly visit?: (rows: readonly ProvenRow[]) => Promise<void>;
  readonly resume?: ((day: number) => Promise<void>) | null;
}

/** A resumed verification starts this much earlier, since clocks may differ. */
const overlapMs = 2 * dayMs;

/**
 * Verifies the history page by page, so that neither memory nor a snapshot grows with it.
 * @param keys as for `verifyAudit`. @param audited from the verified audit.
 * @param options.visit called with every row, in pages.
 * @param options.resume continues after the newest verified day, and is called with each verified day.
 * @returns null where a month was purged meanwhile, which may have caused the finding: verify again.
 */
export const verifyHistory = async (
  store: Store,
  keys: readonly ChainKeys[],
  audited: AuditedHistory,
  { visit = async () => {}, resume = null }: VerifyOptions = {},
): Promise<HistoryCheck | null> => {
  const { begun, accepted, lines } = audited;
  const since = resume === null ? null : audited.verified;
  const from = since === null ? 0 : Math.max(0, since.at - overlapMs);
  try {
    const broken = / not whole: (.*)/.exec(begun?.detail ?? "")?.[1];
    if (begun !== null && broken !== undefined && (accepted?.seq ?? 0) < begun.seq)
      throw new VerificationFailed(
        `rows that these entries of the audit sealed were changed before days came in their place: ${broken}`,
      );
    if (resume !== null) await verifyWithdrawals(store, audited, from);
    const isAsked = (event: string, day: number) =>
      since === null || day > (event === historyEvents.day ? since.day : dayOf(from));
    const left = new Map(
      [...lines].filter(([key]) => {
        const [event = "", day = ""] = key.split(" ");
        return isAsked(event, dayOf(Date.parse(day)));
      }),
    );
    const onDay = async (day: number) => resume?.(day);
    const counts = { rows: 0, open: 0, unchained: 0 };
    for (const group of [
      { event: historyEvents.undated, day: since === null ? 0 : dayOf(from) + 1 },
      { event: historyEvents.day, day: since === null ? 1 : since.day + 1 },
    ])
      await verifyRows({ store, keys, audited, left, counts, visit, onDay }, group);
    for (const [key, { seq, rows }] of left)
      throw new VerificationFailed(
        `entry ${seq} of the audit counts ${rows} rows of ${key.slice(key.indexOf(" ") + 1)}, none is left`,
      );
    if (resume === null) await verifyWithdrawals(store, audited, 0);
    return { kind: "whole", ...counts };
  } catch (error) {
    if (!(error instanceof VerificationFailed)) throw error;
    const end = await store.read((tx) => tx.first(newestEvent({ event: historyEvents.monthEnded })));
    return (end?.seq ?? 0) <= audited.head ? { kind: "broken", what: error.message } : null;
  }
};
