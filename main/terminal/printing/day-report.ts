/** A day's report on paper: all its figures, in the order in which they add up. */
import { counterCode } from "../../../preload/choices.ts";
import type { CashCount, CashMove, DayReport, NoSale, OneCount, PaperLine } from "../../../preload/contract.ts";
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

/** How one report says things on paper. */
const speakerOf = ({ currency }: DayReport, locale: PaperLocale) => {
  const money = (minor: number): string => `${minor < 0 ? "-" : ""}${paperMinor(Math.abs(minor), currency, locale)}`;
  return {
    texts: paperTexts[locale.language].report,
    time: (atMs: number): string => paperTime(atMs, locale),
    amount: (amount: string, of: string): string => paperAmount(amount, of, locale),
    money,
    /** Always with its sign, so that too much and too little cannot be mixed up. */
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

/** The people's names; empty where nobody signs in. */
const people = (...codes: readonly (string | null)[]): string =>
  codes.filter((code) => code !== null && code !== counterCode).join(", ");

const byLine = (name: string, codes: string): readonly PaperLine[] => (codes === "" ? [] : [pair(name, codes)]);

const inBrackets = (codes: string): string => (codes === "" ? "" : ` (${codes})`);

/** Who did something in the course of the day, when and why. */
const noteOf = ({ by, approvedBy, atMs, note }: NoSale | CashMove, reason: string, { time }: Speaker): string =>
  `${time(atMs)} ${reason}${note === "" ? "" : `: ${note}`}${inBrackets(people(by, approvedBy))}`;

/** What the last report left in the drawer, and how far the float is off; empty where they agree. */
const nightLines = ({ night, before }: DayReport, { texts, money, signed }: Speaker): readonly PaperLine[] => {
  if (night === null || (night.differenceMinor === 0 && before.handOuts === 0)) return [];
  return [
    pair(texts.leftBefore, money(night.leftMinor)),
    boldPair(texts.night, signed(night.differenceMinor)),
    ...(night.reason === "" ? [] : [plain(`${texts.reason}: ${night.reason}`)]),
  ];
};

/** Each opening of the drawer without a withdrawal; cash in and out has its own lines. */
const noSaleLines = ({ noSales = [] }: DayReport, say: Speaker): readonly PaperLine[] => {
  const alone = noSales.filter(({ reason }) => reason !== "cash_move");
  if (alone.length === 0) return [];
  const { noSales: heading, noSaleReasons } = say.texts;
  return [plain(heading), ...alone.map((one) => plain(noteOf(one, noSaleReasons[one.reason], say))), rule];
};

const countLine = (name: string, { countedMinor, by, atMs }: OneCount, { time, money }: Speaker): PaperLine =>
  pair(`${name} ${time(atMs)}${inBrackets(people(by))}`, money(countedMinor));

/** Every count where there was more than one; reports of earlier versions know the first alone. */
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

/** The report's lines; one from training says so. */
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
    ...(report.otherCurrency > 0 ? [pair(texts.otherCurrency, String(report.otherCurrency))] : []),
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
          ...report.over.map((one) => pair(groupId(one.transactionId), say.amount(one.amount, one.currency))),
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
