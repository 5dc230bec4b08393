/** What is typed while the drawer is counted, and what is saved of the closed days. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { DayReport } from "../../../preload/contract.ts";
import { totalOf } from "../../../preload/notes-and-coins.ts";
import { countOf, draftOf, emptyCount, typedAmount, typedPieces } from "../../../renderer/day/count-draft.ts";
import { reportsCsv } from "../../../renderer/day/reports-csv.ts";

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

test("a note that a spreadsheet would take for a formula is a text, and commas and quotes stay in their cell", () => {
  const report = {
    number: 1,
    currency: "EUR",
    openedAtMs: 0,
    openedBy: "C1",
    closedAtMs: 1,
    closedBy: "M1",
    floatMinor: 100,
    inMinor: 0,
    outMinor: 0,
    handOuts: 0,
    handedOutMinor: 0,
    expectedMinor: 100,
    countedMinor: 90,
    differenceMinor: -10,
    reason: '=HYPERLINK("http://x"), lost',
    counts: 1,
    takenOutMinor: 0,
    leftMinor: 90,
    over: [],
  } as unknown as DayReport;
  const [, line] = reportsCsv([report]).split("\r\n");
  expect(line).toContain('"\'=HYPERLINK(""http://x""), lost"');
  expect(line).toContain(",-0.10,");
  expect(reportsCsv([{ ...report, reason: "a;=1+1" }])).toContain(",a;'=1+1,");
});
