/**
 * `audit verify` for the history: checks rows against their withdrawal, their day's lines and the row before, and
 * withdrawals against their rows.
 */
import { newestAudit } from "../access/audit.ts";
import type { ChainKeys, Hmac } from "../context.ts";
import { dayMs, hourMs, minuteMs } from "../contract/times.ts";
import { isFinal } from "../contract/transaction.ts";
import type { Store } from "../store/store.ts";
import { openStatuses } from "../withdrawals/closed.ts";
import {
  type CountedRow,
  type EventRow,
  firstTime,
  lastTime,
  nextDay,
  nextUndated,
  type ProvenWithdrawal,
  provenPage,
} from "../withdrawals/history.ts";
import { digestIn, historyHash, neededApproval, orderDigest } from "../withdrawals/transition.ts";
import { isErasedName } from "./erase-user.ts";
import {
  type AuditedHistory,
  addRow,
  createFold,
  eventOf,
  foldWithout,
  historyEvents,
  type Moment,
  monthOfRow,
  type Said,
} from "./proof.ts";
import {
  countedBefore,
  countedFrom,
  type Day,
  dayOf,
  dayText,
  lastDay,
  monthOf,
  nextDayOf,
  type ProvenRow,
  provenRowsOf,
} from "./proven-rows.ts";

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
const fail: (what: string) => never = (what) => {
  throw new VerificationFailed(what);
};

/** Whether a row's digest of what its orders say is not the withdrawal's. @param hmac the row's; null: it has no hash. */
const isOrderedOtherwise = (event: EventRow, withdrawal: ProvenWithdrawal, hmac: Hmac | null): boolean => {
  const { sequence, from_status: from, terms } = event;
  if (hmac === null || terms === null || (sequence !== 1 && from !== "ready" && from !== "awaiting_sca")) return false;
  const digest = digestIn(terms);
  const mayBeErased = !openStatuses.includes(withdrawal.status);
  if (digest === undefined || (mayBeErased && isErasedName(withdrawal.user_id))) return false;
  const then = sequence === 1 ? { ...withdrawal, transaction_id_partner: null } : withdrawal;
  return orderDigest(hmac, then) !== digest;
};

/** How the withdrawal's columns contradict a row of its history; null where they agree. @param hmac as above. */
const mismatch = (event: EventRow, withdrawal: ProvenWithdrawal, hmac: Hmac | null): string | null => {
  const { kind, from_status: from, to_status: to, at, actor, actor_id: by, sequence, terms } = event;
  const { confirmed_at, device_id, settled_at, linked_at, cashier, closed_at, status, sca_required } = withdrawal;
  if (actor === "partner" && by !== withdrawal.partner_id) return "which bank it was";
  if (kind === "reported_again" && withdrawal.other_hand_out_id === null) return "which hand-out came second";
  if (kind !== "transition") return null;
  const needsApproval = sequence === 1 && terms !== null ? neededApproval(terms) : undefined;
  if (isOrderedOtherwise(event, withdrawal, hmac)) return "what its order says: for whom, and under which references";
  const isConfirm = from === "ready" && (to === "awaiting_sca" || to === "settling");
  if (
    (needsApproval ?? sca_required) !== sca_required ||
    (isConfirm && (to === "awaiting_sca") !== (sca_required === 1))
  )
    return "whether the customer has to approve";
  if (isConfirm && (confirmed_at !== at || device_id !== by)) return "confirmed by whom and when";
  if (to === "settled" && settled_at !== at) return "settled when";
  if (to === "linked" && (linked_at !== at || cashier !== event.cashier)) return "linked by whom and when";
  if (to === "linked" && terms !== null && withdrawal.hand_out_id !== (JSON.parse(terms) as readonly unknown[])[0])
    return "which hand-out it was";
  if (to === "undelivered" && cashier !== event.cashier) return "closed by whom";
  // A reason would be an operator's decision, or a restore's.
  if (from === "settled" && actor === "device" && withdrawal.reason !== null) return "ended why";
  const reason = to === "undelivered" ? withdrawal.undelivered_reason : withdrawal.reason;
  if (to === status && isFinal(to) && reason !== event.reason) return "ended why";
  // The deadline had closed it before the sweeper wrote that.
  const closedAt = closed_at ?? Number.POSITIVE_INFINITY;
  const isClosedThen = actor === "sweeper" ? closedAt <= at : closedAt === at;
  // A restore had canceled it, and a terminal has reported its outcome since.
  if (to === "canceled" && event.reason === "restored" && status !== "canceled") return null;
  if (isFinal(to) && to !== "linked" && !isClosedThen) return "closed when";
  // Rows before its last may be later: a clock was set back.
  const endedAt = linked_at ?? closed_at ?? at;
  const isEnd = to === status && isFinal(to);
  return isEnd && (withdrawal.archived_at ?? endedAt) < endedAt ? "since when it is among the ended ones" : null;
};

