/** The calendar's periods, and what is saved of the history, the figures and the books. */
import { expect, test } from "vitest";
import type { BooksView, FiguresView, HistoryLine, Language, StoryStep } from "../../../preload/contract.ts";
import { discrepancies, outcomes, storySteps } from "../../../preload/enums.ts";
import {
  booksSheet,
  figuresSheet,
  linesSheet,
  storySheet,
  totalsSheet,
} from "../../../renderer/history/csv-columns.ts";
import { dayOf, rangeOf, shifted } from "../../../renderer/history/period-page.tsx";
import { discrepancyText, findingText, outcomeText, stepText } from "../../../renderer/history/words.ts";
import { minorCell, type Sheet, sheetText, timeCell } from "../../../renderer/ui/csv-file.ts";
import { dayText } from "../../../renderer/ui/format.ts";
import { plainContext, sheetContext, tableOf } from "../../sheets.ts";

test.each([
  ["day", "2026-11-22", "2026-11-22", "2026-11-22"],
  // A Sunday is the last day of its week, a Monday the first.
  ["week", "2026-11-22", "2026-11-16", "2026-11-22"],
  ["week", "2026-11-23", "2026-11-23", "2026-11-29"],
  ["week", "2027-01-01", "2026-12-28", "2027-01-03"],
  ["month", "2028-02-10", "2028-02-01", "2028-02-29"],
  ["year", "2026-06-01", "2026-01-01", "2026-12-31"],
] as const)("the %s of %s goes from %s to %s", (period, day, from, to) => {
  expect(rangeOf(period, day)).toEqual({ from, to });
  const [before, after] = [shifted(period, day, -1), shifted(period, day, 1)];
  expect(rangeOf(period, before).to < from && rangeOf(period, after).from > to).toBe(true);
  expect(rangeOf(period, shifted(period, before, 1))).toEqual({ from, to });
});

test("today is the day on this machine's wall, also in the last minute", () => {
  expect(dayOf(new Date(2026, 0, 5, 23, 59))).toBe("2026-01-05");
});

test("days read as the language writes them", () => {
  expect(dayText("2026-11-22", "full", "en")).toMatch(/^Sunday,? 22 November 2026$/);
  expect(dayText("2026-11-22", "full", "de")).toBe("Sonntag, 22. November 2026");
});

const line: HistoryLine = {
  withdrawalId: "w-1",
  transactionId: "7F3K9Q2M4XJ8A1WU",
  terminalReference: "=cmd|'/c calc'!A0",
  at: "2026-11-20T16:45:12.000Z",
  money: { amount: "150.00", currency: "EUR" },
  outcome: "handed_out",
  result: "handed_out",
  discrepancy: "link_refused, unclear",
  cleared: { at: "2026-11-21T08:00:00.000Z", by: "M1", note: "=1" },
  people: ["C2", "C3"],
};

const hours = (hour: number, sumMinor: number) =>
  Array.from({ length: 24 }, (_, at) => (at === hour ? { count: 1, sumMinor } : { count: 0, sumMinor: 0 }));
const figures: FiguresView = {
  from: "2026-11-20",
  to: "2026-11-20",
  timeZone: "Europe/Berlin",
  withdrawals: 3,
  paid: [
    {
      currency: "EUR",
      count: 1,
      sumMinor: 5,
      byHour: hours(9, 5),
      byDay: [
        { day: "2026-11-20", count: 1, sumMinor: 5 },
        { day: "2026-11-21", count: 0, sumMinor: 0 },
      ],
    },
    { currency: "JPY", count: 1, sumMinor: 5_000, byHour: hours(0, 5_000), byDay: [] },
  ],
  ends: [{ outcome: null, count: 3 }],
};

