/** What a press leads to, with all that the journal gets to read of it. */
import { describe, expect, test } from "vitest";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { type Actor, counterActor, type Decision } from "../../../main/terminal/withdrawal/inputs.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import {
  cleared,
  counting,
  handedOut,
  installed,
  kept,
  next,
  no,
  ok,
  opening,
  payable,
  press,
  started,
} from "./decide-stage.ts";
import { drawerFailed, drawerReopened, rejectIntended } from "./entries.ts";
import { begun, confirming, given, moment, of, paying, waiting } from "./flow-stage.ts";
import { idNumber } from "./rig.ts";

const failed: readonly Event[] = [...opening, drawerFailed];

const cashier: Actor = { code: "C1", guarded: true, approvedBy: null };
const withOther: Actor = { ...cashier, approvedBy: { code: "C2", role: "cashier" } };
const withSelf: Actor = { ...cashier, approvedBy: { code: "C1", role: "cashier" } };
const withManager: Actor = { ...cashier, approvedBy: { code: "M1", role: "manager" } };

describe("a press", () => {
  const later = { ...moment, monotonicMs: moment.monotonicMs + 1_234.4 };
  test("on confirm says how long ago the barcode was scanned, where that is known", () => {
    expect(press(given(...begun), { type: "confirm" }, counterActor, later)).toEqual(
      ok({ type: "confirm_intended", withdrawal: of, sinceScanMs: 1_234 }),
    );
    const typed = given(...installed, begun[3] as Event);
    expect(press(typed, { type: "confirm" })).toEqual(
      ok({ type: "confirm_intended", withdrawal: of, sinceScanMs: null }),
    );
  });

  test("on confirm does nothing with a key that was refused meanwhile", () => {
    const state = given(...begun, { type: "credential_checked", verdict: "refused" });
    expect(press(state, { type: "confirm" })).toEqual(no("not_enrolled"));
  });

  const retried = ok({ type: "retry_requested", withdrawalId: "W1" });
  const alreadyGiven = { type: "hand_out", alreadyGiven: true };
  type PressRow = [name: string, events: readonly Event[], command: object, decision: Decision, actor?: Actor];
  test.each<PressRow>([
    ["reject in the review", begun, { type: "reject" }, ok(rejectIntended("cashier", false))],
    ["reject while the customer approves", waiting, { type: "reject" }, ok(rejectIntended("cashier"))],
    ["reject on an empty screen", installed, { type: "reject" }, no("busy")],
    ["reject while the cash is counted", counting, { type: "reject" }, no("busy")],
    ["confirm while the customer approves", waiting, { type: "confirm" }, no("busy")],
    ["open the drawer before it was told to open", payable, { type: "open_drawer" }, no("busy")],
    ["confirm on an empty screen", installed, { type: "confirm" }, no("busy")],
    ["hand out on an empty screen", installed, { type: "hand_out" }, no("busy")],
    ["not handed out on an empty screen", installed, { type: "not_handed_out", reason: "other" }, no("busy")],
    ["open the drawer on an empty screen", installed, { type: "open_drawer" }, no("busy")],
    ["dismiss on an empty screen", installed, { type: "dismiss" }, no("busy")],
    ["dismiss while the bank pays", paying, { type: "dismiss" }, ok(cleared)],
    ["hand out", payable, { type: "hand_out" }, ok({ type: "hand_out_intended", withdrawal: of, approvedBy: null })],
    [
      "hand out, a manager beside",
      payable,
      { type: "hand_out" },
      ok({ type: "hand_out_intended", withdrawal: of, approvedBy: "M1" }),
      withManager,
    ],
    [
      "handed over, counted",
      counting,
      { type: "hand_out" },
      ok({ type: "handed_out", withdrawal: of, by: "cashier", handOutId: "W2" }),
    ],
    ["already given, but it was never begun", payable, alreadyGiven, no("busy")],
    ["already given, while it is counted", counting, alreadyGiven, no("busy")],
    [
      "open again",
      counting,
      { type: "open_drawer" },
      ok({ type: "drawer_reopened", withdrawal: of, approvedBy: "M1" }),
      withManager,
    ],
    [
      "open again, alone",
      failed,
      { type: "open_drawer" },
      ok({ type: "drawer_reopened", withdrawal: of, approvedBy: null }),
      cashier,
    ],
    [
      "not handed out",
      payable,
      { type: "not_handed_out", reason: "till_short" },
      ok({ type: "not_handed_out", withdrawal: of, reason: "till_short", approvedBy: "M1" }),
      withManager,
    ],
    ["retry while the bank pays", paying, { type: "retry" }, retried],
    ["retry what is unknown", [...confirming, next({ failures: 1 })], { type: "retry" }, retried],
    ["retry on an empty screen", installed, { type: "retry" }, no("busy")],
    ["retry while the customer approves", waiting, { type: "retry" }, no("busy")],
  ])("%s", (_, events, command, decision, actor) => {
    expect(press(given(...events), command, actor)).toEqual(decision);
  });

  const again: readonly Event[] = [...opening, started, next({ checkFirst: false })];
  test("after a hand-out that was begun, already given is the cashier's word", () => {
    expect(press(given(...again), { type: "hand_out", alreadyGiven: true })).toEqual(
      ok({ type: "handed_out", withdrawal: of, by: "cashier", handOutId: "W2" }),
    );
  });

  test("a look-up that failed is looked up again, and only where that can help", () => {
    const ended = (transactionId: string | null, canRetry: boolean): Event => ({
      type: "ended_shown",
      outcome: "no_network",
      transactionId,
      money: null,
      canRetry,
    });
    const id = of.transactionId;
    expect(press(given(...installed, ended(id, true)), { type: "retry" })).toEqual(
      ok({ type: "look_up_begun", transactionId: id }),
    );
    for (const one of [ended(id, false), ended(null, true)])
      expect(press(given(...installed, one), { type: "retry" })).toEqual(no("busy"));
  });

  describe("cash that stays in a drawer that may have been open", () => {
    const secondPerson = (state: State): State => ({
      ...state,
      settings: { ...state.settings, people: { ...state.settings.people, notHandedOutBy: "second_person" } },
    });
    const deny = { type: "not_handed_out", reason: "other" };
    const may = (events: readonly Event[], actor: Actor, change = (state: State) => state): boolean =>
      press(change(given(...events)), deny, actor).reply.ok;
    const twice: readonly Event[] = [...failed, drawerReopened, drawerFailed];
    test.each<[string, readonly Event[], Actor, boolean, boolean]>([
      ["before it was opened, alone", payable, cashier, true, true],
      ["it failed the first time, alone", failed, cashier, true, true],
      ["it failed the second time, alone", twice, cashier, false, false],
      ["while it is counted, alone", counting, cashier, false, false],
      ["while it is counted, where nobody signs in", counting, counterActor, true, true],
      ["while it is counted, with a manager", counting, withManager, true, true],
      ["while it is counted, with another cashier", counting, withOther, false, true],
      ["while it is counted, with oneself", counting, withSelf, false, false],
    ])("%s", (_, events, actor, byManager, bySecond) => {
      expect([may(events, actor), may(events, actor, secondPerson)]).toEqual([byManager, bySecond]);
    });
  });

  test("from the third kick on a manager agrees", () => {
    const reopened: Event = drawerReopened;
    const unsure: Event = drawerFailed;
    const open = (events: readonly Event[], actor: Actor) =>
      press(given(...events), { type: "open_drawer" }, actor).reply;
    expect(open(failed, cashier)).toEqual({ ok: true });
    for (const actor of [cashier, withOther])
      expect(open([...failed, reopened, unsure], actor)).toEqual({ ok: false, code: "approval_needed" });
    expect(open([...failed, reopened, unsure], withManager)).toEqual({ ok: true });
    expect(open([...failed, reopened, unsure], counterActor)).toEqual({ ok: true });
    const offered = given(...failed, reopened, started, next({ checkFirst: false }));
    expect(press(offered, { type: "hand_out" }, cashier)).toEqual(no("approval_needed"));
  });
});

describe("what is brought back to the screen", () => {
  const shown: Event = { type: "withdrawal_shown", withdrawalId: "W1" };
  const resume = (events: readonly Event[]) => press(given(...events), { type: "resume", withdrawalId: "W1" });
  const other = { ...of, withdrawalId: "W9", transactionId: idNumber(9) };
  test.each<[string, readonly Event[], Decision]>([
    ["from an empty screen", [...paying, cleared], ok(shown)],
    [
      "from the end of another",
      [
        ...paying,
        cleared,
        { type: "ended_shown", outcome: "no_network", transactionId: null, money: null, canRetry: false },
      ],
      ok(shown),
    ],
    [
      "not over another review",
      [
        ...paying,
        cleared,
        { type: "look_up_begun", transactionId: idNumber(9) },
        { type: "review_opened", facts: other, createdAtMs: null, expiresAtMs: null },
      ],
      no("busy"),
    ],
    ["not what is gone", installed, no("stale")],
    ["not what was handed out", handedOut, no("stale")],
    ["not what was declared", kept, no("stale")],
  ])("%s", (_, events, decision) => {
    expect(resume(events)).toEqual(decision);
  });
});
