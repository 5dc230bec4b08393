/**
 * The proof of the history. Each of its rows is an HMAC over itself and the row before (`withdrawals/history.ts`). A row is written under
 * the day that is open; the owner of this work opens the next one, and makes of the one before an entry of the audit for each month in
 * which its withdrawals were asked for: how many rows, which are the first and the last, and one digest over the hashes of all. So
 * deleting rows, tails or whole withdrawals shows, and no row is written twice. Releases before wrote no day: their rows go by their
 * time, and what they had sealed is verified once, at the takeover.
 */
import { createHash } from "node:crypto";
import {
  type AuditEvent,
  appendAudit,
  auditEventAt,
  countAuditSince,
  holdAudit,
  verifyAudit,
} from "../access/audit.ts";
import { type Repeated, repeat } from "../background.ts";
import type { ChainKeys, Service } from "../context.ts";
import { dayMs, hourMs } from "../contract/times.ts";
import { dropTime, type Span, timesOf } from "../store/partitions.ts";
import type { RowOf } from "../store/schema.ts";
import { setSetting, settingByName } from "../store/settings.ts";
import type { Store, Tx } from "../store/store.ts";
import { archivedOfTime, deleteArchived, firstArchived, keptOfTime } from "../withdrawals/closed.ts";
import {
  awaitWriters,
  byIndexAlone,
  countedPage,
  deleteEvents,
  nextDay,
  nextUndated,
  openDaySetting,
  type Place,
  type ProvenRow,
  provenPage,
  sealedColumns,
  sealedRows,
  unfiledSince,
  unsealedOfTime,
} from "../withdrawals/history.ts";

/** The entries that the service makes about the history; `chained` and `sealed` are those of earlier releases. */
export const historyEvents = {
  day: "history_day",
  undated: "history_undated",
  without: "history_without",
  begun: "history_begun",
  monthEnded: "history_month_ended",
  verified: "history_verified",
  chained: "history_chained",
  sealed: "history_sealed",
} as const;
const acceptEvent = "audit accept";

/** Rows per statement: one long snapshot would keep the log of a busy database from shrinking. */
const pageSize = 1_000;
/** So long after its time a row of a release that wrote no day can still be committed. */
const undatedLateMs = hourMs;

const lastDay = Date.UTC(9999, 11, 31) / dayMs;
/** The day of a time, counted from 1970. */
export const dayOf = (at: number): number => Math.min(lastDay, Math.max(0, Math.floor(at / dayMs)));
/** `2026-11-23`. */
export const dayText = (day: number): string => new Date(Math.min(day, lastDay) * dayMs).toISOString().slice(0, 10);
/** `2026-11`. */
export const monthOf = (at: number): string => dayText(dayOf(at)).slice(0, 7);
const timeOfMonth = (month: string): Span => {
  const [year = 0, number = 0] = month.split("-").map(Number);
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) };
};

/** An entry of the service's own about the history. */
const entryOf = (event: string, object: string, detail: string | null): AuditEvent => ({
  actor: "service",
  address: null,
  event,
  object,
  detail,
});

/** What an entry says about some rows. */
export interface Said {
  readonly seq: number;
  readonly rows: number;
  readonly digest: string;
}

/** Counts and digests by month what comes in a fixed order. */
export const createFold = () => {
  const months = new Map<string, { rows: number; first: string; last: string; hash: ReturnType<typeof createHash> }>();
  return {
    add(month: string, name: string, text: string): void {
      const known = months.get(month) ?? { rows: 0, first: name, last: name, hash: createHash("sha256") };
      if (known.rows === 0) months.set(month, known);
      known.rows += 1;
      known.last = name;
      known.hash.update(`${text}\n`);
    },
    /** Ends it. */
    result: () =>
      [...months].map(([month, { hash, ...said }]) => ({ month, ...said, digest: hash.digest("base64url") })),
  };
};

/** The month in whose line a row is: that of its withdrawal's request. */
export const monthOfRow = (row: ProvenRow): string => monthOf(row.asked_at || (row.created_at ?? row.at));

/** Adds a row of the history to what is counted. */
export const addRow = (fold: ReturnType<typeof createFold>, row: ProvenRow): void =>
  fold.add(
    monthOfRow(row),
    `${row.transaction_id}/${row.sequence}`,
    row.hash ?? JSON.stringify(sealedColumns.map((column) => row[column])),
  );

/** Under which lines a row is: those of its day, or of the day of its time where its release wrote none. */
export const groupOf = ({ day, at }: Pick<ProvenRow, "day" | "at">): Group =>
  day > 0 ? { event: historyEvents.day, day } : { event: historyEvents.undated, day: dayOf(at) };