const books: BooksView = {
  from: "2026-11-20",
  to: "2026-11-20",
  service: "available",
  totals: [{ currency: "EUR", here: { count: 2, sumMinor: 10_000 }, there: { count: 1, sumMinor: 5_000 } }],
  agreeing: 1,
  lines: [
    {
      transactionId: "T1",
      terminalReference: null,
      at: "2026-11-20T12:00:00.000Z",
      explanation: "known_there_only",
      noted: null,
      cleared: null,
      here: null,
      there: { finding: null, status: "awaiting_sca", money: { amount: "50.00", currency: "EUR" } },
    },
  ],
  leftOut: 0,
  elsewhere: { lines: 0, unresolved: 0 },
};

const names: Readonly<Record<string, string>> = { C2: "Ida", C3: "Ötzi", M1: "Maja" };
const nameOf = (code: string): string => names[code] ?? code;
const inGerman = await sheetContext("de", nameOf);
const linesOf = (sheet: Sheet, language: Language): readonly string[] => sheetText(sheet, language).split("\r\n");

test("the list opens in a German spreadsheet: its separators, local times, names and words, and no cell is a formula", () => {
  const bare = { ...line, money: null, outcome: null, discrepancy: null, cleared: null, people: [] };
  const denied = { ...line, outcome: "sca_denied", result: "ended", discrepancy: null, cleared: null } as const;
  expect(linesOf(linesSheet(inGerman, [line, bare, denied]), "de")).toEqual([
    "\ufeffZeit;Geschäft;Terminal;Kassierer;Betrag;Währung;Ergebnis;Ende;Problem;Code;Eigener Code des Terminals;Geklärt;Geklärt von;Notiz der Filialleitung",
    `${timeCell(line.at)};Café Weiß;Theke 1;Ida, Ötzi;150,00;EUR;Ausgezahlt;Ausgezahlt;"Der Dienst nahm die Meldung der Auszahlung nicht an; unklar, ob bezahlt wurde";7F3K9Q2M4XJ8A1WU;'=cmd|'/c calc'!A0;${timeCell("2026-11-21T08:00:00.000Z")};Maja;'=1`,
    `${timeCell(line.at)};Café Weiß;Theke 1;;;;Ausgezahlt;Nicht abgeschlossen;;7F3K9Q2M4XJ8A1WU;'=cmd|'/c calc'!A0;;;`,
    `${timeCell(line.at)};Café Weiß;Theke 1;Ida, Ötzi;150,00;EUR;Ohne Zahlung beendet;Vom Kunden abgelehnt;;7F3K9Q2M4XJ8A1WU;'=cmd|'/c calc'!A0;;;`,
    "",
  ]);
});

test.each([
  ["en", 'a;b,"1,5",-0.10'],
  ["de", '"a;b";1,5;-0,10'],
  ["fr", '"a;b";1,5;-0,10'],
  ["it", '"a;b";1,5;-0,10'],
] as const)("a file in %s has the separators of its country's spreadsheets", (language, row) => {
  const sheet = { head: ["x"], rows: [["a;b", "1,5", minorCell(-10, "EUR")]] };
  expect(linesOf(sheet, language)).toEqual(["\ufeffx", row, ""]);
});

test("a time is the wall's, in the one form that every spreadsheet takes for a date", () => {
  const at = new Date(2026, 10, 20, 9, 5, 7);
  expect([timeCell(at.getTime()), timeCell(at.toISOString())]).toEqual(["2026-11-20 09:05:07", "2026-11-20 09:05:07"]);
});

/** A note stands as it was written. */
const aboutOf: Readonly<Record<string, string>> = { decided: "a note", acknowledged: "a note", discrepancy: "unclear" };

