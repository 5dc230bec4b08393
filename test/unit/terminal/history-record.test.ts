/** What each entry changes of a withdrawal as the history has it, what it came to, and how the index keeps it. */
import { describe, expect, test } from "vitest";
import { openTables, recordAfter, resultOf, type WithdrawalRecord } from "../../../main/terminal/history/tables.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import type { DayReport, HistoryFilter } from "../../../preload/contract.ts";
import {
  closedAs,
  confirmAccepted,
  confirmIntended,
  drawerOpened,
  handedOutBy,
  notHandedOut,
  reportRefused,
  settled,
} from "./entries.ts";
import { of } from "./flow-stage.ts";

type Entry = Parameters<typeof recordAfter>[1];

/** The first is written at 1000, each next one a millisecond later. */
const recordOf = (...events: readonly Entry[]): WithdrawalRecord => {
  const record = events.reduce<WithdrawalRecord | null>((so, event, n) => recordAfter(so, event, 1_000 + n), null);
  if (record === null) throw new Error("no entry");
  return record;
};
const begun: Entry = confirmIntended;
const given: Entry = handedOutBy("cashier");
const kept: Entry = notHandedOut("customer_left");
const decided = (decision: "handed_out" | "not_handed_out" | "leave_to_books"): Entry => ({
  type: "decided",
  withdrawal: of,
  decision,
  note: "said",
  actor: "M1",
});
const taken = (report: "link" | "undelivered" | "reject"): Entry => ({
  type: "report_accepted",
  withdrawal: of,
  report,
});
const word = (about: string): Entry => ({ type: "discrepancy", withdrawal: of, about, http: null });
const atHandOut = { outcome: "handed_out", handedOutAtMs: 1_001 } as const;

test.each<[string, readonly Entry[], Partial<WithdrawalRecord>, string]>([
  ["the confirm alone", [begun], {}, "open"],
  ["the confirm is taken", [begun, confirmAccepted(null)], { isConfirmed: true }, "open"],
  ["it is paid, and more follows", [settled, begun], { isConfirmed: true }, "open"],
  ["the drawer is opened", [begun, drawerOpened], {}, "open"],
  ["the cash is handed out", [begun, given], atHandOut, "handed_out"],
  ["it is said twice", [begun, given, given], atHandOut, "handed_out"],
  ["a manager says later that it was", [begun, decided("handed_out")], { ...atHandOut, people: ["M1"] }, "handed_out"],
  [
    "it was said before the manager says so",
    [begun, given, decided("handed_out")],
    { ...atHandOut, people: ["M1"] },
    "handed_out",
  ],
  ["the cash is kept", [begun, kept], { outcome: "not_handed_out" }, "not_handed_out"],
  [
    "a manager says that it was kept",
    [begun, decided("not_handed_out")],
    { outcome: "not_handed_out", people: ["M1"] },
    "not_handed_out",
  ],
  [
    "a manager leaves it to the books",
    [begun, decided("leave_to_books")],
    { outcome: "unclear", discrepancy: "left_to_books", people: ["M1"] },
    "to_clear",
  ],
  [
    "the service takes the link",
    [begun, given, taken("link"), taken("reject")],
    { ...atHandOut, taken: "link" },
    "handed_out",
  ],
  [
    "the service takes that it was kept",
    [begun, kept, taken("undelivered")],
    { outcome: "not_handed_out", taken: "undelivered" },
    "not_handed_out",
  ],
  ["the service takes a reject", [begun, taken("reject")], {}, "open"],
  ["it ends at the service", [begun, closedAs("canceled")], { outcome: "canceled" }, "ended"],
  ["nobody knows its end", [begun, closedAs("unclear")], { outcome: "unclear" }, "to_clear"],
  [
    "the link is refused",
    [begun, given, reportRefused("link")],
    { ...atHandOut, discrepancy: "link_refused" },
    "to_clear",
  ],
  ["a reject is refused", [begun, reportRefused("reject")], {}, "open"],
  [
    "two problems",
    [begun, word("amount_changed"), word("forgotten")],
    { discrepancy: "amount_changed, forgotten" },
    "to_clear",
  ],
  [
    "two people and the terminal",
    [
      { ...begun, actor: "C2" },
      { ...kept, actor: "C3" },
      { ...taken("undelivered"), actor: "terminal" },
      { ...begun, actor: "C2" },
    ],
    { outcome: "not_handed_out", taken: "undelivered", people: ["C2", "C3"] },
    "not_handed_out",
  ],
  [
    "another amount is said",
    [begun, { type: "settled", withdrawal: { ...of, amount: "70.00" } }],
    { facts: { ...of, amount: "70.00" }, minor: 7_000, isConfirmed: true },
    "open",
  ],
  [
    "an amount that is none",
    [{ ...begun, withdrawal: { ...of, amount: "much" } }],
    { facts: { ...of, amount: "much" }, minor: null },
    "open",
  ],
])("%s", (_, events, changed, result) => {
  const record = recordOf(...events);
  const nothing = { taken: null, outcome: null, discrepancy: null, cleared: null, people: [], isConfirmed: false };
  expect(record).toEqual({ facts: of, minor: 5_000, atMs: 1_000, handedOutAtMs: null, ...nothing, ...changed });
  expect(resultOf(record)).toBe(result);
});

