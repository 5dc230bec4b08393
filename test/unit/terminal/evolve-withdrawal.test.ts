/** What each event makes of a withdrawal and of the screen, field by field, and what of both it leaves alone. */
import { describe, expect, test } from "vitest";
import type { Event, RecordedEvent } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { Withdrawal } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { cleared, counting, handedOut, kept, later, next, only, opening, payable } from "./decide-stage.ts";
import {
  confirmAccepted,
  confirmIntended,
  decidedAs,
  discrepancy,
  drawerFailed,
  drawerOpened,
  drawerReopened,
  handedOutBy,
  handOutIntended,
  notHandedOut,
  phaseSeen,
  rejectIntended,
  rejectOvertaken,
  reportAccepted,
  reportRefused,
  settled,
} from "./entries.ts";
import { begun, confirming, given, moment, of, paying, rejecting, rejectingUnsure, waiting } from "./flow-stage.ts";

const busy: Event = next({
  failures: 3,
  checkFirst: true,
  conflict: true,
  confirms: 2,
  silentConfirms: 1,
  rejectRefused: true,
});
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
const own = { untilMs: moment.monotonicMs + 35_000, totalMs: 35_000, isService: false };
const dueNow = { reportDueSinceMs: later.monotonicMs };
/** The stages that several rows come to. */
const payableNow = { stage: { kind: "payable" }, settledMs: later.monotonicMs } as const;
const openingNow = { stage: { kind: "opening", drawer: "opening" } } as const;
const waitingFor = (phase: "approval" | "payment") => ({ stage: { kind: "waiting", phase } }) as const;
const rejectingFor = (why: "cashier" | "time_out") => ({ stage: { kind: "rejecting", why }, ...dueNow }) as const;
const by = (event: Event): RecordedEvent => ({ ...event, actor: "C3" }) as RecordedEvent;

