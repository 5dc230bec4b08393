/**
 * Reads the history, and all withdrawals, in the order of the proof: in pages of at most 1,000 rows that an index gives, the next one
 * read while one is worked on. A withdrawal is looked up once for all of its rows that lie near each other.
 */
import { LRUCache } from "lru-cache";
import { lruBound } from "../access/rate-limits.ts";
import { dayMs } from "../contract/times.ts";
import type { Query, Store } from "../store/store.ts";
import {
  type AskedRow,
  askedMoment,
  askedPage,
  type CountedRow,
  countedPage,
  type EventRow,
  endedPage,
  firstTime,
  hashOfEvent,
  idsMax,
  lastTime,
  nextAsked,
  nextDay,
  openPage,
  type PageAfter,
  type ProvenWithdrawal,
  provenMoment,
  provenPage,
  withdrawalsOf,
} from "../withdrawals/history.ts";

/** Rows per statement: a long snapshot would keep a busy database's log from shrinking. */
const limit = 1_000;
/** Withdrawals under way whose row and newest hash are kept in mind; beyond them one is looked up again. */
const underWayMax = 5_000;

/** No day is later. */
export const lastDay = Date.UTC(9999, 11, 31) / dayMs;
/** The day of a time, as a number since 1970. */
export const dayOf = (at: number): number => Math.min(lastDay, Math.max(0, Math.floor(at / dayMs)));
/** A day as text: `2026-11-23`. */
export const dayText = (day: number): string => new Date(Math.min(day, lastDay) * dayMs).toISOString().slice(0, 10);
const monthsMax = 1_000;
const months = new LRUCache<number, string>(lruBound(monthsMax));
/** The month of a time: `2026-11`. Asked for at each row of the history, so that those of the last days are kept. */
export const monthOf = (at: number): string => {
  const day = dayOf(at);
  const known = months.get(day);
  if (known !== undefined) return known;
  const month = dayText(day).slice(0, 7);
  months.set(day, month);
  return month;
};

/** A day whose rows are summed up in lines; `isDated`: under which rows were written, else one of releases that wrote no day. */
export interface Day {
  readonly isDated: boolean;
  readonly day: number;
}

type Pages = AsyncGenerator<readonly EventRow[]>;

/** Gives each item while the next one is under way. */
async function* ahead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  for (let next = items.next(); ; ) {
    const { done, value } = await next;
    if (done) return;
    next = items.next();
    // Whoever asks for the next item is told; who stops before is not.
    next.catch(() => {});
    yield value;
  }
}

/** How rows are read in the order of a time; those of the same millisecond come in any order, but all in one page or in pages of their own. */
interface InOrder<Row> {
  readonly from: number | string;
  readonly page: (at: number | string) => Query<Row>;
  /** The rows of a millisecond that fills a page, after one of them. */
  readonly moment: (at: number, after: Row | undefined) => Query<Row>;
  readonly atOf: (row: Row) => number;
}

async function* inOrder<Row>(store: Store, { from, page, moment, atOf }: InOrder<Row>) {
  const read = (query: Query<Row>) => store.read((tx) => tx.all(query));
  for (let at = from; ; ) {
    const rows = await read(page(at));
    const last = rows.at(-1);
    if (last === undefined) return;
    const end = atOf(last);
    if (rows.length < limit) {
      yield rows;
      return;
    }
    if (atOf(rows[0] ?? last) < end) {
      // More of the last millisecond may follow.
      yield rows.filter((row) => atOf(row) < end);
      at = end;
      continue;
    }
    for (let after: Row | undefined; ; ) {
      const some = await read(moment(end, after));
      if (some.length > 0) yield some;
      after = some.at(-1);
      if (some.length < limit) break;
    }
    at = end + 1;
  }
}

const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

const byPlace = (one: EventRow, other: EventRow): number =>
  byText(one.transaction_id, other.transaction_id) || one.sequence - other.sequence;
const byTime = (one: EventRow, other: EventRow): number => one.at - other.at || byPlace(one, other);
const placeOf = (row: EventRow | undefined) => ({ id: row?.transaction_id ?? "", sequence: row?.sequence ?? 0, limit });

/** A day's rows that were written apart; day 0: all of releases that wrote no day. */
async function* apartOf(store: Store, day: number, from: number | string): Pages {
  const pages = inOrder<EventRow>(store, {
    from,
    page: (at) => provenPage({ day, at, limit }),
    moment: (at, after) => provenMoment({ day, at, ...placeOf(after) }),
    atOf: (row) => row.at,
  });
  for await (const page of pages) yield page.toSorted(byTime);
}

