/** Changes of the state after a restart, after sleep, and after an answer that ends a silence. */
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

/** @param dateMs the answer's Date, milliseconds since the epoch, or null. */
export const serviceResponded = (state: State, dateMs: number | null, moment: Moment): State => {
  const outage = state.silentSinceMs !== null && moment.monotonicMs - state.silentSinceMs >= outageMs;
  return {
    ...state,
    open: outage ? retryAll(state, moment) : state.open,
    connection: "online",
    // Ask for the shop again: the service may have been restored from a backup meanwhile.
    shopAskedMs: state.connection === "offline" ? null : state.shopAskedMs,
    silentSinceMs: null,
    isDoubted: false,
    respondedAtMs: moment.monotonicMs,
    serviceClock: dateMs === null ? state.serviceClock : clockAt(dateMs, moment),
  };
};

/** Sets the service's clock by an answer's Date, for interpreting times in the same answer. */
export const withServiceClock = (state: State, answer: Answer, moment: Moment): State =>
  answer.kind === "answer" && !answer.ofEarlierKey
    ? { ...state, serviceClock: serviceResponded(state, answer.dateMs, moment).serviceClock }
    : state;

/**
 * A withdrawal after a restart. The cashier is asked about a hand-out that was begun; for all else the service is asked
 * before anything is repeated or offered, because a restored journal does not know later hand-outs.
 */
const recovered = (state: State, before: Withdrawal, moment: Moment): Withdrawal => {
  const stage: Stage = isIn(before.stage, "hand_out") ? { kind: "payable" } : before.stage;
  // Also asks for an approval's status at once instead of by long poll, to learn the service's deadline.
  const asks = awaitsApproval(stage) || isIn(stage, "payable");
  const totalMs = state.settings.scaTimeoutSeconds * 1000;
  return {
    ...before,
    stage,
    recovered: true,
    ofEarlierRun: true,
    settledMs: null,
    asksHandOver: true,
    approval: awaitsApproval(stage) ? { untilMs: moment.monotonicMs + totalMs, totalMs, isService: false } : null,
    stageSinceMs: moment.monotonicMs,
    requestState: { ...freshRequestState(moment.monotonicMs, asks), silentConfirms: 1 },
  };
};

/** Order of importance; a hand-out that was begun is payable again at this point. */
const urgency = ({ stage, confirmAttempted }: Withdrawal): number => {
  if (isIn(stage, "payable")) return 3;
  if (!awaitsService(stage)) return 0;
  return stage.kind !== "rejecting" ? 2 : confirmAttempted ? 1 : 0;
};

/** Shows the most urgent withdrawal; of equal ones the latest. */
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

/** Turns the replayed state into the state to continue with. */
export const afterRestart = (state: State, moment: Moment): State => {
  const open = new Map([...state.open].map(([id, one]) => [id, recovered(state, one, moment)]));
  return showScreen({ ...state, open }, state.credential === "missing" ? { kind: "idle" } : activeScreenAfter(open));
};

/** Check with the service before offering or repeating anything; a confirm in progress may have been accepted. */
const awake = (one: Withdrawal, { monotonicMs }: Moment): Withdrawal => {
  const { requestState, stage } = one;
  if (stage.kind === "opening") return { ...one, scannedMs: null };
  const woken = { ...one, scannedMs: null, stageSinceMs: monotonicMs };
  const again = { ...requestState, notBeforeMs: monotonicMs };
  if (stage.kind !== "payable" && stage.kind !== "confirming") return { ...woken, requestState: again };
  const silentConfirms = Math.max(stage.kind === "confirming" ? 1 : 0, requestState.silentConfirms);
  const asked = { ...again, number: requestState.number + 1, checkFirst: true, silentConfirms };
  return { ...woken, handOutAsked: null, requestState: asked };
};

/**
 * After sleep: payable withdrawals are checked before they are offered again, pauses end, and a review is looked up
 * again, because the order may have expired or been taken meanwhile.
 */
export const afterSleep = (state: State, moment: Moment): State => {
  const open = new Map([...state.open].map(([id, one]) => [id, awake(one, moment)]));
  const after: State = { ...state, open, connection: "starting", respondedAtMs: moment.monotonicMs };
  const active = activeWithdrawal(state);
  return active?.stage.kind === "review" ? lookUp(after, active.transactionId, moment) : after;
};
