/** What is typed while the drawer is counted, and what is saved of the closed days. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DayReport } from "../../../preload/contract.ts";
import {
  beyondOf,
  countOf,
  draftOf,
  emptyCount,
  typedAmount,
  typedPieces,
} from "../../../renderer/drawer/count-form.tsx";
import { reportSheets } from "../../../renderer/history/csv-columns.ts";
import { sheetText, timeCell } from "../../../renderer/ui/csv-file.ts";
import { plainContext, sheetContext, tableOf } from "../../sheets.ts";

test.each([
  ["", 0],
  ["12", 1_200],
  ["12,5", 1_250],
  ["12.50", 1_250],
  [" 7 ", 700],
  ["12.505", null],
  ["1.000,00", null],
  ["-5", null],
  ["twelve", null],
  ["1e3", null],
  ["1000000000000", null],
  ["99999999999999999999", null],
])("the amount %s is %s", (text, minor) => {
  expect(typedAmount(text, "EUR")).toBe(minor);
});

test.each([
  ["", 0],
  ["12", 12],
  ["1.5", null],
  ["-1", null],
  ["ten", null],
  ["100000", null],
  ["1000000000000", null],
])("%s notes are %s", (text, count) => {
  expect(typedPieces(text)).toBe(count);
});

test("a yen has no cents", () => {
  expect(typedAmount("500", "JPY")).toBe(500);
  expect(typedAmount("500.5", "JPY")).toBeNull();
});

test.each([
  ["no sum beside the notes and coins", 0, "EUR", ""],
  ["a cent", 1, "EUR", "0.01"],
  ["a sum in yen", 500, "JPY", "500"],
])("a count that is taken up again with %s shows that in its field", (_, otherMinor, currency, other) => {
  expect(draftOf({ pieces: [{ valueMinor: 2_000, count: 3 }], otherMinor }, currency)).toEqual({
    pieces: { 2000: "3" },
    other,
  });
});

test("one wrong field makes the count wrong, and a count goes into the fields and back", () => {
  expect(countOf({ pieces: { 5000: "4", 2000: "x" }, other: "" }, "EUR")).toBeNull();
  expect(countOf(emptyCount, "EUR")).toEqual({ pieces: [], otherMinor: 0 });
  const byValue = (one: { valueMinor: number }, other: { valueMinor: number }) => one.valueMinor - other.valueMinor;
  const pieces = fc.uniqueArray(
    fc.record({ valueMinor: fc.constantFrom(5_000, 2_000, 100, 1), count: fc.integer({ min: 1, max: 99_999 }) }),
    { selector: ({ valueMinor }) => valueMinor },
  );
  fc.assert(
    fc.property(pieces, fc.integer({ min: 0, max: 1_000_000_000 }), (some, otherMinor) => {
      const count = { pieces: some, otherMinor };
      const back = countOf(draftOf(count, "EUR"), "EUR");
      expect(back?.otherMinor).toBe(otherMinor);
      expect(back?.pieces.toSorted(byValue)).toEqual(some.toSorted(byValue));
    }),
  );
});

test.each([
  ["as much as there is", [[5_000, 2]], 100, []],
  ["less", [[5_000, 1]], 99, []],
  ["a note more", [[5_000, 3]], 0, [5_000]],
  ["a note of which there is none", [[2_000, 1]], 0, [2_000]],
  ["a cent more of the sum", [], 101, ["other"]],
] as const)("what is taken out of a count of two fifties and one euro: %s", (_, taken, otherMinor, beyond) => {
  const there = { pieces: [{ valueMinor: 5_000, count: 2 }], otherMinor: 100 };
  const pieces = taken.map(([valueMinor, count]) => ({ valueMinor, count }));
  expect([...beyondOf({ pieces, otherMinor }, there)]).toEqual(beyond);
});

describe("the reports as CSV", () => {
  const report: DayReport = {
    number: 1,
    currency: "EUR",
    openedAtMs: 0,
    openedBy: "C1",
    closedAtMs: 1,
    closedBy: "C2",
    approvedBy: "M1",
    floatMinor: 100,
    night: { leftMinor: 111, differenceMinor: -11, reason: "short", toExplain: false },
    inMinor: 7,
    outMinor: 5,
    handOuts: 6,
    handedOutMinor: 8,
    otherCurrency: 3,
    otherCurrencies: [{ currency: "CHF", handOuts: 2, handedOutMinor: 14_000 }],
    drawerTests: [],
    before: { handOuts: 2, handedOutMinor: 7_000 },
    moves: [
      {
        moveId: "a",
        direction: "out",
        amountMinor: 5,
        reason: "bank",
        note: "=1+1",
        by: "C2",
        approvedBy: "M1",
        atMs: 0,
      },
    ],
    expectedMinor: 95,
    count: { pieces: [], otherMinor: 85 },
    countedMinor: 85,
    differenceMinor: -10,
    reason: '=HYPERLINK("http://x"), lost',
    counts: 2,
    firstCountMinor: 80,
    toExplain: false,
    isBlind: false,
    everyFloat: [],
    shownTo: [{ by: "M1", atMs: 0, counts: 1 }],
    everyCount: [],
    clearedUp: [{ about: "count", by: "M1", note: "found", atMs: 0 }],
    takeOut: { pieces: [], otherMinor: 0 },
    takenOutMinor: 30,
    leftMinor: 55,
    over: [{ transactionId: "T9", amount: "50.00", currency: "EUR" }],
  };
  test("have every figure of a report in one file, and every time cash went in or out in another", () => {
    const { days, moves, counts } = reportSheets(plainContext, [{ ...report, reason: "lost" }]);
    expect(tableOf(days)).toEqual([
      {
        "day.number": "1",
        "facts.shop": "Café Weiß",
        "csv.terminal": "Theke 1",
        "csv.openedAt": timeCell(0),
        "csv.openedBy": "C1",
        "day.closedAt": timeCell(1),
        "csv.closedBy": "C2",
        "csv.approvedBy": "M1",
        "day.currency": "EUR",
        "day.float": "1.00",
        "day.in": "0.07",
        "day.out": "0.05",
        "figures.count": "6",
        "figures.sum": "0.08",
        "day.expected": "0.95",
        "day.counted": "0.85",
        "day.difference": "-0.10",
        "day.reason": "lost",
        "csv.shownTo": "M1",
        "day.takeOut": "0.30",
        "csv.left": "0.55",
        "csv.before": "70.00",
        "csv.leftBefore": "1.11",
        "day.night": "-0.11",
        "csv.nightReason": "short",
        "csv.otherCurrency": "3",
        "csv.otherCurrencies": "CHF\u00a0140.00",
        "csv.over": "T9",
        "csv.clearedNote": "M1: found",
      },
    ]);
    expect(tableOf(moves)).toMatchObject([
      {
        "day.number": "1",
        "history.time": timeCell(0),
        "history.amount": "-0.05",
        "day.currency": "EUR",
        "day.reason": "day.reasons.bank",
        "day.note": "'=1+1",
        "csv.by": "C2",
        "csv.approvedBy": "M1",
      },
    ]);
    expect(tableOf(counts)).toEqual([]);
  });

  test("have each count of a mended float before the day's", () => {
    const at = (countedMinor: number, by: string) => ({ countedMinor, by, atMs: 0 });
    const mended = { ...report, everyFloat: [at(100, "C2"), at(120, "M1")], everyCount: [at(85, "C2")] };
    const { counts } = reportSheets(plainContext, [mended]);
    expect(tableOf(counts)).toMatchObject([
      { "csv.count": "day.float", "day.counted": "1.00", "csv.by": "C2" },
      { "csv.count": "day.float", "day.counted": "1.20", "csv.by": "M1" },
      { "csv.count": "1", "day.counted": "0.85" },
    ]);
    const once = { ...report, everyFloat: [at(100, "C2")], everyCount: [at(80, "C2"), at(85, "M1")] };
    expect(tableOf(reportSheets(plainContext, [once]).counts)).toMatchObject([
      { "csv.count": "1", "day.counted": "0.80", "day.currency": "EUR" },
      { "csv.count": "2", "day.counted": "0.85", "csv.by": "M1" },
    ]);
  });

  test("name each of several in their cells, and cash that came in as more", () => {
    const francs = { currency: "CHF", handOuts: 2, handedOutMinor: 14_000 };
    const many: DayReport = {
      ...report,
      otherCurrencies: [francs, { currency: "JPY", handOuts: 1, handedOutMinor: 500 }],
      shownTo: [...report.shownTo, { by: "C2", atMs: 0, counts: 2 }],
      clearedUp: [...report.clearedUp, { about: "night", by: "C2", note: "lost", atMs: 0 }],
      over: [...report.over, { transactionId: "T10", amount: "20.00", currency: "EUR" }],
      moves: report.moves.map((move) => ({ ...move, direction: "in", approvedBy: null })),
    };
    const { days, moves } = reportSheets({ ...plainContext, language: "de" }, [many, { ...many, night: null }]);
    const [named, first] = tableOf(days);
    expect(named).toMatchObject({
      "csv.otherCurrencies": "140,00\u00a0CHF; 500\u00a0¥",
      "csv.shownTo": "M1, C2",
      "csv.clearedNote": "M1: found; C2: lost",
      "csv.over": "T9 T10",
    });
    expect(first).toMatchObject({ "csv.leftBefore": "", "day.night": "", "csv.nightReason": "" });
    expect(tableOf(moves)).toMatchObject(Array(2).fill({ "history.amount": "0.05", "csv.approvedBy": "" }));
  });

  test.each(["en", "de", "fr", "it"] as const)(
    "stand under words in %s, each column under its own",
    async (language) => {
      for (const { head } of Object.values(reportSheets(await sheetContext(language), [report]))) {
        expect(new Set(head).size).toBe(head.length);
        for (const one of head) expect(one).not.toMatch(/^[a-z]+\.[a-zA-Z.]+$/);
      }
    },
  );

  test("a note that a spreadsheet would take for a formula is a text, and commas and quotes stay in their cell", () => {
    const text = (reason: string, language: "en" | "de") =>
      sheetText(reportSheets(plainContext, [{ ...report, reason }]).days, language);
    expect(text(report.reason, "en")).toContain(',"\'=HYPERLINK(""http://x""), lost",');
    expect(text("a;=1+1", "en")).toContain(",a;'=1+1,");
    expect(text("a,=1+1", "de")).toContain(";a,'=1+1;");
    expect(text("a;=1+1", "de")).toContain(';"a;\'=1+1";');
  });
});
