/** What each difference between this terminal and the service's report is called, and that nothing falls out between them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Finding, findings } from "../../../backend/contract/reconciliation.ts";
import { type BooksSource, makeBooks, type ReportLine, reportLines } from "../../../main/terminal/history/books.ts";
import { recordAfter, type WithdrawalRecord } from "../../../main/terminal/history/tables.ts";
import type { Outcome } from "../../../preload/contract.ts";
import { discrepancies } from "../../../preload/enums.ts";

const atMs = Date.UTC(2026, 10, 20, 12);
const record = (outcome: Outcome | null, more: Partial<WithdrawalRecord> = {}, id = "T1"): WithdrawalRecord => ({
  facts: {
    withdrawalId: `W${id}`,
    transactionId: id,
    terminalReference: `till-1.x.W${id}`,
    amount: "50.00",
    currency: "EUR",
    shop: "demo-shop",
  },
  minor: 5_000,
  atMs,
  taken: null,
  outcome,
  discrepancy: null,
  cleared: null,
  people: [],
  isConfirmed: true,
  handedOutAtMs: null,
  ...more,
});
const statusOf: Readonly<Record<Finding, string>> = {
  matched: "linked",
  not_linked: "settled",
  undelivered: "undelivered",
  settle_unknown: "settling",
  no_after_silence: "failed",
  restored: "linked",
  disputed: "settled",
  closed: "canceled",
};
const line = (finding: Finding, more: Partial<ReportLine> = {}): ReportLine => ({
  transactionId: "T1",
  terminalReference: `till-1.x.W${more.transactionId ?? "T1"}`,
  deviceId: "till-1",
  status: statusOf[finding],
  finding,
  reason: null,
  money: { amount: "50.00", currency: "EUR" },
  confirmedAtMs: atMs,
  ...more,
});
const booksOf = (
  records: readonly WithdrawalRecord[],
  lines: readonly ReportLine[] | null,
  more: Partial<BooksSource> = {},
) =>
  makeBooks({
    fromMs: atMs - 3_600_000,
    toMs: atMs + 3_600_000,
    records,
    lines,
    deviceId: "till-1",
    find: () => null,
    serviceOffMs: 0,
    ...more,
  });
const explanation = (here: WithdrawalRecord | null, there: ReportLine | null) => {
  const { lines, agreeing } = booksOf(here === null ? [] : [here], there === null ? [] : [there]);
  return lines[0]?.explanation ?? (agreeing === 1 ? "agrees" : null);
};

describe("a pair", () => {
  test.each<[Outcome | null, Finding, string]>([
    ["handed_out", "matched", "agrees"],
    ["handed_out", "not_linked", "link_on_its_way"],
    ["handed_out", "undelivered", "undelivered_not_here"],
    ["handed_out", "settle_unknown", "paid_without_money"],
    ["handed_out", "closed", "paid_without_money"],
    ["handed_out", "disputed", "disputed"],
    ["handed_out", "restored", "restored"],
    ["not_handed_out", "undelivered", "undelivered"],
    ["not_handed_out", "not_linked", "undelivered_on_its_way"],
    ["not_handed_out", "matched", "linked_not_here"],
    ["not_handed_out", "closed", "agrees"],
    ["rejected", "closed", "agrees"],
    ["sca_timeout", "not_linked", "cash_not_said"],
    ["sca_timeout", "matched", "linked_not_here"],
    ["given_up", "settle_unknown", "settle_unknown"],
    ["not_handed_out", "restored", "restored"],
    [null, "not_linked", "cash_not_said"],
    [null, "closed", "unclear_here"],
    [null, "settle_unknown", "settle_unknown"],
  ])("%s here and %s there is %s", (outcome, finding, expected) => {
    expect(explanation(record(outcome), line(finding))).toBe(expected);
  });

  test.each([
    ["handed_out", "disputed", "handed_out_twice"],
    ["handed_out", "restored", "handed_out_twice"],
    ["handed_out", "disputed", "handed_out_after_undelivered"],
    ["not_handed_out", "disputed", "handed_out_after_undelivered"],
  ] as const)(
    "%s here that two programs have reported, %s there as %s, says so until it is closed",
    (outcome, finding, reason) => {
      const noted = { discrepancy: "linked_by_another" } as const;
      expect(explanation(record(outcome), line(finding, { reason }))).toBe("reported_twice");
      expect(explanation(record(outcome, noted), line(finding, { reason }))).toBe("reported_twice");
      expect(explanation(record("handed_out"), line("matched", { reason }))).toBe("agrees");
    },
  );

  test("whose report the service refused is not on its way any more", () => {
    expect(explanation(record("handed_out", { discrepancy: "link_refused" }), line("not_linked"))).toBe("link_refused");
    const refused = record("not_handed_out", { discrepancy: "unclear, undelivered_refused" });
    expect(explanation(refused, line("not_linked"))).toBe("undelivered_refused");
  });

  test("with another amount says so, whatever else it is; a report that names no amount agrees", () => {
    const other = { money: { amount: "60.00", currency: "EUR" } };
    for (const finding of ["matched", "disputed", "not_linked"] as const)
      expect(explanation(record("handed_out"), line(finding, other))).toBe("amount_differs");
    expect(explanation(record("handed_out"), line("matched", { money: null }))).toBe("agrees");
  });

  test("whose cash was given, or kept, before a manager left it to the books is still that", () => {
    const of = record(null).facts;
    const left = {
      type: "decided",
      withdrawal: of,
      decision: "leave_to_books",
      actor: "M1",
      note: "key lost",
    } as const;
    const given = recordAfter(record("handed_out"), left, atMs);
    expect(given).toMatchObject({ outcome: "handed_out", discrepancy: "left_to_books" });
    expect(recordAfter(record("not_handed_out"), left, atMs).outcome).toBe("not_handed_out");
    expect(recordAfter(record(null), left, atMs).outcome).toBe("unclear");
    expect(explanation(given, line("not_linked"))).toBe("link_refused");
    expect(explanation(given, line("matched"))).toBe("noted_here");
  });

  test.each([
    ["50", "50.00", "agrees"],
    ["50.0", "50.00", "agrees"],
    ["50", "500.00", "amount_differs"],
    ["50.005", "50.00", "amount_differs"],
  ])("that an earlier program wrote as %s, and the service as %s: %s", (amount, said, expected) => {
    const here = record("handed_out", { minor: null, facts: { ...record(null).facts, amount } });
    expect(explanation(here, line("matched", { money: { amount: said, currency: "EUR" } }))).toBe(expected);
  });

  test("of one amount in two currencies does not agree", () => {
    const francs = { money: { amount: "50.00", currency: "CHF" } };
    expect(explanation(record("handed_out"), line("matched", francs))).toBe("amount_differs");
    expect(explanation(record("handed_out", { minor: null }), line("matched", francs))).toBe("amount_differs");
  });

  const another = "till-2.y.WT1";
  test.each<[string, Partial<ReportLine>, Finding, string]>([
    ["another terminal's hand-out", { deviceId: "till-2", terminalReference: another }, "matched", "other_terminal"],
    ["another terminal's payment", { deviceId: "till-2", terminalReference: another }, "not_linked", "other_terminal"],
    [
      "another terminal's, of a report without references",
      { deviceId: "till-2", terminalReference: null },
      "matched",
      "other_terminal",
    ],
    ["another program's under this name", { terminalReference: "till-1.y.WT9" }, "matched", "other_terminal"],
    ["a report that names neither", { deviceId: null, terminalReference: null }, "matched", "agrees"],
  ])("of which cash was given here, and the service has %s", (_, fields, finding, expected) => {
    expect(explanation(record("handed_out"), line(finding, fields))).toBe(expected);
    expect(explanation(record("handed_out", { isConfirmed: false }), line(finding, fields))).toBe(expected);
  });

  test.each<[WithdrawalRecord["taken"], Outcome, Finding | null, string]>([
    ["link", "handed_out", "not_linked", "link_refused"],
    ["link", "handed_out", "closed", "paid_without_money"],
    ["link", "handed_out", "settle_unknown", "paid_without_money"],
    ["link", "handed_out", null, "known_here_only"],
    ["undelivered", "not_handed_out", "not_linked", "undelivered_refused"],
    ["undelivered", "not_handed_out", null, "known_here_only"],
  ])(
    "of which the service had taken the report (%s; %s) and has as %s now is forgotten there; once refused it is %s",
    (taken, outcome, finding, refused) => {
      const there = finding === null ? null : line(finding);
      expect(explanation(record(outcome, { taken }), there)).toBe("forgotten_there");
      expect(explanation(record(outcome, { taken, discrepancy: "forgotten" }), there)).toBe(refused);
    },
  );

  test("that this terminal confirmed and kept the cash of is looked at, whoever the service says handed it out", () => {
    const theirs = { deviceId: "till-2", terminalReference: another };
    expect(explanation(record("not_handed_out"), line("matched", theirs))).toBe("linked_not_here");
    expect(explanation(null, line("matched", { deviceId: null }))).toBe("known_there_only");
  });

  test("of which no cash was given here is another terminal's alone", () => {
    const theirs = line("matched", { deviceId: "till-2", terminalReference: another });
    expect(booksOf([record("in_use_elsewhere", { isConfirmed: false })], [theirs])).toMatchObject({
      lines: [],
      elsewhere: { lines: 1 },
    });
  });

  test("of this terminal under the name that it had before agrees", () => {
    const before = record("handed_out");
    expect(booksOf([before], [line("matched")], { deviceId: "counter-7" })).toMatchObject({ agreeing: 1, lines: [] });
  });

  test("of this terminal that a restore made two lines, under the names that it had, is one hand-out to look into", () => {
    const lines = [line("not_linked"), line("restored", { deviceId: "counter-7" })];
    const books = booksOf([record("handed_out")], lines, { deviceId: "counter-7" });
    expect(books.lines.map(({ explanation }) => explanation)).toEqual(["link_on_its_way", "restored"]);
    expect(books.totals).toMatchObject([{ here: { count: 1, sumMinor: 5_000 } }]);
  });

  test("of which one half is missing is known here only, or there only", () => {
    expect(explanation(record("handed_out"), null)).toBe("known_here_only");
    expect(explanation(record("rejected", { isConfirmed: false }), null)).toBe("agrees");
    // The entries that say that it was paid are lost.
    expect(explanation(record("handed_out", { isConfirmed: false }), null)).toBe("known_here_only");
    expect(explanation(null, line("matched"))).toBe("known_there_only");
  });
});

describe("what a manager has cleared up", () => {
  const cleared = { at: "2026-11-20T15:00:00.000Z", by: "M1", note: "booked by hand" };
  const lineOf = (discrepancy: string | null, finding: Finding | null, outcome: Outcome = "handed_out") =>
    booksOf([record(outcome, { discrepancy, cleared })], finding === null ? null : [line(finding)]).lines[0];

  test.each<[string | null, Finding | null, Outcome]>([
    ["link_refused", "not_linked", "handed_out"],
    ["link_refused", "matched", "handed_out"],
    ["link_refused", "closed", "handed_out"],
    ["link_refused", null, "handed_out"],
    ["left_to_books", "not_linked", "unclear"],
    [null, "closed", "unclear"],
    [null, "settle_unknown", "unclear"],
  ])("is listed with the note: %s here, %s there", (discrepancy, finding, outcome) => {
    expect(lineOf(discrepancy, finding, outcome)).toMatchObject({ cleared, noted: discrepancy ?? "unclear" });
  });

  const itsEnd = ["left_to_books", "status_unclear", "confirm_unclear", "not_found", "unclear"];
  test.each<[Outcome, Finding | null, string, readonly string[]]>([
    ["handed_out", "closed", "paid_without_money", ["forgotten", "not_settled_any_more", "link_refused", "not_found"]],
    [
      "handed_out",
      "settle_unknown",
      "paid_without_money",
      ["forgotten", "not_settled_any_more", "link_refused", "not_found"],
    ],
    [
      "handed_out",
      "undelivered",
      "undelivered_not_here",
      ["undelivered_by_another", "decided_otherwise", "link_refused"],
    ],
    ["handed_out", null, "known_here_only", itsEnd],
    ["handed_out", "not_linked", "link_on_its_way", []],
    ["handed_out", "disputed", "disputed", []],
    ["handed_out", "restored", "restored", []],
    ["not_handed_out", "undelivered", "undelivered", []],
    ["not_handed_out", "not_linked", "undelivered_on_its_way", []],
    [
      "not_handed_out",
      "matched",
      "linked_not_here",
      ["linked_by_another", "decided_otherwise", "undelivered_refused", ...itsEnd],
    ],
    ["sca_timeout", "not_linked", "cash_not_said", itsEnd],
    ["given_up", "settle_unknown", "settle_unknown", itsEnd],
  ])("%s here and %s there is %s, which is answered by a note about %j, and about nothing else", (...row) => {
    const [outcome, finding, expected, words] = row;
    const found = discrepancies.map((word) => {
      const [here, there] = [record(outcome, { discrepancy: word, cleared }), finding === null ? [] : [line(finding)]];
      return { word, line: booksOf([here], there).lines[0] };
    });
    const same = found.filter(({ line }) => line?.explanation === expected);
    expect(same).not.toEqual([]);
    const answered = same.filter(({ line }) => line?.cleared !== null).map(({ word }) => word);
    expect(answered.sort()).toEqual(words.toSorted());
  });

  test("comes behind what is to be looked at, however old it is", () => {
    const records = [
      record("handed_out", { discrepancy: "link_refused", cleared }),
      record("handed_out", { atMs: atMs + 1 }, "T2"),
    ];
    const books = booksOf(records, [line("matched"), line("not_linked", { transactionId: "T2" })]);
    expect(books.lines.map(({ explanation }) => explanation)).toEqual(["link_on_its_way", "noted_here"]);
  });

  test("is to be cleared up again after another problem, and after nothing else", () => {
    const before = record("handed_out", { discrepancy: "link_refused", cleared });
    const of = before.facts;
    const after = recordAfter(
      before,
      { type: "discrepancy", withdrawal: of, about: "amount_changed", http: null },
      atMs,
    );
    expect(after).toMatchObject({ discrepancy: "link_refused, amount_changed", cleared: null });
    for (const event of [
      { type: "confirm_intended" },
      { type: "confirm_accepted", status: "settling" },
      { type: "reject_intended", why: "cashier", intended: true },
      { type: "settled" },
      { type: "hand_out_intended" },
      { type: "drawer_reopened" },
      { type: "drawer_unsure", drawer: "failed" },
      { type: "drawer_opened" },
      { type: "handed_out", by: "cashier" },
      { type: "not_handed_out", reason: "other" },
      { type: "report_accepted", report: "link" },
      { type: "report_refused", report: "reject", http: 409 },
      { type: "closed", outcome: "rejected" },
      { type: "decided", decision: "handed_out", actor: "M1", note: "" },
    ] as const)
      expect(recordAfter(before, { ...event, withdrawal: of }, atMs).cleared).toEqual(cleared);
    for (const event of [
      { type: "closed", outcome: "unclear" },
      { type: "report_refused", report: "undelivered", http: 409 },
      { type: "decided", decision: "leave_to_books", actor: "M1", note: "" },
    ] as const)
      expect(recordAfter(before, { ...event, withdrawal: of }, atMs).cleared).toBeNull();
  });

  test("and what nobody has cleared up is listed, also where both sides agree", () => {
    const books = booksOf([record("handed_out", { discrepancy: "link_refused" })], [line("matched")]);
    expect(books.lines).toMatchObject([{ explanation: "noted_here", noted: "link_refused", cleared: null }]);
  });
});

test("a withdrawal at midnight is on the day of this terminal's clock, and never on both", () => {
  const early = record("handed_out", { atMs: atMs - 3_600_001 });
  const late = line("matched", { confirmedAtMs: atMs - 3_599_999 });
  expect(booksOf([], [late], { find: () => early })).toMatchObject({ agreeing: 0, lines: [] });
  const inside = record("handed_out", { atMs: atMs - 3_599_999 });
  expect(booksOf([inside], [line("matched", { confirmedAtMs: atMs - 3_600_001 })])).toMatchObject({ agreeing: 1 });
});

test("of a withdrawal that a wrong clock has put on another day, what differs is listed where the service has it", () => {
  const astray = record("unclear", { atMs: Date.UTC(2000, 0, 1), isConfirmed: false });
  expect(booksOf([], [line("not_linked")], { find: () => astray }).lines).toMatchObject([
    { explanation: "cash_not_said", here: { withdrawalId: "WT1" } },
  ]);
  const given = record("handed_out", { atMs: atMs + 86_400_000 });
  expect(booksOf([], [line("matched")], { find: () => given })).toMatchObject({ agreeing: 0, lines: [] });
  // Ten minutes beyond the day its own books read the line, too.
  for (const [ms, explanations] of [
    [600_000, []],
    [600_001, ["cash_not_said"]],
    [-600_000, []],
    [-600_001, ["cash_not_said"]],
  ] as const) {
    const near = record("unclear", { atMs: atMs + ms, isConfirmed: false });
    const { lines } = booksOf([], [line("not_linked")], { find: () => near });
    expect(lines.map(({ explanation }) => explanation)).toEqual(explanations);
  }
});

test("a clock that is off moves the service's times, so that a day's lines stay in the day", () => {
  const there = line("matched", { confirmedAtMs: atMs - 7_200_000 });
  expect(booksOf([], [there]).lines).toEqual([]);
  expect(booksOf([], [there], { serviceOffMs: 7_200_000 }).lines).toMatchObject([{ explanation: "known_there_only" }]);
});

test.each<[Finding, number]>([
  ["matched", 0],
  ["closed", 0],
  ["not_linked", 1],
  ["undelivered", 1],
  ["settle_unknown", 1],
  ["restored", 1],
  ["disputed", 1],
])("what another terminal of the shop has as %s is counted and not listed; to look into: %d", (finding, unresolved) => {
  const others = [line(finding, { transactionId: "T2", deviceId: "till-2" })];
  expect(booksOf([], others)).toMatchObject({ lines: [], elsewhere: { lines: 1, unresolved } });
});

test.each<[string, number, number]>([
  ["before the first moment", -3_600_001, 0],
  ["at the first moment", -3_600_000, 1],
  ["at the last moment", 3_599_999, 1],
  ["after the last moment", 3_600_000, 0],
])("a line from %s is or is not of the time", (_, afterMs, count) => {
  const confirmedAtMs = atMs + afterMs;
  expect(booksOf([], [line("matched", { confirmedAtMs })]).lines).toHaveLength(count);
  const theirs = line("matched", { confirmedAtMs, deviceId: "till-2" });
  expect(booksOf([], [theirs]).elsewhere.lines).toBe(count);
});

test("a line that the service alone has is shown with its ids and its money, at the time by this terminal's clock", () => {
  const there = line("matched", { money: { amount: "70.00", currency: "CHF" } });
  expect(booksOf([], [there], { serviceOffMs: 60_000 }).lines).toEqual([
    {
      transactionId: "T1",
      terminalReference: "till-1.x.WT1",
      at: new Date(atMs + 60_000).toISOString(),
      explanation: "known_there_only",
      noted: null,
      cleared: null,
      here: null,
      there: { finding: "matched", status: "linked", money: { amount: "70.00", currency: "CHF" } },
    },
  ]);
});

test("a sum is of one currency, of what was handed out here, and of what is linked there", () => {
  const inCurrency = (id: string, currency: string, minor: number | null) =>
    record("handed_out", { minor, facts: { ...record(null, {}, id).facts, currency } }, id);
  const here = [inCurrency("T1", "EUR", 5_000), inCurrency("T2", "CHF", 700), inCurrency("T3", "EUR", null)];
  const there = [
    line("matched"),
    line("matched", { transactionId: "T2", money: { amount: "7.00", currency: "CHF" } }),
    line("matched", { transactionId: "T4", money: null }),
    line("matched", { transactionId: "T5", money: { amount: "much", currency: "EUR" } }),
    line("not_linked", { transactionId: "T6" }),
    line("matched", { transactionId: "T7", deviceId: "till-2" }),
  ];
  const more = [record("not_handed_out", {}, "T8"), record(null, {}, "T9")];
  const [francs, euros] = [
    { count: 1, sumMinor: 700 },
    { count: 1, sumMinor: 5_000 },
  ];
  expect(booksOf([...here, ...more], there).totals).toEqual([
    { currency: "CHF", here: francs, there: francs },
    { currency: "EUR", here: euros, there: euros },
  ]);
  expect(booksOf(here.slice(0, 1), []).totals).toEqual([
    { currency: "EUR", here: euros, there: { count: 0, sumMinor: 0 } },
  ]);
  expect(booksOf([], [line("matched")]).totals).toEqual([
    { currency: "EUR", here: { count: 0, sumMinor: 0 }, there: euros },
  ]);
});

test("of two withdrawals of one transaction that ended alike the later one stands in the books", () => {
  const later = record("not_handed_out");
  const both = [record("not_handed_out"), { ...later, facts: { ...later.facts, withdrawalId: "WT9" } }];
  expect(booksOf(both, [line("matched")]).lines).toMatchObject([{ here: { withdrawalId: "WT9" } }]);
});

test("of two withdrawals of one transaction the one in which cash was given stands in the books, in either order", () => {
  const given = record("handed_out", {}, "T1");
  for (const other of [record("not_handed_out"), record("rejected"), record(null, { isConfirmed: false })])
    for (const both of [
      [given, other],
      [other, given],
    ])
      expect(booksOf(both, [line("matched")])).toMatchObject({
        agreeing: 1,
        lines: [],
        totals: [{ here: { count: 1 } }],
      });
  const kept = record("not_handed_out");
  for (const both of [
    [kept, record("rejected")],
    [record("rejected"), kept],
  ])
    expect(booksOf(both, [line("not_linked")]).lines).toMatchObject([
      {
        explanation: "undelivered_on_its_way",
        here: { withdrawalId: "WT1", outcome: "not_handed_out", money: { amount: "50.00", currency: "EUR" } },
      },
    ]);
  expect(booksOf([kept, record("rejected")], [line("matched")]).lines).toMatchObject([
    { explanation: "linked_not_here" },
  ]);
});

test("the first five hundred differences are listed, the oldest first, and the others are counted", () => {
  const records = Array.from({ length: 502 }, (_, n) => record("handed_out", { atMs: atMs - n }, `T${n}`));
  const books = booksOf(records, []);
  expect([books.lines.length, books.leftOut, books.agreeing]).toEqual([500, 2, 0]);
  expect(books.lines.map(({ transactionId }) => transactionId)).toEqual(
    Array.from({ length: 500 }, (_, n) => `T${501 - n}`),
  );
  expect(booksOf(records.slice(0, 500), [])).toMatchObject({ leftOut: 0 });
});

test.each<[string, Partial<WithdrawalRecord>, string | null]>([
  ["nobody knows how it ended", { outcome: "unclear" }, "unclear_here"],
  ["something of it was a problem", { outcome: "rejected", discrepancy: "status_unclear" }, "unclear_here"],
  ["it was rejected", { outcome: "rejected" }, null],
])("what was never confirmed, and the service does not have, is listed where %s", (_, known, expected) => {
  expect(booksOf([record("rejected", { isConfirmed: false, ...known })], []).lines[0]?.explanation ?? null).toBe(
    expected,
  );
});

test.each<[string, Partial<WithdrawalRecord>, string | null]>([
  ["what was handed out", { outcome: "handed_out" }, null],
  ["what has no end yet", { outcome: null }, "unclear_here"],
  ["what nobody knows the end of", { outcome: "unclear" }, "unclear_here"],
  ["what was a problem", { discrepancy: "amount_changed" }, "unclear_here"],
  ["a link that was refused", { discrepancy: "unclear, link_refused" }, "link_refused"],
  ["a forgotten hand-out", { discrepancy: "forgotten" }, "link_refused"],
  [
    "a declaration that was refused",
    { outcome: "not_handed_out", discrepancy: "undelivered_refused" },
    "undelivered_refused",
  ],
])("offline %s is or is not to be looked at", (_, known, expected) => {
  expect(booksOf([record("handed_out", known)], null)).toMatchObject({
    agreeing: 0,
    lines: expected === null ? [] : [{ explanation: expected, there: null }],
  });
});

test("offline, this terminal's half stands alone, and nothing is said of the other", () => {
  const books = booksOf(
    [record("handed_out"), record(null, {}, "T2"), record("handed_out", { discrepancy: "link_refused" }, "T3")],
    null,
  );
  expect(books.totals).toEqual([{ currency: "EUR", here: { count: 2, sumMinor: 10_000 }, there: null }]);
  expect(books).toMatchObject({ agreeing: 0, elsewhere: { lines: 0, unresolved: 0 } });
  expect(books.lines.map(({ there }) => there)).toEqual([null, null]);
  expect(books.lines.map((one) => one.explanation).sort()).toEqual(["link_refused", "unclear_here"]);
});

test("what agrees, what differs and what is elsewhere is all that there is, and equal books have equal sums", () => {
  const others = fc.constantFrom<Outcome | null>("not_handed_out", "rejected", "unclear", null);
  const outcomes = fc.oneof(fc.constant<Outcome>("handed_out"), others);
  const there = fc.oneof(fc.constant<Finding>("matched"), fc.constantFrom(...findings));
  const sides = fc.array(
    fc.record({
      id: fc.integer({ min: 1, max: 30 }),
      here: fc.option(outcomes),
      hasHere: fc.boolean(),
      there: fc.option(there),
      isTheirs: fc.boolean(),
    }),
    { maxLength: 40 },
  );
  let summed = 0;
  fc.assert(
    fc.property(sides, (some) => {
      const unique = [...new Map(some.map((one) => [one.id, one])).values()];
      const records = unique.flatMap(({ id, here, hasHere }) => (hasHere ? [record(here, {}, `T${id}`)] : []));
      const lines = unique.flatMap(({ id, there, isTheirs, hasHere }) =>
        there === null
          ? []
          : [line(there, { transactionId: `T${id}`, deviceId: isTheirs && !hasHere ? "till-2" : "till-1" })],
      );
      const books = booksOf(records, lines);
      const ids = new Set([
        ...records.map(({ facts }) => facts.transactionId),
        ...lines.map((one) => one.transactionId),
      ]);
      expect(books.agreeing + books.lines.length + books.leftOut + books.elsewhere.lines).toBe(ids.size);
      const listed = new Set(books.lines.map(({ transactionId }) => transactionId));
      const equal = booksOf(
        records.filter(({ facts }) => !listed.has(facts.transactionId)),
        lines.filter(({ transactionId }) => !listed.has(transactionId)),
      );
      expect(equal).toMatchObject({ lines: [], agreeing: books.agreeing });
      for (const { here, there } of equal.totals) expect(here).toEqual(there);
      summed += equal.totals.length;
    }),
  );
  expect(summed).toBeGreaterThan(0);
});

test("a report is read leniently: a line without its id or time is left out, a thin one is judged by its status", () => {
  const body = {
    lines: [
      null,
      { transaction_id: "T1" },
      { transaction_id: "T2", status: "settled", confirmed_at: "2026-11-20T12:00:00Z" },
      { transaction_id: "T3", status: "odd", finding: "odd", confirmed_at: "2026-11-20T12:00:00Z", amount: 5 },
    ],
  };
  expect(reportLines(body)?.map(({ transactionId, finding }) => [transactionId, finding])).toEqual([
    ["T2", "not_linked"],
    ["T3", "closed"],
  ]);
  expect(reportLines("<html>")).toBeNull();
  const whole = { transaction_id: "T4", status: "settled", confirmed_at: "2026-11-20T12:00:00Z", finding: "disputed" };
  const money = { amount: "50.00", currency: "EUR" };
  const read = { transactionId: "T4", status: "settled", finding: "disputed", confirmedAtMs: atMs };
  const names = { transaction_id_partner: "P4", device_id: "", reason: "handed_out_twice" };
  expect(reportLines([{ ...whole, ...money, ...names }])).toEqual([
    { ...read, money, terminalReference: "P4", deviceId: null, reason: "handed_out_twice" },
  ]);
  for (const amount of ["50", "50.0", 50])
    expect(reportLines([{ ...whole, ...money, amount }])).toMatchObject([{ money }]);
  for (const amount of ["50.005", "much", "-5"])
    expect(reportLines([{ ...whole, ...money, amount }])).toMatchObject([{ money: { ...money, amount } }]);
  for (const half of [{ amount: "50.00" }, { currency: "EUR" }])
    expect(reportLines([{ ...whole, ...half }])).toMatchObject([{ ...read, money: null }]);
  expect(reportLines([{ ...whole, transaction_id: "" }])).toEqual([]);
  const thin = { transaction_id: "T5", confirmed_at: whole.confirmed_at };
  expect(reportLines([thin])).toMatchObject([{ status: "", finding: "closed" }]);
});
