/** Receipts, printer test and day report as lines of paper in the terminal's language. */

import { z } from "zod";
import { codeText } from "../../../backend/contract/ids.ts";
import { amountFormat, formatAmount, isCurrencyCode } from "../../../backend/contract/money.ts";
import { type cashReasons, counterCode, localeOf } from "../../../preload/choices.ts";
import type {
  CashCount,
  CashMove,
  DayReport,
  Language,
  NoSale,
  OneCount,
  PaperLine,
} from "../../../preload/contract.ts";
import de from "./texts/de.json" with { type: "json" };
import en from "./texts/en.json" with { type: "json" };
import fr from "./texts/fr.json" with { type: "json" };
import it from "./texts/it.json" with { type: "json" };

const title = (text: string): PaperLine => ({ kind: "text", text, style: "title", align: "center" });
const centered = (text: string): PaperLine => ({ kind: "text", text, align: "center" });
/** A left-aligned line of text. */
export const plain = (text: string): PaperLine => ({ kind: "text", text });
const pair = (label: string, value: string): PaperLine => ({ kind: "pair", label, value });
const boldPair = (label: string, value: string): PaperLine => ({ kind: "pair", label, value, style: "bold" });
/** A horizontal rule. */
export const rule: PaperLine = { kind: "rule" };
const space: PaperLine = { kind: "space" };
const cut: PaperLine = { kind: "cut" };

/** The texts of receipts and day reports, in one language. */
interface PaperTexts {
  readonly receipt: typeof en.receipt;
  readonly report: typeof en.report & { readonly reasons: Readonly<Record<(typeof cashReasons)[number], string>> };
}

/** A missing text is a type error. */
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
  // The number stays a string, because a float cannot represent every amount.
  return amountFormat(amount, currency, language).format(amount as `${number}`);
};

/** Formats an amount in minor units; with an unknown currency as a plain number. */
export const paperMinor = (amountMinor: number, currency: string, locale: PaperLocale): string =>
  isCurrencyCode(currency)
    ? paperAmount(formatAmount(amountMinor, currency), currency, locale)
    : `${amountMinor} ${currency}`;

/** With the time zone's name, for the night in which clocks go back; in English with the month's name. */
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

/** Copies of a receipt. */
export const receiptCopies = ["customer", "shop"] as const;
/** One of `receiptCopies`. */
export type ReceiptCopy = (typeof receiptCopies)[number];

/** The data of both copies. */
export const receiptSchema = z.object({
  transactionId: z.string(),
  terminalReference: z.string(),
  /** A decimal string as on the wire. */
  amount: z.string(),
  currency: z.string(),
  /** When the cash was handed out, milliseconds since the epoch. */
  atMs: z.number(),
  /** The shop's name. */
  shop: z.string(),
  terminal: z.string(),
  /** The cashier's code (printed as a name); null if nobody signs in. */
  cashier: z.string().nullable(),
  training: z.boolean(),
  /** Whether it was or may have been printed before. */
  isReprint: z.boolean(),
});
/** See `receiptSchema`. */
export type Receipt = Readonly<z.infer<typeof receiptSchema>>;

/** One copy, followed by a cut. */
export const receiptLines = (receipt: Receipt, copy: ReceiptCopy, locale: PaperLocale): readonly PaperLine[] => {
  const texts = paperTexts[locale.language].receipt;
  const training = receipt.training ? [title(`*** ${texts.training} ***`), centered(texts.trainingNext)] : [];
  return [
    ...training,
    title(receipt.shop),
    centered(texts.title),
    centered(copy === "customer" ? texts.customerCopy : texts.shopCopy),
    ...(receipt.isReprint ? [title(`*** ${texts.reprint} ***`)] : []),
    rule,
    { kind: "text", text: paperAmount(receipt.amount, receipt.currency, locale), style: "large", align: "center" },
    rule,
    pair(texts.time, paperTime(receipt.atMs, locale)),
    pair(texts.terminal, receipt.terminal),
    ...(receipt.cashier === null ? [] : [pair(texts.cashier, receipt.cashier)]),
    space,
    plain(texts.withdrawal),
    centered(codeText(receipt.transactionId)),
    { kind: "code", value: receipt.transactionId },
    space,
    ...(copy === "customer"
      ? []
      : [
          plain(texts.terminalId),
          centered(receipt.terminalReference),
          { kind: "code", value: receipt.terminalReference } as const,
          space,
        ]),
    centered(copy === "customer" ? texts.keep : texts.file),
    ...(receipt.isReprint ? [title(`*** ${texts.reprint} ***`)] : []),
    ...training.slice(0, 1),
    cut,
  ];
};

