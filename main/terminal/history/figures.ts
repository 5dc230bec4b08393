/** Figures of a stretch of days, and the calendar that they are counted by: days and hours on the wall of one time zone. Pure. */
import type { FiguresView, Outcome, PaidFigures } from "../../../preload/contract.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Days and hours of one time zone. */
export interface Calendar {
  /** The day's first instant, milliseconds since the epoch. @param day as `2026-11-22`. */
  startOfDay(day: string): number;
  dayOf(atMs: number): string;
  /** The hour on the wall, 0 to 23. */
  hourOf(atMs: number): number;
}

/** The day after (or before, for a negative count). */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);

/** How many days a range has, its last one included. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs) + 1;

/** @param timeZone an IANA name; one that is not known is taken for UTC. */
export const createCalendar = (timeZone: string): Calendar => {
  const formatOf = (zone: string) =>
    new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  let format: Intl.DateTimeFormat;
  try {
    format = formatOf(timeZone);
  } catch {
    format = formatOf("UTC");
  }

  /** The wall's time as if it were UTC. */
  const wallMs = (atMs: number): number => {
    const part = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };

  const dayOf = (atMs: number): string => new Date(wallMs(atMs)).toISOString().slice(0, 10);

  const startOfDay = (day: string): number => {
    const midnight = Date.parse(`${day}T00:00:00Z`);
    const guess = midnight - (wallMs(midnight) - midnight);
    if (dayOf(guess) === day && dayOf(guess - 1) < day) return guess;
    // Where the clock is changed at midnight: the first instant that has this day on the wall, or a later one.
    let [before, at] = [midnight - dayMs, midnight + dayMs];
    while (at - before > 1) {
      const middle = Math.floor((before + at) / 2);
      if (dayOf(middle) < day) before = middle;
      else at = middle;
    }
    return at;
  };

  /** Per day of UTC: its offset, where it is the same at both ends; else each instant is looked at by itself. */
  const offsets = new Map<number, number | null>();
  const offsetAt = (atMs: number): number => {
    const utcDay = Math.floor(atMs / dayMs);
    let offset = offsets.get(utcDay);
    if (offset === undefined) {
      const [first, last] = [utcDay * dayMs, (utcDay + 1) * dayMs];
      const atFirst = wallMs(first) - first;
      offset = wallMs(last) - last === atFirst ? atFirst : null;
      offsets.set(utcDay, offset);
    }
    const second = Math.floor(atMs / 1_000) * 1_000;
    return offset ?? wallMs(second) - second;
  };

  return {
    startOfDay,
    dayOf,
    hourOf: (atMs) => new Date(atMs + offsetAt(atMs)).getUTCHours(),
  };
};

/** What is counted of one withdrawal. */
export interface FigureRow {
  /** When it was confirmed or rejected: the day and hour that it counts for. */
  readonly atMs: number;
  readonly minor: number | null;
  readonly currency: string;
  readonly outcome: Outcome | null;
}

/** Counted in place: a year has tens of thousands of rows. */
interface Tally {
  count: number;
  sumMinor: number;
}
const noTally = (): Tally => ({ count: 0, sumMinor: 0 });
const addTo = (tally: Tally | undefined, minor: number): void => {
  if (tally === undefined) return;
  tally.count += 1;
  tally.sumMinor += minor;
};

/** Every zone's clock differs from UTC by whole quarters of an hour: one of them is in one hour of one day. */
const quarterMs = 900_000;

interface Sums {
  readonly total: Tally;
  readonly byHour: readonly Tally[];
  readonly byDay: readonly Tally[];
}

/** Counts row after row, in any order. */
interface FigureCounter {
  /** Rows outside of the range are left out. */
  add(row: FigureRow): void;
  result(): FiguresView;
}

/** @param to included. */
export const createFigures = (from: string, to: string, timeZone: string, calendar: Calendar): FigureCounter => {
  const days = Array.from({ length: daysBetween(from, to) }, (_, at) => addDays(from, at));
  /** One more than there are days: a day ends where the next begins. */
  const starts = [...days, addDays(to, 1)].map(calendar.startOfDay);
  const sums = new Map<string, Sums>();
  const ends = new Map<Outcome | null, number>();
  let withdrawals = 0;

  /** Its place among the days; null outside of them. */
  const dayAt = (atMs: number): number | null => {
    if (atMs < (starts[0] ?? 0) || atMs >= (starts.at(-1) ?? 0)) return null;
    let [low, high] = [0, starts.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (atMs < (starts[middle] ?? 0)) high = middle;
      else low = middle;
    }
    return low;
  };

  const sumsOf = (currency: string): Sums => {
    const before = sums.get(currency);
    if (before !== undefined) return before;
    const made = { total: noTally(), byHour: Array.from({ length: 24 }, noTally), byDay: days.map(noTally) };
    sums.set(currency, made);
    return made;
  };

  /** Of the row before: the next one is mostly in the same quarter. */
  let last = { quarter: Number.NaN, day: null as number | null, hour: 0 };
  const placeOf = (atMs: number): typeof last => {
    const quarter = Math.floor(atMs / quarterMs);
    if (quarter !== last.quarter) last = { quarter, day: dayAt(atMs), hour: calendar.hourOf(atMs) };
    return last;
  };

  return {
    add({ atMs, minor, currency, outcome }) {
      const { day, hour } = placeOf(atMs);
      if (day === null) return;
      withdrawals += 1;
      ends.set(outcome, (ends.get(outcome) ?? 0) + 1);
      if (outcome !== "handed_out" || minor === null) return;
      const of = sumsOf(currency);
      addTo(of.total, minor);
      addTo(of.byHour[hour], minor);
      addTo(of.byDay[day], minor);
    },
    result: () => ({
      from,
      to,
      timeZone,
      withdrawals,
      paid: [...sums]
        .map(
          ([currency, { total, byHour, byDay }]): PaidFigures => ({
            currency,
            ...total,
            byHour,
            byDay: days.map((day, at) => ({ day, ...(byDay[at] ?? noTally()) })),
          }),
        )
        .sort((one, other) => other.count - one.count || one.currency.localeCompare(other.currency)),
      ends: [...ends]
        .map(([outcome, count]) => ({ outcome, count }))
        .sort((one, other) => other.count - one.count || String(one.outcome).localeCompare(String(other.outcome))),
    }),
  };
};
