/** A day's report on paper: all its figures, in the order in which they add up. */
import { counterCode } from "../../../preload/choices.ts";
import type { CashCount, DayReport, OneCount, PaperLine } from "../../../preload/contract.ts";
import {
  boldPair,
  centered,
  cut,
  groupId,
  type PaperLocale,
  pair,
  paperAmount,
  paperMinor,
  paperTexts,
  paperTime,
  plain,
  rule,
  space,
  title,
} from "./paper.ts";

/** A closed day and what the paper says beside its figures. */
export interface PrintedReport {
  readonly report: DayReport;
  readonly shop: string;
  readonly terminal: string;
  readonly training: boolean;
  readonly isReprint: boolean;
  /** For people who may not see the expected sum: nothing on the paper reveals it. */
  readonly isBlind: boolean;
}

/** Always with its sign, so that too much and too little cannot be mixed up. */
const signed = (minor: number, currency: string, locale: PaperLocale): string =>
  `${minor < 0 ? "-" : minor > 0 ? "+" : ""}${paperMinor(Math.abs(minor), currency, locale)}`;

const countLines = ({ pieces, otherMinor }: CashCount, currency: string, locale: PaperLocale): readonly PaperLine[] => [
  ...pieces
    .filter(({ count }) => count > 0)
    .map(({ valueMinor, count }) =>
      pair(`${count} x ${paperMinor(valueMinor, currency, locale)}`, paperMinor(valueMinor * count, currency, locale)),
    ),
  ...(otherMinor > 0 ? [pair(paperTexts[locale.language].report.other, paperMinor(otherMinor, currency, locale))] : []),
];

/** The people's names; empty where nobody signs in. */
const people = (...codes: readonly (string | null)[]): string =>
  codes.filter((code) => code !== null && code !== counterCode).join(", ");

const byLine = (name: string, codes: string): readonly PaperLine[] => (codes === "" ? [] : [pair(name, codes)]);

const inBrackets = (codes: string): string => (codes === "" ? "" : ` (${codes})`);

/** What the last report left in the drawer, and how far the float is off; empty where they agree. */
const nightLines = ({ night, currency, before }: DayReport, locale: PaperLocale): readonly PaperLine[] => {
  if (night === null || (night.differenceMinor === 0 && before.handOuts === 0)) return [];
  const texts = paperTexts[locale.language].report;
  return [
    pair(texts.leftBefore, paperMinor(night.leftMinor, currency, locale)),
    boldPair(texts.night, signed(night.differenceMinor, currency, locale)),
    ...(night.reason === "" ? [] : [plain(`${texts.reason}: ${night.reason}`)]),
  ];
};

/** Each opening of the drawer without a withdrawal; cash in and out has its own lines. */
const noSaleLines = ({ noSales = [] }: DayReport, locale: PaperLocale): readonly PaperLine[] => {
  const texts = paperTexts[locale.language].report;
  const alone = noSales.filter(({ reason }) => reason !== "cash_move");
  if (alone.length === 0) return [];
  return [
    plain(texts.noSales),
    ...alone.map(({ atMs, reason, note, by, approvedBy }) =>
      plain(
        `${paperTime(atMs, locale)} ${texts.noSaleReasons[reason]}${note === "" ? "" : `: ${note}`}${inBrackets(people(by, approvedBy))}`,
      ),
    ),
    rule,
  ];
};

const countLine = (
  name: string,
  { countedMinor, by, atMs }: OneCount,
  currency: string,
  locale: PaperLocale,
): PaperLine =>
  pair(`${name} ${paperTime(atMs, locale)}${inBrackets(people(by))}`, paperMinor(countedMinor, currency, locale));

/** The earlier counts of a corrected float. */
const floatLines = ({ everyFloat, currency }: DayReport, locale: PaperLocale): readonly PaperLine[] =>
  everyFloat.slice(0, -1).map((one) => countLine(paperTexts[locale.language].report.float, one, currency, locale));

/** Every count where there was more than one; reports of earlier versions know the first alone. */
const countsLines = (report: DayReport, locale: PaperLocale): readonly PaperLine[] => {
  const { counts, everyCount, currency, firstCountMinor } = report;
  const texts = paperTexts[locale.language].report;
  if (counts <= 1 && report.shownTo.length === 0) return [];
  if (everyCount.length === 0)
    return [pair(`${texts.counts} ${counts}`, paperMinor(firstCountMinor, currency, locale))];
  return everyCount.map((one, at) => countLine(`${texts.count} ${at + 1}`, one, currency, locale));
};

