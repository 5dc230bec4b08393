import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  amountMinorMax,
  currencyCodes,
  formatAmount,
  isCurrencyCode,
  minorDigits,
  parseAmount,
} from "../../../backend/contract/money.ts";

/** ISO 4217, Amendment 179: what is not counted in hundredths. */
it.each([
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
])("%i digits have %s, and no other", (digits, codes) => {
  expect(currencyCodes.filter((code) => minorDigits(code) === digits)).toEqual(codes.split(" "));
});

it("no currency stands there twice, and one that is not there has hundredths", () => {
  expect(new Set(currencyCodes).size).toBe(currencyCodes.length);
  expect(minorDigits("XXX")).toBe(2);
});

it.each([
  ["EUR", true],
  ["XXX", true],
  ["eur", false],
  ["EURO", false],
  ["EU", false],
  ["", false],
])("%j has the form of a currency's code: %s", (code, isOne) => expect(isCurrencyCode(code)).toBe(isOne));

describe("amounts", () => {
  it.each([
    ["50.00", "EUR", 5000],
    ["0.01", "EUR", 1],
    ["5000", "JPY", 5000],
    ["1.250", "KWD", 1250],
    ["0.00", "EUR", 0],
    ["10000000000.00", "EUR", 1_000_000_000_000],
    ["1000000000000", "JPY", 1_000_000_000_000],
  ] as const)("%s %s is %d minor units, both ways", (text, currency, minor) => {
    expect(parseAmount(text, currency)).toBe(minor);
    expect(formatAmount(minor, currency)).toBe(text);
  });

  it.each([
    ["50", "EUR"],
    ["50.0", "EUR"],
    ["50.000", "EUR"],
    ["5000.0", "JPY"],
    ["-1.00", "EUR"],
    ["+1.00", "EUR"],
    ["01.00", "EUR"],
    ["1e2", "JPY"],
    ["1,00", "EUR"],
    [" 1.00", "EUR"],
    ["1.00\n", "EUR"],
    ["٥0.00", "EUR"],
    ["10000000000.01", "EUR"],
    ["99999999999999", "JPY"],
    ["", "EUR"],
  ] as const)("refuses %j %s", (text, currency) => {
    expect(parseAmount(text, currency)).toBeNull();
  });

  it("come back from the wire as they went, to the cent", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: amountMinorMax }),
        fc.constantFrom("EUR", "JPY", "KWD"),
        (minor, currency) => {
          return parseAmount(formatAmount(minor, currency), currency) === minor;
        },
      ),
    );
  });

  it.each([-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1])("never writes %d", (minor) => {
    expect(() => formatAmount(minor, "EUR")).toThrow(RangeError);
  });
});