const secondMs = 1_000;
const secondOf = (at: number): number => Math.floor(at / secondMs);

/** A day's other rows, found by when their withdrawals were asked for: none is earlier than that, so each waits until it is its turn. */
async function* askedOf(store: Store, day: number): Pages {
  const pages = inOrder<AskedRow>(store, {
    from: day * dayMs,
    page: (from) => askedPage({ from, before: (day + 1) * dayMs, limit }),
    moment: (at, after) => askedMoment({ at, ...placeOf(after) }),
    atOf: (row) => row.asked_at,
  });
  /** By the second in which they were written. */
  const waiting = new Map<number, EventRow[]>();
  let [next, end] = [secondOf(day * dayMs), 0];
  const rowsBefore = (second: number): readonly EventRow[] => {
    const rows: EventRow[] = [];
    for (; next < second; next += 1) {
      for (const row of waiting.get(next) ?? []) rows.push(row);
      waiting.delete(next);
    }
    return rows.sort(byTime);
  };
  for await (const page of ahead(pages)) {
    for (const row of page) {
      if (row.is_apart === 1) continue;
      const second = secondOf(row.at);
      end = Math.max(end, second + 1);
      const same = waiting.get(second);
      if (same === undefined) waiting.set(second, [row]);
      else same.push(row);
    }
    const rows = rowsBefore(secondOf(page.at(-1)?.asked_at ?? 0));
    if (rows.length > 0) yield rows;
  }
  const rows = rowsBefore(end);
  if (rows.length > 0) yield rows;
}

const nextOf = async (pages: Pages): Promise<readonly EventRow[]> => (await pages.next()).value ?? [];

/** The rows of both in the order of their times. */
async function* merged(one: Pages, other: Pages): Pages {
  let [early, late] = [
    { pages: one, rows: await nextOf(one) },
    { pages: other, rows: await nextOf(other) },
  ];
  for (;;) {
    const [last, lastOfLate] = [early.rows.at(-1), late.rows.at(-1)];
    if (last === undefined || lastOfLate === undefined) break;
    if (byTime(last, lastOfLate) > 0) {
      [early, late] = [late, early];
      continue;
    }
    const found = late.rows.findIndex((row) => byTime(row, last) > 0);
    const count = found < 0 ? late.rows.length : found;
    yield count === 0 ? early.rows : [...early.rows, ...late.rows.slice(0, count)].sort(byTime);
    early = { ...early, rows: await nextOf(early.pages) };
    late = { ...late, rows: count < late.rows.length ? late.rows.slice(count) : await nextOf(late.pages) };
  }
  for (const { pages, rows } of [early, late]) {
    if (rows.length > 0) yield rows;
    yield* pages;
  }
}

/** The rows of a day, in pages. */
export async function* rowsOf(store: Store, { isDated, day }: Day): Pages {
  const apart = ahead(apartOf(store, isDated ? day : 0, isDated || day === 0 ? firstTime : day * dayMs));
  if (isDated) return yield* day > lastDay ? apart : merged(apart, askedOf(store, day));
  for await (const page of apart) {
    const rows = page.filter(({ at }) => dayOf(at) === day);
    if (rows.length > 0) yield rows;
    if (rows.length < page.length) return;
  }
}

/** The first day from one on that has rows, or may have; null: none has. */
export const nextDayOf = (store: Store, from: number): Promise<number | null> =>
  store.read(async (tx) => {
    const apart = await tx.first(nextDay({ after: from - 1 }));
    const asked = from > lastDay ? undefined : await tx.first(nextAsked({ from: from * dayMs }));
    if (asked === undefined) return apart?.day ?? null;
    return Math.min(apart?.day ?? lastDay, dayOf(asked.asked_at));
  });

/** A row of the history with its withdrawal and the row before. */
export interface ProvenRow {
  readonly event: EventRow;
  /** Null where it is gone. */
  readonly withdrawal: ProvenWithdrawal | null;
  /** Among the open ones and among the ended ones, or more than once among these. */
  readonly isThereTwice: boolean;
  /** Null: this is the first; undefined: there is no such row. */
  readonly before: Pick<EventRow, "hash" | "to_status"> | null | undefined;
}

/** A withdrawal under way, as it was when one of its rows was found for the first time. */
interface UnderWay {
  /** Several where somebody has made copies. */
  readonly found: readonly ProvenWithdrawal[];
  last: EventRow | null;
}

const noneFound: readonly ProvenWithdrawal[] = [];

