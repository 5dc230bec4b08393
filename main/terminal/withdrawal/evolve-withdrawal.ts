/** What happened to one withdrawal, applied: put in, moved to another stage, taken out. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { approvalMarginMs, clockResolutionMs, doneMs, ownIdsMax } from "../bounds.ts";
import type { AboutWithdrawal, ProgressEvent, Recorded } from "./events.ts";
import { type ActiveScreen, addCash, type Message, type Moment, type State, shopOf, showScreen } from "./state.ts";
import {
  type Facts,
  factsOf,
  freshRequestState,
  isIn,
  newWithdrawal,
  notSensed,
  type Stage,
  type Withdrawal,
} from "./withdrawal.ts";

/** Puts a withdrawal in, in place of the one with its id. */
export const put = (state: State, withdrawal: Withdrawal): State => ({
  ...state,
  open: new Map(state.open).set(withdrawal.withdrawalId, withdrawal),
});

/** Takes a withdrawal out: it is over. */
const drop = (state: State, facts: Facts): State => {
  const open = new Map(state.open);
  open.delete(facts.withdrawalId);
  return { ...state, open };
};

/** Whether a withdrawal is the one on the screen. */
const isActive = (state: State, facts: Facts): boolean =>
  state.activeScreen.kind === "withdrawal" && state.activeScreen.withdrawalId === facts.withdrawalId;

/** The withdrawal an entry is about; made from the entry's own facts when the entry that began it is lost. */
export const findOrCreate = (state: State, facts: Facts, moment: Moment): Withdrawal =>
  state.open.get(facts.withdrawalId) ?? newWithdrawal(facts, moment.monotonicMs, state.restoreAnswered);

/** A withdrawal in its next stage: its calls start afresh, what is known about its confirms stays. */
const enterStage = (withdrawal: Withdrawal, moment: Moment, changes: Partial<Withdrawal>): Withdrawal => ({
  ...withdrawal,
  stageSinceMs: moment.monotonicMs,
  requestState: {
    ...freshRequestState(moment.monotonicMs, false),
    number: withdrawal.requestState.number + 1,
    confirms: withdrawal.requestState.confirms,
    silentConfirms: withdrawal.requestState.silentConfirms,
  },
  ...changes,
});

/** Changes an open withdrawal; the state as it is when there is none with that id. */
const change = (state: State, withdrawalId: string, make: (before: Withdrawal) => Withdrawal): State => {
  const before = state.open.get(withdrawalId);
  return before === undefined ? state : put(state, make(before));
};

/** The screen of a withdrawal that is over. */
const endedScreen = (
  outcome: Extract<ActiveScreen, { kind: "ended" }>["outcome"],
  facts: Facts,
  message: Extract<ActiveScreen, { kind: "ended" }>["message"] = null,
): ActiveScreen => ({
  kind: "ended",
  outcome,
  transactionId: facts.transactionId,
  money: { amount: facts.amount, currency: facts.currency },
  canRetry: false,
  message,
});

/** The screen of a message that waited for its turn. */
export const messageScreen = ({ outcome, facts }: Message): ActiveScreen =>
  endedScreen(outcome, facts, { withdrawalId: facts.withdrawalId, isLate: true });

/** Keeps how a withdrawal ended until somebody has read it. */
const addMessage = (
  state: State,
  before: Withdrawal,
  facts: Facts,
  outcome: Message["outcome"],
  moment: Moment,
): State => ({
  ...state,
  messages: new Map(state.messages).set(facts.withdrawalId, {
    facts: factsOf(facts),
    outcome,
    atWallMs: moment.wallMs - (moment.monotonicMs - before.beganMs),
  }),
});

/** The journal's entries about that. */
type PaymentEvent = Extract<
  AboutWithdrawal,
  { type: "confirm_intended" | "confirm_accepted" | "reject_intended" | "settled" }
>;

/** The terminal's own time-out, which stays below what the service is known to wait. */
const ownApprovalMs = (state: State): number => {
  const ownMs = state.settings.scaTimeoutSeconds * 1000;
  const serviceSeconds = shopOf(state)?.scaTimeoutSeconds;
  return serviceSeconds == null
    ? ownMs
    : Math.min(ownMs, Math.max(clockResolutionMs, serviceSeconds * 1000 - approvalMarginMs));
};

/** What may have been handed out already is not offered, however often the service says that it was paid. */
const withAmbiguity = (one: Withdrawal): Withdrawal =>
  one.doubtful ? { ...one, requestState: { ...one.requestState, checkFirst: true } } : one;

