/** A shop's opening hours: `mon-sat 08:00-20:00, sun 10:00-14:00`, in its time zone. */
import { minuteMs } from "../contract/times.ts";

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const minutesOfDay = 24 * 60;
const form = /^(mon|tue|wed|thu|fri|sat|sun)(?:-(mon|tue|wed|thu|fri|sat|sun))? (\d\d):([0-5]\d)-(\d\d):([0-5]\d)$/;

interface Span {
  /** 0 is Monday; `sat-mon` wraps around. */
  readonly days: readonly number[];
  readonly from: number;
  /** Minutes; not later than `from` means the next day. */
  readonly to: number;
}

/** Parses opening hours; null for any other text. */
export const parseOpening = (text: string): readonly Span[] | null => {
  const spans = text.split(",").map((part): Span | null => {
    const [, first = "", last = first, ...figures] = form.exec(part.trim().toLowerCase()) ?? [];
    const [fromHour = 99, fromMinute = 0, toHour = 99, toMinute = 0] = figures.map(Number);
    const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
    if (from >= minutesOfDay || to > minutesOfDay || from === to) return null;
    const [start, end] = [days.indexOf(first), days.indexOf(last)];
    return { days: days.map((_, at) => (start + at) % 7).slice(0, ((end - start + 7) % 7) + 1), from, to };
  });
  return spans.every((span) => span !== null) ? spans : null;
};

/** Whether the system knows a time zone, such as `Europe/Vienna`. */
export const isTimeZone = (zone: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }) !== null;
  } catch {
    return false;
  }
};

/** One per zone: creating it takes a hundred times as long as using it. */
const forms = new Map<string, Intl.DateTimeFormat>();
const formOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = forms.get(timeZone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "short", hour: "2-digit", minute: "2-digit" });
  forms.set(timeZone, made);
  return made;
};

const dayAndMinute = (zone: string, nowMs: number) => {
  const part = Object.fromEntries(
    formOf(zone)
      .formatToParts(nowMs)
      .map(({ type, value }) => [type, value]),
  );
  const day = days.indexOf(String(part.weekday).toLowerCase());
  return { day, minute: (Number(part.hour) % 24) * 60 + Number(part.minute) };
};

const minutesOfWeek = 7 * minutesOfDay;

/** How long the shop has been open, in milliseconds (at most a week or two); null while closed, or with unknown hours. */
export const openForMs = (opening: string | null, zone: string | null, nowMs: number): number | null => {
  if (opening === null || zone === null) return null;
  const spans = parseOpening(opening);
  if (spans === null) return null;
  const { day, minute } = dayAndMinute(zone, nowMs);
  const hours = spans.flatMap((span) =>
    span.days.map((on) => ({
      start: on * minutesOfDay + span.from,
      length: span.to - span.from + (span.to < span.from ? minutesOfDay : 0),
    })),
  );
  /** Minutes since the earliest start of the hours that include `at`, or ended less than `slack` minutes before. */
  const begunBefore = (at: number, slack: number): number | undefined =>
    hours
      .map(({ start, length }) => ({ ago: (at - start + 2 * minutesOfWeek) % minutesOfWeek, length }))
      .filter(({ ago, length }) => ago < length + slack)
      .reduce<number | undefined>((most, { ago }) => Math.max(most ?? 0, ago), undefined);
  const now = day * minutesOfDay + minute;
  let open = begunBefore(now, 0);
  if (open === undefined) return null;
  // Adjacent hours are merged: a shop that is always open does not open anew at midnight.
  while (open < minutesOfWeek) {
    const more = begunBefore((now - open) % minutesOfWeek, 1);
    if (!more) break;
    open += more;
  }
  return open * minuteMs;
};
