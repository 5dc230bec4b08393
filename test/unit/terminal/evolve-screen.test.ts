/** What each event makes of the screen, and what is over or given afterwards. */
import { describe, expect, test } from "vitest";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import { isUndecided } from "../../../main/terminal/withdrawal/problems.ts";
import { cashWasGiven } from "../../../main/terminal/withdrawal/state.ts";
import { pendingReport } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { cleared, counting, handedOut, installed, kept, later, only, payable } from "./decide-stage.ts";
import { closedAs, decidedAs, handedOutBy, notHandedOut, reportAccepted, reportRefused, settled } from "./entries.ts";
import { begun, given, moment, of, paying, waiting } from "./flow-stage.ts";

describe("what is over is open no more", () => {
  test.each<[string, readonly Event[], Event]>([
    ["linked", handedOut, reportAccepted("link")],
    ["a link that is refused", handedOut, reportRefused("link")],
    ["undelivered, and known", kept, reportAccepted("undelivered")],
    ["closed", waiting, closedAs("sca_denied")],
    ["left to the books", paying, decidedAs("leave_to_books")],
  ])("%s", (_, before, event) => {
    expect([...evolve(given(...before), event, later).open.values()]).toEqual([]);
  });
});

describe("left to the books while the report of its cash waits", () => {
  const left = (actor: string): Event => ({
    type: "decided",
    withdrawal: of,
    decision: "leave_to_books",
    actor,
    note: "",
  });
  const book = { purpose: "live", serviceUrl: "http://service", merchantId: "demo-shop", deviceId: "till-1" } as const;
  const changed = (serviceUrl: string, deviceId: string): Event => ({
    type: "device_changed",
    book: { ...book, serviceUrl, deviceId },
  });
  const openAfter = (...events: readonly Event[]) => [...given(...events).open.values()];

  test.each([
    ["link", handedOut],
    ["undelivered", kept],
  ] as const)("%s is still sent, as a service that was put back may not know of it", (report, before) => {
    const [one] = openAfter(...before, left("M1"));
    expect(one && pendingReport(one)).toBe(report);
    expect(one && isUndecided(one)).toBe(false);
  });

  test("nothing is sent for another device", () => {
    expect(openAfter(...handedOut, left("terminal"))).toEqual([]);
  });

  test("nor after an earlier version has made this another device", () => {
    const inBook = { ...given(...handedOut, left("M1")), book };
    expect([...evolve(inBook, changed("http://service", "till-2"), later).open.values()]).toEqual([]);
  });

  test("what nobody has decided stays open for another device", () => {
    const inBook = { ...given(...waiting), book };
    expect([...evolve(inBook, changed("http://service", "till-2"), later).open.keys()]).toEqual(["W1"]);
  });

  test("it stays where nothing but the name of the training service changed", () => {
    const inTraining = { ...given(...handedOut, left("M1")), book: { ...book, purpose: "training" } as const };
    const moved = { ...inTraining.book, serviceUrl: "http://127.0.0.1:9" };
    expect(evolve(inTraining, { type: "device_changed", book: moved }, later).open.size).toBe(1);
  });
});

