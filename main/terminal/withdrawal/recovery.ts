/** What a restart, a sleep and an answer after silence do to the state. */
import { clockOffReportMs, outageMs } from "../bounds.ts";
import type { Answer } from "../service/answer.ts";
import { type ActiveScreen, activeWithdrawal, lookUp, type Moment, type State, showScreen } from "./state.ts";
import { awaitsApproval, awaitsService, freshRequestState, isIn, type Stage, type Withdrawal } from "./withdrawal.ts";

const retryAll = (state: State, moment: Moment): State["open"] =>
  new Map(
    [...state.open].map(([id, one]) => [
      id,
      one.requestState.failures > 0
        ? { ...one, requestState: { ...one.requestState, notBeforeMs: moment.monotonicMs } }
        : one,
    ]),
  );

const clockAt = (dateMs: number, { wallMs, monotonicMs }: Moment): State["serviceClock"] => {
  const offMs = wallMs - dateMs;
  return { dateMs, atMs: monotonicMs, offMs: Math.abs(offMs) > clockOffReportMs ? offMs : 0 };
};

/** @param dateMs the answer's Date, milliseconds since the epoch; null when it had none. */
export const serviceResponded = (state: State, dateMs: number | null, moment: Moment): State => {
  const outage = state.silentSinceMs !== null && moment.monotonicMs - state.silentSinceMs >= outageMs;
  return {
    ...state,
    open: outage ? retryAll(state, moment) : state.open,
    connection: "online",
    // What it says of itself may be new: it may have been put back to a copy meanwhile.
    shopAskedMs: state.connection === "offline" ? null : state.shopAskedMs,
    silentSinceMs: null,
    isDoubted: false,
    respondedAtMs: moment.monotonicMs,
    serviceClock: dateMs === null ? state.serviceClock : clockAt(dateMs, moment),
  };
};

/** The state with the service's clock as an answer's own Date shows it, for what the same answer says about times. */
export const withServiceClock = (state: State, answer: Answer, moment: Moment): State =>
  answer.kind === "answer" && !answer.ofEarlierKey
    ? { ...state, serviceClock: serviceResponded(state, answer.dateMs, moment).serviceClock }
    : state;

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

/** A hand-out that was begun is payable again by now. */
const urgency = ({ stage, confirmAttempted }: Withdrawal): number => {
  if (isIn(stage, "payable")) return 3;
  if (!awaitsService(stage)) return 0;
  return stage.kind !== "rejecting" ? 2 : confirmAttempted ? 1 : 0;
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
  return showScreen({ ...state, open }, state.credential === "missing" ? { kind: "idle" } : activeScreenAfter(open));
};

/** What can be offered or repeated is asked about first; a confirm that was under way may have been taken. */
const awake = (one: Withdrawal, { monotonicMs }: Moment): Withdrawal => {
  const { requestState, stage } = one;
  if (stage.kind === "opening") return one;
  const woken = { ...one, scannedMs: null, stageSinceMs: monotonicMs };
  const again = { ...requestState, notBeforeMs: monotonicMs };
  if (stage.kind !== "payable" && stage.kind !== "confirming") return { ...woken, requestState: again };
  const silentConfirms = Math.max(stage.kind === "confirming" ? 1 : 0, requestState.silentConfirms);
  const asked = { ...again, number: requestState.number + 1, checkFirst: true, silentConfirms };
  return { ...woken, handOutAsked: null, requestState: asked };
};

/**
 * After the machine slept: what is payable is asked about before it is offered again, and nothing waits for its old pause. A
 * review is looked up again under its barcode: the order may have expired or been taken meanwhile.
 */
export const afterSleep = (state: State, moment: Moment): State => {
  const open = new Map([...state.open].map(([id, one]) => [id, awake(one, moment)]));
  const after: State = { ...state, open, connection: "starting", respondedAtMs: moment.monotonicMs };
  const active = activeWithdrawal(state);
  return active?.stage.kind === "review" ? lookUp(after, active.transactionId, moment) : after;
};
