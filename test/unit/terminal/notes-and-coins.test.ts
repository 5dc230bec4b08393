/** The notes and coins of each currency, as their banks have them in circulation. */
import { expect, test } from "vitest";
import { drawerCurrencies, faceValuesOf, isNote, totalOf } from "../../../preload/notes-and-coins.ts";

test.each([
  ["EUR", [200, 100, 50, 20, 10, 5], [2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01]],
  ["CHF", [200, 100, 50, 20, 10], [5, 2, 1, 0.5, 0.2, 0.1, 0.05]],
  ["GBP", [50, 20, 10, 5], [2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01]],
  ["USD", [100, 50, 20, 10, 5, 1], [0.25, 0.1, 0.05, 0.01]],
])("%s", (currency, notes, coins) => {
  const values = faceValuesOf(currency);
  const whole = (minor: number) => minor / 100;
  expect(values.filter((value) => isNote(value, currency)).map(whole)).toEqual(notes);
  expect(values.filter((value) => !isNote(value, currency)).map(whole)).toEqual(coins);
});

test("others are counted as a sum", () => {
  expect(drawerCurrencies).toEqual(["EUR", "CHF", "GBP", "USD"]);
  expect([faceValuesOf("JPY"), isNote(1_000_000, "JPY")]).toEqual([[], false]);
});

test("a count comes to its pieces and its sum", () => {
  const pieces = [
    { valueMinor: 5_000, count: 3 },
    { valueMinor: 20, count: 2 },
  ];
  expect(totalOf({ pieces, otherMinor: 7 })).toBe(15_047);
});
