/** What a start makes of the journal's state, and what a machine that slept finds: field by field. */
import { describe, expect, test } from "vitest";
import type { DurableEvent, Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import { initialState, type State } from "../../../main/terminal/withdrawal/state.ts";
import type { Facts, Withdrawal } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { cleared, handedOut, kept, later, next, only, opening, payable, started } from "./decide-stage.ts";
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

const replayed = (...entries: readonly DurableEvent[]): State =>
  entries.reduce((state, event) => evolve(state, event, moment), initialState(settingsSchema.parse({}), device, true));
const named = (withdrawalId: string): Facts => ({
  ...of,
  withdrawalId,
  terminalReference: `till-1.tag.${withdrawalId}`,
});

const confirmed = (facts: Facts): DurableEvent => ({ type: "confirm_intended", withdrawal: facts });
const taken = (facts: Facts, status: string): readonly DurableEvent[] => [
  confirmed(facts),
  { type: "confirm_accepted", withdrawal: facts, status },
];
const paid = (facts: Facts): readonly DurableEvent[] => [
  ...taken(facts, "settling"),
  { type: "settled", withdrawal: facts },
];
const opened = (facts: Facts): readonly DurableEvent[] => [
  ...paid(facts),
  { type: "hand_out_intended", withdrawal: facts },
];
const rejected = (facts: Facts, intended: boolean): DurableEvent => ({
  type: "reject_intended",
  withdrawal: facts,
  why: "time_out",
  intended,
});
const entries = {
  confirming: (facts: Facts) => [confirmed(facts)],
  approving: (facts: Facts) => taken(facts, "awaiting_sca"),
  paying: (facts: Facts) => taken(facts, "settling"),
  rejecting: (facts: Facts) => [...taken(facts, "awaiting_sca"), rejected(facts, true)],
  rejectingUnseen: (facts: Facts) => [rejected(facts, false)],
  payable: paid,
  opening: opened,
  handedOut: (facts: Facts) => [...opened(facts), { type: "handed_out", withdrawal: facts, by: "cashier" }],
  kept: (facts: Facts) => [...paid(facts), { type: "not_handed_out", withdrawal: facts, reason: "till_short" }],
} satisfies Record<string, (facts: Facts) => readonly DurableEvent[]>;
type StageName = keyof typeof entries;

describe("after a start", () => {
  const approval = { untilMs: later.monotonicMs + 35_000, totalMs: 35_000, isService: false };
  test.each<[StageName, Partial<Withdrawal>, boolean]>([
    ["confirming", { approval }, true],
    ["approving", { approval }, true],
    ["paying", {}, false],
    ["rejecting", {}, false],
    ["rejectingUnseen", {}, false],
    ["payable", {}, true],
    ["opening", { stage: { kind: "payable" }, handOutBegun: true, drawerTries: 1 }, true],
    ["handedOut", {}, false],
    ["kept", {}, false],
  ])(
    "%s: its calls start anew, and it is asked about first where money may have moved",
    (name, changes, checkFirst) => {
      const before = replayed(...entries[name](of));
      const after = only(evolve(before, started, later));
      expect(after).toEqual({
        ...only(before),
        approval: null,
        settledMs: null,
        recovered: true,
        ofEarlierRun: true,
        stageSinceMs: later.monotonicMs,
        requestState: {
          number: 0,
          failures: 0,
          notBeforeMs: later.monotonicMs,
          checkFirst,
          conflict: false,
          confirms: 0,
          // A confirm of the run before may have been taken.
          silentConfirms: 1,
          rejectRefused: false,
          operatorDecided: false,
        },
        ...changes,
      });
    },
  );

  test.each<[string, readonly StageName[], number | null]>([
    ["nothing is open", [], null],
    ["what is payable", ["payable"], 0],
    ["a hand-out that was begun", ["opening"], 0],
    ["what is payable before what waits, begun earlier", ["payable", "approving"], 0],
    ["what is payable before what waits, begun later", ["confirming", "payable"], 1],
    ["what is payable before a reject", ["payable", "rejecting"], 0],
    ["the latest of two that are payable", ["payable", "payable"], 1],
    ["the latest of two that wait", ["paying", "confirming"], 1],
    ["what waits before a reject, begun earlier", ["approving", "rejecting"], 0],
    ["what waits before a reject, begun later", ["rejecting", "paying"], 1],
    ["a reject after a confirm", ["rejecting"], 0],
    ["a reject of what was only looked at is not", ["rejectingUnseen"], null],
    ["what is over is not", ["handedOut", "kept"], null],
  ])("the most urgent is on the screen: %s", (_, names, index) => {
    const before = replayed(...names.flatMap((name, place) => [...entries[name](named(`W${place}`))]));
    const after = evolve(before, started, later);
    expect(after.activeScreen).toEqual(
      index === null ? { kind: "idle" } : { kind: "withdrawal", withdrawalId: `W${index}` },
    );
    expect(after.screenNumber).toBe(before.screenNumber + 1);
    expect(after.phase).toBe("running");
  });

  test("a terminal without a key shows nothing that is open", () => {
    const before: State = { ...replayed(...entries.payable(of)), credential: "missing" };
    expect(evolve(before, started, later).activeScreen).toEqual({ kind: "idle" });
  });

  test("damaged entries are added to those that a checkpoint tells of", () => {
    const before: State = { ...replayed(), damagedEntries: 2 };
    expect(evolve(before, { type: "started", damagedEntries: 3 }, later).damagedEntries).toBe(5);
  });
});

describe("a machine that slept", () => {
  const resumed: Event = { type: "resumed" };
  const known = next({ failures: 3, silentConfirms: 2, notBeforeMs: 99_000 });
  const awake = { stageSinceMs: later.monotonicMs, scannedMs: null };
  const now = { notBeforeMs: later.monotonicMs };
  test.each<[string, readonly Event[], object]>([
    ["what is payable is asked about again", payable, { checkFirst: true }],
    ["a confirm under way may have been taken", confirming, { checkFirst: true, silentConfirms: 1 }],
    ["confirms that may have been taken stay counted", [...confirming, known], { checkFirst: true }],
  ])("%s", (_, events, changes) => {
    const before = given(...events);
    const one = only(before);
    const { number } = one.requestState;
    const requestState = { ...one.requestState, ...now, number: number + 1, ...changes };
    expect(only(evolve(before, resumed, later))).toEqual({ ...one, ...awake, requestState });
  });

  test.each<[string, readonly Event[]]>([
    ["approving", [...waiting, known]],
    ["paying", paying],
    ["rejecting", [...rejecting, known]],
    ["handed out", [...handedOut, known]],
    ["declared", kept],
  ])("%s: nothing waits for its old pause", (_, events) => {
    const before = given(...events);
    const one = only(before);
    expect(only(evolve(before, resumed, later))).toEqual({
      ...one,
      ...awake,
      requestState: { ...one.requestState, ...now },
    });
  });

  test("a drawer that is being opened is left alone", () => {
    const before = given(...opening, known);
    expect(only(evolve(before, resumed, later))).toEqual({ ...only(before), scannedMs: null });
  });

  test("whether the service is there is to be seen", () => {
    const { connection, respondedAtMs } = evolve(given(...waiting, { type: "service_silent" }), resumed, later);
    expect([connection, respondedAtMs]).toEqual(["starting", later.monotonicMs]);
  });

  test("a review on the screen is looked up again: its order may be gone", () => {
    const before = given(...begun);
    const after = evolve(before, resumed, later);
    expect(after.activeScreen).toEqual({
      kind: "looking_up",
      transactionId: of.transactionId,
      sinceMs: later.monotonicMs,
      tries: 0,
      notBeforeMs: later.monotonicMs,
    });
    expect([...after.open.keys()]).toEqual([]);
    expect(after.screenNumber).toBe(before.screenNumber + 1);
  });

  test.each<[string, readonly Event[]]>([
    ["a withdrawal", waiting],
    ["nothing, and a withdrawal is open", [...waiting, cleared]],
    ["another look-up", [...begun, { type: "look_up_begun", transactionId: "0000000000000000" }]],
    ["what is gone", [...begun.slice(0, 2), { type: "withdrawal_shown", withdrawalId: "W1" }]],
    ["a reject", rejectingUnseen],
  ])("any other screen stays: %s", (_, events) => {
    const before = given(...events);
    const after = evolve(before, resumed, later);
    expect([after.activeScreen, after.screenNumber]).toEqual([before.activeScreen, before.screenNumber]);
    expect([...after.open.keys()]).toEqual([...before.open.keys()]);
  });
});