const afterPayment = ["linked_at", "closed_at", "undelivered_reason"] as const;
const afterConfirmation = [...afterPayment, "settled_at", "reason"] as const;
const afterRequest = [...afterConfirmation, "confirmed_at", "device_id"] as const;
/** Columns that a withdrawal in a status cannot have yet. */
const notYet: Readonly<Partial<Record<ProvenWithdrawal["status"], readonly (keyof ProvenWithdrawal)[]>>> = {
  requested: afterRequest,
  ready: afterRequest,
  awaiting_sca: afterConfirmation,
  settling: afterConfirmation,
  settled: [...afterPayment, "reason"],
  linked: ["closed_at", "undelivered_reason"],
};

/** Whether the report must have it, which goes by the time of the confirmation; of what a restore has forgotten no row has that. */
const isPaidOut = ({ status }: ProvenWithdrawal): boolean => status === "linked" || status === "undelivered";

/** Index of the oldest key allowed for a row; -1: it needs no hash. @param line the line that counts it, if any. */
const oldestKeyOf = (keys: readonly ChainKeys[], audited: AuditedHistory, row: EventRow, line: Said | undefined) => {
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
const checkRow = (
  keys: readonly ChainKeys[],
  audited: AuditedHistory,
  { event, withdrawal, isThereTwice, before }: ProvenRow,
  line: Said | undefined,
  newer: string | null,
) => {
  const { transaction_id: id, sequence, hash } = event;
  const named = `row ${sequence} of ${id}`;
  if (withdrawal === null)
    fail(`the withdrawal ${id} is gone, its history is not; or ${named} is filed under another time of asking`);
  if (before === undefined) fail(`a row before ${named} is missing, or two were swapped`);
  if (isThereTwice) fail(`the withdrawal ${id} is there twice`);
  const isUnder = ({ history }: ChainKeys) => historyHash(history, before?.hash ?? "", event, withdrawal) === hash;
  const under = keys.findLastIndex(isUnder);
  // A failover may have lost the change to the newer key. Any other that no entry is under may be an intruder's.
  const isOfLostChange = newer !== null && keys[under]?.auditKeyId === newer && !audited.keyStarts.has(newer);
  if (hash !== null && under < 0) fail(`${named} was changed, or its withdrawal was`);
  if (!isOfLostChange && under < oldestKeyOf(keys, audited, event, line))
    fail(`${named} is not chained as it should be (after a way back to an earlier release: audit accept)`);
  if (before !== null && event.from_status !== before.to_status)
    fail(`${named} goes on from ${event.from_status}, the row before ends with ${before.to_status}`);
  if (event.asked_at !== 0 && event.asked_at !== withdrawal.created_at)
    fail(`${named} is filed under another time of asking`);
  if (sequence > withdrawal.history_length) fail(`${named} is not counted by its withdrawal`);
  if (sequence === withdrawal.history_length && event.to_status !== withdrawal.status)
    fail(`the withdrawal ${id} is ${withdrawal.status}, its history ends with ${event.to_status}`);
  if (sequence === withdrawal.history_length)
    for (const column of notYet[withdrawal.status] ?? [])
      if (withdrawal[column] !== null) fail(`the withdrawal ${id} is ${withdrawal.status}, and has ${column} already`);
  if (sequence === withdrawal.history_length && isPaidOut(withdrawal) && (withdrawal.confirmed_at ?? -1) < 0)
    fail(`the withdrawal ${id} is ${withdrawal.status}, and has no confirmed_at`);
  const what = mismatch(event, withdrawal, keys[under]?.history ?? null);
  if (what !== null) fail(`the withdrawal ${id} says otherwise than ${named}: ${what}`);
  return under;
};

interface Verifying {
  readonly store: Store;
  readonly keys: readonly ChainKeys[];
  readonly audited: AuditedHistory;
  readonly left: Map<string, Said>;
  readonly counts: { rows: number; open: number; unchained: number };
  readonly newer: string | null;
  readonly visit: (rows: readonly ProvenRow[]) => Promise<void>;
  readonly onDay: (day: number) => Promise<void>;
}

const verifyDay = async (verifying: Verifying, day: Day): Promise<void> => {
  const { store, keys, audited, left, counts, newer, visit, onDay } = verifying;
  const event = eventOf(day);
  const isClosed = day.day <= audited.newest[event];
  const text = dayText(day.day);
  const objectOf = (month: string) => `${text} ${month}`;
  const fold = createFold();
  const rowsBefore = counts.rows;
  for await (const page of provenRowsOf(store, day)) {
    await visit(page);
    for (const row of page) {
      const month = monthOfRow(row.event, row.withdrawal);
      const under = checkRow(keys, audited, row, audited.lines.get(`${event} ${objectOf(month)}`), newer);
      if (isClosed) addRow(fold, row.event, month);
      counts.rows += 1;
      if (!isClosed) counts.open += 1;
      if (under < keys.length - 1) counts.unchained += 1;
    }
  }
  for (const { month, rows, digest } of fold.result()) {
    const object = objectOf(month);
    const line = left.get(`${event} ${object}`);
    if (line === undefined && audited.ended.has(month)) continue;
    if (line === undefined) fail(`${rows} rows of ${object} are in no line of the audit, though their day is over`);
    if (line.rows !== rows)
      fail(`entry ${line.seq} of the audit counts ${line.rows} rows of ${object}, ${rows} are left`);
    if (line.digest !== digest)
      fail(`rows of ${object} were changed: they are not those of entry ${line.seq} of the audit`);
    left.delete(`${event} ${object}`);
  }
  if (isClosed && day.isDated && counts.rows > rowsBefore) await onDay(day.day);
};

/** @param left lines of days, up to one whose rows were all read. @throws VerificationFailed for one that has no rows. */
const refuseGone = (left: Verifying["left"], until: number): void => {
  const last = dayText(until);
  for (const [key, { seq, rows }] of left) {
    const named = key.slice(key.indexOf(" ") + 1);
    if (named.slice(0, last.length) <= last)
      fail(`entry ${seq} of the audit counts ${rows} rows of ${named}, none is left`);
  }
};

/** The first day from a day on that has rows; null: none has. */
const dayFrom = async (store: Store, { isDated, day }: Day): Promise<number | null> => {
  if (isDated) return nextDayOf(store, day);
  return store.read(async (tx) => {
    const next = await tx.first(nextUndated({ from: day === 0 ? firstTime : day * dayMs }));
    return next === undefined ? null : dayOf(next.at);
  });
};

/** When the first row was written that is not verified, if that was before its day: a clock may have been behind. */
const firstRowAfter = async (store: Store, verified: number): Promise<number> => {
  let first = Number.POSITIVE_INFINITY;
  for (let after = verified; ; ) {
    const next = await store.read((tx) => tx.first(nextDay({ after })));
    if (next === undefined) return first;
    after = next.day;
    const page = provenPage({ day: after, at: firstTime, limit: 1 });
    first = Math.min(first, (await store.read((tx) => tx.first(page)))?.at ?? first);
  }
};

const verifyRows = async (verifying: Verifying, { isDated, day }: Day): Promise<void> => {
  for (let next: number | null = day; ; next += 1) {
    next = await dayFrom(verifying.store, { isDated, day: next });
    if (next === null) return;
    await verifyDay(verifying, { isDated, day: next });
  }
};

/**
 * Checks that withdrawals have all of their rows and names, and their order while they are paid, and that only those older than the
 * history lack a first row: all of them, or those asked for since `from`, open or ended since then.
 */
const verifyWithdrawals = async (
  store: Store,
  { begun, without, ended, namesSince, accepted }: AuditedHistory,
  from: number | null,
  isOver: () => boolean,
): Promise<void> => {
  const check = ({ id, history_length, rows, beginnings, created_at, lost }: CountedRow) => {
    if (rows !== history_length)
      fail(`the withdrawal ${id} counts ${history_length} rows of its history, there are ${rows}: the end was cut off`);
    const month = monthOf(created_at);
    if (beginnings === 0 && begun !== null && !without.has(month) && !ended.has(month))
      fail(`the withdrawal ${id} has no history`);
    if (lost !== null)
      fail(`the withdrawal ${id} ${lost === "Settle order" ? "is being paid" : "has ended"}, and its ${lost} is gone`);
  };
  const checked = async function* (pages: AsyncIterable<readonly CountedRow[]>) {
    for await (const page of pages) {
      if (isOver()) fail("something else was found first");
      page.forEach(check);
      yield page;
    }
  };
  // A release before may have forgotten what is older.
  const namesFrom = namesSince === null ? lastTime : Math.max(namesSince, accepted?.at ?? namesSince);
  const found = await foldWithout(checked(countedFrom(store, from ?? firstTime, namesFrom)));
  if (from !== null) for await (const _ of checked(countedBefore(store, from)));
  if (begun === null || from !== null) return;
  const left = new Map(without);
  for (const { month, rows, digest } of found) {
    const said = left.get(month);
    left.delete(month);
    if (said && (said.rows !== rows || said.digest !== digest))
      fail(
        `of the withdrawals of ${month} from before there was a history entry ${said.seq} of the audit counts ${said.rows}, there are ${rows} or others`,
      );
  }
  for (const [month, { seq, rows }] of left)
    fail(
      `entry ${seq} of the audit counts ${rows} withdrawals of ${month} from before there was a history, none is left`,
    );
};

interface VerifyOptions {
  readonly newer?: string | null;
  readonly visit?: (rows: readonly ProvenRow[]) => Promise<void>;
  readonly resume?: ((day: number) => Promise<void>) | null;
}

/** A resumed verification counts withdrawals from this long before what was not verified: processes keep the database's clock. */
const clocksMs = hourMs;
/** Rows without a day may get their line this much later than those of the day. */
const undatedMs = 2 * dayMs;

/**
 * Verifies the history page by page, so that neither memory nor a snapshot grows with it.
 * @param keys as for `verifyAudit`. @param audited from the verified audit.
 * @param options.newer the `auditKeyId` that the audit is to be changed over to; null: none.
 * @param options.visit called with every row, in pages.
 * @param options.resume continues after the newest verified day, and is called with each verified day.
 * @returns null where a month or a day's names were purged meanwhile, which may have caused the finding: verify again.
 */
export const verifyHistory = async (
  store: Store,
  keys: readonly ChainKeys[],
  audited: AuditedHistory,
  { newer = null, visit = async () => {}, resume = null }: VerifyOptions = {},
): Promise<HistoryCheck | null> => {
  const { begun, accepted, lines } = audited;
  const since = resume === null ? null : audited.verified;
  const undatedFrom = since === null ? 0 : dayOf(since.at - undatedMs) + 1;
  const newFrom =
    since === null
      ? null
      : Math.min(since.at, (since.day + 1) * dayMs, await firstRowAfter(store, since.day)) - clocksMs;
  let [counted, isOver]: [Promise<void> | null, boolean] = [null, false];
  try {
    const broken = / not whole: (.*)/.exec(begun?.detail ?? "")?.[1];
    if (begun !== null && broken !== undefined && (accepted?.seq ?? 0) < begun.seq)
      fail(`rows that these entries of the audit sealed were changed before days came in their place: ${broken}`);
    // Beside the rows, and before any of their days is called whole.
    counted = verifyWithdrawals(store, audited, newFrom, () => isOver);
    counted.catch(() => {});
    const dayAfter = since === null ? 1 : since.day + 1;
    const left = new Map(
      [...lines].filter(([key]) => {
        const [event = "", day = ""] = key.split(" ");
        return dayOf(Date.parse(day)) >= (event === historyEvents.day ? dayAfter : undatedFrom);
      }),
    );
    const counts = { rows: 0, open: 0, unchained: 0 };
    const onDay = async (day: number) => {
      if (resume === null) return;
      // A day that is gone before it would never be looked for again.
      refuseGone(left, day);
      await counted;
      await resume(day);
    };
    const verifying = { store, keys, audited, left, counts, newer, visit, onDay };
    await verifyRows(verifying, { isDated: false, day: undatedFrom });
    await verifyRows(verifying, { isDated: true, day: dayAfter });
    refuseGone(left, lastDay);
    await counted;
    return { kind: "whole", ...counts };
  } catch (error) {
    if (!(error instanceof VerificationFailed)) throw error;
    for (const event of [historyEvents.monthEnded, historyEvents.forgotten])
      if (((await store.read((tx) => tx.first(newestAudit({ event }))))?.seq ?? 0) > audited.head) return null;
    return { kind: "broken", what: error.message };
  } finally {
    isOver = true;
    await counted?.catch(() => {});
  }
};