describe("the screen", () => {
  const money = { amount: "50.00", currency: "EUR" };
  const ended = (outcome: string) => ({
    kind: "ended",
    outcome,
    transactionId: of.transactionId,
    money,
    canRetry: false,
    message: null,
  });
  const ofW1 = { kind: "withdrawal", withdrawalId: "W1" };
  const idle = { kind: "idle" };
  const lookUp: Event = { type: "look_up_begun", transactionId: "0000000000000000" };
  const ofAnother: Event = {
    type: "ended_shown",
    outcome: "declined",
    transactionId: "0000000000000000",
    money,
    canRetry: false,
  };
  const sinceThen = { sinceMs: moment.monotonicMs, tries: 0, notBeforeMs: moment.monotonicMs };
  const looking = { kind: "looking_up", transactionId: "0000000000000000", ...sinceThen };
  test.each<[string, readonly Event[], Event, object]>([
    ["handed out", counting, handedOutBy("cashier"), { kind: "done", facts: of, untilMs: later.monotonicMs + 3_000 }],
    ["handed out behind another look-up", [...counting, lookUp], handedOutBy("cashier"), looking],
    ["declared behind another look-up", [...payable, lookUp], notHandedOut("other"), looking],
    ["closed behind another look-up", [...waiting, lookUp], closedAs("sca_denied"), looking],
    ["decided behind another look-up", [...payable, lookUp], decidedAs("handed_out"), looking],
    ["left to the books behind another look-up", [...payable, lookUp], decidedAs("leave_to_books"), looking],
    ["declared", payable, notHandedOut("other"), ended("not_handed_out")],
    [
      "declared, and the drawer stands open",
      counting,
      notHandedOut("other"),
      { ...ended("not_handed_out"), drawer: "opened" },
    ],
    [
      "declared behind another look-up, and the drawer stands open",
      [...counting, lookUp],
      notHandedOut("other"),
      looking,
    ],
    [
      "declared behind another's end, and the drawer stands open",
      [...counting, ofAnother],
      notHandedOut("other"),
      { ...ended("declined"), transactionId: "0000000000000000" },
    ],
    ["closed", waiting, closedAs("sca_denied"), ended("sca_denied")],
    ["closed behind it", [...waiting, cleared], closedAs("sca_denied"), idle],
    ["left to the books", paying, decidedAs("leave_to_books"), idle],
    ["decided", payable, decidedAs("handed_out"), idle],
    ["decided to be kept", payable, decidedAs("not_handed_out"), idle],
    ["settled behind an empty screen", [...paying, cleared], settled, ofW1],
    ["settled behind a look-up", [...paying, cleared, lookUp], settled, looking],
    ["a look-up", installed, lookUp, { ...looking, sinceMs: later.monotonicMs, notBeforeMs: later.monotonicMs }],
    [
      "a look-up that waits",
      begun.slice(0, 3),
      { type: "look_up_postponed", notBeforeMs: 9 },
      { kind: "looking_up", transactionId: of.transactionId, sinceMs: moment.monotonicMs, tries: 1, notBeforeMs: 9 },
    ],
    ["a look-up that is gone", installed, { type: "look_up_postponed", notBeforeMs: 9 }, idle],
    ["a review", begun.slice(0, 3), begun[3] as Event, ofW1],
    ["cleared", waiting, cleared, idle],
    ["brought back", [...paying, cleared], { type: "withdrawal_shown", withdrawalId: "W1" }, ofW1],
  ])("%s", (_, before, event, screen) => {
    const state = given(...before);
    const after = evolve(state, event, later);
    expect(after.activeScreen).toEqual(screen);
    const isNew = JSON.stringify(state.activeScreen) !== JSON.stringify(after.activeScreen);
    if (isNew && event.type !== "look_up_postponed") expect(after.screenNumber).toBeGreaterThan(state.screenNumber);
  });

  test("a review that leaves it leaves no trace, whatever else is open", () => {
    for (const event of [
      cleared,
      {
        type: "ended_shown",
        outcome: "order_expired",
        transactionId: of.transactionId,
        money,
        canRetry: false,
      } as Event,
    ])
      expect(evolve(given(...begun), event, later).open.size).toBe(0);
    expect(evolve(given(...waiting), cleared, later).open.size).toBe(1);
    const other = { ...of, withdrawalId: "W2", transactionId: "0000000000000000" };
    const beside = given({ type: "confirm_intended", withdrawal: other }, ...begun);
    expect([...evolve(beside, cleared, later).open.keys()]).toEqual(["W2"]);
    expect(only(given(...begun))).toMatchObject({
      scannedMs: moment.monotonicMs,
      stage: { kind: "review" },
      confirmAttempted: false,
    });
  });
});

test("cash that was handed out is known as given, cash that stayed is not", () => {
  for (const event of [handedOutBy("cashier"), decidedAs("handed_out")] as const) {
    const { cashGiven } = evolve(given(...payable), event, later);
    expect(cashWasGiven(cashGiven, of.transactionId)).toBe(true);
  }
  const keptBack = evolve(given(...payable), decidedAs("not_handed_out"), later);
  expect(cashWasGiven(keptBack.cashGiven, of.transactionId)).toBe(false);
});