/** @returns a function that finds withdrawals and rows before for the rows of a page; to be called page by page. */
const createLookUp = (store: Store) => {
  const underWay = new LRUCache<string, UnderWay>(lruBound(underWayMax));

  /** In statements for a month each, so that no more of the partitions are read. */
  const lookUp = async (rows: readonly EventRow[]): Promise<void> => {
    const unknown = rows.filter(({ transaction_id: id, sequence }) => {
      const [known] = underWay.get(id)?.found ?? noneFound;
      // It has gone on since it was looked up.
      return known === undefined || known.history_length < sequence;
    });
    const months = Map.groupBy(unknown, ({ asked_at: at, day }) => (day === 0 ? "" : monthOf(at)));
    const found = await store.read((tx) =>
      Promise.all(
        [...months].flatMap(([month, of]) => {
          const times = of.map(({ asked_at }) => asked_at);
          const [from, to] = month === "" ? [firstTime, lastTime] : [Math.min(...times), Math.max(...times)];
          const ids = [...new Set(of.map(({ transaction_id }) => transaction_id))];
          return Array.from({ length: Math.ceil(ids.length / idsMax) }, (_, n) =>
            tx.all(withdrawalsOf(ids.slice(n * idsMax, (n + 1) * idsMax), from, to)),
          );
        }),
      ),
    );
    const byId = Map.groupBy(found.flat(), ({ id }) => id);
    for (const { transaction_id: id } of unknown)
      underWay.set(id, { found: byId.get(id) ?? noneFound, last: underWay.get(id)?.last ?? null });
  };

  return async (rows: readonly EventRow[]): Promise<readonly ProvenRow[]> => {
    await lookUp(rows);
    const ended = new Set<string>();
    const [proven, lacking]: [ProvenRow[], (readonly [number, number])[]] = [[], []];
    for (const event of rows) {
      const { transaction_id: id, sequence, asked_at: askedAt, day } = event;
      const known = underWay.get(id) ?? { found: noneFound, last: null };
      const of = known.found.filter((one) => one.is_open === 1 || day === 0 || one.created_at === askedAt);
      const withdrawal = of[0] ?? null;
      const { last } = known;
      known.last = event;
      if (withdrawal !== null && sequence >= withdrawal.history_length) ended.add(id);
      const isBefore = last?.sequence === sequence - 1 && (last.asked_at === askedAt || last.asked_at === 0);
      const before = sequence <= 1 ? null : isBefore ? last : undefined;
      // A row of a release that did not store it may follow one that is filed under the time of asking.
      if (before === undefined) lacking.push([proven.length, day === 0 ? (withdrawal?.created_at ?? 0) : askedAt]);
      proven.push({ event, withdrawal, isThereTwice: of.length > 1, before });
    }
    for (const id of ended) underWay.delete(id);
    if (lacking.length === 0) return proven;
    await store.read((tx) =>
      Promise.all(
        lacking.map(async ([at, askedAt]) => {
          const row = proven[at] as ProvenRow;
          const { transaction_id: id, sequence } = row.event;
          proven[at] = { ...row, before: await tx.first(hashOfEvent({ id, sequence: sequence - 1, askedAt })) };
        }),
      ),
    );
    return proven;
  };
};

/** The rows of a day with their withdrawals, in pages. */
export const provenRowsOf = (store: Store, day: Day): AsyncGenerator<readonly ProvenRow[]> => {
  const lookUp = createLookUp(store);
  const pages = async function* () {
    for await (const page of rowsOf(store, day)) yield await lookUp(page);
  };
  return ahead(pages());
};

/** Withdrawals that are not as they should be, in pages of those that were counted; and the last of each page. */
async function* counted(
  store: Store,
  from: number | string,
  page: (after: Pick<PageAfter, "at" | "id" | "limit">) => Query<CountedRow>,
) {
  for (let [at, id] = [from, ""]; ; ) {
    const rows = await store.read((tx) => tx.all(page({ at, id, limit })));
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    [at, id] = [last.moment, last.id];
  }
}

/** Counts all withdrawals asked for from a time on. @param namesFrom as in `PageAfter`. */
export const countedFrom = (store: Store, from: number | string, namesFrom: number | string = lastTime) =>
  counted(store, from, (after) => countedPage({ ...after, namesFrom }));

/** Counts those asked for before a time that are open or have ended since then. */
export async function* countedBefore(store: Store, before: number) {
  const of = { before, namesFrom: lastTime };
  yield* counted(store, firstTime, (after) => openPage({ ...after, ...of }));
  // What ends between the two is found twice.
  yield* counted(store, before, (after) => endedPage({ ...after, ...of }));
}
