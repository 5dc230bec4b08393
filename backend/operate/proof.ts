/**
 * The proof of the history. Each row is an HMAC over itself and the row before (`withdrawals/transition.ts`) and belongs
 * to the day that was open. A closed day gets an audit entry for each month of requests: number of rows, first and
 * last, a digest over all hashes. So deleted rows show, and no row is written twice. Rows of releases that wrote no day
 * count by their time; seals of those releases are verified once, at the upgrade.
 * The audit also names from when on each ended withdrawal has what repeats are known by, its idempotency key and its
 * terminal's own id: without them an old request could be made again, and an id used twice.
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import {
  type AuditEvent,
  appendAudit,
  auditAbout,
  countAuditSince,
  holdAudit,
  lineSince,
  newestAudit,
  verifyAudit,
} from "../access/audit.ts";
import { type Repeated, repeat } from "../background.ts";
import { allKeys, type ChainKeys, type Service } from "../context.ts";
import { dayMs, hourMs, toTime } from "../contract/times.ts";
import { dropTime, timesOf } from "../store/partitions.ts";
import type { RowOf } from "../store/schema.ts";
import { setSetting, settingByName } from "../store/settings.ts";
import { type Span, type Store, statement, type Tx } from "../store/store.ts";
import { archivedOfTime, deleteArchived, firstArchived, keptOfTime } from "../withdrawals/closed.ts";
import {
  awaitWriters,
  type CountedRow,
  deleteEvents,
  type EventRow,
  firstTime,
  nextUndated,
  openDaySetting,
  sealedColumns,
  sealedRows,
  unfiledSince,
  unsealedOfTime,
} from "../withdrawals/history.ts";
import {
  countedFrom,
  type Day,
  dayOf,
  dayText,
  lastDay,
  monthOf,
  nextDayOf,
  provenRowsOf,
  rowsOf,
} from "./proven-rows.ts";

/** Audit events about the history and its names; `chained` and `sealed` are written by earlier releases only. */
export const historyEvents = {
  day: "history_day",
  undated: "history_undated",
  without: "history_without",
  begun: "history_begun",
  monthEnded: "history_month_ended",
  verified: "history_verified",
  chained: "history_chained",
  sealed: "history_sealed",
  /** From before when names may be forgotten (`RETENTION_IDEMPOTENCY_KEY_DAYS`). */
  forgotten: "names_forgotten",
  /** From before when closed reports after a restore may be gone. */
  reportsForgotten: "reports_forgotten",
} as const;
/** The audit's event of an acceptance of what was found. */
export const acceptEvent = "audit accept";

/** How late a row of a release without days may still be committed. */
const undatedLateMs = hourMs;

const timeOfMonth = (month: string): Span => {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) };
};

const entryOf = (event: string, object: string, detail: string | null): AuditEvent => ({
  actor: "service",
  address: null,
  event,
  object,
  detail,
});

/** What an audit entry records of some rows. */
export interface Said {
  readonly seq: number;
  readonly rows: number;
  readonly digest: string;
}

/** Counts rows and digests them by month; the order matters. */
export const createFold = () => {
  const months = new Map<string, { rows: number; first: string; last: string; hash: ReturnType<typeof createHash> }>();
  return {
    add(month: string, name: string, text: string): void {
      const known = months.get(month) ?? { rows: 0, first: name, last: name, hash: createHash("sha256") };
      months.set(month, known);
      known.rows += 1;
      known.last = name;
      known.hash.update(`${text}\n`);
    },
    /** The totals; call it once. */
    result: () =>
      [...months].map(([month, { hash, ...said }]) => ({ month, ...said, digest: hash.digest("base64url") })),
  };
};

/** The month in whose line a row counts: that of its withdrawal's request. */
export const monthOfRow = ({ asked_at, at }: EventRow, withdrawal: { readonly created_at: number } | null): string =>
  monthOf(asked_at || (withdrawal?.created_at ?? at));

/** Adds a row of the history to a fold. */
export const addRow = (fold: ReturnType<typeof createFold>, row: EventRow, month: string): void =>
  fold.add(
    month,
    `${row.transaction_id}/${row.sequence}`,
    row.hash ?? JSON.stringify(sealedColumns.map((column) => row[column])),
  );

