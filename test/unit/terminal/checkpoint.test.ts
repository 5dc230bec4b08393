/** A checkpoint stands for all entries before it: with it or without, a start comes to the same. */
import fc from "fast-check";
import { describe, expect, expectTypeOf, test } from "vitest";
import { cashGivenRecentMax } from "../../../main/terminal/bounds.ts";
import { beforeDays, counted, opened, reportOf } from "../../../main/terminal/day/drawer-money.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { replay } from "../../../main/terminal/journal-start.ts";
import { type DurableEvent, makeCheckpoint, type Recorded } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import { protectedOf } from "../../../main/terminal/withdrawal/settings.ts";
import { cashWasGiven, initialState, type Moment, type State } from "../../../main/terminal/withdrawal/state.ts";
import { type Facts, offersCash, type Withdrawal } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { receipt } from "./decide-stage.ts";
import { idNumber, MemoryJournal } from "./rig.ts";

const initial = () => initialState(settingsSchema.parse({}), null, false);
const factsOf = (number: number): Facts => ({
  withdrawalId: `W${number}`,
  transactionId: idNumber(number),
  terminalReference: `till-1.tag.W${number}`,
  amount: "50.00",
  currency: "EUR",
  shop: "demo-shop",
});

const aboutOne = (of: Facts) =>
  [
    { type: "confirm_intended", withdrawal: of },
    { type: "confirm_accepted", withdrawal: of, status: "awaiting_sca" },
    { type: "confirm_accepted", withdrawal: of, status: "settling" },
    { type: "reject_intended", withdrawal: of, why: "cashier", intended: false },
    { type: "reject_intended", withdrawal: of, why: "time_out", intended: true },
    { type: "settled", withdrawal: of },
    { type: "hand_out_intended", withdrawal: of },
    { type: "drawer_unsure", withdrawal: of, drawer: "unknown" },
    { type: "handed_out", withdrawal: of, by: "drawer", handOutId: "hand-out" },
    { type: "handed_out", withdrawal: of, by: "cashier", pieces: [{ valueMinor: 100, count: 50 }] },
    { type: "not_handed_out", withdrawal: of, reason: "till_short", unwatched: true },
    { type: "report_accepted", withdrawal: of, report: "link" },
    { type: "report_refused", withdrawal: of, report: "undelivered", http: 409 },
    { type: "closed", withdrawal: of, outcome: "rejected" },
    { type: "closed", withdrawal: of, outcome: "unclear", unwatched: true },
    { type: "message_seen", withdrawalId: of.withdrawalId },
    { type: "discrepancy", withdrawal: of, about: "status_unclear", http: null },
    { type: "discrepancy", withdrawal: of, about: "put_back_with_service", http: null },
    { type: "drawer_opened", withdrawal: of },
    { type: "drawer_reopened", withdrawal: of, approvedBy: null },
    { type: "decided", withdrawal: of, decision: "handed_out", actor: "M1", note: "seen" },
    { type: "decided", withdrawal: of, decision: "not_handed_out", actor: "M1", note: "counted" },
    { type: "decided", withdrawal: of, decision: "leave_to_books", actor: "M1", note: "unknown" },
    { type: "acknowledged", withdrawalId: of.withdrawalId, actor: "M2", note: "cleared up" },
    { type: "receipt_requested", withdrawalId: of.withdrawalId, copies: ["shop"], receipt },
  ] satisfies DurableEvent[];
