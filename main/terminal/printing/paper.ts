/** Building blocks of what is printed: lines, texts, money and time in the terminal's language. */
import { amountFormat, formatAmount, isCurrencyCode } from "../../../backend/contract/money.ts";
import type { cashReasons } from "../../../preload/choices.ts";
import type { Language } from "../../../preload/contract.ts";
import { localeOf } from "../../../preload/languages.ts";
import type { PaperLine } from "../../../preload/paper-line.ts";
import de from "./texts/de.json" with { type: "json" };
import en from "./texts/en.json" with { type: "json" };
import fr from "./texts/fr.json" with { type: "json" };
import it from "./texts/it.json" with { type: "json" };

/** Centred. */
export const title = (text: string): PaperLine => ({ kind: "text", text, style: "title", align: "center" });
/** A line of text in the middle. */
export const centered = (text: string): PaperLine => ({ kind: "text", text, align: "center" });
/** A line of text from the left. */
export const plain = (text: string): PaperLine => ({ kind: "text", text });
/** A label on the left and its value on the right. */
export const pair = (label: string, value: string): PaperLine => ({ kind: "pair", label, value });
/** A pair that stands out: the amount. */
export const boldPair = (label: string, value: string): PaperLine => ({ kind: "pair", label, value, style: "bold" });
/** A line across the paper. */
export const rule: PaperLine = { kind: "rule" };
/** An empty line. */
export const space: PaperLine = { kind: "space" };
/** The end of one slip. */
export const cut: PaperLine = { kind: "cut" };

/** The texts of receipts and day reports, in one language. */
interface PaperTexts {
  readonly receipt: typeof en.receipt;
  readonly report: typeof en.report & { readonly reasons: Readonly<Record<(typeof cashReasons)[number], string>> };
}

/** A language without one of its texts is a type error. */
export const paperTexts: Readonly<Record<Language, PaperTexts>> = { en, de, fr, it };

/** The terminal's language and time zone. */
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

/** An amount in minor units, in the locale's form; with an unknown currency only the number. */
export const paperMinor = (amountMinor: number, currency: string, locale: PaperLocale): string =>
  isCurrencyCode(currency)
    ? paperAmount(formatAmount(amountMinor, currency), currency, locale)
    : `${amountMinor} ${currency}`;

/** With the zone's name, for the night in which clocks are put back; in English the month has its name. */
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

const groupLength = 4;
const wholeLength = 16;

/** An id of this network in groups of four, as the phone shows it; another one as it is. */
export const groupId = (id: string): string =>
  id.length === wholeLength ? (id.match(new RegExp(`.{${groupLength}}`, "g"))?.join(" ") ?? id) : id;
