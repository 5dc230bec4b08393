/** Days, weeks, months and years of the calendar, as `2026-11-22` texts. Pure. */

/** What can be looked at at once. */
export const periods = ["day", "week", "month", "year"] as const;
/** One of `periods`. */
export type Period = (typeof periods)[number];

/** A range of days, its last one included. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;
const toMs = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The day on the wall of this machine. */
export const dayOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

/** The period that has this day in it; a week begins on Monday. */
export const rangeOf = (period: Period, day: string): DayRange => {
  const date = new Date(toMs(day));
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (period) {
    case "day":
      return { from: day, to: day };
    case "week": {
      const monday = toMs(day) - ((date.getUTCDay() + 6) % 7) * dayMs;
      return { from: toDay(monday), to: toDay(monday + 6 * dayMs) };
    }
    case "month":
      return { from: toDay(Date.UTC(year, month, 1)), to: toDay(Date.UTC(year, month + 1, 0)) };
    default:
      return { from: toDay(Date.UTC(year, 0, 1)), to: toDay(Date.UTC(year, 11, 31)) };
  }
};

/** A day of the period before (-1) or after (1). */
export const shifted = (period: Period, day: string, by: 1 | -1): string => {
  const { from, to } = rangeOf(period, day);
  return toDay(by === 1 ? toMs(to) + dayMs : toMs(from) - dayMs);
};
