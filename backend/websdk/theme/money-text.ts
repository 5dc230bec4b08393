/** Amounts as people write them, and as they type them. */
import { amountFormat, amountMinorMax, formatAmount, minorDigits } from "../../contract/money.ts";
import type { Language } from "../texts/languages.ts";

/** 124000, EUR, en → `€1,240.00`; never through a float: Intl takes the decimal text as it is. */
export const moneyText = (minor: number, currency: string, language: Language): string => {
  const amount = formatAmount(minor, currency);
  return amountFormat(amount, currency, language).format(amount as Intl.StringNumericLiteral);
};

/** As `moneyText`, without decimals that say nothing: `€50`, but `€50.08`. For keys and limits. */
export const shortMoneyText = (minor: number, currency: string, language: Language): string => {
  const whole = minor % 10 ** minorDigits(currency) === 0;
  if (!whole) return moneyText(minor, currency, language);
  return new Intl.NumberFormat(language, { style: "currency", currency, maximumFractionDigits: 0 }).format(
    String(minor / 10 ** minorDigits(currency)) as Intl.StringNumericLiteral,
  );
};

/**
 * `50`, `50.5`, `50,50` → minor units; null for everything else. A thousands separator is not read: between `1.000` and
 * `1,000` we would have to guess.
 */
export const readTypedAmount = (typed: string, currency: string): number | null => {
  const digits = minorDigits(currency);
  const parts = /^(\d{1,12})(?:[.,](\d{0,4}))?$/.exec(typed.trim());
  const [, whole = "", fraction = ""] = parts ?? [];
  if (parts === null || fraction.length > digits) return null;
  const minor = Number(whole + fraction.padEnd(digits, "0"));
  return minor <= amountMinorMax ? minor : null;
};

/** The decimal sign of the language, for the key. */
export const decimalSign = (language: Language): string =>
  new Intl.NumberFormat(language).formatToParts(1.5).find(({ type }) => type === "decimal")?.value ?? ".";
