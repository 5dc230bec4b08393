/** A shop's opening hours as an operator writes them, and what is none. */
import { expect, test } from "vitest";
import { isTimeZone, openForMs, parseOpening } from "../../backend/merchants/opening.ts";

test.each([
  "mon-sat 08:00-20:00",
  "mon-sat 08:00-20:00, sun 10:00-14:00",
  "fri 22:00-04:00",
  "mon 00:00-24:00",
  "SAT-MON 08:00-20:00",
])("%s", (text) => expect(parseOpening(text)).not.toBeNull());

test.each([
  "",
  "always",
  "mon",
  "mon 8:00-20:00",
  "mon 08:00-08:00",
  "mon 24:00-08:00",
  "mon 08:00-24:01",
  "mon 25:00-26:00",
  "mon 08:60-20:00",
  "mon 08:00-20:00,",
  "mon 08:00-20:00; tue 08:00-20:00",
  "mon-xyz 08:00-20:00",
  "amon 08:00-20:00",
  "mon 08:00-20:000",
  "mon 08:00-20:00, none",
])("%j is none", (text) => expect(parseOpening(text)).toBeNull());

test.each([
  ["Europe/Vienna", true],
  ["UTC", true],
  ["Europe/Atlantis", false],
  ["", false],
])("that %j is a time zone is %s", (zone, isOne) => expect(isTimeZone(zone)).toBe(isOne));

const hour = 3_600_000;
/** In winter Vienna is an hour ahead of UTC; 23 November 2026 is a Monday. */
const vienna = (day: number, hours: number, minutes = 0) => Date.UTC(2026, 10, day, hours - 1, minutes);

test.each([
  ["before it opens", "mon-fri 08:00-20:00", vienna(23, 7, 59), null],
  ["as it opens", "mon-fri 08:00-20:00", vienna(23, 8), 0],
  ["in its last minute", "mon-fri 08:00-20:00", vienna(23, 19, 59), 12 * hour - 60_000],
  ["as it closes", "mon-fri 08:00-20:00", vienna(23, 20), null],
  ["on a day that it is closed", "mon-fri 08:00-20:00", vienna(22, 12), null],
  ["behind midnight", "sun 22:00-04:00", vienna(23, 3), 5 * hour],
  ["behind the night's end", "sun 22:00-04:00", vienna(23, 4), null],
  ["at midnight, where it never closes", "mon-sun 00:00-24:00", vienna(23, 0), 7 * 24 * hour],
  ["behind a break", "mon 08:00-12:00, mon 13:00-18:00", vienna(23, 14), hour],
])("a shop %s (%s)", (_, opening, at, open) => {
  expect(openForMs(opening, "Europe/Vienna", at)).toBe(open);
});

test.each([
  [null, "Europe/Vienna"],
  ["mon-sun 00:00-24:00", null],
  ["as a hand in the database wrote it", "Europe/Vienna"],
])("of hours %j by the clocks of %j nothing is known", (opening, zone) => {
  expect(openForMs(opening, zone, vienna(23, 12))).toBeNull();
});
