/** Money and times for people. Amounts stay decimal strings, which Intl formats exactly, without a float. */
import { amountFormat, formatAmount, isCurrencyCode } from "../../backend/contract/money.ts";
import { localeOf } from "../../preload/choices.ts";
import type { Amount, Language } from "../../preload/contract.ts";

let shown: Language = "en";

/** Formats by this language from now on, as the texts do. */
export const formatIn = (language: Language): void => {
  shown = language;
};

/** The parts of an amount, so that currency and cents can be set smaller than the rest. */
export const amountParts = (
  { amount, currency }: Amount,
  language = shown,
): readonly { text: string; kind: "currency" | "cents" | "whole" }[] => {
  // A service may name a currency that is no ISO 4217 code.
  if (!isCurrencyCode(currency)) return [{ text: `${amount} ${currency}`, kind: "whole" }];
  return amountFormat(amount, currency, localeOf[language])
    .formatToParts(amount as `${number}`)
    .map(({ type, value }) => ({
      text: value,
      kind: type === "currency" ? type : type === "decimal" || type === "fraction" ? "cents" : "whole",
    }));
};

/** An amount as the language writes it: "€150.00", "150,00 €". */
export const amountText = (money: Amount, language = shown): string =>
  amountParts(money, language)
    .map((part) => part.text)
    .join("");

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const steps = [
  ["day", dayMs],
  ["hour", hourMs],
  ["minute", minuteMs],
] as const;

/** A duration as it reads in a sentence, such as after "vor": German declines the days there. */
const inSentence: Readonly<Record<Language, (text: string) => string>> = {
  en: (text) => text,
  de: (text) => text.replace(/ Tage$/, " Tagen"),
  fr: (text) => text,
  it: (text) => text,
};

/** "3 minutes", "45 seconds": in the largest unit that fits, rounded down; in German in the dative, as after "vor". */
export const durationText = (durationMs: number, language = shown): string => {
  const [unit, unitMs] = steps.find(([, ms]) => durationMs >= ms) ?? (["second", secondMs] as const);
  const count = Math.max(0, Math.floor(durationMs / unitMs));
  const text = new Intl.NumberFormat(localeOf[language], { style: "unit", unit, unitDisplay: "long" }).format(count);
  return inSentence[language](text);
};

/** The time of day to the minute. @param atMs milliseconds since the epoch. */
export const clockText = (atMs: number, language = shown): string =>
  new Intl.DateTimeFormat(localeOf[language], { timeStyle: "short" }).format(atMs);

/** Date and time of day. @param at milliseconds since the epoch, or RFC 3339; a text that is none is returned as it is. */
export const momentText = (at: string | number, language = shown): string => {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  return new Intl.DateTimeFormat(localeOf[language], { dateStyle: "medium", timeStyle: "medium" }).format(date);
};

/** A number with the language's separators. */
export const numberText = (value: number, language = shown): string =>
  new Intl.NumberFormat(localeOf[language]).format(value);

/** A calendar day (`2026-11-22`) in one of five forms: "Sun 22", "22/11", "22/11/2026", "Sunday 22 November 2026", "Nov". */
export const dayText = (
  day: string,
  form: "weekday" | "short" | "numeric" | "full" | "month",
  language = shown,
): string => {
  const options: Readonly<Record<typeof form, Intl.DateTimeFormatOptions>> = {
    weekday: { weekday: "short", day: "numeric" },
    short: { day: "numeric", month: "numeric" },
    numeric: { day: "2-digit", month: "2-digit", year: "numeric" },
    full: { weekday: "long", day: "numeric", month: "long", year: "numeric" },
    month: { month: "short" },
  };
  return new Intl.DateTimeFormat(localeOf[language], { ...options[form], timeZone: "UTC" }).format(
    new Date(`${day}T00:00:00Z`),
  );
};

/** `22.11.2026` as `2026-11-22`, null for what is no day: each of the languages writes day, month, year. */
export const typedDay = (text: string): string | null => {
  const [, day = "", month = "", year = ""] = /^(\d{1,2})[./-](\d{1,2})[./-](\d{4})$/.exec(text.trim()) ?? [];
  const typed = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${typed}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(typed) ? typed : null;
};

/** The time of day to the second, with the date unless it is the same day as `beforeMs`. */
export const timeText = (atMs: number, beforeMs: number | null, language = shown): string => {
  const date = new Date(atMs);
  const isSameDay = beforeMs !== null && new Date(beforeMs).toDateString() === date.toDateString();
  const options: Intl.DateTimeFormatOptions = isSameDay
    ? { timeStyle: "medium" }
    : { dateStyle: "medium", timeStyle: "medium" };
  return new Intl.DateTimeFormat(localeOf[language], options).format(date);
};

/** With its sign, a plus too, so that more and less cannot be mixed up; zero has none. */
export const signedText = (minor: number, currency: string, language = shown): string =>
  `${minor > 0 ? "+" : ""}${minorText(minor, currency, language)}`;

/** Whole minor units as a person reads them; may be negative. */
export const minorText = (minor: number, currency: string, language = shown): string =>
  `${minor < 0 ? "−" : ""}${amountText({ amount: formatAmount(Math.abs(minor), currency), currency }, language)}`;

/** The decimal separator: "." or ",". */
export const decimalSign = (language = shown): string =>
  new Intl.NumberFormat(localeOf[language]).formatToParts(0.5).find(({ type }) => type === "decimal")?.value ?? ".";

/** What is printed on a note or coin: "€50", "€0.50". */
export const faceText = (valueMinor: number, currency: string, language = shown): string => {
  const amount = formatAmount(valueMinor, currency);
  return new Intl.NumberFormat(localeOf[language], {
    style: "currency",
    currency,
    trailingZeroDisplay: "stripIfInteger",
  }).format(amount as `${number}`);
};
