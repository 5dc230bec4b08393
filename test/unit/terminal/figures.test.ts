/** Sums and counts of a range of days: right to the cent, around midnight, where clocks are changed, in any zone. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addDays, countFigures, createCalendar } from "../../../main/terminal/history/figures.ts";
import { openTables } from "../../../main/terminal/history/tables.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import type { Outcome } from "../../../preload/contract.ts";

/** What is counted of one withdrawal. */
interface Row {
  readonly atMs: number;
  readonly minor: number | null;
  readonly currency: string;
  readonly outcome: Outcome | null;
}

const indexOf = (rows: readonly Row[]) => {
  const tables = openTables(openNodeDatabase(":memory:", "write"));
  for (const [place, { currency, ...row }] of rows.entries())
    tables.save({
      place,
      record: {
        facts: { withdrawalId: `w${place}`, transactionId: "", terminalReference: "", amount: "", currency, shop: "" },
        taken: null,
        discrepancy: null,
        cleared: null,
        people: [],
        isConfirmed: true,
        handedOutAtMs: null,
        ...row,
      },
    });
  return tables;
};

/** Counted by the index itself. */
const figuresOf = async (from: string, to: string, timeZone: string, rows: readonly Row[]) => {
  const tables = indexOf(rows);
  const source = { timeZone, calendar: createCalendar(timeZone), groups: tables.figureGroups, pause: async () => {} };
  const figures = await countFigures(from, to, source);
  tables.close();
  return figures;
};
const row = (at: string, minor: number | null): Row => ({
  atMs: Date.parse(at),
  minor,
  currency: "EUR",
  outcome: "handed_out",
});

describe("a day", () => {
  test.each([
    // Berlin is an hour ahead of UTC in winter: its midnight is 23:00 UTC.
    ["Europe/Berlin", "2026-11-20", "2026-11-19T23:00:00.000Z", "2026-11-20T22:59:59.999Z"],
    // 25 hours long, and 23.
    ["Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00.000Z", "2026-10-25T22:59:59.999Z"],
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z", "2026-03-29T21:59:59.999Z"],
    ["Asia/Kathmandu", "2026-11-20", "2026-11-19T18:15:00.000Z", "2026-11-20T18:14:59.999Z"],
    ["Pacific/Kiritimati", "2026-11-20", "2026-11-19T10:00:00.000Z", "2026-11-20T09:59:59.999Z"],
    // The clock jumps from midnight to one o'clock: the day begins at one.
    ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z", "2026-04-24T20:59:59.999Z"],
    // It goes back from midnight to eleven: that hour belongs to the day before.
    ["Africa/Cairo", "2026-10-30", "2026-10-29T22:00:00.000Z", "2026-10-30T21:59:59.999Z"],
    ["Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00.000Z", "2011-12-31T09:59:59.999Z"],
    ["nowhere", "2026-11-20", "2026-11-20T00:00:00.000Z", "2026-11-20T23:59:59.999Z"],
  ])("in %s, %s, goes from %s to %s", async (zone, day, first, last) => {
    const inside = [row(first, 1), row(last, 2)];
    const outside = [row(new Date(Date.parse(first) - 1).toISOString(), 4)];
    const after = [row(new Date(Date.parse(last) + 1).toISOString(), 8)];
    const { paid, withdrawals } = await figuresOf(day, day, zone, [...inside, ...outside, ...after]);
    expect(withdrawals).toBe(2);
    expect(paid[0]).toMatchObject({ count: 2, sumMinor: 3, byDay: [{ day, count: 2, sumMinor: 3 }] });
  });

  test("that its place left out has nothing in it", async () => {
    const rows = [row("2011-12-30T09:59:59.999Z", 1), row("2011-12-30T10:00:00.000Z", 2)];
    const of = (from: string, to: string) => figuresOf(from, to, "Pacific/Apia", rows);
    expect(await of("2011-12-30", "2011-12-30")).toMatchObject({ withdrawals: 0, paid: [] });
    expect((await of("2011-12-29", "2011-12-31")).paid).toMatchObject([
      { count: 2, byDay: [{ day: "2011-12-29", count: 1 }, {}, { day: "2011-12-31", count: 1 }] },
    ]);
  });

  test("has its hours from the wall, the doubled one of winter time counted together, the lost one of summer empty", async () => {
    const { paid: autumn } = await figuresOf("2026-10-25", "2026-10-25", "Europe/Berlin", [
      row("2026-10-25T00:30:00Z", 100),
      row("2026-10-25T01:30:00Z", 200),
      row("2026-10-25T02:30:00Z", 400),
    ]);
    expect(autumn[0]?.byHour.map(({ count }) => count).slice(0, 5)).toEqual([0, 0, 2, 1, 0]);
    expect(autumn[0]?.byHour[2]?.sumMinor).toBe(300);
    const { paid: spring } = await figuresOf("2026-03-29", "2026-03-29", "Europe/Berlin", [
      row("2026-03-29T00:59:59Z", 100),
      row("2026-03-29T01:00:00Z", 200),
    ]);
    expect(spring[0]?.byHour.map(({ count }) => count).slice(0, 5)).toEqual([0, 1, 0, 1, 0]);
  });
});

