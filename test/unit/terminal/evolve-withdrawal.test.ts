/** What each event makes of a withdrawal and of the screen, field by field, and what of both it leaves alone. */
import { describe, expect, test } from "vitest";
import type { Event, RecordedEvent } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import type { Withdrawal } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { cleared, handedOut, kept, next, payable } from "./decide-stage.ts";
import { begun, confirming, given, moment, of, paying, rejecting, rejectingUnsure, waiting } from "./flow-stage.ts";

const later = { wallMs: moment.wallMs + 7_000, monotonicMs: moment.monotonicMs + 7_000 };
const busy: Event = next({
  failures: 3,
  checkFirst: true,
  conflict: true,
  confirms: 2,
  silentConfirms: 1,
  rejectRefused: true,
});
const only = (state: State): Withdrawal => {
  const one = state.open.get("W1");
  if (one === undefined) throw new Error("no withdrawal");
  return one;
};
/** Its calls start afresh; what is known about its confirms stays. */
const fresh = (before: Withdrawal): Partial<Withdrawal> => ({
  stageSinceMs: later.monotonicMs,
  requestState: {
    number: before.requestState.number + 1,
    failures: 0,
    notBeforeMs: later.monotonicMs,
    checkFirst: false,
    conflict: false,
    confirms: before.requestState.confirms,
    silentConfirms: before.requestState.silentConfirms,
    rejectRefused: false,
    operatorDecided: false,
  },
});
const opening: readonly Event[] = [...payable, { type: "hand_out_intended", withdrawal: of }];
const counting: readonly Event[] = [...opening, { type: "drawer_opened", withdrawal: of }];
const own = { untilMs: moment.monotonicMs + 35_000, totalMs: 35_000, isService: false };
const dueNow = { reportDueSinceMs: later.monotonicMs };
const by = (event: Event): RecordedEvent => ({ ...event, actor: "C3" }) as RecordedEvent;

