/** What is typed while the drawer is counted, and what is saved of the closed days. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DayReport } from "../../../preload/contract.ts";
import { totalOf } from "../../../preload/notes-and-coins.ts";
import { countOf, draftOf, emptyCount, typedAmount, typedPieces } from "../../../renderer/drawer/count-form.tsx";
import { reportsCsv } from "../../../renderer/history/reports-csv.ts";

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

test("one wrong field makes the count wrong, and a count goes into the fields and back", () => {
  expect(countOf({ pieces: { 5000: "4", 2000: "x" }, other: "" }, "EUR")).toBeNull();
  expect(countOf(emptyCount, "EUR")).toEqual({ pieces: [], otherMinor: 0 });
  const pieces = fc.uniqueArray(
    fc.record({ valueMinor: fc.constantFrom(5_000, 2_000, 100, 1), count: fc.integer({ min: 1, max: 99_999 }) }),
    { selector: ({ valueMinor }) => valueMinor },
  );
  fc.assert(
    fc.property(pieces, fc.integer({ min: 0, max: 1_000_000_000 }), (some, otherMinor) => {
      const count = { pieces: some, otherMinor };
      const back = countOf(draftOf(count, "EUR"), "EUR");
      expect(back === null ? null : totalOf(back)).toBe(totalOf(count));
    }),
  );
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
    night: null,
    inMinor: 0,
    outMinor: 5,
    handOuts: 0,
    handedOutMinor: 0,
    otherCurrency: 3,
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
    everyCount: [],
    clearedUp: [],
    takeOut: { pieces: [], otherMinor: 0 },
    takenOutMinor: 0,
    leftMinor: 85,
    over: [],
  };
  const table = (text: string): readonly Record<string, string>[] => {
    const [head = "", ...lines] = text.trim().split("\r\n");
    const names = head.split(",");
    return lines.map((line) => Object.fromEntries(line.split(",").map((cell, at) => [names[at], cell])));
  };

  test("have every figure of a report in their first table, and every time cash went in or out in their second", () => {
    const [days = "", moves = ""] = reportsCsv([{ ...report, reason: "lost" }]).split("\r\n\r\n");
    expect(table(days)).toMatchObject([
      {
        number: "1",
        closed_by: "C2",
        approved_by: "M1",
        difference: "-0.10",
        first_count: "0.80",
        other_currency: "3",
        withdrawals_before: "2",
        withdrawals_before_sum: "70.00",
      },
    ]);
    expect(table(moves)).toEqual([
      {
        number: "1",
        at: "1970-01-01T00:00:00.000Z",
        direction: "out",
        amount: "0.05",
        currency: "EUR",
        reason: "bank",
        note: "'=1+1",
        by: "C2",
        approved_by: "M1",
      },
    ]);
  });

  test("a note that a spreadsheet would take for a formula is a text, and commas and quotes stay in their cell", () => {
    expect(reportsCsv([report])).toContain(',"\'=HYPERLINK(""http://x""), lost",');
    expect(reportsCsv([{ ...report, reason: "a;=1+1" }])).toContain(",a;'=1+1,");
  });
});
