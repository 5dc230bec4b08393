/** Calendar days and hours on the wall of one time zone, also where a day has 23 or 25 hours. Pure. */

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
