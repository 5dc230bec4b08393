/** Sums, counts and times of withdrawals in a range of days. Pure; sums are whole minor units, one currency each. */
import type { Durations, FiguresView, Outcome, PaidFigures } from "../../../preload/contract.ts";
import { addDays, type Calendar, daysBetween } from "./calendar.ts";

/** What is counted of one withdrawal. */
export interface FigureRow {
  /** When it was confirmed or rejected: the day and hour that it counts for. */
  readonly atMs: number;
  readonly minor: number | null;
  readonly currency: string;
  readonly outcome: Outcome | null;
  readonly approvalMs: number | null;
  readonly cashMs: number | null;
}

/** Upper ends of the buckets, in seconds; most approvals end within those that the interface gives (`scaTimeoutSeconds`). */
const approvalBucketsS = [5, 10, 15, 20, 30, 40, 60];
const cashBucketsS = [15, 30, 45, 60, 90, 120, 300];

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

/** The least value that so large a share of them does not exceed. */
const quantile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;

/** How long something took, in buckets that end at `bucketsS` and one for the rest. */
export const durationsOf = (all: readonly number[], bucketsS: readonly number[]): Durations => {
  const sorted = all.toSorted((one, other) => one - other);
  const ends = [...bucketsS.map((seconds) => seconds * 1_000), null];
  let counted = 0;
  const buckets = ends.map((belowMs) => {
    const from = counted;
    while (counted < sorted.length && (belowMs === null || (sorted[counted] ?? 0) < belowMs)) counted += 1;
    return { belowMs, count: counted - from };
  });
  return { count: sorted.length, medianMs: quantile(sorted, 0.5), p90Ms: quantile(sorted, 0.9), buckets };
};

interface Sums {
  readonly total: Tally;
  readonly byHour: readonly Tally[];
  readonly byDay: readonly Tally[];
}

/** Counts row after row, in any order. */
export interface FigureCounter {
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
  const approvals: number[] = [];
  const cash: number[] = [];
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
    add({ atMs, minor, currency, outcome, approvalMs, cashMs }) {
      const { day, hour } = placeOf(atMs);
      if (day === null) return;
      withdrawals += 1;
      ends.set(outcome, (ends.get(outcome) ?? 0) + 1);
      if (approvalMs !== null) approvals.push(approvalMs);
      if (cashMs !== null) cash.push(cashMs);
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
      scanToCash: durationsOf(cash, cashBucketsS),
      approval: durationsOf(approvals, approvalBucketsS),
    }),
  };
};
