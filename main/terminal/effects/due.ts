/** What is due, derived from the state: each effect has a key that stays the same until it has been answered. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import {
  closingPatienceMs,
  drawerCheckMs,
  duplicateCheckMs,
  probeOfflineMs,
  probeOnlineMs,
  shopReadMs,
} from "../state/bounds.ts";
import {
  activeWithdrawal,
  awaitsApproval,
  isCounting,
  pendingReport,
  type State,
  type Withdrawal,
} from "../state/state.ts";
import type { Work } from "./work.ts";

/** One thing to do, now or later. */
export interface Effect {
  /** The same until the effect was answered: what is under way is never started twice. */
  readonly key: string;
  /** Monotonic. */
  readonly notBeforeMs: number;
  readonly work: Work;
}

const callOf = (one: Withdrawal): Work | null => {
  const { withdrawalId, stage, requestState } = one;
  const { number } = requestState;
  const getStatus: Work = { kind: "get_status", withdrawalId, number, heldFor: null };
  switch (stage.kind) {
    case "confirming":
      return requestState.checkFirst ? getStatus : { kind: "confirm", withdrawalId, number };
    case "waiting":
      if (requestState.checkFirst) return getStatus;
      return { ...getStatus, heldFor: stage.phase === "payment" ? "settling" : "awaiting_sca" };
    case "rejecting":
    case "handed_out":
    case "not_handed_out": {
      const report = pendingReport(one);
      return report === null ? getStatus : { kind: "send_report", withdrawalId, number, report };
    }
    case "payable":
      return requestState.checkFirst ? getStatus : null;
    case "review":
    case "opening":
      return null;
    default:
      return assertNever(stage);
  }
};

const ofWithdrawal = (one: Withdrawal): readonly Effect[] => {
  const effects: Effect[] = [];
  const { withdrawalId, stage, requestState } = one;
  const call = callOf(one);
  if (call !== null)
    effects.push({
      key: `${withdrawalId}:${call.kind}:${requestState.number}`,
      notBeforeMs: requestState.notBeforeMs,
      work: call,
    });
  if (stage.kind === "opening" && stage.drawer === "opening")
    effects.push({
      key: `${withdrawalId}:drawer:${one.drawerTries}`,
      notBeforeMs: one.stageSinceMs,
      work: { kind: "drawer", withdrawalId },
    });
  if (one.approval !== null && awaitsApproval(stage))
    effects.push({
      key: `${withdrawalId}:approval`,
      notBeforeMs: one.approval.untilMs,
      work: { kind: "dispatch", input: { type: "approval_ran_out", withdrawalId } },
    });
  return effects;
};

const ofActiveScreen = (state: State): readonly Effect[] => {
  const { activeScreen, screenNumber } = state;
  switch (activeScreen.kind) {
    case "idle":
    case "ended":
      return [];
    case "looking_up":
      return [
        {
          key: `look_up:${screenNumber}:${activeScreen.tries}`,
          notBeforeMs: activeScreen.notBeforeMs,
          work: { kind: "look_up", transactionId: activeScreen.transactionId },
        },
      ];
    case "done":
      return [
        {
          key: `done:${screenNumber}`,
          notBeforeMs: activeScreen.untilMs,
          work: { kind: "dispatch", input: { type: "done_ran_out", step: screenNumber } },
        },
      ];
    case "withdrawal":
      return ofActiveWithdrawal(state);
    default:
      return assertNever(activeScreen);
  }
};

const hasSensor = ({ drawer }: State["settings"]): boolean => "sensor" in drawer && drawer.sensor;

const ofActiveWithdrawal = (state: State): readonly Effect[] => {
  const one = activeWithdrawal(state);
  if (one === null) return [];
  const { withdrawalId } = one;
  if (one.stage.kind === "rejecting")
    return [
      {
        key: `${withdrawalId}:closing:${one.stageSinceMs}`,
        notBeforeMs: one.stageSinceMs + closingPatienceMs,
        work: one.intended
          ? { kind: "repaint" }
          : { kind: "dispatch", input: { type: "closing_ran_out", withdrawalId } },
      },
    ];
  if (isCounting(one) && hasSensor(state.settings))
    return [
      {
        key: `${withdrawalId}:drawer_state:${one.drawerTries}:${one.sensed.checks}`,
        notBeforeMs: one.sensed.atMs + drawerCheckMs,
        work: { kind: "drawer_state", withdrawalId },
      },
    ];
  if (one.stage.kind !== "review" || one.expiresAtMs === null || state.serviceClock === null) return [];
  return [
    {
      key: `${withdrawalId}:review`,
      notBeforeMs: state.serviceClock.atMs + (one.expiresAtMs - state.serviceClock.dateMs),
      work: { kind: "dispatch", input: { type: "review_ran_out", withdrawalId } },
    },
  ];
};

const reportHead = ({ headReport }: State): Effect => ({
  key: `journal-head:${headReport.number}`,
  notBeforeMs: headReport.dueMs,
  work: { kind: "report_journal_head" },
});

const readShop = (state: State, merchantId: string): Effect => ({
  key: `shop:${merchantId}:${state.shopAskedMs ?? "first"}`,
  notBeforeMs: state.shopAskedMs === null ? state.respondedAtMs : state.shopAskedMs + shopReadMs,
  work: { kind: "read_shop", merchantId },
});

const ofConnection = (state: State): readonly Effect[] => {
  if (state.device === null) return [];
  const pauseMs = state.isDoubted
    ? 0
    : { starting: 0, offline: probeOfflineMs, online: probeOnlineMs }[state.connection];
  const effects: Effect[] = [
    { key: `probe:${state.probes}`, notBeforeMs: state.respondedAtMs + pauseMs, work: { kind: "probe" } },
  ];
  if (state.connection === "online" && state.credential === "good")
    effects.push(reportHead(state), readShop(state, state.device.merchantId), {
      key: `duplicate-device:${state.duplicateCheckedMs ?? "first"}`,
      notBeforeMs:
        state.duplicateCheckedMs === null ? state.respondedAtMs : state.duplicateCheckedMs + duplicateCheckMs,
      work: { kind: "check_duplicate_device" },
    });
  return effects;
};

const ofPrinting = ({ printing }: State): readonly Effect[] => {
  const [job] = printing.jobs;
  const { printer } = printing;
  if (job === undefined) return [];
  if (printer.kind === "printing")
    return [
      {
        key: `print:${job.number}:${job.tries}`,
        notBeforeMs: printer.notBeforeMs,
        work: { kind: "print", number: job.number },
      },
    ];
  if (printer.kind !== "not_printed" || printer.retryAtMs === null) return [];
  return [
    {
      key: `print-again:${job.number}:${job.tries}`,
      notBeforeMs: printer.retryAtMs,
      work: { kind: "dispatch", input: { type: "print_pause_ended" } },
    },
  ];
};

/** Everything due now or later. An effect that is not in the list any more has nothing to do. */
export const effectsOf = (state: State): readonly Effect[] =>
  state.phase === "starting" || state.blocked !== null
    ? []
    : [
        ...ofActiveScreen(state),
        ...[...state.open.values()].flatMap(ofWithdrawal),
        ...ofPrinting(state),
        ...ofConnection(state),
      ];