const book = { purpose: "live", serviceUrl: "http://service", merchantId: "demo-shop", deviceId: "till-1" } as const;
const count = (minor: number) => ({ pieces: [{ valueMinor: 100, count: minor / 100 }], otherMinor: 0 });
const sum = (otherMinor: number) => ({ pieces: [], otherMinor });
const firstDay = opened(beforeDays, { number: 1, currency: "EUR", count: count(50_000), by: "C1", atMs: 5 });
const report = reportOf(counted(firstDay, { count: sum(40_000), by: "C2", atMs: 7 }) as never, {
  ...{ takeOut: sum(10_000), reason: "", toExplain: true, isBlind: true, over: [] },
  ...{ by: "C2", approvedBy: null, atMs: 9 },
});
const night = { leftMinor: 40_000, differenceMinor: -100, reason: "found so", toExplain: true };
const settings = protectedOf(settingsSchema.parse({ confirmHandOver: false }));
const noSale = { note: "", by: "C1", approvedBy: null, atMs: 6 };
/** What is about the terminal: whose journal it is, who was here, the drawer's day, what another book left open. */
const aboutAll = [
  { type: "book_opened", book, tag: "tag", adopted: false },
  { type: "book_opened", book, tag: "tag", adopted: true, settings },
  { type: "device_changed", book: { ...book, deviceId: "till-2" } },
  { type: "settings_recorded", settings, why: "changed" },
  { type: "journal_missing" },
  { type: "journal_forked" },
  { type: "journal_forked", serviceHash: "link" },
  { type: "journal_recovered", failedForMs: 5 },
  { type: "journal_keyed", key: "k", after: "key" },
  { type: "journal_archived", archives: [] },
  { type: "acknowledged", withdrawalId: "journal", actor: "M1", note: "restored" },
  {
    type: "carried_over",
    from: "other-book",
    problems: [{ facts: factsOf(9), about: ["unclear"], sinceWallMs: 7, otherShop: "other", otherBook: "other-book" }],
    resolved: [],
  },
  { type: "acknowledged", withdrawalId: "W9", actor: "M1", note: "found" },
  { type: "restore_answered", restoredAt: "2026-11-20T12:00:00.000Z" },
  { type: "act", act: "person_added", about: "C7", actor: "M1" },
  { type: "act", act: "manager_pin_set", about: "M1", actor: "M1" },
  { type: "act", act: "expected_shown", about: "M1", actor: "M1" },
  { type: "act", act: "drawer_test", about: "intended", actor: "M1" },
  { type: "act", act: "drawer_found_open", about: "C2", actor: "terminal" },
  { type: "day_opened", number: 1, currency: "EUR", count: count(50_000), by: "C1", atMs: 5, actor: "C1" },
  { type: "day_opened", number: 2, currency: "CHF", count: sum(39_900), by: "C1", atMs: 5, night, actor: "C1" },
  {
    type: "cash_moved",
    number: 1,
    move: {
      moveId: "a",
      direction: "in",
      amountMinor: 700,
      reason: "other",
      note: "",
      by: "C1",
      approvedBy: null,
      atMs: 6,
    },
    count: null,
    actor: "C1",
  },
  { type: "no_sale", number: 1, noSale: { reason: "other", ...noSale } },
  { type: "no_sale", number: 1, noSale: { reason: "cash_count", ...noSale } },
  { type: "day_counted", number: 1, count: count(50_700), by: "C2", atMs: 7, actor: "C2" },
  { type: "day_recounted", number: 1, by: "C2", atMs: 8 },
  { type: "day_closed", report },
] satisfies (DurableEvent & Recorded)[];
const anyEvent = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .integer({ min: 1, max: 3 })
      .chain((number) => fc.constantFrom<DurableEvent>(...aboutOne(factsOf(number)))),
  },
  { weight: 1, arbitrary: fc.constantFrom<DurableEvent & Recorded>(...aboutAll) },
);
/** The kinds of entries that no history has; a first entry is `installed`, and the checkpoint is what is tried. */
type Missing = Exclude<
  DurableEvent["type"],
  ReturnType<typeof aboutOne>[number]["type"] | (typeof aboutAll)[number]["type"] | "installed" | "checkpoint"
>;

/** An entry every ten seconds. */
const entryEveryMs = 10_000;
const wallAt = (index: number): number => 1_000_000 + index * entryEveryMs;
const journalOf = (events: readonly DurableEvent[]): MemoryJournal => {
  const journal = new MemoryJournal();
  events.forEach((event, index) => {
    journal.append(wallAt(index), [JSON.stringify(event)]);
  });
  return journal;
};