/** @param before the withdrawal that the entry is about. */
const evolvePayment = (state: State, before: Withdrawal, event: PaymentEvent, moment: Moment): State => {
  switch (event.type) {
    case "confirm_intended": {
      const totalMs = ownApprovalMs(state);
      return put(
        { ...state, ownIds: new Set([...state.ownIds, event.of.partnerId].slice(-ownIdsMax)) },
        enterStage(before, moment, {
          stage: { kind: "confirming" },
          confirmAttempted: true,
          approval: { untilMs: moment.monotonicMs + totalMs, totalMs, isService: false },
        }),
      );
    }
    case "confirm_accepted": {
      const accepted = { ...before, confirmAttempted: true, confirmed: true };
      if (before.stage.kind !== "confirming" && before.stage.kind !== "review") return put(state, accepted);
      const phase = event.status === "settling" ? "payment" : "approval";
      return put(
        state,
        enterStage(accepted, moment, {
          stage: { kind: "waiting", phase },
          approval: phase === "payment" ? null : before.approval,
        }),
      );
    }
    case "reject_intended":
      return put(
        state,
        enterStage(before, moment, {
          stage: { kind: "rejecting", why: event.why },
          confirmAttempted: before.confirmAttempted || event.intended,
          reportDueSinceMs: moment.monotonicMs,
          approval: null,
        }),
      );
    case "settled":
      // Said again after the hand-out began: cash that moved is never offered a second time.
      if (isIn(before.stage, "hand_out", "reported")) return state;
      return put(
        state,
        withAmbiguity(
          enterStage(before, moment, {
            stage: { kind: "payable" },
            confirmAttempted: true,
            confirmed: true,
            approval: null,
            settledMs: moment.monotonicMs,
            recovered: before.recovered || before.requestState.failures > 0 || !isActive(state, event.of),
          }),
        ),
      );
    default:
      return assertNever(event);
  }
};

/** The journal's entries about that. */
type HandOutEvent = Extract<
  AboutWithdrawal,
  {
    type: "hand_out_intended" | "drawer_reopened" | "drawer_unsure" | "drawer_opened" | "handed_out" | "not_handed_out";
  }
>;

/** @param before the withdrawal that the entry is about. */
const evolveHandOut = (state: State, before: Withdrawal, event: HandOutEvent & Recorded, moment: Moment): State => {
  const facts = event.of;
  const saidBy = event.actor ?? null;
  switch (event.type) {
    case "hand_out_intended":
      return put(
        state,
        enterStage(before, moment, {
          stage: { kind: "opening", drawer: "opening" },
          confirmAttempted: true,
          confirmed: true,
          handOutBegun: true,
          handOutAsked: null,
          drawerTries: before.drawerTries + 1,
        }),
      );
    case "drawer_reopened":
      return put(state, {
        ...before,
        stage: { kind: "opening", drawer: "opening" },
        handOutBegun: true,
        drawerTries: before.drawerTries + 1,
      });
    case "drawer_unsure":
      return put(state, enterStage(before, moment, { stage: { kind: "opening", drawer: event.drawer } }));
    case "drawer_opened":
      return put(
        state,
        enterStage(before, moment, {
          stage: { kind: "opening", drawer: "open" },
          sensed: { ...notSensed, atMs: moment.monotonicMs },
        }),
      );
    case "handed_out": {
      const after = put(
        state,
        enterStage(before, moment, {
          stage: { kind: "handed_out" },
          saidBy,
          handOutId: event.handOutId ?? null,
          reportDueSinceMs: moment.monotonicMs,
        }),
      );
      const marked = { ...after, cashGiven: addCash(after.cashGiven, facts.transactionId) };
      return isActive(state, facts)
        ? showScreen(marked, { kind: "done", facts: factsOf(before), untilMs: moment.monotonicMs + doneMs })
        : marked;
    }
    case "not_handed_out": {
      const after = put(
        state,
        enterStage(before, moment, {
          stage: { kind: "not_handed_out", reason: event.reason },
          saidBy,
          reportDueSinceMs: moment.monotonicMs,
        }),
      );
      const next = event.unwatched ? addMessage(after, before, facts, event.type, moment) : after;
      const message = event.unwatched ? { withdrawalId: facts.withdrawalId, isLate: false } : null;
      return isActive(state, facts) ? showScreen(next, endedScreen(event.type, facts, message)) : next;
    }
    default:
      return assertNever(event);
  }
};