const dayEvents = { dated: historyEvents.day, undated: historyEvents.undated } as const;
/** The event of a day's lines. */
export const eventOf = ({ isDated }: Day) => (isDated ? historyEvents.day : historyEvents.undated);

/** Sums up, by month, withdrawals without a first row, which are older than the history. */
export const foldWithout = async (counted: AsyncIterable<readonly CountedRow[]>) => {
  const fold = createFold();
  for await (const page of counted)
    for (const { id, partner_id, merchant_id, amount, currency, created_at, beginnings } of page)
      if (beginnings === 0)
        fold.add(monthOf(created_at), id, JSON.stringify([id, partner_id, merchant_id, amount, currency, created_at]));
  return fold.result();
};

type Keeping = Pick<Service, "store" | "clock" | "log" | "keys">;
const sinceSetting = `${openDaySetting}_since`;

/** The day of the newest entry of an event; -1 before the first. */
async function newestDayOf(tx: Tx, event: string): Promise<number> {
  const entry = await tx.first(newestAudit({ event }));
  return entry === undefined ? -1 : dayOf(Date.parse(entry.object.slice(0, 10)));
}

/** The clocks of two processes differ by less. */
const apartMs = 10_000;

/** Opens the next day when the clock's day has changed. Whatever the clock shows, no day is opened twice. */
async function openDayAt(tx: Tx, now: number): Promise<number> {
  const number = async (name: string) => Number((await tx.first(settingByName({ name })))?.value ?? 0);
  const [open, since, closed] = [
    await number(openDaySetting),
    await number(sinceSetting),
    await newestDayOf(tx, historyEvents.day),
  ];
  const today = dayOf(now);
  const isSound = Number.isSafeInteger(open) && open > closed && open <= lastDay;
  // Another process may have seen midnight already.
  if (isSound && (since === today || since === dayOf(now + apartMs))) return open;
  const next = Math.max(today, closed + 1, isSound ? open + 1 : 0);
  await tx.run(setSetting({ name: openDaySetting, value: String(next) }));
  await tx.run(setSetting({ name: sinceSetting, value: String(today) }));
  return next;
}

/** Writes a past day's lines in one commit, unless another process has. */
const closeDay = async ({ store, clock, log, keys }: Keeping, day: Day): Promise<void> => {
  const fold = createFold();
  if (day.isDated)
    for await (const page of rowsOf(store, day)) for (const row of page) addRow(fold, row, monthOfRow(row, null));
  else
    for await (const page of provenRowsOf(store, day))
      for (const { event, withdrawal } of page) addRow(fold, event, monthOfRow(event, withdrawal));
  const lines = fold
    .result()
    .map(({ month, rows, first, last, digest }) =>
      entryOf(eventOf(day), `${dayText(day.day)} ${month}`, `${rows} rows ${digest} from ${first} to ${last}`),
    );
  const entries = await store.write(async (tx) => {
    await holdAudit(tx, keys);
    if ((await newestDayOf(tx, eventOf(day))) >= day.day) return [];
    const written: RowOf<"audit">[] = [];
    for (const line of lines) written.push(await appendAudit(tx, keys, clock.now(), line));
    return written;
  });
  for (const { seq, hash, object, detail } of entries) log.info({ entry: seq, hash, object, detail }, "history day");
};

/** Number of seals in the audit, and those whose rows have changed. */
const brokenSeals = async (store: Store, keys: readonly ChainKeys[]): Promise<readonly [number, readonly number[]]> => {
  const reading = createHistoryReader();
  await verifyAudit(store, keys, reading.visit);
  const broken: number[] = [];
  const { seals } = reading.result();
  for (const [seq, { digest }] of seals) {
    const held = await store.read((tx) => tx.all(sealedRows({ seal: seq })));
    const inOrder = held.toSorted((a, b) => a.sequence - b.sequence || (a.transaction_id < b.transaction_id ? -1 : 1));
    const text = inOrder.map((row) => `${JSON.stringify(sealedColumns.map((column) => row[column]))}\n`).join("");
    if (!keys.some(({ history }) => history(text) === digest)) broken.push(seq);
  }
  return [seals.size, broken];
};

