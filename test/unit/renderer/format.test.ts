import { describe, expect, it } from "vitest";
import { amountText, durationText, momentText } from "../../../renderer/ui/format.ts";

const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, " ");

describe("amounts", () => {
  it.each([
    ["50.00", "EUR", "€50.00", "50,00 €"],
    ["1500.00", "CHF", "CHF 1,500.00", "1.500,00 CHF"],
    ["5000", "JPY", "JP¥5,000", "5.000 ¥"],
    // Counted whole, written with decimals on the wire: none of them is rounded away.
    ["10.50", "HUF", "HUF 10.50", "10,50 HUF"],
    ["1.005", "IQD", "IQD 1.005", "1,005 IQD"],
    ["10.505", "EUR", "€10.505", "10,505 €"],
    ["50", "EUR", "€50.00", "50,00 €"],
    ["50.00", "EU", "50.00 EU", "50.00 EU"],
    [`0.${"1".repeat(200)}`, "EUR", "€0.11111111111111111111", "0,11111111111111111111 €"],
    ["0.05", "EUR", "€0.05", "0,05 €"],
    ["10.005", "BHD", "BHD 10.005", "10,005 BHD"],
    ["9007199254740993.00", "EUR", "€9,007,199,254,740,993.00", "9.007.199.254.740.993,00 €"],
  ])("%s %s", (amount, currency, english, german) => {
    expect(plain(amountText({ amount, currency }, "en"))).toBe(english);
    expect(plain(amountText({ amount, currency }, "de"))).toBe(german);
  });
});

describe("durations", () => {
  it.each([
    [0, "0 seconds", "0 Sekunden"],
    [-5, "0 seconds", "0 Sekunden"],
    [59_999, "59 seconds", "59 Sekunden"],
    [60_000, "1 minute", "1 Minute"],
    [7_200_000, "2 hours", "2 Stunden"],
    [86_400_000, "1 day", "1 Tag"],
    [3 * 86_400_000, "3 days", "3 Tagen"],
  ])("%i ms", (ms, english, german) => {
    expect(durationText(ms, "en")).toBe(english);
    expect(durationText(ms, "de")).toBe(german);
  });
});

it("shows a moment that is no date as it came", () => {
  expect(momentText("soon", "en")).toBe("soon");
});