test("an amount that is none counts among the ends, and in no sum", async () => {
  const rows = [row("2026-11-20T10:00:00Z", 500), row("2026-11-20T10:01:00Z", null)];
  const { withdrawals, paid, ends } = await figuresOf("2026-11-20", "2026-11-20", "UTC", rows);
  expect([withdrawals, ends]).toEqual([2, [{ outcome: "handed_out", count: 2 }]]);
  expect(paid).toMatchObject([{ currency: "EUR", count: 1, sumMinor: 500 }]);
  expect((await figuresOf("2026-11-20", "2026-11-20", "UTC", rows.slice(1))).paid).toEqual([]);
});

test("what there is most of stands first, of equally much by its name", async () => {
  const ends = ["unclear", "rejected", "handed_out", null, "unclear"] as const;
  const rows = ends.map((outcome, n): Row => ({ ...row("2026-11-20T10:00:00Z", n), outcome }));
  const paid = ["USD", "GBP", "CHF", "GBP"].map((currency): Row => ({ ...row("2026-11-20T10:00:00Z", 1), currency }));
  const figures = await figuresOf("2026-11-20", "2026-11-20", "UTC", [...rows, ...paid]);
  expect(figures.paid.map(({ currency, count }) => [currency, count])).toEqual([
    ["GBP", 2],
    ["CHF", 1],
    ["EUR", 1],
    ["USD", 1],
  ]);
  expect(figures.ends.map(({ outcome, count }) => [outcome, count])).toEqual([
    ["handed_out", 5],
    ["unclear", 2],
    [null, 1],
    ["rejected", 1],
  ]);
});

test("the program goes on between two months", async () => {
  const calendar = createCalendar("UTC");
  for (const [to, pauses] of [
    ["2026-01-30", 0],
    ["2026-01-31", 1],
    ["2026-12-31", 11],
  ] as const) {
    let seen = 0;
    const pause = async () => {
      seen += 1;
    };
    await countFigures("2026-01-01", to, { timeZone: "UTC", calendar, groups: () => [], pause });
    expect(seen).toBe(pauses);
  }
});

test("the index gives what lies in one hour as one row", () => {
  const tables = indexOf([row("2026-11-20T10:00:01Z", 500), row("2026-11-20T10:59:00Z", 200)]);
  const startMs = Date.parse("2026-11-20T00:00:00Z");
  expect(tables.figureGroups(startMs, startMs + 86_400_000, 3_600_000)).toEqual([
    { slot: 10, currency: "EUR", outcome: "handed_out", count: 2, amounts: 2, sumMinor: 700 },
  ]);
  tables.close();
});

const zones = ["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Cairo"];

test("every withdrawal of a range is on one day and in one hour, and the sums are exact", async () => {
  const start = Date.UTC(2026, 9, 20);
  const rows = fc.array(
    fc.record({
      atMs: fc.integer({ min: start, max: start + 20 * 86_400_000 }),
      minor: fc.integer({ min: 1, max: 1_000_000_000_000 }),
      currency: fc.constantFrom("EUR", "CHF"),
      outcome: fc.constantFrom("handed_out" as const, "rejected" as const, null),
    }),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom(...zones), async (some, zone) => {
      const calendar = createCalendar(zone);
      const inside = some.filter(({ atMs }) => {
        const day = calendar.dayOf(atMs);
        return day >= "2026-10-22" && day <= "2026-11-05";
      });
      const figures = await figuresOf("2026-10-22", "2026-11-05", zone, some);
      expect(figures.withdrawals).toBe(inside.length);
      expect(figures.ends.reduce((sum, { count }) => sum + count, 0)).toBe(inside.length);
      for (const currency of ["EUR", "CHF"]) {
        const paid = inside.filter((one) => one.currency === currency && one.outcome === "handed_out");
        const found = figures.paid.find((one) => one.currency === currency);
        const exact = paid.reduce((sum, { minor }) => sum + BigInt(minor), 0n);
        expect(BigInt(found?.sumMinor ?? 0)).toBe(exact);
        for (const slots of [found?.byHour ?? [], found?.byDay ?? []]) {
          expect(BigInt(slots.reduce((sum, { sumMinor }) => sum + sumMinor, 0))).toBe(exact);
          expect(slots.reduce((sum, { count }) => sum + count, 0)).toBe(paid.length);
        }
        for (const { day, count } of found?.byDay ?? [])
          expect(count, day).toBe(paid.filter(({ atMs }) => calendar.dayOf(atMs) === day).length);
      }
    }),
  );
});

test("days follow each other without a gap, from the leap day to the change of the year", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000 }), fc.constantFrom(...zones), (days, zone) => {
      const day = addDays("2019-12-30", days);
      const calendar = createCalendar(zone);
      const [start, end] = [calendar.startOfDay(day), calendar.startOfDay(addDays(day, 1))];
      expect([calendar.dayOf(start), calendar.dayOf(end - 1)]).toEqual([day, day]);
      expect((end - start) / 3_600_000).toBeGreaterThanOrEqual(23);
      expect((end - start) / 3_600_000).toBeLessThanOrEqual(25);
    }),
  );
});