const marksOf = (printed: PrintedReport, { language }: PaperLocale): readonly PaperLine[] => {
  const texts = paperTexts[language].report;
  return [
    ...(printed.training ? [title(`*** ${texts.training} ***`)] : []),
    ...(printed.isReprint ? [title(`*** ${texts.reprint} ***`)] : []),
  ];
};

/** The report's lines; one from training says so. */
export const dayReportText = (printed: PrintedReport, locale: PaperLocale): readonly PaperLine[] => {
  const { report, shop, terminal } = printed;
  const texts = paperTexts[locale.language].report;
  const { currency } = report;
  const money = (minor: number): string => signed(minor, currency, locale).replace(/^\+/, "");
  return [
    ...marksOf(printed, locale),
    title(shop),
    title(`${texts.title} ${report.number}`),
    ...(printed.isBlind ? [centered(texts.short)] : []),
    rule,
    pair(texts.terminal, terminal),
    pair(texts.opened, paperTime(report.openedAtMs, locale)),
    ...byLine(texts.openedBy, people(report.openedBy)),
    pair(texts.closed, paperTime(report.closedAtMs, locale)),
    ...byLine(texts.closedBy, people(report.closedBy, report.approvedBy)),
    rule,
    ...nightLines(report, locale),
    ...floatLines(report, locale),
    pair(texts.float, money(report.floatMinor)),
    pair(texts.in, money(report.inMinor)),
    pair(texts.out, money(-report.outMinor)),
    ...(printed.isBlind
      ? [boldPair(texts.counted, money(report.countedMinor))]
      : [
          pair(`${texts.handedOut} (${report.handOuts})`, money(-report.handedOutMinor)),
          boldPair(texts.expected, money(report.expectedMinor)),
          boldPair(texts.counted, money(report.countedMinor)),
          boldPair(texts.difference, signed(report.differenceMinor, currency, locale)),
        ]),
    ...(report.reason === "" ? [] : [plain(`${texts.reason}: ${report.reason}`)]),
    ...report.shownTo.map(({ by, atMs }) =>
      plain(`${texts.shownTo} ${paperTime(atMs, locale)}${inBrackets(people(by))}`),
    ),
    ...countsLines(report, locale),
    ...(printed.isBlind ? [] : report.clearedUp).map(({ by, note }) =>
      plain(`${texts.clearedUp}${inBrackets(people(by))}: ${note}`),
    ),
    ...(report.otherCurrency > 0 ? [pair(texts.otherCurrency, String(report.otherCurrency))] : []),
    ...(report.before.handOuts > 0
      ? [pair(`${texts.before} (${report.before.handOuts})`, money(report.before.handedOutMinor))]
      : []),
    rule,
    ...report.moves.map((move) =>
      pair(
        `${paperTime(move.atMs, locale)} ${texts.reasons[move.reason]}${move.note === "" ? "" : `: ${move.note}`}${inBrackets(people(move.by, move.approvedBy))}`,
        signed(move.direction === "in" ? move.amountMinor : -move.amountMinor, currency, locale),
      ),
    ),
    ...(report.moves.length > 0 ? [rule] : []),
    ...noSaleLines(report, locale),
    plain(texts.counted),
    ...countLines(report.count, currency, locale),
    rule,
    boldPair(texts.takenOut, money(report.takenOutMinor)),
    ...countLines(report.takeOut, currency, locale),
    boldPair(texts.left, money(report.leftMinor)),
    ...(report.over.length === 0
      ? []
      : [
          rule,
          plain(texts.over),
          ...report.over.map((one) => pair(groupId(one.transactionId), paperAmount(one.amount, one.currency, locale))),
        ]),
  ];
};

/** The report to print: with a line to sign, and its mark (copy, training) at the end too. */
export const dayReportLines = (printed: PrintedReport, locale: PaperLocale): readonly PaperLine[] => [
  ...dayReportText(printed, locale),
  space,
  centered(paperTexts[locale.language].report.signature),
  space,
  plain("............................"),
  ...marksOf(printed, locale),
  cut,
];