/** What must be the same; how calls go and what the screen showed last is lost in a restart on purpose. */
const durablePart = ({ screenNumber: _, headReport: __, ...state }: State) => ({
  ...state,
  open: [...state.open.values()].map(
    ({ requestState: ___, stageSinceMs: ____, createdAtMs: _____, approval: ______, sensed: _______, ...one }) => one,
  ),
  cashGiven: [...new Set([...state.cashGiven.older, ...state.cashGiven.recent])].sort(),
});

const restart = (journal: MemoryJournal, now: Moment): State =>
  evolve(replay(initial(), journal, now).state, { type: "started", damagedEntries: 0 }, now);

const installed: DurableEvent = { type: "installed", tag: "tag" };

describe("for any history", () => {
  test("that has every kind of entry", () => expectTypeOf<Missing>().toBeNever());

  test("a checkpoint anywhere in it changes nothing of what a start comes to", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 24 }), fc.nat(), (events, at) => {
        const all = [installed, ...events];
        const cut = 1 + (at % all.length);
        const now: Moment = { wallMs: wallAt(all.length + 1), monotonicMs: 9_000_000 };
        const atCut: Moment = {
          wallMs: wallAt(cut - 1),
          monotonicMs: now.monotonicMs - (now.wallMs - wallAt(cut - 1)),
        };
        const before = replay(initial(), journalOf(all.slice(0, cut)), atCut).state;
        const checkpoint: DurableEvent = makeCheckpoint(before, 0, atCut);
        const shortened = new MemoryJournal();
        shortened.append(atCut.wallMs, [JSON.stringify(checkpoint)]);
        all.slice(cut).forEach((event, index) => {
          shortened.append(wallAt(cut + index), [JSON.stringify(event)]);
        });
        expect(durablePart(restart(shortened, now))).toEqual(durablePart(restart(journalOf(all), now)));
      }),
      { numRuns: 400 },
    );
  });

  test("any beginning of it restores to a state that offers no cash before the service was asked", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 24 }), (events) => {
        const all = [installed, ...events];
        const now: Moment = { wallMs: wallAt(all.length), monotonicMs: 9_000_000 };
        for (let length = 0; length <= all.length; length += 1) {
          const state = restart(journalOf(all.slice(0, length)), now);
          expect([...state.open.values()].filter(offersCash)).toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("cash that was handed out is known as such from then on", () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 24 }), (events) => {
        const now: Moment = { wallMs: wallAt(events.length), monotonicMs: 9_000_000 };
        const { cashGiven } = restart(journalOf(events), now);
        for (const event of events)
          if (event.type === "handed_out") expect(cashWasGiven(cashGiven, event.withdrawal.transactionId)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

/** What a start makes of a checkpoint alone, through the journal's own schema. */
const behindCheckpoint = (state: State): State => {
  const moment: Moment = { wallMs: 0, monotonicMs: 0 };
  return restart(journalOf([makeCheckpoint(state, 0, moment)]), moment);
};
const paid = evolve(initial(), { type: "settled", withdrawal: factsOf(1) }, { wallMs: 0, monotonicMs: 0 });

test.each<[string, Partial<Withdrawal>]>([
  ["a doubt about its hand-out", { doubtful: true }],
  ["a hand-out that was begun", { handOutBegun: true }],
  ["that the cashier rejected it", { rejectedHere: true }],
  ["that it may have been confirmed", { confirmAttempted: true, confirmed: false }],
  ["that the service took its confirm", { confirmAttempted: true, confirmed: true }],
  ["that a manager has decided it", { decided: true }],
  ["the restore that it began after", { afterRestore: "2026-11-20T12:00:00.000Z" }],
  ["how often the drawer was kicked", { drawerTries: 3 }],
  ["who said what became of the cash", { saidBy: "C2" }],
  ["its hand-out's own name", { handOutId: "hand-out-1" }],
])("%s is known of a withdrawal behind a checkpoint", (_, known) => {
  const before = { ...(paid.open.get("W1") as Withdrawal), ...known };
  const after = behindCheckpoint({ ...paid, open: new Map([["W1", before]]) });
  expect(after.open.get("W1")).toMatchObject(known);
});

test("what is behind a checkpoint was recovered, and is asked about first", () => {
  expect(behindCheckpoint(paid).open.get("W1")).toMatchObject({ recovered: true, requestState: { checkFirst: true } });
});

test("an older program may go on from a checkpoint without a day, and from no other", () => {
  const moment: Moment = { wallMs: 0, monotonicMs: 0 };
  const opened = { type: "day_opened", number: 1, currency: "EUR", count: count(100), by: "C1", atMs: 5 } as const;
  const [without, withDay] = [initial(), evolve(initial(), opened, moment)].map((state) =>
    makeCheckpoint(state, 0, moment),
  );
  expect([without?.format, withDay?.format]).toEqual([2, 3]);
  expect([without?.drawerMoney, withDay?.drawerMoney?.kind]).toEqual([undefined, "open"]);
});

test("a checkpoint keeps the cash of all earlier ones, and how many entries were damaged", () => {
  const moment: Moment = { wallMs: 0, monotonicMs: 0 };
  const count = cashGivenRecentMax + 2;
  let state = initial();
  for (let number = 1; number <= count; number += 1)
    state = evolve(state, { type: "handed_out", withdrawal: factsOf(number), by: "cashier" }, moment);
  expect(state.cashGiven.older.size).toBeGreaterThan(0);
  const { cashGiven, damagedEntries } = evolve(initial(), makeCheckpoint(state, 3, moment), moment);
  expect([cashGiven.older.size + cashGiven.recent.size, damagedEntries]).toEqual([count, 3]);
});

test("what a manager acknowledged for another book is still to be told to it behind a checkpoint", () => {
  const moment: Moment = { wallMs: 0, monotonicMs: 0 };
  const problem = {
    facts: factsOf(9),
    about: ["unclear"],
    sinceWallMs: 7,
    otherShop: "other",
    otherBook: "other-book",
  };
  const events: readonly DurableEvent[] = [
    { type: "carried_over", from: "other-book", problems: [problem], resolved: [] },
    { type: "acknowledged", withdrawalId: "W9", actor: "M1", note: "found" },
  ];
  const before = events.reduce<State>((state, event) => evolve(state, event, moment), initial());
  const after = evolve(initial(), makeCheckpoint(before, 0, moment), moment);
  expect([...after.acknowledgedElsewhere]).toEqual([["W9", { actor: "M1", note: "found", about: ["unclear"] }]]);
});

test("cash in a checkpoint is from an earlier run, and not offered before the service was asked", () => {
  const moment: Moment = { wallMs: 0, monotonicMs: 0 };
  const paid = evolve(initial(), { type: "settled", withdrawal: factsOf(1) }, moment);
  const [one] = evolve(initial(), makeCheckpoint(paid, 0, moment), moment).open.values();
  expect(one).toMatchObject({ stage: { kind: "payable" }, recovered: true, requestState: { checkFirst: true } });
});

test("a review leaves no trace in a checkpoint", () => {
  const moment: Moment = { wallMs: 0, monotonicMs: 0 };
  const reviewed = evolve(
    initial(),
    { type: "review_opened", facts: factsOf(1), createdAtMs: null, expiresAtMs: null },
    moment,
  );
  expect(makeCheckpoint(reviewed, 0, moment).open).toEqual([]);
});

test("of what a newer program has written, a start reads from the last checkpoint that this one can read", () => {
  const journal = openJournal(":memory:", 0);
  journal.open();
  const now: Moment = { wallMs: 5, monotonicMs: 5 };
  const given = (number: number) => JSON.stringify({ type: "handed_out", withdrawal: factsOf(number), by: "drawer" });
  journal.append(1, [JSON.stringify(installed), given(1)]);
  const own = makeCheckpoint(replay(initial(), journal, now).state, 0, now);
  const newer = '{"type":"checkpoint","format":9999}';
  journal.append(2, [JSON.stringify(own), given(2), newer, given(3), newer]);
  const { state, damaged, entries } = replay(initial(), journal, now);
  expect([1, 2, 3].map((number) => cashWasGiven(state.cashGiven, idNumber(number)))).toEqual([true, true, true]);
  expect([entries, damaged.map(({ sequence }) => sequence)]).toEqual([5, [5, 7]]);
  journal.close();
});