/** Non-ASCII letters of the terminal's languages. */
const letters = "\u00e4\u00f6\u00fc\u00df \u00e9\u00e8\u00ea\u00e0\u00e7\u00f4 \u0142 \u20ac 0123456789";

/** The lines of the printer test, in the terminal's language. */
export const printerTestLines = (language: Language): readonly PaperLine[] => {
  const { test, testNext } = paperTexts[language].receipt;
  return [title(test), rule, centered(letters), plain(testNext), { kind: "code", value: "TEST" }, rule, cut];
};

/** A closed day, and what else is printed with it. */
export interface PrintedReport {
  readonly report: DayReport;
  readonly shop: string;
  readonly terminal: string;
  readonly training: boolean;
  readonly isReprint: boolean;
  /** For people who may not see the expected sum: the paper must not reveal it. */
  readonly isBlind: boolean;
}

/** Formatters for one report. */
const speakerOf = ({ currency }: DayReport, locale: PaperLocale) => {
  const money = (minor: number): string => `${minor < 0 ? "-" : ""}${paperMinor(Math.abs(minor), currency, locale)}`;
  return {
    texts: paperTexts[locale.language].report,
    time: (atMs: number): string => paperTime(atMs, locale),
    amount: (amount: string, of: string): string => paperAmount(amount, of, locale),
    money,
    /** Always with its sign, so that surplus and shortage cannot be confused. */
    signed: (minor: number): string => (minor > 0 ? `+${money(minor)}` : money(minor)),
  };
};
type Speaker = ReturnType<typeof speakerOf>;

const countLines = ({ pieces, otherMinor }: CashCount, { texts, money }: Speaker): readonly PaperLine[] => [
  ...pieces
    .filter(({ count }) => count > 0)
    .map(({ valueMinor, count }) => pair(`${count} x ${money(valueMinor)}`, money(valueMinor * count))),
  ...(otherMinor > 0 ? [pair(texts.other, money(otherMinor))] : []),
];

/** Names of people; empty if nobody signs in. */
const people = (...codes: readonly (string | null)[]): string =>
  codes.filter((code) => code !== null && code !== counterCode).join(", ");

const byLine = (name: string, codes: string): readonly PaperLine[] => (codes === "" ? [] : [pair(name, codes)]);

const inBrackets = (codes: string): string => (codes === "" ? "" : ` (${codes})`);

/** Who did something during the day, when and why. */
const noteOf = (
  { by, approvedBy, atMs, note }: Pick<NoSale | CashMove, "by" | "approvedBy" | "atMs" | "note">,
  reason: string,
  { time }: Speaker,
): string => `${time(atMs)} ${reason}${note === "" ? "" : `: ${note}`}${inBrackets(people(by, approvedBy))}`;

/** What the last report left in the drawer and the float's difference; empty if they agree. */
const nightLines = ({ night, before }: DayReport, { texts, money, signed }: Speaker): readonly PaperLine[] => {
  if (night === null || (night.differenceMinor === 0 && before.handOuts === 0)) return [];
  return [
    pair(texts.leftBefore, money(night.leftMinor)),
    boldPair(texts.night, signed(night.differenceMinor)),
    ...(night.reason === "" ? [] : [plain(`${texts.reason}: ${night.reason}`)]),
  ];
};

/** Openings of the drawer without a withdrawal, and how many; cash movements have their own lines. */
const noSaleLines = ({ noSales = [], drawerTests }: DayReport, say: Speaker): readonly PaperLine[] => {
  const { noSales: heading, noSaleReasons, drawerTest } = say.texts;
  const notes = [
    ...noSales.filter(({ reason }) => reason !== "cash_move").map((one) => noteOf(one, noSaleReasons[one.reason], say)),
    ...drawerTests.map(({ place: note, ...one }) => noteOf({ ...one, approvedBy: null, note }, drawerTest, say)),
  ];
  return notes.length === 0 ? [] : [plain(`${heading} (${notes.length})`), ...notes.map(plain), rule];
};

/** What was handed out in other currencies: their sums, and the number of those whose sum is not known. */
const otherCurrencyLines = (report: DayReport, locale: PaperLocale): readonly PaperLine[] => {
  const label = paperTexts[locale.language].report.otherCurrency;
  const unknown = report.otherCurrencies.reduce((rest, { handOuts }) => rest - handOuts, report.otherCurrency);
  return [
    ...report.otherCurrencies.map(({ currency, handOuts, handedOutMinor }) =>
      pair(`${label} (${handOuts})`, paperMinor(handedOutMinor, currency, locale)),
    ),
    ...(unknown > 0 ? [pair(label, String(unknown))] : []),
  ];
};

