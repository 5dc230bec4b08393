/** The snapshot of a state at one moment: all that the screens know. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Countdown, Screen, Snapshot } from "../../../preload/contract.ts";
import { doneMs } from "./bounds.ts";
import { drawerCover } from "./drawer-cover.ts";
import { shownFacts } from "./facts.ts";
import { headerOf } from "./header.ts";
import { activeWithdrawal, type Moment, type State, serviceNowMs, type Withdrawal } from "./state.ts";
import { screenName, stepOf } from "./step.ts";

const countdown = (untilMs: number, totalMs: number, moment: Moment): Countdown => ({
  totalMs,
  remainingMs: Math.max(0, Math.min(totalMs, untilMs - moment.monotonicMs)),
});

const expiry = (state: State, one: Withdrawal, moment: Moment): Countdown | null => {
  if (one.expiresAtMs === null) return null;
  const nowMs = serviceNowMs(state, moment);
  const remainingMs = Math.max(0, one.expiresAtMs - nowMs);
  const totalMs = one.createdAtMs === null ? remainingMs : Math.max(remainingMs, one.expiresAtMs - one.createdAtMs);
  return { totalMs, remainingMs };
};

const withdrawalScreen = (state: State, one: Withdrawal, moment: Moment): Screen => {
  const step = stepOf(state, moment);
  const of = shownFacts(one);
  if (screenName(state, moment) === "unknown")
    return {
      kind: "unknown",
      step,
      ...of,
      sinceMs: Math.max(0, moment.monotonicMs - one.beganMs),
      attempts: one.requestState.failures,
      doing: one.stage.kind === "confirming" && !one.requestState.checkFirst ? "repeating" : "asking_service",
    };
  const { stage } = one;
  switch (stage.kind) {
    case "review":
      return {
        kind: "review",
        step,
        ...of,
        shop: one.shop,
        orderedMsAgo: one.createdAtMs === null ? null : Math.max(0, serviceNowMs(state, moment) - one.createdAtMs),
        expires: expiry(state, one, moment),
        drawer: drawerCover(state, one),
      };
    case "confirming":
      return { kind: "confirming", step, ...of };
    case "waiting": {
      const { approval } = one;
      return {
        kind: "waiting",
        step,
        ...of,
        phase: stage.phase,
        countdown: approval === null ? null : countdown(approval.untilMs, approval.totalMs, moment),
      };
    }
    case "rejecting":
      return { kind: "closing", step, ...of, why: stage.why === "cashier" ? "cashier" : "time_out" };
    case "payable":
      if (one.handOutAsked !== null)
        return { kind: "opening", step, ...of, drawer: "checking", recovered: one.recovered };
      return { kind: "payable", step, ...of, recovered: one.recovered, handOutBegun: one.handOutBegun };
    case "opening":
      return stage.drawer === "open"
        ? { kind: "counting", step, ...of, drawer: one.sensed.drawer, recovered: one.recovered }
        : { kind: "opening", step, ...of, drawer: stage.drawer, recovered: one.recovered };
    case "handed_out":
    case "not_handed_out":
      return {
        kind: "ended",
        step,
        outcome: stage.kind,
        transactionId: one.transactionId,
        money: of.money,
        canRetry: false,
        late: null,
      };
    default:
      return assertNever(stage);
  }
};

const whySetUp = {
  missing: "not_enrolled",
  refused: "credential_refused",
  unsafe: "unsafe_service",
} as const;

const screenOf = (state: State, moment: Moment): Screen => {
  const step = stepOf(state, moment);
  if (state.blocked !== null) return { kind: "blocked", step, ...state.blocked };
  if (state.phase === "starting") return { kind: "starting", step };
  const { activeScreen } = state;
  switch (activeScreen.kind) {
    case "idle":
      if (state.credential === "good") return { kind: "ready", step };
      return {
        kind: "setup",
        step,
        why: whySetUp[state.credential],
        known: state.device,
      };
    case "looking_up":
      return { kind: "looking_up", step, transactionId: activeScreen.transactionId };
    case "done":
      return {
        kind: "done",
        step,
        ...shownFacts(activeScreen.facts),
        until: countdown(activeScreen.untilMs, doneMs, moment),
      };
    case "ended": {
      const { outcome, transactionId, money, canRetry, message } = activeScreen;
      const kept = message?.isLate ? state.messages.get(message.withdrawalId) : undefined;
      const late = kept === undefined ? null : new Date(kept.atWallMs).toISOString();
      return { kind: "ended", step, outcome, transactionId, money, canRetry, late };
    }
    case "withdrawal": {
      const one = activeWithdrawal(state);
      return one === null ? { kind: "ready", step } : withdrawalScreen(state, one, moment);
    }
    default:
      return assertNever(activeScreen);
  }
};

/** Everything the screens show at one moment; countdowns run from it. */
export const snapshotOf = (state: State, moment: Moment, revision: number): Snapshot => ({
  revision,
  screen: screenOf(state, moment),
  header: headerOf(state, moment),
  toast: state.toast,
  settings: state.settings,
  people: state.people,
});
