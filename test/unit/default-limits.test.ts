import { expect, test } from "vitest";
import { formatAmount } from "../../backend/contract/money.ts";
import { defaultLimits } from "../../backend/merchants/merchants.ts";

test.each([
  ["EUR", "10.00", "500.00"],
  ["KWD", "10.000", "500.000"],
  ["CZK", "100.00", "5000.00"],
  ["HUF", "1000.00", "50000.00"],
  ["JPY", "1000", "50000"],
  ["KRW", "10000", "500000"],
  ["VND", "100000", "5000000"],
])("a shop in %s hands out %s to %s in steps of the smallest, when nobody says", (currency, smallest, largest) => {
  const limits = defaultLimits(currency);
  const text = (minor: number) => formatAmount(minor, currency);
  expect([text(limits.amount_min), text(limits.amount_max), text(limits.amount_step)]).toEqual([
    smallest,
    largest,
    smallest,
  ]);
});
