/** What the screens get to know of a state at one moment. */
import { describe, expect, test } from "vitest";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import { snapshotOf, stepOf } from "../../../main/terminal/withdrawal/screens.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import {
  cleared,
  counting,
  handedOut,
  installed,
  kept,
  later,
  next,
  opening,
  payable,
  started,
} from "./decide-stage.ts";
import { closedAs, discrepancy, drawerFailed, handedOutBy, notHandedOut } from "./entries.ts";
import {
  begun,
  confirming,
  device,
  given,
  moment,
  of,
  paying,
  rejecting,
  rejectingUnseen,
  waiting,
} from "./flow-stage.ts";

const facts = { withdrawalId: "W1", transactionId: of.transactionId, money: { amount: "50.00", currency: "EUR" } };
const doubted: Event = discrepancy("put_back_with_service");
const shown = (state: State, at = later) => snapshotOf(state, at, 3);

describe("the screen", () => {
  const unknown = (doing: string) => ({ kind: "unknown", ...facts, sinceMs: 7_000, doing });
  test.each<[string, readonly Event[], object]>([
    ["before the start", [], { kind: "starting" }],
    [
      "blocked",
      [...installed, { type: "blocked", blocked: { why: "journal_newer" } }],
      { kind: "blocked", why: "journal_newer" },
    ],
    ["free", installed, { kind: "ready" }],
    [
      "without a key that holds",
      [...installed, { type: "credential_checked", verdict: "refused" }],
      { kind: "setup", why: "credential_refused", known: device },
    ],
    ["a look-up", begun.slice(0, 3), { kind: "looking_up", transactionId: of.transactionId }],
    [
      "a review",
      begun,
      { kind: "review", ...facts, shop: "demo-shop", orderedMsAgo: null, expires: null, drawer: "ok", missing: null },
    ],
    ["confirming", confirming, { kind: "confirming", ...facts }],
    ["confirming, unanswered", [...confirming, next({ failures: 1 })], unknown("repeating")],
    ["confirming, to be asked first", [...confirming, next({ checkFirst: true })], unknown("asking_service")],
    [
      "approving",
      waiting,
      { kind: "waiting", ...facts, phase: "approval", countdown: { totalMs: 35_000, remainingMs: 28_000 } },
    ],
    [
      "approving, by a deadline that is further away than the whole of it",
      [
        ...waiting,
        { type: "approval_deadline_known", withdrawalId: "W1", untilMs: moment.monotonicMs + 60_000, totalMs: 37_000 },
      ],
      { kind: "waiting", ...facts, phase: "approval", countdown: { totalMs: 37_000, remainingMs: 37_000 } },
    ],
    [
      "approving, unanswered",
      [...waiting, next({ failures: 9 })],
      { kind: "waiting", ...facts, phase: "approval", countdown: { totalMs: 35_000, remainingMs: 28_000 } },
    ],
    ["paying", [...paying, next({ failures: 1 })], { kind: "waiting", ...facts, phase: "payment", countdown: null }],
    ["paying, unanswered twice", [...paying, next({ failures: 2 })], unknown("asking_service")],
    ["rejected by the cashier", rejectingUnseen, { kind: "closing", ...facts, why: "cashier" }],
    ["rejected for long after a confirm", rejecting, unknown("asking_service")],
    ["payable", payable, { kind: "payable", ...facts, recovered: false, handOutBegun: false, rejectedHere: false }],
    ["payable in the journal alone", [...payable, started], unknown("asking_service")],
    ["perhaps given before all was put back", [...payable, doubted], unknown("manager_decides")],
    [
      "payable after a hand-out that was begun",
      [...opening, started, next({ checkFirst: false })],
      { kind: "payable", ...facts, recovered: true, handOutBegun: true, rejectedHere: false },
    ],
    ["opening", opening, { kind: "opening", ...facts, drawer: "opening", recovered: false }],
    [
      "a drawer that failed",
      [...opening, drawerFailed],
      { kind: "opening", ...facts, drawer: "failed", recovered: false },
    ],
    [
      "counting",
      [...counting, { type: "drawer_sensed", withdrawalId: "W1", drawer: "closed" }],
      { kind: "counting", ...facts, drawer: "closed", recovered: false },
    ],
    [
      "done",
      [...counting, handedOutBy("cashier")],
      { kind: "done", ...facts, until: { totalMs: 3_000, remainingMs: 0 } },
    ],
    [
      "ended",
      [...waiting, closedAs("sca_denied")],
      {
        kind: "ended",
        outcome: "sca_denied",
        transactionId: of.transactionId,
        money: facts.money,
        canRetry: false,
        late: null,
      },
    ],
    [
      "what was handed out, brought back",
      [...counting, handedOutBy("cashier"), { type: "withdrawal_shown", withdrawalId: "W1" }],
      {
        kind: "ended",
        outcome: "handed_out",
        transactionId: of.transactionId,
        money: facts.money,
        canRetry: false,
        late: null,
      },
    ],
    ...([counting, payable] as const).map((before): [string, readonly Event[], object] => [
      `what was kept ${before === counting ? "with the drawer open" : "with the drawer shut"}, brought back`,
      [...before, notHandedOut("other"), { type: "withdrawal_shown", withdrawalId: "W1" }],
      {
        kind: "ended",
        outcome: "not_handed_out",
        transactionId: of.transactionId,
        money: facts.money,
        canRetry: false,
        ...(before === counting && { drawer: "opened" }),
        late: null,
      },
    ]),
    ["what is gone, brought back", [...installed, { type: "withdrawal_shown", withdrawalId: "W1" }], { kind: "ready" }],
  ])("%s", (_, events, screen) => {
    const state = given(...events);
    // Nobody counts the drawer here.
    const hasCash = ["review", "confirming", "waiting", "payable", "opening", "counting"].includes(
      String("kind" in screen && screen.kind),
    );
    expect(shown(state).screen).toEqual({ ...screen, step: stepOf(state, later), ...(hasCash && { cash: [] }) });
  });

  test("a reject keeps its own screen for two and a half seconds", () => {
    const at = (ms: number) => shown(given(...rejecting), { ...moment, monotonicMs: moment.monotonicMs + ms }).screen;
    expect([at(2_499), at(2_500)]).toMatchObject([{ kind: "closing", why: "time_out" }, { kind: "unknown" }]);
  });

  test("a terminal without a key is to be set up, and knows who it was", () => {
    const state = { ...given(...installed), credential: "missing" } as const;
    expect(shown(state).screen).toMatchObject({ kind: "setup", why: "not_enrolled", known: device });
  });

  test("a review says when it was ordered and until when it counts, by the service's clock where there is one", () => {
    const reviewed = (more: readonly Event[], created: number | null, expires: number | null) =>
      shown(
        given(...begun.slice(0, 3), ...more, {
          type: "review_opened",
          facts: of,
          createdAtMs: created,
          expiresAtMs: expires,
        }),
      ).screen;
    const { wallMs } = later;
    expect(reviewed([], wallMs - 10_000, wallMs + 20_000)).toMatchObject({
      orderedMsAgo: 10_000,
      expires: { totalMs: 30_000, remainingMs: 20_000 },
    });
    expect(reviewed([], wallMs + 5, wallMs - 1)).toMatchObject({
      orderedMsAgo: 0,
      expires: { totalMs: 0, remainingMs: 0 },
    });
    expect(reviewed([], null, wallMs + 20_000)).toMatchObject({
      orderedMsAgo: null,
      expires: { totalMs: 20_000, remainingMs: 20_000 },
    });
    const clock: Event = { type: "service_responded", dateMs: 500_000 };
    expect(reviewed([clock], 500_000, 520_000)).toMatchObject({
      orderedMsAgo: 7_000,
      expires: { totalMs: 20_000, remainingMs: 13_000 },
    });
  });
});