test.each(["en", "de", "fr", "it"] as const)(
  "no table says a code of the program in %s, and all name shop and terminal",
  async (language) => {
    const context = await sheetContext(language, nameOf);
    const steps = storySteps.map(
      (what) =>
        ({
          side: what.startsWith("there_") ? "there" : "here",
          atMs: 0,
          what,
          about: aboutOf[what] ?? "sca_denied",
          by: "M1",
          byName: null,
        }) as const,
    );
    const sheets = [
      linesSheet(
        context,
        outcomes.map((outcome) => ({
          ...line,
          outcome,
          discrepancy: discrepancies.join(", "),
          terminalReference: "x",
        })),
      ),
      storySheet(context, { line, steps, service: "available", clockOffMs: 0 }),
      booksSheet(context, books),
      totalsSheet(context, books),
      figuresSheet(context, figures),
    ];
    for (const sheet of sheets) {
      expect(sheetText(sheet, language)).not.toMatch(/\b[a-z]+_[a-z_]+\b|\b(Invalid|undefined|null)\b/);
      for (const row of sheet.rows) expect(row.slice(1, 3)).toEqual(["Café Weiß", "Theke 1"]);
      for (const head of sheet.head) expect(head).not.toMatch(/^[a-z]+\.[a-zA-Z.]+$/);
      expect(new Set(sheet.head).size).toBe(sheet.head.length);
    }
  },
);

test("a story is saved a line a step, with a manager's words as a text", () => {
  const step = { side: "here", atMs: 0, what: "decided", about: '=1+1;"x"', by: "M1", byName: null } as const;
  const sheet = storySheet(inGerman, { line, steps: [step], service: "offline", clockOffMs: 0 });
  expect(linesOf(sheet, "de")[1]).toBe(
    `${timeCell(0)};Café Weiß;Theke 1;7F3K9Q2M4XJ8A1WU;Dieses Terminal;Von der Filialleitung entschieden;"'=1+1;""x""";Maja;`,
  );
});

test("a day's figures are saved by the hour, more of them by the day, to the cent, in yen without one", () => {
  const table = (one: FiguresView) => tableOf(figuresSheet({ ...plainContext, language: "en" }, one));
  expect(table(figures)).toMatchObject([
    { "figures.hour": "2026-11-20 09:00", "figures.count": "1", "figures.sum": "0.05", "day.currency": "EUR" },
    { "figures.hour": "2026-11-20 00:00", "figures.count": "1", "figures.sum": "5000", "day.currency": "JPY" },
  ]);
  expect(table({ ...figures, to: "2026-11-21" })).toMatchObject([
    { "figures.day": "2026-11-20", "figures.count": "1", "figures.sum": "0.05" },
    { "figures.day": "2026-11-21", "figures.count": "0", "figures.sum": "0.00" },
  ]);
});

test("the books are saved in two files, an empty cell where one side knows nothing", () => {
  expect(tableOf(totalsSheet(plainContext, books))).toMatchObject([
    { "books.here: figures.sum": "100.00", "books.there: figures.sum": "50.00", "books.difference": "50.00" },
  ]);
  expect(tableOf(booksSheet(plainContext, books))).toMatchObject([
    {
      "history.code": "T1",
      "books.here: history.amount": "",
      "books.there: history.amount": "50.00",
      "day.currency": "EUR",
    },
  ]);
  const offline = { ...books, totals: [{ currency: "EUR", here: { count: 0, sumMinor: 0 }, there: null }] };
  expect(tableOf(totalsSheet(plainContext, offline))).toMatchObject([
    { "books.here: figures.sum": "0.00", "books.there: figures.sum": "", "books.difference": "" },
  ]);
});

