/** Durations, days and counts in tables and charts. Separate from `format.ts`, which every start of the page loads. */
import type { Language } from "../../preload/contract.ts";
import { localeOf } from "../../preload/languages.ts";

/** A duration in short units: "4.2 s", "1 min 20 s", "1.5 h". Whole seconds from ten on. */
export const secondsText = (durationMs: number, language: Language): string => {
  const unit = (value: number, name: "second" | "minute" | "hour", digits = 0): string =>
    new Intl.NumberFormat(localeOf[language], {
      style: "unit",
      unit: name,
      unitDisplay: "narrow",
      maximumFractionDigits: digits,
    }).format(value);
  const seconds = durationMs / 1_000;
  if (seconds < 10) return unit(seconds, "second", 1);
  const whole = Math.round(seconds);
  if (whole < 60) return unit(whole, "second");
  if (whole < 3_600)
    return [unit(Math.floor(whole / 60), "minute"), ...(whole % 60 ? [unit(whole % 60, "second")] : [])].join(" ");
  return unit(whole / 3_600, "hour", 1);
};

/** A number with the language's separators. */
export const numberText = (value: number, language: Language): string =>
  new Intl.NumberFormat(localeOf[language]).format(value);

/** A calendar day (`2026-11-22`) in one of four forms: "Sun 22", "11/22", "Sunday, November 22, 2026", "Nov". */
export const dayText = (day: string, form: "weekday" | "short" | "full" | "month", language: Language): string => {
  const options: Readonly<Record<typeof form, Intl.DateTimeFormatOptions>> = {
    weekday: { weekday: "short", day: "numeric" },
    short: { day: "numeric", month: "numeric" },
    full: { weekday: "long", day: "numeric", month: "long", year: "numeric" },
    month: { month: "short" },
  };
  return new Intl.DateTimeFormat(localeOf[language], { ...options[form], timeZone: "UTC" }).format(
    new Date(`${day}T00:00:00Z`),
  );
};

/** The time of day to the second, with the date unless it is the same day as `beforeMs`. */
export const timeText = (atMs: number, beforeMs: number | null, language: Language): string => {
  const date = new Date(atMs);
  const isSameDay = beforeMs !== null && new Date(beforeMs).toDateString() === date.toDateString();
  const options: Intl.DateTimeFormatOptions = isSameDay
    ? { timeStyle: "medium" }
    : { dateStyle: "medium", timeStyle: "medium" };
  return new Intl.DateTimeFormat(localeOf[language], options).format(date);
};