describe("the header", () => {
  const header = (...events: readonly Event[]) => shown(given(...events)).header;
  const open = (state: string) => [{ ...facts, state, sinceMs: 7_000 }];
  test.each<[string, readonly Event[], readonly object[], number]>([
    ["nothing", installed, [], 0],
    ["on the screen", waiting, [], 1],
    ["a review", begun, [], 0],
    ["a review behind another", [...begun, { type: "withdrawal_shown", withdrawalId: "W2" }], [], 0],
    ["approving", [...waiting, cleared], open("unknown"), 1],
    ["confirming", [...confirming, cleared], open("unknown"), 1],
    ["rejected after a confirm", [...rejecting, cleared], open("closing"), 1],
    ["rejected unseen", [...rejectingUnseen, cleared], [], 0],
    ["rejected unseen, and not taken yet", [...rejectingUnseen, cleared, next({ failures: 1 })], [], 1],
    ["handed out", handedOut, [], 1],
    ["handed out, all before it lost", [...installed, handedOutBy("cashier")], [], 1],
    ["declared", kept, [], 1],
  ])("what is open behind the screen: %s", (_, events, behind, unfinished) => {
    expect(header(...events)).toMatchObject({ open: behind, unfinished });
    expect(header(...events).open).toHaveLength(behind.length);
  });

  test("what is paid behind a look-up is said to be, and to be unknown before the service was asked", () => {
    const look: Event = { type: "look_up_begun", transactionId: "0000000000000000" };
    expect(header(...payable, look).open).toEqual(open("payable"));
    expect(header(...opening, look).open).toEqual(open("payable"));
    expect(header(...payable, started, look).open).toEqual(open("unknown"));
  });

  test.each<[string, readonly Event[], object | null]>([
    ["on its first way", handedOut, null],
    ["that failed once", [...handedOut, next({ failures: 1 })], { count: 1, oldestMs: 7_000 }],
    ["after a restart", [...handedOut, started], { count: 1, oldestMs: 7_000 }],
    ["a reject after a restart is on its first way", [...rejecting, started], null],
    ["a reject that failed", [...rejecting, next({ failures: 1 })], { count: 1, oldestMs: 7_000 }],
    ["none", [...waiting, next({ failures: 1 })], null],
  ])("reports that wait: %s", (_, events, pending) => {
    expect(header(...events).pendingReports).toEqual(pending);
  });

  test("a report has waited since the cash was given, however long the payment took", () => {
    const state = [handedOutBy("cashier"), next({ failures: 1 })].reduce(
      (before, event) => evolve(before, event, later),
      given(...payable),
    );
    const at = { ...later, monotonicMs: later.monotonicMs + 3_000 };
    expect(shown(state, at).header.pendingReports).toEqual({ count: 1, oldestMs: 3_000 });
  });

  test("says who this is, what is wrong, and what the service's clock says", () => {
    expect(header(...installed)).toMatchObject({
      shop: "demo-shop",
      device: "till-1",
      identity: device,
      profile: null,
      training: true,
      problems: 0,
      clockOffMs: null,
      sameDeviceElsewhere: false,
      journalFailing: false,
      printing: null,
      day: null,
    });
    const off: Event = { type: "service_responded", dateMs: moment.wallMs - 90_000 };
    const unclear: Event = discrepancy("status_unclear");
    expect(
      header(
        ...installed,
        off,
        unclear,
        { type: "journal_forked" },
        { type: "journal_health_changed", isWritable: false },
      ),
    ).toMatchObject({
      clockOffMs: 90_000,
      connection: "online",
      problems: 2,
      journalFailing: true,
    });
    const withoutDevice = { ...given(...installed), device: null, training: false };
    expect(shown(withoutDevice).header).toMatchObject({ shop: "", device: "", identity: null });
    const ofShop = { ...withoutDevice, training: true, shop: { merchantId: "demo-shop" } as State["shop"] };
    expect(shown(ofShop).header.profile).toBeNull();
    expect(header(...installed).sandboxUrl).toBeNull();
    const changed = { sandboxUrl: "http://127.0.0.1:8788/sandbox" };
    expect(header(...installed, { type: "surroundings_changed", changed })).toMatchObject(changed);
    expect(header(...installed, { type: "service_responded", dateMs: moment.wallMs }).clockOffMs).toBeNull();
    const named = { ...given(...installed).settings, terminalName: "Front" };
    expect(header(...installed, { type: "settings_changed", settings: named }).device).toBe("Front");
  });
});

test("an opening for a count is no problem before a manager looks, and any other is", () => {
  const noSale = (reason: "cash_count" | "other", atMs: number): Event => ({
    type: "no_sale",
    number: 1,
    noSale: { reason, note: "", by: "C1", approvedBy: null, atMs },
  });
  const state = evolve(given(...installed, noSale("other", 1)), noSale("cash_count", 2), later);
  const seenBy = (people: object) => shown({ ...state, people: { ...state.people, ...people } }).header.problems;
  expect([seenBy({ guarded: true, manager: null }), seenBy({ guarded: false, manager: null })]).toEqual([1, 2]);
  expect(seenBy({ guarded: true, manager: { code: "M1", name: "Max" } })).toBe(2);
});

test("every snapshot carries its revision, toast, settings and people", () => {
  const state = evolve(given(...installed), { type: "toast_shown", code: "not_an_id" }, later);
  const { revision, toast, settings, people } = shown(state);
  expect([revision, toast, settings, people]).toEqual([3, { id: 1, code: "not_an_id" }, state.settings, state.people]);
});
