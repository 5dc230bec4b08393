/** The calendar's periods, and what is saved of the history, the figures and the books. */
import { expect, test } from "vitest";
import type { BooksView, FiguresView, HistoryLine, Story } from "../../../preload/contract.ts";
import { booksCsv, figuresCsv, linesCsv, linesHead, storyCsv } from "../../../renderer/history/csv.ts";
import { dayOf, rangeOf, shifted } from "../../../renderer/history/period-page.tsx";
import { dayText, secondsText } from "../../../renderer/ui/format.ts";

test.each([
  ["day", "2026-11-22", "2026-11-22", "2026-11-22"],
  // A Sunday is the last day of its week, a Monday the first.
  ["week", "2026-11-22", "2026-11-16", "2026-11-22"],
  ["week", "2026-11-23", "2026-11-23", "2026-11-29"],
  ["week", "2027-01-01", "2026-12-28", "2027-01-03"],
  ["month", "2028-02-10", "2028-02-01", "2028-02-29"],
  ["year", "2026-06-01", "2026-01-01", "2026-12-31"],
] as const)("the %s of %s goes from %s to %s", (period, day, from, to) => {
  expect(rangeOf(period, day)).toEqual({ from, to });
  const [before, after] = [shifted(period, day, -1), shifted(period, day, 1)];
  expect(rangeOf(period, before).to < from && rangeOf(period, after).from > to).toBe(true);
  expect(rangeOf(period, shifted(period, before, 1))).toEqual({ from, to });
});

test("today is the day on this machine's wall, also in the last minute", () => {
  expect(dayOf(new Date(2026, 0, 5, 23, 59))).toBe("2026-01-05");
});

test("days and times read as the language writes them", () => {
  expect(dayText("2026-11-22", "full", "en")).toMatch(/^Sunday,? 22 November 2026$/);
  expect(dayText("2026-11-22", "full", "de")).toBe("Sonntag, 22. November 2026");
  expect([4_210, 42_400, 80_000, 120_000, 5_400_000].map((ms) => secondsText(ms, "en"))).toEqual([
    "4.2s",
    "42s",
    "1m 20s",
    "2m",
    "1.5h",
  ]);
});

const line: HistoryLine = {
  withdrawalId: "w-1",
  transactionId: "7F3K9Q2M4XJ8A1WU",
  partnerId: "=cmd|'/c calc'!A0",
  at: "2026-11-20T16:45:12.000Z",
  money: { amount: "150.00", currency: "EUR" },
  state: "linked",
  outcome: "handed_out",
  result: "handed_out",
  discrepancy: "link_refused, unclear",
  cleared: { at: "2026-11-21T08:00:00.000Z", by: "M1", note: "=1" },
  people: ["C2", "C3"],
};

test("the list is saved a line a withdrawal, and no cell is a formula", () => {
  expect(
    linesHead + linesCsv([line, { ...line, money: null, outcome: null, discrepancy: null, cleared: null, people: [] }]),
  ).toBe(
    [
      "at,amount,currency,result,outcome,to_clear_up,people,transaction,terminal_code,cleared_up_at,cleared_up_by,cleared_up_note",
      `2026-11-20T16:45:12.000Z,150.00,EUR,handed_out,handed_out,"link_refused, unclear",C2 C3,7F3K9Q2M4XJ8A1WU,'=cmd|'/c calc'!A0,2026-11-21T08:00:00.000Z,M1,'=1`,
      `2026-11-20T16:45:12.000Z,,,handed_out,,,,7F3K9Q2M4XJ8A1WU,'=cmd|'/c calc'!A0,,,`,
      "",
    ].join("\r\n"),
  );
});

test("a story is saved a line a step, with a manager's words as a text", () => {
  const step = { side: "here", atMs: 0, what: "decided", about: '=1+1;"x"', by: "M1", byName: null } as const;
  const story: Story = { line, steps: [step], service: "offline", clockOffMs: 0 };
  expect(storyCsv(story).split("\r\n")[1]).toBe(
    `7F3K9Q2M4XJ8A1WU,1970-01-01T00:00:00.000Z,here,decided,"'=1+1;""x""",M1,`,
  );
});

test("figures are saved with their sums to the cent, in yen without one", () => {
  const none = { count: 0, medianMs: null, p90Ms: null, buckets: [{ belowMs: null, count: 0 }] };
  const figures: FiguresView = {
    from: "2026-11-20",
    to: "2026-11-20",
    timeZone: "Europe/Berlin",
    withdrawals: 3,
    paid: [
      { currency: "EUR", count: 1, sumMinor: 5, byHour: [], byDay: [{ day: "2026-11-20", count: 1, sumMinor: 5 }] },
      { currency: "JPY", count: 1, sumMinor: 5_000, byHour: [{ count: 1, sumMinor: 5_000 }], byDay: [] },
    ],
    ends: [{ outcome: null, count: 3 }],
    scanToCash: none,
    approval: none,
  };
  const text = figuresCsv(figures);
  for (const one of [
    "handed_out_by_day,2026-11-20,EUR,1,0.05",
    "handed_out_by_hour,0,JPY,1,5000",
    "end,open,,3,",
    "withdrawals,2026-11-20/2026-11-20 Europe/Berlin,,3,",
  ])
    expect(text).toContain(`${one}\r\n`);
});

test("the books are saved with both sides, an empty cell where one knows nothing", () => {
  const books: BooksView = {
    from: "2026-11-20",
    to: "2026-11-20",
    service: "available",
    totals: [{ currency: "EUR", here: { count: 2, sumMinor: 10_000 }, there: { count: 1, sumMinor: 5_000 } }],
    agreeing: 1,
    lines: [
      {
        transactionId: "T1",
        partnerId: null,
        at: "2026-11-20T12:00:00.000Z",
        explanation: "known_there_only",
        noted: null,
        cleared: null,
        here: null,
        there: { finding: "matched", status: "linked", money: { amount: "50.00", currency: "EUR" } },
      },
    ],
    leftOut: 0,
    elsewhere: { lines: 0, unresolved: 0 },
  };
  expect(booksCsv(books)).toContain("EUR,2,100.00,1,50.00\r\n");
  expect(booksCsv(books)).toContain(
    "2026-11-20T12:00:00.000Z,T1,,known_there_only,,,,matched,linked,50.00,EUR,,,,\r\n",
  );
  expect(booksCsv({ ...books, totals: [{ currency: "EUR", here: { count: 0, sumMinor: 0 }, there: null }] })).toContain(
    "EUR,0,0.00,,\r\n",
  );
});