describe("an entry moves a withdrawal to its next stage", () => {
  test.each<[string, readonly Event[], Event, Partial<Withdrawal>]>([
    [
      "confirmed",
      begun,
      { type: "confirm_intended", withdrawal: of },
      { stage: { kind: "confirming" }, confirmAttempted: true, approval: { ...own, untilMs: own.untilMs + 7_000 } },
    ],
    [
      "taken",
      confirming,
      { type: "confirm_accepted", withdrawal: of, status: "awaiting_sca" },
      { stage: { kind: "waiting", phase: "approval" }, confirmed: true },
    ],
    [
      "taken, and the bank pays",
      confirming,
      { type: "confirm_accepted", withdrawal: of, status: "settling" },
      { stage: { kind: "waiting", phase: "payment" }, confirmed: true, approval: null },
    ],
    [
      "rejected",
      waiting,
      { type: "reject_intended", withdrawal: of, why: "cashier", intended: true },
      { stage: { kind: "rejecting", why: "cashier" }, rejectedHere: true, approval: null, ...dueNow },
    ],
    [
      "rejected unseen",
      begun,
      { type: "reject_intended", withdrawal: of, why: "cashier", intended: false },
      { stage: { kind: "rejecting", why: "cashier" }, rejectedHere: true, ...dueNow },
    ],
    [
      "rejected, and a confirm was meant",
      begun,
      { type: "reject_intended", withdrawal: of, why: "time_out", intended: true },
      { stage: { kind: "rejecting", why: "time_out" }, confirmAttempted: true, ...dueNow },
    ],
    [
      "settled",
      paying,
      { type: "settled", withdrawal: of },
      { stage: { kind: "payable" }, settledMs: later.monotonicMs },
    ],
    [
      "settled after a silence",
      [...paying, next({ failures: 1 })],
      { type: "settled", withdrawal: of },
      { stage: { kind: "payable" }, settledMs: later.monotonicMs, recovered: true },
    ],
    [
      "settled behind the screen",
      [...paying, cleared],
      { type: "settled", withdrawal: of },
      { stage: { kind: "payable" }, settledMs: later.monotonicMs, recovered: true },
    ],
    [
      "settled, and never confirmed here",
      begun,
      { type: "settled", withdrawal: of },
      { stage: { kind: "payable" }, settledMs: later.monotonicMs, confirmAttempted: true, confirmed: true },
    ],
    [
      "settled while the customer had time",
      waiting,
      { type: "settled", withdrawal: of },
      { stage: { kind: "payable" }, settledMs: later.monotonicMs, approval: null },
    ],
    [
      "to be handed out",
      payable,
      { type: "hand_out_intended", withdrawal: of },
      { stage: { kind: "opening", drawer: "opening" }, handOutBegun: true, drawerTries: 1 },
    ],
    [
      "to be handed out, all before it lost",
      begun,
      { type: "hand_out_intended", withdrawal: of },
      {
        stage: { kind: "opening", drawer: "opening" },
        confirmAttempted: true,
        confirmed: true,
        handOutBegun: true,
        drawerTries: 1,
      },
    ],
    [
      "a drawer that failed",
      opening,
      { type: "drawer_unsure", withdrawal: of, drawer: "failed" },
      { stage: { kind: "opening", drawer: "failed" } },
    ],
    [
      "a drawer that is open",
      opening,
      { type: "drawer_opened", withdrawal: of },
      { stage: { kind: "opening", drawer: "open" }, sensed: { drawer: "unknown", checks: 0, atMs: later.monotonicMs } },
    ],
    [
      "handed out",
      counting,
      by({ type: "handed_out", withdrawal: of, by: "cashier" }),
      { stage: { kind: "handed_out" }, saidBy: "C3", ...dueNow },
    ],
    [
      "handed out, by nobody known",
      counting,
      { type: "handed_out", withdrawal: of, by: "cashier" },
      { stage: { kind: "handed_out" }, saidBy: null, ...dueNow },
    ],
    [
      "declared",
      payable,
      by({ type: "not_handed_out", withdrawal: of, reason: "till_short" }),
      { stage: { kind: "not_handed_out", reason: "till_short" }, saidBy: "C3", ...dueNow },
    ],
    [
      "handed out, as a manager says",
      payable,
      { type: "decided", withdrawal: of, decision: "handed_out", actor: "M1", note: "" },
      { stage: { kind: "handed_out" }, decided: true, saidBy: "M1", ...dueNow },
    ],
    [
      "kept, as a manager says",
      payable,
      { type: "decided", withdrawal: of, decision: "not_handed_out", actor: "M1", note: "" },
      { stage: { kind: "not_handed_out", reason: "other" }, decided: true, saidBy: "M1", ...dueNow },
    ],
    [
      "the bank pays",
      waiting,
      { type: "phase_seen", withdrawalId: "W1", phase: "payment" },
      { stage: { kind: "waiting", phase: "payment" }, approval: null },
    ],
    [
      "still to be approved",
      [...rejecting, { type: "reject_overtaken", withdrawalId: "W1", to: "confirming" }],
      { type: "phase_seen", withdrawalId: "W1", phase: "approval" },
      { stage: { kind: "waiting", phase: "approval" } },
    ],
    [
      "a reject that came too late",
      rejecting,
      { type: "reject_overtaken", withdrawalId: "W1", to: "payment" },
      { stage: { kind: "waiting", phase: "payment" }, recovered: true },
    ],
    [
      "a reject whose confirm is learnt",
      rejectingUnsure,
      { type: "reject_overtaken", withdrawalId: "W1", to: "confirming" },
      { stage: { kind: "confirming" }, recovered: true },
    ],
  ])("%s", (_, before, event, changes) => {
    const state = given(...before);
    const one = only(state);
    expect(only(evolve(state, event, later))).toEqual({ ...one, ...fresh(one), ...changes });
  });

  test("that the cashier rejected it stays known when its time runs out after that", () => {
    const [cashier, time_out] = (["cashier", "time_out"] as const).map(
      (why): Event => ({ type: "reject_intended", withdrawal: of, why, intended: true }),
    ) as [Event, Event];
    const overtaken: Event = { type: "reject_overtaken", withdrawalId: "W1", to: "confirming" };
    expect(only(given(...waiting, cashier, overtaken, time_out)).rejectedHere).toBe(true);
    expect(only(given(...waiting, time_out)).rejectedHere).toBe(false);
  });

  test("its calls start afresh, and what is known about its confirms stays", () => {
    const state = given(...waiting, busy);
    const after = only(
      evolve(state, { type: "reject_intended", withdrawal: of, why: "cashier", intended: true }, later),
    );
    expect(after.requestState).toEqual(fresh(only(state)).requestState);
    expect(after.requestState).toMatchObject({ confirms: 2, silentConfirms: 1, failures: 0, conflict: false });
  });
});

