/** Figures of a range of days, and the calendar for them: local days and hours of a time zone. Pure. */
import { dayMs, hourMs } from "../../../backend/contract/times.ts";
import type { FiguresView, Outcome, PaidFigures } from "../../../preload/contract.ts";
import type { Tables } from "./tables.ts";

/** The day `count` days later; earlier if negative. */
export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + count * dayMs).toISOString().slice(0, 10);

/** Number of days in a range, both ends included. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs) + 1;

/** UTC offsets are whole quarters of an hour, so a quarter lies in one local hour. */
const quarterMs = 900_000;

/** @param timeZone an IANA name; an unknown one counts as UTC. */
export const createCalendar = (timeZone: string) => {
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

  /** The local time as if it were UTC. */
  const wallMs = (atMs: number): number => {
    const part = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };

  const dayOf = (atMs: number): string => new Date(wallMs(atMs)).toISOString().slice(0, 10);

  /** First instant of the day, milliseconds since the epoch. @param day as `2026-11-22`. */
  const startOfDay = (day: string): number => {
    const midnight = Date.parse(`${day}T00:00:00Z`);
    const instant = (quarters: number): number => midnight + quarters * quarterMs;
    // Finds the first instant of this local day, or of a later one if the time zone skipped it.
    let [before, at] = [-96, 96];
    while (at - before > 1) {
      const middle = Math.floor((before + at) / 2);
      if (dayOf(instant(middle)) < day) before = middle;
      else at = middle;
    }
    return instant(at);
  };

  return {
    startOfDay,
    dayOf,
    /** Local hour, 0 to 23. */
    hourOf: (atMs: number): number => new Date(wallMs(atMs)).getUTCHours(),
  };
};

interface Tally {
  count: number;
  sumMinor: number;
}
const noTally = (): Tally => ({ count: 0, sumMinor: 0 });

interface FigureSource {
  readonly timeZone: string;
  readonly calendar: ReturnType<typeof createCalendar>;
  /** Groups of a day; `toMs` is exclusive. */
  readonly groups: Tables["figureGroups"];
  /** Yields to the event loop between months. */
  readonly pause: () => Promise<void>;
}

/** @param to included. */
export const countFigures = async (
  from: string,
  to: string,
  { timeZone, calendar, groups, pause }: FigureSource,
): Promise<FiguresView> => {
  const days = Array.from({ length: daysBetween(from, to) }, (_, at) => addDays(from, at));
  const paid = new Map<string, { total: Tally; byHour: Tally[]; byDay: Tally[] }>();
  const ends = new Map<Outcome | null, number>();
  const paidIn = (currency: string) => {
    const made = paid.get(currency) ?? {
      total: noTally(),
      byHour: Array.from({ length: 24 }, noTally),
      byDay: days.map(noTally),
    };
    paid.set(currency, made);
    return made;
  };
  let startMs = calendar.startOfDay(from);
  for (const [at, day] of days.entries()) {
    if (at % 31 === 30) await pause();
    const endMs = calendar.startOfDay(addDays(day, 1));
    const isUsual = endMs - startMs === dayMs;
    const slotMs = isUsual ? hourMs : quarterMs;
    for (const { slot, currency, outcome, count, amounts, sumMinor } of groups(startMs, endMs, slotMs)) {
      ends.set(outcome, (ends.get(outcome) ?? 0) + count);
      if (outcome !== "handed_out" || amounts === 0) continue;
      // On days with a clock change, the local hour has to be computed.
      const hour = isUsual ? slot : calendar.hourOf(startMs + slot * slotMs);
      const { total, byHour, byDay } = paidIn(currency);
      for (const tally of [total, byHour[hour], byDay[at]])
        if (tally !== undefined) {
          tally.count += amounts;
          tally.sumMinor += sumMinor;
        }
    }
    startMs = endMs;
  }
  const withdrawals = [...ends.values()].reduce((sum, count) => sum + count, 0);
  return {
    from,
    to,
    timeZone,
    withdrawals,
    paid: [...paid]
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
  };
};
