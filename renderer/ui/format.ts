/** Money and times for people. Amounts stay decimal strings, which Intl formats exactly, without a float. */
import { amountFormat, isCurrencyCode } from "../../backend/contract/money.ts";
import type { Amount, Language } from "../../preload/contract.ts";
import { localeOf } from "../../preload/languages.ts";

/** The pieces of an amount, so that the currency can be set smaller than the digits. */
export const amountParts = (
  { amount, currency }: Amount,
  language: Language,
): readonly { text: string; isCurrency: boolean }[] => {
  // A service may name a currency that is no ISO 4217 code.
  if (!isCurrencyCode(currency)) return [{ text: `${amount} ${currency}`, isCurrency: false }];
  return amountFormat(amount, currency, localeOf[language])
    .formatToParts(amount as `${number}`)
    .map((part) => ({ text: part.value, isCurrency: part.type === "currency" }));
};

/** An amount as the language writes it: "€150.00", "150,00 €". */
export const amountText = (money: Amount, language: Language): string =>
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

/** What stands in a sentence as "…" does in "vor …"; German bends the days there. */
const inSentence: Readonly<Record<Language, (text: string) => string>> = {
  en: (text) => text,
  de: (text) => text.replace(/ Tage$/, " Tagen"),
  fr: (text) => text,
  it: (text) => text,
};

/** "3 minutes", "45 seconds": in the largest unit that fits, rounded down; in German in the dative, as after "vor". */
export const durationText = (durationMs: number, language: Language): string => {
  const [unit, unitMs] = steps.find(([, ms]) => durationMs >= ms) ?? (["second", secondMs] as const);
  const count = Math.max(0, Math.floor(durationMs / unitMs));
  const text = new Intl.NumberFormat(localeOf[language], { style: "unit", unit, unitDisplay: "long" }).format(count);
  return inSentence[language](text);
};

/** The time of day to the minute. @param atMs milliseconds since the epoch. */
export const clockText = (atMs: number, language: Language): string =>
  new Intl.DateTimeFormat(localeOf[language], { timeStyle: "short" }).format(atMs);

/** Date and time of day from an RFC 3339 text; a text that is none is returned as it is. */
export const momentText = (at: string, language: Language): string => {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return new Intl.DateTimeFormat(localeOf[language], { dateStyle: "medium", timeStyle: "medium" }).format(date);
};
