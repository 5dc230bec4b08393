import { describe, expect, it, vi } from "vitest";
import {
  amountText,
  dayText,
  durationText,
  faceText,
  minorText,
  momentText,
  signedText,
  timeText,
  typedDay,
} from "../../../renderer/ui/format.ts";

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
    ["50.5", "EUR", "€50.50", "50,50 €"],
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

it.each([
  [0, "€0.00", "€0.00"],
  [5, "€0.05", "+€0.05"],
  [-150_00, "−€150.00", "−€150.00"],
])("%i cents are %s, and %s as a difference", (minor, text, signed) => {
  expect([minorText(minor, "EUR", "en"), signedText(minor, "EUR", "en")]).toEqual([text, signed]);
});

it.each([
  [5_000, "EUR", "€50"],
  [50, "EUR", "€0.50"],
  [1, "EUR", "€0.01"],
  [500, "JPY", "JP¥500"],
])("on a piece of %i %s stands %s", (valueMinor, currency, text) => {
  expect(faceText(valueMinor, currency, "en")).toBe(text);
});

it.each([
  ["22.11.2026", "2026-11-22"],
  ["1/2/2026", "2026-02-01"],
  ["29-2-2028", "2028-02-29"],
  [" 1.1.2026 ", "2026-01-01"],
  ["29.2.2026", null],
  ["31.4.2026", null],
  ["11/22/2026", null],
  ["2026-11-22", null],
  ["1.1.26", null],
])("the day that is typed %j is %j", (text, day) => {
  expect(typedDay(text)).toBe(day);
});

it.each(["America/Los_Angeles", "Pacific/Kiritimati"])("a calendar day is the same in %s", (zone) => {
  vi.stubEnv("TZ", zone);
  expect(new Date(0).getTimezoneOffset()).not.toBe(0);
  expect(dayText("2026-11-22", "numeric", "de")).toBe("22.11.2026");
  vi.unstubAllEnvs();
});

it.each([
  ["another of its day", new Date(2026, 10, 22, 9), "12:00:05"],
  ["no other", null, "22 Nov 2026, 12:00:05"],
  ["one of that day a month before", new Date(2026, 9, 22, 9), "22 Nov 2026, 12:00:05"],
])("a time after %s", (_, before, text) => {
  expect(timeText(new Date(2026, 10, 22, 12, 0, 5).getTime(), before?.getTime() ?? null, "en")).toBe(text);
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
