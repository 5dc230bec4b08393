/** The tables that a manager can save: in words, with local times, and the names of shop, terminal and people in each line. */
import type { TFunction } from "i18next";
import type { CsvValue } from "../../backend/contract/csv.ts";
import type {
  Amount,
  BooksView,
  Cleared,
  DayReport,
  FiguresView,
  HistoryLine,
  Language,
  Story,
} from "../../preload/contract.ts";
import { minorCell, type Sheet, timeCell } from "../ui/csv-file.ts";
import { dayText, minorText } from "../ui/format.ts";
import { discrepancyText, findingText, outcomeText, stepText } from "./words.ts";

/** What the tables say beside their data. */
export interface SheetContext {
  readonly t: TFunction;
  readonly language: Language;
  readonly shop: string;
  readonly terminal: string;
  readonly nameOf: (code: string) => string;
}

type Column<Row> = readonly [head: string, cell: (row: Row) => CsvValue];

const sheetOf = <Row>(
  { t, shop, terminal }: SheetContext,
  rows: readonly Row[],
  [first, ...more]: readonly [Column<Row>, ...Column<Row>[]],
): Sheet => {
  const place: readonly Column<Row>[] = [
    [t("facts.shop"), () => shop],
    [t("csv.terminal"), () => terminal],
  ];
  const columns = [first, ...place, ...more];
  return { head: columns.map(([head]) => head), rows: rows.map((row) => columns.map(([, cell]) => cell(row))) };
};

const amountCell = (money: Amount | null | undefined): CsvValue => (money == null ? null : { decimal: money.amount });

const clearedColumns = <Row>(
  { t, nameOf }: SheetContext,
  clearedOf: (row: Row) => Cleared | null,
): readonly Column<Row>[] => {
  const column = (head: string, cell: (cleared: Cleared) => CsvValue): Column<Row> => [
    head,
    (row) => {
      const cleared = clearedOf(row);
      return cleared && cell(cleared);
    },
  ];
  return [
    column(t("csv.clearedAt"), ({ at }) => timeCell(at)),
    column(t("csv.clearedBy"), ({ by }) => nameOf(by)),
    column(t("csv.clearedNote"), ({ note }) => note),
  ];
};

/** Withdrawals, a line each. */
export const linesSheet = (context: SheetContext, lines: readonly HistoryLine[]): Sheet => {
  const { t, nameOf } = context;
  return sheetOf<HistoryLine>(context, lines, [
    [t("history.time"), ({ at }) => timeCell(at)],
    [t("history.cashier"), ({ people }) => people.map(nameOf).join(", ")],
    [t("history.amount"), ({ money }) => amountCell(money)],
    [t("day.currency"), ({ money }) => money?.currency ?? null],
    [t("history.result"), ({ result }) => t(`history.results.${result}`)],
    [t("figures.end"), ({ outcome }) => outcomeText(outcome, t)],
    [t("csv.problem"), ({ discrepancy }) => discrepancy && discrepancyText(discrepancy, t)],
    [t("history.code"), ({ transactionId }) => transactionId],
    [t("story.ownId"), ({ terminalReference }) => terminalReference],
    ...clearedColumns<HistoryLine>(context, ({ cleared }) => cleared),
  ]);
};

/** One withdrawal, a line a step. */
export const storySheet = (context: SheetContext, { line, steps }: Story): Sheet => {
  const { t, nameOf } = context;
  const texts = steps.map((step) => ({ step, text: stepText(step, t, nameOf) }));
  return sheetOf<(typeof texts)[number]>(context, texts, [
    [t("history.time"), ({ step }) => timeCell(step.atMs)],
    [t("history.code"), () => line.transactionId],
    [t("csv.side"), ({ step }) => t(`story.${step.side}`)],
    [t("csv.step"), ({ text }) => text.what],
    [t("csv.about"), ({ text }) => text.about],
    [t("csv.by"), ({ text }) => text.who],
    [t("csv.approvedBy"), ({ text }) => text.approvedBy],
  ]);
};

