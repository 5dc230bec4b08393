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

/** The terminal's own time-out, which stays below what the service is known to wait. */
const ownApprovalMs = (state: State): number => {
  const ownMs = state.settings.scaTimeoutSeconds * 1000;
  const serviceSeconds = shopOf(state)?.scaTimeoutSeconds;
  return serviceSeconds == null
    ? ownMs
    : Math.min(ownMs, Math.max(clockResolutionMs, serviceSeconds * 1000 - approvalMarginMs));
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

/** The state with the screen that a withdrawal on it ends with; one behind it ends in silence, or leaves a message. */
const ended = (
  state: State,
  before: Withdrawal,
  { of, unwatched }: { readonly of: Facts; readonly unwatched?: boolean | undefined },
  outcome: Message["outcome"],
  moment: Moment,
): State => {
  const after = unwatched ? addMessage(state, before, of, outcome, moment) : state;
  const message = unwatched ? { withdrawalId: of.withdrawalId, isLate: false } : null;
  return isActive(state, of) ? showScreen(after, endedScreen(outcome, of, message)) : after;
};

/** The state after a journal entry about one withdrawal. */
export const evolveWithdrawal = (state: State, event: AboutWithdrawal & Recorded, moment: Moment): State => {
  const facts = event.of;
  const before = findOrCreate(state, facts, moment);
  const { monotonicMs } = moment;
  const enter = (changes: Partial<Withdrawal>): State => put(state, enterStage(before, moment, changes));
  switch (event.type) {
    case "confirm_intended": {
      const totalMs = ownApprovalMs(state);
      const after = enter({
        stage: { kind: "confirming" },
        confirmAttempted: true,
        approval: { untilMs: monotonicMs + totalMs, totalMs, isService: false },
      });
      return { ...after, ownIds: new Set([...state.ownIds, facts.partnerId].slice(-ownIdsMax)) };
    }
    case "confirm_accepted": {
      const accepted = { confirmAttempted: true, confirmed: true };
      if (before.stage.kind !== "confirming" && before.stage.kind !== "review")
        return put(state, { ...before, ...accepted });
      const phase = event.status === "settling" ? "payment" : "approval";
      const approval = phase === "payment" ? null : before.approval;
      return enter({ ...accepted, stage: { kind: "waiting", phase }, approval });
    }
    case "reject_intended":
      return enter({
        stage: { kind: "rejecting", why: event.why },
        confirmAttempted: before.confirmAttempted || event.intended,
        reportDueSinceMs: monotonicMs,
        approval: null,
      });
    case "settled": {
      // Said again after the hand-out began: cash that moved is never offered a second time.
      if (isIn(before.stage, "hand_out", "reported")) return state;
      const settled = enterStage(before, moment, {
        stage: { kind: "payable" },
        confirmAttempted: true,
        confirmed: true,
        approval: null,
        settledMs: monotonicMs,
        recovered: before.recovered || before.requestState.failures > 0 || !isActive(state, facts),
      });
      // What may have been handed out already is not offered, however often the service says that it was paid.
      const checkFirst = before.doubtful || settled.requestState.checkFirst;
      return put(state, { ...settled, requestState: { ...settled.requestState, checkFirst } });
    }
    case "hand_out_intended":
      return enter({
        stage: { kind: "opening", drawer: "opening" },
        confirmAttempted: true,
        confirmed: true,
        handOutBegun: true,
        handOutAsked: null,
        drawerTries: before.drawerTries + 1,
      });
    case "drawer_reopened": {
      const stage: Stage = { kind: "opening", drawer: "opening" };
      return put(state, { ...before, stage, handOutBegun: true, drawerTries: before.drawerTries + 1 });
    }
    case "drawer_unsure":
      return enter({ stage: { kind: "opening", drawer: event.drawer } });
    case "drawer_opened":
      return enter({ stage: { kind: "opening", drawer: "open" }, sensed: { ...notSensed, atMs: monotonicMs } });
    case "handed_out":
    case "not_handed_out":
    case "decided":
      return cashDeclared(state, before, event, moment);
    case "report_accepted":
    case "report_refused": {
      if (event.report !== "reject") return drop(state, facts);
      const rejectRefused = event.type === "report_refused";
      return put(state, { ...before, requestState: { ...before.requestState, rejectRefused } });
    }
    case "closed":
      return ended(drop(state, facts), before, event, event.outcome, moment);
    case "discrepancy":
      return state;
    default:
      return assertNever(event);
  }
};

type CashDeclared = Extract<AboutWithdrawal, { type: "handed_out" | "not_handed_out" | "decided" }>;

/** What the manager said goes the way of the cashier's own word; what is left to the books is the terminal's no more. */
const cashDeclared = (state: State, before: Withdrawal, event: CashDeclared & Recorded, moment: Moment): State => {
  const facts = event.of;
  const idleAfter = (after: State): State => (isActive(state, facts) ? showScreen(after, { kind: "idle" }) : after);
  const said = event.type === "decided" ? event.decision : event.type;
  if (said === "leave_to_books") return idleAfter(drop(state, facts));
  const reported = {
    saidBy: event.actor ?? null,
    reportDueSinceMs: moment.monotonicMs,
    ...(event.type === "decided" && { decided: true }),
    ...(event.type !== "not_handed_out" && { handOutId: event.handOutId ?? null }),
  };
  if (said === "not_handed_out") {
    const reason = event.type === "not_handed_out" ? event.reason : "other";
    const after = put(state, enterStage(before, moment, { ...reported, stage: { kind: said, reason } }));
    return event.type === "decided" ? idleAfter(after) : ended(after, before, event, said, moment);
  }
  const after = put(state, enterStage(before, moment, { ...reported, stage: { kind: said } }));
  const given = { ...after, cashGiven: addCash(after.cashGiven, facts.transactionId) };
  if (event.type === "decided" || !isActive(state, facts)) return idleAfter(given);
  return showScreen(given, { kind: "done", facts: factsOf(before), untilMs: moment.monotonicMs + doneMs });
};
