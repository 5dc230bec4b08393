/** Money and times as people read them. Amounts stay decimal strings: Intl formats those exactly, no float in between. */
import { amountFormat, isCurrencyCode } from "../../backend/contract/money.ts";
import type { Amount, Language } from "../../preload/contract.ts";
import { localeOf } from "../../preload/languages.ts";

/** The pieces of an amount, so that the currency can be set smaller than the digits. */
export const amountParts = (
  { amount, currency }: Amount,
  language: Language,
): readonly { text: string; isCurrency: boolean }[] => {
  // What another service calls a currency.
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

/** "3 minutes", "45 seconds": one unit, the largest that fits, in the form that "vor", "seit" and "in" ask for in German. */
export const durationText = (durationMs: number, language: Language): string => {
  const [unit, unitMs] = steps.find(([, ms]) => durationMs >= ms) ?? (["second", secondMs] as const);
  const count = Math.max(0, Math.floor(durationMs / unitMs));
  const text = new Intl.NumberFormat(localeOf[language], { style: "unit", unit, unitDisplay: "long" }).format(count);
  return language === "de" ? text.replace(/ Tage$/, " Tagen") : text;
};

/** The time of day with its minutes. @param atMs wall clock, milliseconds since the epoch. */
export const clockText = (atMs: number, language: Language): string =>
  new Intl.DateTimeFormat(localeOf[language], { timeStyle: "short" }).format(atMs);

/** Date and time of day from the wire's RFC 3339 text. */
export const momentText = (at: string, language: Language): string => {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  return new Intl.DateTimeFormat(localeOf[language], { dateStyle: "medium", timeStyle: "medium" }).format(date);
};