/** What both sides count, a line a currency. */
export const totalsSheet = (context: SheetContext, { from, to, totals }: BooksView): Sheet => {
  const { t } = context;
  const [here, there] = [t("books.here"), t("books.there")];
  const [count, sum] = [t("figures.number"), t("figures.sum")];
  return sheetOf<BooksView["totals"][number]>(context, totals, [
    [t("csv.days"), () => (from === to ? from : `${from} – ${to}`)],
    [t("day.currency"), ({ currency }) => currency],
    [`${here}: ${count}`, (row) => row.here.count],
    [`${here}: ${sum}`, (row) => minorCell(row.here.sumMinor, row.currency)],
    [`${there}: ${count}`, (row) => row.there?.count ?? null],
    [`${there}: ${sum}`, (row) => row.there && minorCell(row.there.sumMinor, row.currency)],
    [t("books.difference"), (row) => row.there && minorCell(row.here.sumMinor - row.there.sumMinor, row.currency)],
  ]);
};

/** Where both sides differ, a line each. */
export const booksSheet = (context: SheetContext, { lines }: BooksView): Sheet => {
  const { t } = context;
  const [here, there] = [t("books.here"), t("books.there")];
  return sheetOf<BooksView["lines"][number]>(context, lines, [
    [t("history.time"), ({ at }) => timeCell(at)],
    [t("history.code"), ({ transactionId }) => transactionId],
    [t("story.ownId"), ({ terminalReference }) => terminalReference],
    [t("books.what"), ({ explanation }) => t(`books.explain.${explanation}`)],
    [`${here}: ${t("figures.end")}`, (line) => line.here && outcomeText(line.here.outcome, t)],
    [`${here}: ${t("history.amount")}`, (line) => amountCell(line.here?.money)],
    [`${there}: ${t("figures.end")}`, (line) => line.there && findingText(line.there, t)],
    [`${there}: ${t("history.amount")}`, (line) => amountCell(line.there?.money)],
    [t("day.currency"), (line) => line.here?.money.currency ?? line.there?.money?.currency ?? null],
    [t("csv.problem"), ({ noted }) => noted && discrepancyText(noted, t)],
    ...clearedColumns<BooksView["lines"][number]>(context, ({ cleared }) => cleared),
  ]);
};

/** Cash handed out: of a single day by the hour, else by the day. */
export const figuresSheet = (context: SheetContext, { from, to, paid }: FiguresView): Sheet => {
  const { t, language } = context;
  const isDay = from === to;
  const rows = paid.flatMap(({ currency, byHour, byDay }) =>
    isDay
      ? byHour.map((slot, hour) => ({ ...slot, currency, name: `${from} ${String(hour).padStart(2, "0")}:00` }))
      : byDay.map(({ day, ...slot }) => ({ ...slot, currency, name: day })),
  );
  return sheetOf<(typeof rows)[number]>(
    context,
    rows.filter(({ count }) => count > 0 || !isDay),
    [
      [t(isDay ? "figures.hour" : "figures.day"), ({ name }) => name],
      ...(isDay
        ? []
        : ([[t("csv.weekday"), ({ name }: { readonly name: string }) => dayText(name, "weekday", language)]] as const)),
      [t("figures.count"), ({ count }) => count],
      [t("figures.sum"), ({ sumMinor, currency }) => minorCell(sumMinor, currency)],
      [t("day.currency"), ({ currency }) => currency],
    ],
  );
};