/** Closes all past days; the first run also takes over rows of earlier releases. An interrupted run is continued by the next. */
export const closeDays = async (service: Keeping, isStopping = () => false): Promise<void> => {
  const store: Store = {
    ...service.store,
    read(unit, isShort) {
      if (isStopping()) throw new Stopping();
      return service.store.read(unit, isShort);
    },
  };
  await closeAll({ ...service, store }).catch((error: unknown) => {
    if (!(error instanceof Stopping)) throw error;
  });
};

class Stopping extends Error {}

const closeAll = async (service: Keeping): Promise<void> => {
  const { store, clock, keys } = service;
  const open = await store.write(async (tx) => {
    await holdAudit(tx, keys);
    return openDayAt(tx, clock.now());
  });
  const isBegun = (await store.read((tx) => tx.first(newestAudit({ event: historyEvents.begun })))) !== undefined;
  let seals: string | null = null;
  if (!isBegun) {
    let [count, broken] = await brokenSeals(store, allKeys(keys));
    // A purge by an older release may have renewed one meanwhile.
    if (broken.length > 0) [count, broken] = await brokenSeals(store, allKeys(keys));
    seals = broken.length === 0 ? `${count} seals` : `${count} seals, not whole: ${broken.join(" ")}`;
  }
  for (;;) {
    const from = ((await store.read((tx) => newestDayOf(tx, historyEvents.undated))) + 1) * dayMs;
    const next = await store.read((tx) => tx.first(nextUndated({ from })));
    if (next === undefined || dayOf(next.at) >= dayOf(clock.now() - undatedLateMs)) break;
    await closeDay(service, { isDated: false, day: dayOf(next.at) });
  }
  if (!isBegun) {
    const without = await foldWithout(countedFrom(store, firstTime));
    await store.write(async (tx) => {
      await holdAudit(tx, keys);
      if ((await tx.first(newestAudit({ event: historyEvents.begun }))) !== undefined) return;
      for (const { month, rows, digest } of without)
        await appendAudit(
          tx,
          keys,
          clock.now(),
          entryOf(historyEvents.without, month, `${rows} withdrawals ${digest}`),
        );
      await appendAudit(tx, keys, clock.now(), entryOf(historyEvents.begun, "history", seals));
    });
  }
  for (let [from, isComplete] = [1, false]; ; ) {
    from = Math.max(from, (await store.read((tx) => newestDayOf(tx, historyEvents.day))) + 1);
    const next = await nextDayOf(store, from);
    if (next === null || next >= open) return;
    if (!isComplete) {
      // Writers that began under a past day commit first; rows still invisible are found by the next run.
      await store.write(async (tx) => {
        for (const query of awaitWriters) await tx.run(query);
      });
      isComplete = true;
      continue;
    }
    await closeDay(service, { isDated: true, day: next });
    from = next + 1;
  }
};

const firstAfterMs = 5_000;

/** Closes past days in one process of a fleet: soon after midnight (UTC), and every hour. */
export const startDays = (service: Service): Repeated =>
  repeat(service.clock, firstAfterMs, async (isStopping) => {
    if (service.owns("history"))
      await closeDays(service, isStopping).catch((error: unknown) =>
        service.log.error({ err: error }, "the history's days could not be closed and will be tried again"),
      );
    const now = service.clock.now();
    return Math.min(hourMs, (dayOf(now) + 1) * dayMs - now + 1);
  });

const isEnded = async (tx: Tx, month: string): Promise<boolean> => {
  const since = Number.MIN_SAFE_INTEGER;
  const ended = await tx.first(countAuditSince({ event: historyEvents.monthEnded, object: month, since }));
  return (ended?.count ?? 0) > 0;
};

/** Tables with a month's data, in the order in which a unit writes them. */
const tablesOfMonth = ["withdrawal_events", "archived_withdrawals"] as const;

/**
 * Whether any withdrawal requested in the period is open, disputed, ended after `before`, or has a row under a day
 * whose line is not written yet.
 */
async function isKept(tx: Tx, time: Span, before: number): Promise<boolean> {
  if ((await tx.first(keptOfTime({ ...time, before })))?.id != null) return true;
  const after = await newestLined(tx);
  return (await tx.first(unsealedOfTime({ ...time, after, afterMs: (after + 1) * dayMs }))) !== undefined;
}

/**
 * Ends a month in the audit: its lines no longer count, so its withdrawals may be deleted. Once more where it has lines since, of what was
 * disputed while it went. Idempotent. @returns true.
 */