describe("an entry moves a withdrawal to its next stage", () => {
  test.each<[string, readonly Event[], Event, Partial<Withdrawal>]>([
    [
      "confirmed",
      begun,
      confirmIntended,
      { stage: { kind: "confirming" }, confirmAttempted: true, approval: { ...own, untilMs: own.untilMs + 7_000 } },
    ],
    ["taken", confirming, confirmAccepted("awaiting_sca"), { ...waitingFor("approval"), confirmed: true }],
    [
      "taken, and the bank pays",
      confirming,
      confirmAccepted("settling"),
      { ...waitingFor("payment"), confirmed: true, approval: null },
    ],
    [
      "rejected",
      waiting,
      rejectIntended("cashier"),
      { ...rejectingFor("cashier"), rejectedHere: true, approval: null },
    ],
    ["rejected unseen", begun, rejectIntended("cashier", false), { ...rejectingFor("cashier"), rejectedHere: true }],
    [
      "rejected, and a confirm was meant",
      begun,
      rejectIntended("time_out"),
      { ...rejectingFor("time_out"), confirmAttempted: true },
    ],
    ["settled", paying, settled, payableNow],
    ["settled after a silence", [...paying, next({ failures: 1 })], settled, { ...payableNow, recovered: true }],
    ["settled behind the screen", [...paying, cleared], settled, { ...payableNow, recovered: true }],
    ["settled, and never confirmed here", begun, settled, { ...payableNow, confirmAttempted: true, confirmed: true }],
    ["settled while the customer had time", waiting, settled, { ...payableNow, approval: null }],
    ["to be handed out", payable, handOutIntended, { ...openingNow, handOutBegun: true, drawerTries: 1 }],
    [
      "to be handed out, all before it lost",
      begun,
      handOutIntended,
      { ...openingNow, confirmAttempted: true, confirmed: true, handOutBegun: true, drawerTries: 1 },
    ],
    ["a drawer that failed", opening, drawerFailed, { stage: { kind: "opening", drawer: "failed" } }],
    [
      "a drawer that is open",
      opening,
      drawerOpened,
      { stage: { kind: "opening", drawer: "open" }, sensed: { drawer: "unknown", checks: 0, atMs: later.monotonicMs } },
    ],
    ["handed out", counting, by(handedOutBy("cashier")), { stage: { kind: "handed_out" }, saidBy: "C3", ...dueNow }],
    [
      "handed out, by nobody known",
      counting,
      handedOutBy("cashier"),
      { stage: { kind: "handed_out" }, saidBy: null, ...dueNow },
    ],
    [
      "declared",
      payable,
      by(notHandedOut("till_short")),
      { stage: { kind: "not_handed_out", reason: "till_short" }, saidBy: "C3", ...dueNow },
    ],
    [
      "handed out, as a manager says",
      payable,
      decidedAs("handed_out"),
      { stage: { kind: "handed_out" }, decided: true, saidBy: "M1", ...dueNow },
    ],
    [
      "kept, as a manager says",
      payable,
      decidedAs("not_handed_out"),
      { stage: { kind: "not_handed_out", reason: "other" }, decided: true, saidBy: "M1", ...dueNow },
    ],
    ["the bank pays", waiting, phaseSeen("payment"), { ...waitingFor("payment"), approval: null }],
    [
      "still to be approved",
      [...rejecting, rejectOvertaken("confirming")],
      phaseSeen("approval"),
      waitingFor("approval"),
    ],
    [
      "to be approved, in the time that runs",
      confirming,
      phaseSeen("approval"),
      { ...waitingFor("approval"), approval: own },
    ],
    [
      "a reject that came too late",
      rejecting,
      rejectOvertaken("payment"),
      { ...waitingFor("payment"), recovered: true },
    ],
    [
      "a reject whose confirm is learnt",
      rejectingUnsure,
      rejectOvertaken("confirming"),
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
    const overtaken: Event = rejectOvertaken("confirming");
    expect(only(given(...waiting, cashier, overtaken, time_out)).rejectedHere).toBe(true);
    expect(only(given(...waiting, time_out)).rejectedHere).toBe(false);
  });

  test("its calls start afresh, and what is known about its confirms stays", () => {
    const state = given(...waiting, busy);
    const after = only(evolve(state, rejectIntended("cashier"), later));
    expect(after.requestState).toEqual(fresh(only(state)).requestState);
    expect(after.requestState).toMatchObject({ confirms: 2, silentConfirms: 1, failures: 0, conflict: false });
  });
});

describe("an event that leaves the stage as it is", () => {
  const deadline: Event = { type: "approval_deadline_known", withdrawalId: "W1", untilMs: 9, totalMs: 8 };
  test.each<[string, readonly Event[], Event, (one: Withdrawal) => Partial<Withdrawal>]>([
    ["taken during a reject", rejectingUnsure, confirmAccepted("awaiting_sca"), () => ({ confirmed: true })],
    ["settled again while the drawer opens", opening, settled, () => ({})],
    ["settled again when it was handed out", handedOut, settled, () => ({})],
    ["settled again when it was declared", kept, settled, () => ({})],
    ["the drawer is opened again", counting, drawerReopened, () => ({ ...openingNow, drawerTries: 2 })],
    [
      "opened again, the first time lost",
      payable,
      drawerReopened,
      () => ({ ...openingNow, drawerTries: 1, handOutBegun: true }),
    ],
    [
      "the reject was taken",
      [...rejecting, busy],
      reportAccepted("reject"),
      ({ requestState }) => ({ requestState: { ...requestState, rejectRefused: false } }),
    ],
    [
      "the reject was refused",
      rejecting,
      reportRefused("reject"),
      ({ requestState }) => ({ requestState: { ...requestState, rejectRefused: true } }),
    ],
    ["a discrepancy", waiting, discrepancy("x"), () => ({})],
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
    ["an answer to repeats", { type: "repeat_ended" }],
    ["no answer to repeats", { type: "repeat_postponed", notBeforeMs: 9 }],
    ["the drawer's answer to an earlier opening", { type: "no_sale_ended", number: 7, result: "failed" }],
  ])("of what is not open is no other state, so that no screen is sent: %s", (_, event) => {
    const state = given(...waiting);
    expect(evolve(state, event, later)).toBe(state);
  });
});
