/** After a restart: what the replay left open is asked about, and the cashier is put where they were. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import {
  type ActiveScreen,
  activeWithdrawal,
  awaitsApproval,
  freshRequestState,
  isIn,
  type Moment,
  type Stage,
  type State,
  type Withdrawal,
} from "./state.ts";

/**
 * A hand-out that was begun is put to the cashier, never assumed; everything else is asked before it is repeated. What is
 * payable is asked about before it is offered: a journal put back from a backup does not know what was handed out since.
 */
const recovered = (state: State, before: Withdrawal, moment: Moment): Withdrawal => {
  const stage: Stage = isIn(before.stage, "hand_out") ? { kind: "payable" } : before.stage;
  // An approval is asked about at once too, not with a held answer: its deadline is the service's.
  const asks = awaitsApproval(stage) || isIn(stage, "payable");
  const totalMs = state.settings.scaTimeoutSeconds * 1000;
  return {
    ...before,
    stage,
    recovered: true,
    settledMs: null,
    approval: awaitsApproval(stage) ? { untilMs: moment.monotonicMs + totalMs, totalMs, isService: false } : null,
    stageSinceMs: moment.monotonicMs,
    requestState: { ...freshRequestState(moment.monotonicMs, asks), silentConfirms: 1 },
  };
};

const urgency = ({ stage, intended }: Withdrawal): number => {
  switch (stage.kind) {
    case "payable":
      return 3;
    case "confirming":
    case "waiting":
      return 2;
    case "rejecting":
      return intended ? 1 : 0;
    case "review":
    case "opening":
    case "handed_out":
    case "not_handed_out":
      return 0;
    default:
      return assertNever(stage);
  }
};

/** The most urgent, and of those the latest, is shown. */
const activeScreenAfter = (open: ReadonlyMap<string, Withdrawal>): ActiveScreen => {
  let activeScreen: ActiveScreen = { kind: "idle" };
  let most = 1;
  for (const one of open.values()) {
    if (urgency(one) < most) continue;
    most = urgency(one);
    activeScreen = { kind: "withdrawal", withdrawalId: one.withdrawalId };
  }
  return activeScreen;
};

/** Turns the state as replayed into the state to go on with. */
export const afterRestart = (state: State, moment: Moment): State => {
  const open = new Map([...state.open].map(([id, one]) => [id, recovered(state, one, moment)]));
  return {
    ...state,
    open,
    activeScreen: state.credential === "missing" ? { kind: "idle" } : activeScreenAfter(open),
    screenNumber: state.screenNumber + 1,
  };
};

/** A review is looked up again under its barcode: the order may have expired or been taken meanwhile. */
const screenAfterSleep = (state: State, moment: Moment): State => {
  const one = activeWithdrawal(state);
  if (one?.stage.kind !== "review") return state;
  const open = new Map(state.open);
  open.delete(one.withdrawalId);
  return {
    ...state,
    open,
    activeScreen: {
      kind: "looking_up",
      transactionId: one.transactionId,
      sinceMs: moment.monotonicMs,
      tries: 0,
      notBeforeMs: moment.monotonicMs,
    },
    screenNumber: state.screenNumber + 1,
  };
};

/** Asks before anything is repeated or offered; a confirm that was under way may have been taken. */
const recheck = ({ requestState }: Withdrawal, confirming: boolean): Withdrawal["requestState"] => ({
  ...requestState,
  number: requestState.number + 1,
  checkFirst: true,
  silentConfirms: confirming ? Math.max(1, requestState.silentConfirms) : requestState.silentConfirms,
});

const awake = (one: Withdrawal, moment: Moment): Withdrawal => {
  const withState = (requestState: Withdrawal["requestState"]): Withdrawal => ({
    ...one,
    stageSinceMs: moment.monotonicMs,
    requestState: { ...requestState, notBeforeMs: moment.monotonicMs },
  });
  const { stage } = one;
  switch (stage.kind) {
    case "opening":
      return one;
    case "payable":
    case "confirming":
      return { ...withState(recheck(one, stage.kind === "confirming")), handOutAsked: null };
    case "review":
    case "waiting":
    case "rejecting":
    case "handed_out":
    case "not_handed_out":
      return withState(one.requestState);
    default:
      return assertNever(stage);
  }
};

/** After the machine slept: what is payable is asked about before it is offered again, and nothing waits for its old pause. */
export const afterSleep = (state: State, moment: Moment): State => {
  const open = new Map([...state.open].map(([id, one]) => [id, awake(one, moment)]));
  return screenAfterSleep({ ...state, open, connection: "starting", respondedAtMs: moment.monotonicMs }, moment);
};