describe("an event that leaves the stage as it is", () => {
  const deadline: Event = { type: "approval_deadline_known", withdrawalId: "W1", untilMs: 9, totalMs: 8 };
  test.each<[string, readonly Event[], Event, (one: Withdrawal) => Partial<Withdrawal>]>([
    [
      "taken during a reject",
      rejectingUnsure,
      { type: "confirm_accepted", withdrawal: of, status: "awaiting_sca" },
      () => ({ confirmed: true }),
    ],
    ["settled again while the drawer opens", opening, { type: "settled", withdrawal: of }, () => ({})],
    ["settled again when it was handed out", handedOut, { type: "settled", withdrawal: of }, () => ({})],
    ["settled again when it was declared", kept, { type: "settled", withdrawal: of }, () => ({})],
    [
      "the drawer is opened again",
      counting,
      { type: "drawer_reopened", withdrawal: of },
      () => ({ stage: { kind: "opening", drawer: "opening" }, drawerTries: 2 }),
    ],
    [
      "opened again, the first time lost",
      payable,
      { type: "drawer_reopened", withdrawal: of },
      () => ({ stage: { kind: "opening", drawer: "opening" }, drawerTries: 1, handOutBegun: true }),
    ],
    [
      "the reject was taken",
      [...rejecting, busy],
      { type: "report_accepted", withdrawal: of, report: "reject" },
      ({ requestState }) => ({ requestState: { ...requestState, rejectRefused: false } }),
    ],
    [
      "the reject was refused",
      rejecting,
      { type: "report_refused", withdrawal: of, report: "reject", http: 409 },
      ({ requestState }) => ({ requestState: { ...requestState, rejectRefused: true } }),
    ],
    ["a discrepancy", waiting, { type: "discrepancy", withdrawal: of, about: "x", http: null }, () => ({})],
    ["the service's deadline", waiting, deadline, () => ({ approval: { untilMs: 9, totalMs: 8, isService: true } })],
    ["a deadline of what needs none", paying, deadline, () => ({})],
    [
      "the drawer's sensor",
      counting,
      { type: "drawer_sensed", withdrawalId: "W1", drawer: "closed" },
      () => ({ sensed: { drawer: "closed", checks: 1, atMs: later.monotonicMs } }),
    ],
    [
      "tried again by hand",
      [...waiting, busy],
      { type: "retry_requested", withdrawalId: "W1" },
      ({ requestState }) => ({ requestState: { ...requestState, notBeforeMs: later.monotonicMs } }),
    ],
    [
      "how the calls go",
      waiting,
      next({ failures: 2 }),
      ({ requestState }) => ({ requestState: { ...requestState, failures: 2, number: requestState.number + 1 } }),
    ],
  ])("%s", (_, before, event, changes) => {
    const state = given(...before);
    expect(only(evolve(state, event, later))).toEqual({ ...only(state), ...changes(only(state)) });
  });

  test.each<[string, Event]>([
    ["a phase", { type: "phase_seen", withdrawalId: "W2", phase: "payment" }],
    ["calls", { ...next({ failures: 2 }), withdrawalId: "W2" } as Event],
  ])("of what is not open changes nothing: %s", (_, event) => {
    const state = given(...waiting);
    expect(evolve(state, event, later)).toEqual(state);
  });
});