test("what was cleared up is that while it is over, and open while it is not", () => {
  const cleared = { at: "2026-11-20T12:00:00.000Z", by: "M1", note: "booked" };
  expect(resultOf({ outcome: null, discrepancy: "amount_changed", cleared })).toBe("open");
  expect(resultOf({ outcome: "handed_out", discrepancy: "link_refused", cleared })).toBe("cleared");
  expect(resultOf({ outcome: "handed_out", discrepancy: null, cleared })).toBe("handed_out");
});

describe("the index", () => {
  test("finds a part of a code as it is read aloud, and of another network by its own letters", () => {
    const tables = openTables(openNodeDatabase(":memory:", "write"));
    for (const [at, transactionId] of ["0A10Z", "0B11Z", "oilOrder7"].entries()) {
      const facts = { ...of, withdrawalId: `W${at}`, transactionId, terminalReference: `till-${at}.xy` };
      tables.save({ place: at + 1, record: { ...recordOf(begun), facts } });
    }
    const found = (code: string, more: Partial<HistoryFilter> = {}) =>
      tables
        .list({ fromMs: 0, toMs: 2_000 }, { from: null, to: null, code, ...more } as HistoryFilter, null, 9)
        .map(({ record }) => record.facts.transactionId);
    const rows: readonly [string, readonly string[]][] = [
      ["", ["oilOrder7", "0B11Z", "0A10Z"]],
      ["oa io", ["0A10Z"]],
      ["ao", []],
      ["b-l1", ["0B11Z"]],
      ["OIL ORDER", ["oilOrder7"]],
      ["0rder", []],
      ["till-1", ["0B11Z"]],
      ["2.XY", ["oilOrder7"]],
    ];
    for (const [code, expected] of rows) expect(found(code), code).toEqual(expected);
  });

  test("gives a transaction's last withdrawal, its steps in order, its last receipt, and none of another", () => {
    const tables = openTables(openNodeDatabase(":memory:", "write"));
    expect([tables.mark(), tables.nextPlace(), tables.findTransaction(of.transactionId)]).toEqual([null, 1, null]);
    for (const place of [1, 2])
      tables.save({ place, record: { ...recordOf(begun), facts: { ...of, withdrawalId: `W${place}` } } });
    expect(tables.findTransaction(of.transactionId)?.place).toBe(2);
    expect(tables.nextPlace()).toBe(3);
    for (const [place, sequence] of [
      [1, 9],
      [1, 3],
      [2, 4],
      [1, 9],
    ] as const)
      tables.addStep(place, sequence);
    expect([tables.steps(1), tables.steps(2), tables.steps(3)]).toEqual([[3, 9], [4], []]);
    const receipt = (isReprint: boolean) => ({ isReprint }) as never;
    tables.saveReceipt(1, receipt(false));
    tables.saveReceipt(1, receipt(true));
    expect([tables.receipt(1), tables.receipt(2)]).toEqual([{ isReprint: true }, null]);
  });

  test("gives the days newest first, as many as asked, from one on, with the last note about the night before the one about the count", () => {
    const tables = openTables(openNodeDatabase(":memory:", "write"));
    const day = (number: number) => ({ number, clearedUp: [] }) as unknown as DayReport;
    for (const number of [1, 2, 3]) tables.saveDay(day(number));
    const note = (about: "night" | "count", text: string) => ({ about, by: "M1", note: text, atMs: 5 });
    tables.saveDayNote(2, note("count", "a"));
    tables.saveDayNote(2, note("night", "b"));
    tables.saveDayNote(2, note("count", "c"));
    expect(tables.days(9, 2)).toEqual([day(3), { ...day(2), clearedUp: [note("night", "b"), note("count", "c")] }]);
    expect(tables.days(2, 9).map(({ number }) => number)).toEqual([2, 1]);
    tables.clear();
    expect(tables.days(9, 2)).toEqual([]);
  });

  test("takes all of a piece of work or nothing, and says why, also where the disk ended it first", () => {
    const database = openNodeDatabase(":memory:", "write");
    const tables = openTables(database);
    for (const first of [() => {}, () => database.exec("ROLLBACK")])
      expect(() =>
        tables.inTransaction(() => {
          tables.addStep(1, 1);
          first();
          throw new Error("no room");
        }),
      ).toThrow("no room");
    expect(tables.steps(1)).toEqual([]);
    tables.inTransaction(() => tables.addStep(1, 2));
    expect(tables.steps(1)).toEqual([2]);
  });
});