test("a line of the books has what either side knows, what was noted, and who cleared it up", () => {
  const [known] = books.lines;
  const noted = {
    ...known,
    terminalReference: "R1",
    explanation: "paid_without_money",
    noted: "link_refused, unclear",
    cleared: { at: "2026-11-21T08:00:00.000Z", by: "M1", note: "called the bank" },
    here: { withdrawalId: "w-1", outcome: null, money: { amount: "40.00", currency: "CHF" } },
    there: { finding: "undelivered", status: "linked", money: { amount: "50.00", currency: "EUR" } },
  } as unknown as BooksView["lines"][number];
  const range = { ...books, to: "2026-11-22", lines: [noted] };
  expect(tableOf(booksSheet({ ...plainContext, nameOf }, range))).toEqual([
    {
      "history.time": timeCell("2026-11-20T12:00:00.000Z"),
      "facts.shop": "Café Weiß",
      "csv.terminal": "Theke 1",
      "history.code": "T1",
      "story.ownId": "R1",
      "books.what": "books.explain.paid_without_money",
      "books.here: figures.end": "history.inProgress",
      "books.here: history.amount": "40.00",
      "books.there: figures.end": "books.findings.undelivered",
      "books.there: history.amount": "50.00",
      "day.currency": "CHF",
      "csv.problem": "discrepancies.link_refused; discrepancies.unclear",
      "csv.clearedAt": timeCell("2026-11-21T08:00:00.000Z"),
      "csv.clearedBy": "Maja",
      "csv.clearedNote": "called the bank",
    },
  ]);
  expect(tableOf(totalsSheet(plainContext, range))).toMatchObject([
    { "csv.days": "2026-11-20 – 2026-11-22", "books.here: figures.number": "2", "books.there: figures.number": "1" },
  ]);
  expect(tableOf(totalsSheet(plainContext, books))).toMatchObject([{ "csv.days": "2026-11-20" }]);
  const offline = { ...books, totals: [{ currency: "JPY", here: { count: 3, sumMinor: 500 }, there: null }] };
  expect(tableOf(totalsSheet(plainContext, offline))).toMatchObject([
    { "day.currency": "JPY", "books.here: figures.sum": "500", "books.there: figures.number": "" },
  ]);
});

const { t } = plainContext;
const words = (what: StoryStep["what"], about: string | null, change: Partial<StoryStep> = {}) => {
  const side = what.startsWith("there_") ? "there" : "here";
  return stepText({ side, atMs: 0, what, about, by: null, byName: null, ...change }, t, nameOf);
};

test.each<[StoryStep["what"], string | null, string]>([
  // A manager's words stay, also where they are a word of the program.
  ["decided", "unclear", "unclear"],
  ["acknowledged", "other", "other"],
  ["acknowledged", "cashier", "cashier"],
  ["discrepancy", "undelivered_by_another, link_refused", "discrepancies.by_another; discrepancies.link_refused"],
  ["there_cash_reported", "linked", "story.steps.there_linked"],
  ["there_cash_reported", "undelivered", "story.steps.there_undelivered"],
  ["there_linked", "linked", "linked"],
  ["not_handed_out", "till_short", "notHandedOut.till_short"],
  ["there_undelivered", "customer_left", "notHandedOut.customer_left"],
  ["closed", "sca_denied", "outcomes.sca_denied"],
  ["there_canceled", "sca_denied", "story.reasons.sca_denied"],
  ["reject_intended", "time_out", "story.about.time_out"],
  ["there_failed", "brand_new", "brand_new"],
  ["settled", null, ""],
])("the step %s about %j says %j", (what, about, said) => {
  expect(words(what, about)).toEqual({ what: `story.steps.${what}`, about: said, who: "", approvedBy: "" });
});

test.each<[StoryStep["what"], Partial<StoryStep>, who: string, approvedBy: string]>([
  ["handed_out", { by: "C2", byName: "M1" }, "Ida", "Maja"],
  ["handed_out", { by: "C2" }, "Ida", ""],
  ["settled", { by: "terminal" }, "story.actors.terminal", ""],
  ["there_decided", { by: "operator", byName: "Ann" }, "story.actors.operator Ann", ""],
  ["there_settled", { byName: "Bank" }, "Bank", ""],
  ["there_expired", { by: "sweeper" }, "story.actors.sweeper", ""],
])("%s by %j is by %s, approved by %j", (what, change, who, approvedBy) => {
  expect(words(what, null, change)).toMatchObject({ who, approvedBy });
});

test("what is not over says so, and a word of a newer program or service stays", () => {
  expect([outcomeText(null, t), outcomeText("unclear", t)]).toEqual(["history.inProgress", "outcomes.unclear"]);
  const there = (finding: "undelivered" | null, status: string) =>
    findingText({ finding, status, money: null } as never, t);
  expect([there(null, "settled"), there(null, "brand_new"), there("undelivered", "settled")]).toEqual([
    "story.steps.there_settled",
    "brand_new",
    "books.findings.undelivered",
  ]);
  expect(discrepancyText("brand_new", t)).toBe("brand_new");
});