/** What gets lines together. */
export interface Group {
  readonly event: "history_day" | "history_undated";
  readonly day: number;
}

const startOf = ({ event, day }: Group): Place => ({
  ...(event === historyEvents.day ? { day, at: Number.MIN_SAFE_INTEGER } : { day: 0, at: day * dayMs }),
  transaction_id: "",
  sequence: 0,
});

/** The rows under lines of one event, from a day on, a page at a time. @param days how many of them. */
export async function* pagesFrom(store: Store, { event, day }: Group, days = lastDay) {
  const isAsked = (row: ProvenRow) => groupOf(row).event === event && groupOf(row).day < day + days;
  const read = (place: Place) => {
    const page = store.read((tx) => {
      tx.runUnawaited(byIndexAlone);
      return tx.all(provenPage({ ...place, limit: pageSize }));
    });
    page.catch(() => {});
    return page;
  };
  // The next page is read while this one is looked at.
  for (let next: ReturnType<typeof read> | null = read(startOf({ event, day })); next !== null; ) {
    const page: readonly ProvenRow[] = await next;
    const last = page.at(-1);
    next = last && page.length === pageSize && isAsked(last) ? read(last) : null;
    yield page.filter(isAsked);
  }
}

/** Withdrawals that have no row of their request, by month: from before there was a history. Calls `visit` for each withdrawal. */
export const foldWithout = async (store: Store, from: number, visit: (one: Counted) => void = () => {}) => {
  const fold = createFold();
  for (let place = { at: from, id: "" }; ; ) {
    const page = await store.read((tx) => tx.all(countedPage({ ...place, limit: pageSize })));
    for (const one of page) {
      visit(one);
      const { id, partner_id, merchant_id, amount, currency, created_at } = one;
      if (one.has_beginning === 0)
        fold.add(monthOf(created_at), id, JSON.stringify([id, partner_id, merchant_id, amount, currency, created_at]));
    }
    const last = page.at(-1);
    if (page.length < pageSize || !last) return fold.result();
    place = { at: last.created_at, id: last.id };
  }
};
type Counted = NonNullable<ReturnType<typeof countedPage>["row"]>;

type Keeping = Pick<Service, "store" | "clock" | "log" | "keys">;
/** The newest entry of an event. */
export const newestEvent = auditEventAt("newest");
const sinceSetting = `${openDaySetting}_since`;

/** The day of the newest entry of an event; -1 before the first. */
async function newestDayOf(tx: Tx, event: string): Promise<number> {
  const entry = await tx.first(newestEvent({ event }));
  return entry === undefined ? -1 : dayOf(Date.parse(entry.object.slice(0, 10)));
}

/** Opens the next day, where the clock shows another one than when the present one was opened: whatever it shows, no day comes twice. */
async function openDayAt(tx: Tx, now: number): Promise<number> {
  const number = async (name: string) => Number((await tx.first(settingByName({ name })))?.value ?? 0);
  const [open, since, closed] = [
    await number(openDaySetting),
    await number(sinceSetting),
    await newestDayOf(tx, historyEvents.day),
  ];
  const today = dayOf(now);
  const isSound = Number.isSafeInteger(open) && open > closed && open <= lastDay;
  if (isSound && since === today) return open;
  const next = Math.max(today, closed + 1, isSound ? open + 1 : 0);
  await tx.run(setSetting({ name: openDaySetting, value: String(next) }));
  await tx.run(setSetting({ name: sinceSetting, value: String(today) }));
  return next;
}

/** Writes the lines of a day that is over, in one commit; nothing where another process has. */
const closeDay = async ({ store, clock, log, keys }: Keeping, group: Group): Promise<void> => {
  const fold = createFold();
  for await (const page of pagesFrom(store, group, 1)) for (const row of page) addRow(fold, row);
  const lines = fold
    .result()
    .map(({ month, rows, first, last, digest }) =>
      entryOf(group.event, `${dayText(group.day)} ${month}`, `${rows} rows ${digest} from ${first} to ${last}`),
    );
  const entries = await store.write(async (tx) => {
    await holdAudit(tx, keys);
    if ((await newestDayOf(tx, group.event)) >= group.day) return [];
    const written: RowOf<"audit">[] = [];
    for (const line of lines) written.push(await appendAudit(tx, keys, clock.now(), line));
    return written;
  });
  for (const { seq, hash, object, detail } of entries) log.info({ entry: seq, hash, object, detail }, "history day");
};