async function endHistoryMonth(tx: Tx, keys: ChainKeys, month: string, now: number): Promise<true> {
  await holdAudit(tx, keys);
  const [ended] = await tx.all(auditAbout({ event: historyEvents.monthEnded, object: month }));
  if (
    ended === undefined ||
    (await tx.first(lineSince({ ...dayEvents, object: `% ${month}`, seq: ended.seq }))) !== undefined
  )
    await appendAudit(tx, keys, now, entryOf(historyEvents.monthEnded, month, null));
  return true;
}

const newestLined = async (tx: Tx): Promise<number> => Math.max(0, await newestDayOf(tx, historyEvents.day));

/** How many withdrawals of a month were deleted: with its partitions (null: by another process), or row by row. */
type MonthLost = { readonly dropped: number | null } | { readonly deleted: number };

/**
 * Ends the first month in which nothing is open, disputed or ended after `before`: drops its partitions, or without
 * such deletes up to `limit` withdrawals with their history.
 */
export async function endMonth(
  tx: Tx,
  keys: ChainKeys,
  before: number,
  now: number,
  limit: number,
): Promise<MonthLost> {
  if ((await tx.first(newestAudit({ event: historyEvents.begun }))) === undefined) return { deleted: 0 };
  const divided = await timesOf(tx, tablesOfMonth);
  for (let from = Number.MIN_SAFE_INTEGER; ; ) {
    const next = divided.find((each) => each.from !== null && each.from >= from)?.from ?? Number.POSITIVE_INFINITY;
    const month = monthOf(Math.min(next, (await tx.first(firstArchived({ from })))?.created_at ?? next));
    const time = timeOfMonth(month);
    if (time.to > before) return { deleted: 0 };
    from = time.to;
    const isOver = async () => !(await isKept(tx, time, before));
    const hasPartitions = divided.some((each) => each.from === time.from && each.to === time.to);
    const isBegun = await isEnded(tx, month);
    // To look through a whole month takes as long as to delete hundreds of its rows, so not again for each batch.
    const isWhole = (hasPartitions || !isBegun) && (await isOver());
    // A withdrawal that was disputed meanwhile stays; the rest of the month is deleted.
    if (!isWhole && !isBegun) continue;
    // Only if no rows of an older release are stored elsewhere.
    if (isWhole && hasPartitions && (await tx.first(unfiledSince(time))) === undefined) {
      const end = async () => (await isOver()) && endHistoryMonth(tx, keys, month, now);
      return { dropped: await dropTime(tx, tablesOfMonth, time, end) };
    }
    const some = await tx.all(archivedOfTime({ ...time, after: await newestLined(tx), limit }));
    if (some.length === 0) continue;
    await endHistoryMonth(tx, keys, month, now);
    await tx.run(deleteEvents(some));
    const ids = some.map(({ id }) => id);
    return { deleted: await tx.run(deleteArchived(ids, time)) };
  }
}

/** Time and number of an audit entry. */
export type Moment = Pick<RowOf<"audit">, "seq" | "at">;

/**
 * The newest acceptance after one entry more. One that a later entry is dated before was made by a clock that was ahead: what comes until that
 * time was accepted by nobody.
 */
export const acceptedBy = <Before extends Moment | null>(before: Before, { seq, at, event }: RowOf<"audit">) => {
  if (event === acceptEvent) return { seq, at };
  return before !== null && at < before.at ? { seq: before.seq, at } : before;
};

