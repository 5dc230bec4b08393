/** Computes the snapshot from the state: the screen with its name and step, and the header. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Countdown, Header, OpenWithdrawal, Screen, ScreenOf, Snapshot } from "../../../preload/contract.ts";
import { doneMs } from "../bounds.ts";
import { printTroubleOf } from "../printing/queue.ts";
import { deviceOf } from "./book.ts";
import { cashOf, dayInHeader, drawerCover, missingFor } from "./drawer-day.ts";
import { activeWithdrawal, type Moment, type State, serviceNowMs, shopOf, terminalNameOf } from "./state.ts";
import {
  closingEndsMs,
  isIn,
  needsRecheck,
  offersCash,
  pendingReport,
  shownFacts,
  type Withdrawal,
} from "./withdrawal.ts";

/** Silences in a row after which a payment being settled is shown as unknown. */
const paymentSilencesMax = 2;

/** A screen without its step, which its buttons send back. */
type ScreenBody = { [K in Screen["kind"]]: Omit<Extract<Screen, { kind: K }>, "step"> }[Screen["kind"]];

/** A screen's name, with its phase where the buttons differ by it: `ready`, `waiting:payment`, `opening:failed` … */
export type ScreenName =
  | Exclude<Screen["kind"], "waiting" | "opening">
  | `waiting:${"approval" | "payment"}`
  | `opening:${"checking" | "opening" | "failed" | "unknown"}`;

const nameOf = (body: ScreenBody): ScreenName => {
  if (body.kind === "waiting") return `waiting:${body.phase}`;
  return body.kind === "opening" ? `opening:${body.drawer}` : body.kind;
};

/** Name of the current screen, which determines its buttons. */
export const screenName = (state: State, moment: Moment): ScreenName => nameOf(bodyOf(state, moment));

/** Identifies the current screen; a command with another step was meant for an earlier screen. */
export const stepOf = (state: State, moment: Moment): string => `${state.screenNumber}.${screenName(state, moment)}`;

const openState = (one: Withdrawal): OpenWithdrawal["state"] | null => {
  if (isIn(one.stage, "review", "reported")) return null;
  if (one.stage.kind === "rejecting") return one.confirmAttempted ? "closing" : null;
  return offersCash(one) || isIn(one.stage, "hand_out") ? "payable" : "unknown";
};

const openOf = (state: State, moment: Moment): readonly OpenWithdrawal[] => {
  const active = activeWithdrawal(state);
  return [...state.open.values()].flatMap((one) => {
    const shown = openState(one);
    if (shown === null || one === active) return [];
    return [{ ...shownFacts(one), state: shown, sinceMs: Math.max(0, moment.monotonicMs - one.beganMs) }];
  });
};

/** A report's first attempt is not counted, so that the header does not flicker. */
const reportIsWaiting = (one: Withdrawal): boolean =>
  pendingReport(one) !== null && (one.requestState.failures > 0 || (one.recovered && one.stage.kind !== "rejecting"));

/** A review, or a reject without a confirm, can be dropped without consequences. */
const isUnfinished = (one: Withdrawal): boolean =>
  one.stage.kind !== "review" && (one.stage.kind !== "rejecting" || one.confirmAttempted || reportIsWaiting(one));

const pendingReportsOf = (state: State, moment: Moment): Header["pendingReports"] => {
  const waiting = [...state.open.values()].filter(reportIsWaiting);
  if (waiting.length === 0) return null;
  const oldest = Math.min(...waiting.map((one) => one.reportDueSinceMs ?? one.beganMs));
  return { count: waiting.length, oldestMs: Math.max(0, moment.monotonicMs - oldest) };
};

const printingOf = ({ printing: { printer, jobs } }: State): Header["printing"] => {
  const why = printTroubleOf(printer);
  if (why === null) return null;
  const isRetried = printer.kind === "printing" || (printer.kind === "not_printed" && printer.retryAtMs !== null);
  return { why, isUnclear: printer.kind === "unclear", isRetried, waiting: jobs.length };
};

/**
 * A blind count's difference is for managers only, and an opening for a count is usually explained soon: both are
 * counted only while a manager is signed in.
 */
const drawerProblemsSeen = ({ drawerProblems, people }: State): number =>
  people.guarded && people.manager === null
    ? drawerProblems.filter(({ about, noSale }) => about !== "count_differs" && noSale?.reason !== "cash_count").length
    : drawerProblems.length;

/** The header; durations count from this moment. */
const headerOf = (state: State, moment: Moment): Header => ({
  shop: shopOf(state)?.name ?? state.device?.merchantId ?? "",
  device: terminalNameOf(state),
  identity: state.device && deviceOf(state.device),
  profile: shopOf(state),
  training: state.training,
  sandboxUrl: state.sandboxUrl,
  phoneAccess: state.phoneAccess,
  connection: state.connection,
  pendingReports: pendingReportsOf(state, moment),
  open: openOf(state, moment),
  problems: state.problems.size + drawerProblemsSeen(state) + (state.journalFork.kind === "found" ? 1 : 0),
  unfinished: [...state.open.values()].filter(isUnfinished).length,
  clockOffMs: state.serviceClock === null || state.serviceClock.offMs === 0 ? null : state.serviceClock.offMs,
  sameDeviceElsewhere: state.sameDeviceElsewhere,
  damagedEntries: state.damagedEntries,
  journalCheck: state.journalCheck,
  journalFailing: state.journalFailing,
  wrongSettings: state.wrongSettings,
  changedSettings: state.changedSettings,
  ownService: state.ownService,
  update: state.update,
  day: dayInHeader(state, moment.wallMs),
  printing: printingOf(state),
  paperLow: state.printing.paperLow,
});

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