/** The seals that do not hold any more, of those that the audit has. */
const brokenSeals = async (store: Store, keys: readonly ChainKeys[]): Promise<readonly [number, readonly number[]]> => {
  const reading = createHistoryReader();
  await verifyAudit(store, keys, reading.visit);
  const broken: number[] = [];
  const { seals } = reading.result();
  for (const [seq, { rows, digest, keyId }] of seals) {
    const held = await store.read((tx) => tx.all(sealedRows({ seal: seq })));
    const inOrder = held.toSorted((a, b) => a.sequence - b.sequence || (a.transaction_id < b.transaction_id ? -1 : 1));
    const text = inOrder.map((row) => `${JSON.stringify(sealedColumns.map((column) => row[column]))}\n`).join("");
    const key = keys.find(({ auditKeyId }) => auditKeyId === keyId);
    if (held.length !== rows || (key !== undefined && key.history(text) !== digest)) broken.push(seq);
  }
  return [seals.size, broken];
};

/**
 * Closes every day that is over, at the first time with the takeover of what earlier releases have written. Cut off anywhere, the
 * next run goes on from there. @param isStopping asked before each page.
 */
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
  const isBegun = (await store.read((tx) => tx.first(newestEvent({ event: historyEvents.begun })))) !== undefined;
  let seals = "";
  if (!isBegun) {
    const all = [...(keys.others ?? []), keys];
    let [count, broken] = await brokenSeals(store, all);
    // A purge of the release before may have made one anew meanwhile.
    if (broken.length > 0) [count, broken] = await brokenSeals(store, all);
    seals = broken.length === 0 ? `${count} seals` : `${count} seals, not whole: ${broken.join(" ")}`;
  }
  for (;;) {
    const from = ((await store.read((tx) => newestDayOf(tx, historyEvents.undated))) + 1) * dayMs;
    const next = await store.read((tx) => tx.first(nextUndated({ from })));
    if (next === undefined || dayOf(next.at) >= dayOf(clock.now() - undatedLateMs)) break;
    await closeDay(service, { event: historyEvents.undated, day: dayOf(next.at) });
  }
  if (!isBegun) {
    const without = await foldWithout(store, 0);
    await store.write(async (tx) => {
      await holdAudit(tx, keys);
      if ((await tx.first(newestEvent({ event: historyEvents.begun }))) !== undefined) return;
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
  for (let isComplete = false; ; ) {
    const after = Math.max(0, await store.read((tx) => newestDayOf(tx, historyEvents.day)));
    const next = await store.read((tx) => tx.first(nextDay({ after })));
    if (next === undefined || next.day >= open) return;
    if (!isComplete) {
      // Who has begun to write under a day that is over commits first; what nobody sees yet is found by the next look.
      await store.write(async (tx) => {
        for (const query of awaitWriters) await tx.run(query);
      });
      isComplete = true;
      continue;
    }
    await closeDay(service, { event: historyEvents.day, day: next.day });
  }
};

/** From the start to the first look. */
const firstAfterMs = 5_000;

/** Closes days that are over, in one process of a fleet: soon after midnight (UTC), and once an hour. */
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

/** What a month of requests consists of, in the order in which a unit writes it. */
const tablesOfMonth = ["withdrawal_events", "archived_withdrawals"] as const;

/** Whether anything asked for in a time is open, disputed, ended after `before`, or has a row under a day without its line. */
async function isKept(tx: Tx, time: Span, before: number): Promise<boolean> {
  if (Object.values((await tx.first(keptOfTime({ ...time, before }))) ?? {}).some((id) => id !== null)) return true;
  const after = Math.max(0, await newestDayOf(tx, historyEvents.day));
  return (await tx.first(unsealedOfTime({ ...time, after }))) !== undefined;
}

/** Ends a month in the audit, whose lines then count no more: what was asked for in it may be deleted from this commit on. Again does nothing. @returns true. */
async function endHistoryMonth(tx: Tx, keys: ChainKeys, month: string, now: number): Promise<true> {
  await holdAudit(tx, keys);
  if (!(await isEnded(tx, month))) await appendAudit(tx, keys, now, entryOf(historyEvents.monthEnded, month, null));
  return true;
}

/** How many withdrawals a month has lost: with its partitions (null: somebody was first), or one by one. */
type MonthLost = { readonly dropped: number | null } | { readonly deleted: number };

/**
 * Ends the first month of which nothing is open, disputed or in the archive since `before`: drops its partitions, or, where it has none
 * of its own, deletes `limit` withdrawals with their history.
 */
export async function endMonth(
  tx: Tx,
  keys: ChainKeys,
  before: number,
  now: number,
  limit: number,
): Promise<MonthLost> {
  if ((await tx.first(newestEvent({ event: historyEvents.begun }))) === undefined) return { deleted: 0 };
  const divided = await timesOf(tx, tablesOfMonth);
  for (let from = Number.MIN_SAFE_INTEGER; ; ) {
    const next = divided.find((each) => each.from !== null && each.from >= from)?.from ?? Number.POSITIVE_INFINITY;
    const month = monthOf(Math.min(next, (await tx.first(firstArchived({ from })))?.created_at ?? next));
    const time = timeOfMonth(month);
    if (time.to > before) return { deleted: 0 };
    from = time.to;
    const isOver = async () => !(await isKept(tx, time, before));
    const isWhole = await isOver();
    // One that is disputed since its end has begun stays, the rest of it goes on to end.
    if (!isWhole && !(await isEnded(tx, month))) continue;
    const hasPartitions = divided.some((each) => each.from === time.from && each.to === time.to);
    // What a release before has written of it lies elsewhere.
    if (isWhole && hasPartitions && (await tx.first(unfiledSince(time))) === undefined) {
      const end = async () => (await isOver()) && endHistoryMonth(tx, keys, month, now);
      return { dropped: await dropTime(tx, tablesOfMonth, time, end) };
    }
    const ids = (await tx.all(archivedOfTime({ ...time, limit }))).map(({ id }) => id);
    if (ids.length === 0) continue;
    await endHistoryMonth(tx, keys, month, now);
    await tx.run(deleteEvents(ids, time));
    return { deleted: await tx.run(deleteArchived(ids, time)) };
  }
}

/** When an entry was made, and after which others. */
export type Moment = Pick<RowOf<"audit">, "seq" | "at">;

/** Collects what the audit says about the history; pass `visit` to `verifyAudit`. */
export const createHistoryReader = () => {
  /** By event, day and month; those of a month that has ended are gone. */
  const lines = new Map<string, Said>();
  /** By month. */
  const without = new Map<string, Said>();
  const ended = new Set<string>();
  const seals = new Map<number, Said & { readonly keyId: string }>();
  /** The first entry under each key. */
  const keyStarts = new Map<string, Moment>();
  const newest = { [historyEvents.day]: -1, [historyEvents.undated]: -1 };
  let begun: (Moment & { readonly detail: string | null }) | null = null;
  /** From here on every row is chained. */
  let chained: Moment | null = null;
  let accepted: Moment | null = null;
  let verified: (Moment & { readonly day: number }) | null = null;
  let head = 0;
  return {
    visit({ seq, at, event, object, detail, key_id }: RowOf<"audit">): void {
      head = seq;
      if (!keyStarts.has(key_id)) keyStarts.set(key_id, { seq, at });
      const [, rows = "", digest = "", , insteadOf] =
        /^(\d+) \w+ ([\w-]{43})( instead of (\d+))?/.exec(detail ?? "") ?? [];
      const said = { seq, rows: Number(rows), digest };
      const day = () => dayOf(Date.parse(object.slice(0, 10)));
      if (event === historyEvents.chained || event === historyEvents.begun) chained ??= { seq, at };
      if (event === historyEvents.begun) begun = { seq, at, detail };
      if (event === historyEvents.without) without.set(object, said);
      if (event === historyEvents.verified) verified = { seq, at, day: day() };
      if (event === acceptEvent) accepted = { seq, at };
      if (event === historyEvents.day || event === historyEvents.undated) {
        lines.set(`${event} ${object}`, said);
        newest[event] = Math.max(newest[event], day());
      }
      if (event === historyEvents.sealed) {
        if (insteadOf !== undefined) seals.delete(Number(insteadOf));
        seals.set(seq, { ...said, keyId: key_id });
      }
      if (event === historyEvents.monthEnded) {
        ended.add(object);
        without.delete(object);
        for (const key of lines.keys()) if (key.endsWith(` ${object}`)) lines.delete(key);
      }
    },
    result: () => ({ lines, without, ended, seals, keyStarts, newest, begun, chained, accepted, verified, head }),
  };
};
/** What the audit says about the history. */
export type AuditedHistory = ReturnType<ReturnType<typeof createHistoryReader>["result"]>;

/** Writes into the audit that a day was found whole, for `resume` of `verifyHistory`. */
export const noteVerified = async ({ store, clock, keys }: Pick<Keeping, "store" | "clock" | "keys">, day: number) => {
  await store.write((tx) => appendAudit(tx, keys, clock.now(), entryOf(historyEvents.verified, dayText(day), null)));
};
