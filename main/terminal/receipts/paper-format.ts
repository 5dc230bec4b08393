/** Money and time as they stand on paper, in the terminal's language. */
import { amountFormat, formatAmount, isCurrencyCode } from "../../../backend/contract/money.ts";
import type { Language } from "../../../preload/contract.ts";
import { localeOf } from "../../../preload/languages.ts";

/** How a receipt is written: the terminal's language and where its clock hangs. */
export interface PaperLocale {
  readonly language: Language;
  /** An IANA name: `Europe/Berlin`. */
  readonly timeZone: string;
}

/** @param amount a decimal string as on the wire. */
export const paperAmount = (amount: string, currency: string, { language }: PaperLocale): string => {
  if (!isCurrencyCode(currency)) return `${amount} ${currency}`;
  // The number stays a string: a float cannot hold every amount.
  return amountFormat(amount, currency, language).format(amount as `${number}`);
};

/** An amount in minor units, in the locale's form; a currency that is not known stands with the bare number. */
export const paperMinor = (amountMinor: number, currency: string, locale: PaperLocale): string =>
  isCurrencyCode(currency)
    ? paperAmount(formatAmount(amountMinor, currency), currency, locale)
    : `${amountMinor} ${currency}`;

/**
 * With the zone's name: two times of the night in which clocks are put back look the same without. In English, which writes
 * day and month in either order, the month has its name.
 */
export const paperTime = (atMs: number, { language, timeZone }: PaperLocale): string =>
  new Intl.DateTimeFormat(localeOf[language], {
    year: "numeric",
    month: language === "en" ? "short" : "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    timeZone,
    timeZoneName: "short",
  }).format(atMs);