/** The state after an event of this run about a withdrawal under way. */
export const evolveProgress = (state: State, event: ProgressEvent, moment: Moment): State => {
  switch (event.type) {
    case "phase_seen":
      return change(state, event.withdrawalId, (before) =>
        enterStage(before, moment, {
          stage: { kind: "waiting", phase: event.phase },
          approval: event.phase === "payment" ? null : before.approval,
        }),
      );
    case "reject_overtaken":
      return change(state, event.withdrawalId, (before) =>
        enterStage(before, moment, {
          stage: event.to === "payment" ? { kind: "waiting", phase: "payment" } : { kind: "confirming" },
          recovered: true,
        }),
      );
    case "approval_deadline_known":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        approval: before.approval === null ? null : { untilMs: event.untilMs, totalMs: event.totalMs, isService: true },
      }));
    case "drawer_sensed":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        sensed: { drawer: event.drawer, checks: before.sensed.checks + 1, atMs: moment.monotonicMs },
      }));
    case "hand_out_asked":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        handOutAsked: { by: event.by, approvedBy: event.approvedBy, atMs: moment.monotonicMs },
        requestState: {
          ...before.requestState,
          number: before.requestState.number + 1,
          notBeforeMs: moment.monotonicMs,
        },
      }));
    case "recheck_needed":
      return change({ ...state, shopAskedMs: null }, event.withdrawalId, (before) =>
        enterStage(before, moment, {
          handOutAsked: null,
          requestState: {
            ...before.requestState,
            number: before.requestState.number + 1,
            failures: before.requestState.failures + 1,
            checkFirst: true,
            notBeforeMs: event.notBeforeMs,
          },
        }),
      );
    case "retry_requested":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        requestState: { ...before.requestState, notBeforeMs: moment.monotonicMs },
      }));
    case "request_state_changed":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        requestState: { ...before.requestState, ...event.requestState, number: before.requestState.number + 1 },
      }));
    default:
      return assertNever(event);
  }
};

/** The state after a journal entry about one withdrawal. */
export const evolveWithdrawal = (state: State, event: AboutWithdrawal & Recorded, moment: Moment): State => {
  const facts = event.of;
  const before = findOrCreate(state, facts, moment);
  switch (event.type) {
    case "confirm_intended":
    case "confirm_accepted":
    case "reject_intended":
    case "settled":
      return evolvePayment(state, before, event, moment);
    case "hand_out_intended":
    case "drawer_reopened":
    case "drawer_unsure":
    case "drawer_opened":
    case "handed_out":
    case "not_handed_out":
      return evolveHandOut(state, before, event, moment);
    case "report_accepted":
    case "report_refused":
      if (event.report === "reject")
        return put(state, {
          ...before,
          requestState: { ...before.requestState, rejectRefused: event.type === "report_refused" },
        });
      return drop(state, facts);
    case "closed": {
      const dropped = drop(state, facts);
      const after = event.unwatched ? addMessage(dropped, before, facts, event.outcome, moment) : dropped;
      const message = event.unwatched ? { withdrawalId: facts.withdrawalId, isLate: false } : null;
      return isActive(state, facts) ? showScreen(after, endedScreen(event.outcome, facts, message)) : after;
    }
    case "decided":
      return evolveDecided(state, before, event, moment);
    case "discrepancy":
      return state;
    default:
      return assertNever(event);
  }
};

/** What the manager said goes the way of the cashier's own word; what is left to the books is the terminal's no more. */
const evolveDecided = (
  state: State,
  before: Withdrawal,
  event: Extract<AboutWithdrawal, { type: "decided" }>,
  moment: Moment,
): State => {
  const facts = event.of;
  const { decision } = event;
  if (decision === "leave_to_books") {
    const after = drop(state, facts);
    return isActive(state, facts) ? showScreen(after, { kind: "idle" }) : after;
  }
  const stage: Stage = decision === "handed_out" ? { kind: "handed_out" } : { kind: "not_handed_out", reason: "other" };
  const after = put(
    state,
    enterStage(before, moment, {
      stage,
      decided: true,
      saidBy: event.actor,
      handOutId: event.handOutId ?? null,
      reportDueSinceMs: moment.monotonicMs,
    }),
  );
  const marked =
    decision === "handed_out" ? { ...after, cashGiven: addCash(after.cashGiven, facts.transactionId) } : after;
  return isActive(state, facts) ? showScreen(marked, { kind: "idle" }) : marked;
};