/** Collects what the audit says about the history; pass `visit` to `verifyAudit`. */
export const createHistoryReader = () => {
  const audited = {
    /** By event, day and month; without ended months. */
    lines: new Map<string, Said>(),
    /** By month. */
    without: new Map<string, Said>(),
    ended: new Set<string>(),
    seals: new Map<number, Said>(),
    /** First entry under each key. */
    keyStarts: new Map<string, Moment>(),
    newest: { [historyEvents.day]: -1, [historyEvents.undated]: -1 },
    begun: null as (Moment & { readonly detail: string | null }) | null,
    /** From this entry on every row is chained. */
    chained: null as Moment | null,
    accepted: null as Moment | null,
    verified: null as (Moment & { readonly day: number }) | null,
    head: 0,
    /** From when on what repeats are known by must be there; null: from never. */
    namesSince: null as number | null,
  };
  const { lines, without, seals, keyStarts, newest } = audited;
  return {
    visit(entry: RowOf<"audit">): void {
      const { seq, at, event, object, detail, key_id } = entry;
      audited.head = seq;
      if (!keyStarts.has(key_id)) keyStarts.set(key_id, { seq, at });
      const [, rows = "", digest = "", , insteadOf] =
        /^(\d+) \w+ ([\w-]{43})( instead of (\d+))?/.exec(detail ?? "") ?? [];
      const said = { seq, rows: Number(rows), digest };
      const day = () => dayOf(Date.parse(object.slice(0, 10)));
      if (event === historyEvents.chained || event === historyEvents.begun) audited.chained ??= { seq, at };
      if (event === historyEvents.begun) audited.begun = { seq, at, detail };
      if (event === historyEvents.without) without.set(object, said);
      if (event === historyEvents.verified) audited.verified = { seq, at, day: day() };
      audited.accepted = acceptedBy(audited.accepted, entry);
      if (event === historyEvents.forgotten) audited.namesSince = Math.max(audited.namesSince ?? 0, Date.parse(object));
      if (event === historyEvents.day || event === historyEvents.undated) {
        lines.set(`${event} ${object}`, said);
        newest[event] = Math.max(newest[event], day());
      }
      if (event === historyEvents.sealed) {
        seals.delete(Number(insteadOf));
        seals.set(seq, said);
      }
      if (event === historyEvents.monthEnded) {
        audited.ended.add(object);
        without.delete(object);
        for (const key of lines.keys()) if (key.endsWith(` ${object}`)) lines.delete(key);
      }
    },
    result: () => audited,
  };
};
/** What the audit says about the history. */
export type AuditedHistory = ReturnType<ReturnType<typeof createHistoryReader>["result"]>;

/** Records in the audit that a day was verified, for `resume` of `verifyHistory`. */
export const noteVerified = async ({ store, clock, keys }: Pick<Keeping, "store" | "clock" | "keys">, day: number) => {
  await store.write((tx) => appendAudit(tx, keys, clock.now(), entryOf(historyEvents.verified, dayText(day), null)));
};

/** When the newest withdrawal was asked for; null before the first. */
const newestRequest = statement("names_newest_request", (db) => ({
  compile: () =>
    sql<{ readonly at: number | null }>`select max(at) as at from (select max(created_at) as at from withdrawals
      union all select max(created_at) from archived_withdrawals) as newest`.compile(db),
}));
/** The last that `Date` knows. */
const lastMoment = 8.64e15;

/** The time after all that was asked for so far. */
const afterRequests = async (tx: Tx): Promise<number> =>
  Math.min(lastMoment, ((await tx.first(newestRequest({})))?.at ?? -1) + 1);

/** Says from before when something may be gone, unless the newest entry says so already. @param until epoch milliseconds, also of the first entry. */
const note = async (
  tx: Tx,
  keys: ChainKeys,
  now: number,
  event: string,
  until: (isFirst: boolean) => number | Promise<number>,
): Promise<void> => {
  const newest = await tx.first(newestAudit({ event }));
  const at = await until(newest === undefined);
  if (newest !== undefined && Date.parse(newest.object) >= at) return;
  await holdAudit(tx, keys);
  await appendAudit(tx, keys, now, entryOf(event, toTime(at), null));
};

const endOfDay = (at: number): number => Math.ceil(at / dayMs) * dayMs;

/**
 * Call it in the commit that forgets names from before a time. The first entry is about all that was asked for before there were such
 * entries, whatever the clock shows then; later ones are for a day each.
 */
export const noteForgotten = (tx: Tx, keys: ChainKeys, before: number, now: number): Promise<void> =>
  note(tx, keys, now, historyEvents.forgotten, (isFirst) => (isFirst ? afterRequests(tx) : endOfDay(before)));

/** The same for closed reports, in the commit that deletes them. What was reported before the first entry may have been deleted without. */
export const noteReportsForgotten = (tx: Tx, keys: ChainKeys, before: number, now: number): Promise<void> =>
  note(tx, keys, now, historyEvents.reportsForgotten, () => Math.max(0, endOfDay(before)));