const countLine = (name: string, { countedMinor, by, atMs }: OneCount, { time, money }: Speaker): PaperLine =>
  pair(`${name} ${time(atMs)}${inBrackets(people(by))}`, money(countedMinor));

/** All counts if there was more than one; reports of earlier versions have only the first. */
const countsLines = (report: DayReport, say: Speaker): readonly PaperLine[] => {
  const { counts, everyCount, firstCountMinor, shownTo } = report;
  if (counts <= 1 && shownTo.length === 0) return [];
  if (everyCount.length === 0) return [pair(`${say.texts.counts} ${counts}`, say.money(firstCountMinor))];
  return everyCount.map((one, at) => countLine(`${say.texts.count} ${at + 1}`, one, say));
};

const marksOf = (printed: PrintedReport, { language }: PaperLocale): readonly PaperLine[] => {
  const texts = paperTexts[language].report;
  return [
    ...(printed.training ? [title(`*** ${texts.training} ***`)] : []),
    ...(printed.isReprint ? [title(`*** ${texts.reprint} ***`)] : []),
  ];
};

/** The report's lines, marked if it is from training. */
export const dayReportText = (printed: PrintedReport, locale: PaperLocale): readonly PaperLine[] => {
  const { report, shop, terminal } = printed;
  const say = speakerOf(report, locale);
  const { texts, money, signed, time } = say;
  return [
    ...marksOf(printed, locale),
    title(shop),
    title(`${texts.title} ${report.number}`),
    ...(printed.isBlind ? [centered(texts.short)] : []),
    rule,
    pair(texts.terminal, terminal),
    pair(texts.opened, time(report.openedAtMs)),
    ...byLine(texts.openedBy, people(report.openedBy)),
    pair(texts.closed, time(report.closedAtMs)),
    ...byLine(texts.closedBy, people(report.closedBy, report.approvedBy)),
    rule,
    ...nightLines(report, say),
    // The earlier counts of a corrected float.
    ...report.everyFloat.slice(0, -1).map((one) => countLine(texts.float, one, say)),
    pair(texts.float, money(report.floatMinor)),
    pair(texts.in, money(report.inMinor)),
    pair(texts.out, money(-report.outMinor)),
    ...(printed.isBlind
      ? [boldPair(texts.counted, money(report.countedMinor))]
      : [
          pair(`${texts.handedOut} (${report.handOuts})`, money(-report.handedOutMinor)),
          boldPair(texts.expected, money(report.expectedMinor)),
          boldPair(texts.counted, money(report.countedMinor)),
          boldPair(texts.difference, signed(report.differenceMinor)),
        ]),
    ...(report.reason === "" ? [] : [plain(`${texts.reason}: ${report.reason}`)]),
    ...report.shownTo.map(({ by, atMs }) => plain(`${texts.shownTo} ${time(atMs)}${inBrackets(people(by))}`)),
    ...countsLines(report, say),
    ...(printed.isBlind ? [] : report.clearedUp).map(({ by, note }) =>
      plain(`${texts.clearedUp}${inBrackets(people(by))}: ${note}`),
    ),
    ...otherCurrencyLines(report, locale),
    ...(report.before.handOuts > 0
      ? [pair(`${texts.before} (${report.before.handOuts})`, money(report.before.handedOutMinor))]
      : []),
    rule,
    ...report.moves.map((move) =>
      pair(
        noteOf(move, texts.reasons[move.reason], say),
        signed(move.direction === "in" ? move.amountMinor : -move.amountMinor),
      ),
    ),
    ...(report.moves.length > 0 ? [rule] : []),
    ...noSaleLines(report, say),
    plain(texts.counted),
    ...countLines(report.count, say),
    rule,
    boldPair(texts.takenOut, money(report.takenOutMinor)),
    ...countLines(report.takeOut, say),
    boldPair(texts.left, money(report.leftMinor)),
    ...(report.over.length === 0
      ? []
      : [
          rule,
          plain(texts.over),
          ...report.over.map((one) => pair(codeText(one.transactionId), say.amount(one.amount, one.currency))),
        ]),
  ];
};

/** The report to print: with a signature line, and the marks (copy, training) repeated at the end. */
export const dayReportLines = (printed: PrintedReport, locale: PaperLocale): readonly PaperLine[] => [
  ...dayReportText(printed, locale),
  space,
  centered(paperTexts[locale.language].report.signature),
  space,
  plain("............................"),
  ...marksOf(printed, locale),
  cut,
];