/** What is saved of the closed days: a line a day, a line for each time cash went in or out, a line a count. */
export const reportSheets = (context: SheetContext, reports: readonly DayReport[]) => {
  const { t, language, nameOf } = context;
  const sum = (head: string, of: (report: DayReport) => number | null | undefined): Column<DayReport> => [
    head,
    (report) => {
      const minor = of(report);
      return minor == null ? null : minorCell(minor, report.currency);
    },
  ];
  const moves = reports.flatMap(({ number, currency, moves }) => moves.map((move) => ({ number, currency, ...move })));
  const counts = reports.flatMap(({ number, currency, everyFloat, everyCount }) => [
    ...(everyFloat.length > 1 ? everyFloat : []).map((count) => ({ number, currency, ...count, at: t("day.float") })),
    ...everyCount.map((count, at) => ({ number, currency, ...count, at: at + 1 })),
  ]);
  return {
    days: sheetOf<DayReport>(context, reports, [
      [t("day.number"), ({ number }) => number],
      [t("csv.openedAt"), ({ openedAtMs }) => timeCell(openedAtMs)],
      [t("csv.openedBy"), ({ openedBy }) => nameOf(openedBy)],
      [t("day.closedAt"), ({ closedAtMs }) => timeCell(closedAtMs)],
      [t("csv.closedBy"), ({ closedBy }) => nameOf(closedBy)],
      [t("csv.approvedBy"), ({ approvedBy }) => approvedBy && nameOf(approvedBy)],
      [t("day.currency"), ({ currency }) => currency],
      sum(t("day.float"), ({ floatMinor }) => floatMinor),
      sum(t("day.in"), ({ inMinor }) => inMinor),
      sum(t("day.out"), ({ outMinor }) => outMinor),
      [t("figures.count"), ({ handOuts }) => handOuts],
      sum(t("figures.sum"), ({ handedOutMinor }) => handedOutMinor),
      sum(t("day.expected"), ({ expectedMinor }) => expectedMinor),
      sum(t("day.counted"), ({ countedMinor }) => countedMinor),
      sum(t("day.difference"), ({ differenceMinor }) => differenceMinor),
      [t("day.reason"), ({ reason }) => reason],
      [t("csv.shownTo"), ({ shownTo }) => shownTo.map(({ by }) => nameOf(by)).join(", ")],
      sum(t("day.takeOut"), ({ takenOutMinor }) => takenOutMinor),
      sum(t("csv.left"), ({ leftMinor }) => leftMinor),
      sum(t("csv.before"), ({ before }) => before.handedOutMinor),
      sum(t("csv.leftBefore"), ({ night }) => night?.leftMinor),
      sum(t("day.night"), ({ night }) => night?.differenceMinor),
      [t("csv.nightReason"), ({ night }) => night?.reason ?? null],
      [t("csv.otherCurrency"), ({ otherCurrency }) => otherCurrency],
      [
        t("csv.otherCurrencies"),
        ({ otherCurrencies }) =>
          otherCurrencies
            .map(({ handedOutMinor, currency }) => minorText(handedOutMinor, currency, language))
            .join("; "),
      ],
      [t("csv.over"), ({ over }) => over.map(({ transactionId }) => transactionId).join(" ")],
      [t("csv.clearedNote"), ({ clearedUp }) => clearedUp.map(({ by, note }) => `${nameOf(by)}: ${note}`).join("; ")],
    ]),
    moves: sheetOf<(typeof moves)[number]>(context, moves, [
      [t("day.number"), ({ number }) => number],
      [t("history.time"), ({ atMs }) => timeCell(atMs)],
      [
        t("history.amount"),
        ({ direction, amountMinor, currency }) => minorCell(direction === "in" ? amountMinor : -amountMinor, currency),
      ],
      [t("day.currency"), ({ currency }) => currency],
      [t("day.reason"), ({ reason }) => t(`day.reasons.${reason}`)],
      [t("day.note"), ({ note }) => note],
      [t("csv.by"), ({ by }) => nameOf(by)],
      [t("csv.approvedBy"), ({ approvedBy }) => approvedBy && nameOf(approvedBy)],
    ]),
    counts: sheetOf<(typeof counts)[number]>(context, counts, [
      [t("day.number"), ({ number }) => number],
      [t("csv.count"), ({ at }) => at],
      [t("history.time"), ({ atMs }) => timeCell(atMs)],
      [t("day.counted"), ({ countedMinor, currency }) => minorCell(countedMinor, currency)],
      [t("day.currency"), ({ currency }) => currency],
      [t("csv.by"), ({ by }) => nameOf(by)],
    ]),
  };
};