const ofWithdrawal = (state: State, one: Withdrawal, moment: Moment): ScreenBody => {
  const { stage, requestState } = one;
  // After sleep, a failed journal or a change of cashiers another customer may stand there, too.
  const recovered = one.recovered || one.scannedMs === null;
  const of = shownFacts(one);
  const withCash = () => ({ ...of, cash: cashOf(state, one) });
  const unknown = (doing: ScreenOf<"unknown">["doing"] = "asking_service"): ScreenBody => ({
    kind: "unknown",
    ...of,
    sinceMs: Math.max(0, moment.monotonicMs - one.beganMs),
    doing,
  });
  switch (stage.kind) {
    case "review":
      return {
        kind: "review",
        ...withCash(),
        shop: one.shop,
        orderedMsAgo: one.createdAtMs === null ? null : Math.max(0, serviceNowMs(state, moment) - one.createdAtMs),
        expires: expiry(state, one, moment),
        drawer: drawerCover(state, one),
        missing: missingFor(state, one),
      };
    case "confirming":
      if (requestState.checkFirst) return unknown();
      return requestState.failures > 0 ? unknown("repeating") : { kind: "confirming", ...withCash() };
    case "waiting": {
      const { approval } = one;
      if (stage.phase === "payment" && requestState.failures >= paymentSilencesMax) return unknown();
      const left = approval === null ? null : countdown(approval.untilMs, approval.totalMs, moment);
      const mayBeGone = recovered && stage.phase === "payment";
      return {
        kind: "waiting",
        ...withCash(),
        phase: stage.phase,
        countdown: left,
        ...(mayBeGone && { recovered: true }),
      };
    }
    case "rejecting":
      if (one.confirmAttempted && moment.monotonicMs >= closingEndsMs(one)) return unknown();
      return { kind: "closing", ...of, why: stage.why === "cashier" ? "cashier" : "time_out" };
    case "payable": {
      if (needsRecheck(one)) return unknown(one.doubtful ? "manager_decides" : "asking_service");
      if (one.handOutAsked !== null) return { kind: "opening", ...withCash(), drawer: "checking", recovered };
      const { handOutBegun, rejectedHere } = one;
      return { kind: "payable", ...withCash(), recovered, handOutBegun, rejectedHere };
    }
    case "opening":
      return stage.drawer === "open"
        ? { kind: "counting", ...withCash(), drawer: one.sensed.drawer, recovered }
        : { kind: "opening", ...withCash(), drawer: stage.drawer, recovered };
    case "handed_out":
    case "not_handed_out":
      return {
        kind: "ended",
        outcome: stage.kind,
        transactionId: one.transactionId,
        money: of.money,
        canRetry: false,
        ...(stage.kind === "not_handed_out" && one.handOutBegun && { drawer: "opened" }),
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

const bodyOf = (state: State, moment: Moment): ScreenBody => {
  if (state.blocked !== null) return { kind: "blocked", ...state.blocked };
  if (state.phase === "starting") return { kind: "starting" };
  const { activeScreen } = state;
  switch (activeScreen.kind) {
    case "idle":
      if (state.credential === "good") return { kind: "ready" };
      return { kind: "setup", why: whySetUp[state.credential], known: state.device };
    case "looking_up":
      return { kind: "looking_up", transactionId: activeScreen.transactionId };
    case "done":
      return {
        kind: "done",
        ...shownFacts(activeScreen.facts),
        until: countdown(activeScreen.untilMs, doneMs, moment),
      };
    case "ended": {
      const { outcome, transactionId, money, canRetry, message } = activeScreen;
      const isShort = outcome === "rejected" && money !== null && drawerCover(state, money) === "short";
      const drawer = isShort ? "short" : activeScreen.drawer;
      const kept = message?.isLate ? state.messages.get(message.withdrawalId) : undefined;
      const late = kept === undefined ? null : new Date(kept.atWallMs).toISOString();
      return { kind: "ended", outcome, transactionId, money, canRetry, ...(drawer && { drawer }), late };
    }
    case "withdrawal": {
      const one = activeWithdrawal(state);
      return one === null ? { kind: "ready" } : ofWithdrawal(state, one, moment);
    }
    default:
      return assertNever(activeScreen);
  }
};

const screenOf = (state: State, moment: Moment): Screen => {
  const body = bodyOf(state, moment);
  return { ...body, step: `${state.screenNumber}.${nameOf(body)}` } as Screen;
};

/** Everything shown on the screens; countdowns start at this moment. */
export const snapshotOf = (state: State, moment: Moment, revision: number): Snapshot => ({
  revision,
  screen: screenOf(state, moment),
  header: headerOf(state, moment),
  toast: state.toast,
  settings: state.settings,
  people: state.people,
});
