/** What is due, derived from the state: calls to the service, the drawer, the printer, and deadlines, each under its key. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import {
  drawerCheckMs,
  duplicateCheckMs,
  forgotMarginMs,
  handOutCheckMs,
  payableCheckMs,
  probeOfflineMs,
  probeOnlineMs,
  shopReadMs,
} from "../bounds.ts";
import type { Report } from "../service/client.ts";
import type { EffectResult } from "./inputs.ts";
import type { ForgottenSince } from "./reported-since.ts";
import { activeWithdrawal, hasSensor, type State } from "./state.ts";
import { awaitsApproval, closingEndsMs, isCounting, offersCash, pendingReport, type Withdrawal } from "./withdrawal.ts";

/** What an effect does. */
export type Work =
  | { readonly kind: "look_up"; readonly transactionId: string }
  | { readonly kind: "confirm"; readonly withdrawalId: string; readonly number: number }
  /** `heldFor`: the status the service may hold the answer for; null asks for an answer at once. */
  | {
      readonly kind: "get_status";
      readonly withdrawalId: string;
      readonly number: number;
      readonly heldFor: "awaiting_sca" | "settling" | null;
    }
  | { readonly kind: "send_report"; readonly withdrawalId: string; readonly number: number; readonly report: Report }
  /** Looks through the journal for what a service that was put back to a copy may have forgotten. */
  | { readonly kind: "collect_reports"; readonly restoredAt: string; readonly since: ForgottenSince }
  | { readonly kind: "repeat_report"; readonly number: number }
  | { readonly kind: "drawer"; readonly withdrawalId: string }
  /** Without a withdrawal; `number` names the order. */
  | { readonly kind: "no_sale"; readonly number: number }
  | { readonly kind: "drawer_state"; readonly withdrawalId: string }
  /** `number` names the job. */
  | { readonly kind: "print"; readonly number: number }
  | { readonly kind: "probe" }
  | { readonly kind: "read_shop"; readonly merchantId: string }
  | { readonly kind: "read_service_head" }
  | { readonly kind: "report_journal_head" }
  | { readonly kind: "check_duplicate_device" }
  | { readonly kind: "dispatch"; readonly input: EffectResult }
  /** The screen changes with time alone. */
  | { readonly kind: "repaint" };

/** One thing to do, now or later. */
export interface Effect {
  /** The same until the effect was answered, so that none is started twice. */
  readonly key: string;
  /** When it is due at the earliest, by the monotonic clock. */
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
      return getStatus;
    case "review":
    case "opening":
      return null;
    default:
      return assertNever(stage);
  }
};

/** Nobody asks for its cash yet: another program on a copy of this folder may hand it out meanwhile. */
const isWatched = (one: Withdrawal): boolean =>
  offersCash(one) && one.handOutAsked === null && one.requestState.failures === 0;

/** Due for every open withdrawal, on the screen or behind it. */
const ofWithdrawal = (one: Withdrawal): readonly Effect[] => {
  const effects: Effect[] = [];
  const { withdrawalId, stage, requestState } = one;
  const call = callOf(one);
  if (call !== null)
    effects.push({
      key: `${withdrawalId}:${call.kind}:${requestState.number}`,
      notBeforeMs: requestState.notBeforeMs + (isWatched(one) ? payableCheckMs : 0),
      work: call,
    });
  if (stage.kind === "opening" && stage.drawer === "opening")
    effects.push({
      key: `${withdrawalId}:drawer:${one.drawerTries}`,
      notBeforeMs: one.stageSinceMs,
      work: { kind: "drawer", withdrawalId },
    });
  if (one.handOutAsked !== null)
    effects.push({
      key: `${withdrawalId}:hand_out_check:${one.handOutAsked.atMs}`,
      notBeforeMs: one.handOutAsked.atMs + handOutCheckMs,
      work: { kind: "dispatch", input: { type: "hand_out_check_ran_out", withdrawalId } },
    });
  if (one.approval !== null && awaitsApproval(stage))
    effects.push({
      key: `${withdrawalId}:approval`,
      notBeforeMs: one.approval.untilMs,
      work: { kind: "dispatch", input: { type: "approval_ran_out", withdrawalId } },
    });
  return effects;
};

/** Due only while a withdrawal is on the screen: its review, its closing, the drawer's sensor. */
const ofActiveWithdrawal = (state: State): readonly Effect[] => {
  const one = activeWithdrawal(state);
  if (one === null) return [];
  const { withdrawalId } = one;
  if (one.stage.kind === "rejecting")
    return [
      {
        key: `${withdrawalId}:closing:${one.stageSinceMs}`,
        notBeforeMs: closingEndsMs(one),
        work: one.confirmAttempted
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

const reportHead = ({ headReport }: State): Effect => ({
  key: `journal-head:${headReport.number}`,
  notBeforeMs: headReport.dueMs,
  work: { kind: headReport.serviceHead.kind === "not_asked" ? "read_service_head" : "report_journal_head" },
});

const readShop = (state: State, merchantId: string): Effect => ({
  key: `shop:${merchantId}:${state.shopAskedMs ?? "first"}`,
  notBeforeMs: state.shopAskedMs === null ? state.respondedAtMs : state.shopAskedMs + shopReadMs,
  work: { kind: "read_shop", merchantId },
});

/** After a restore of the service everything that it may have forgotten is reported again, whatever it had acknowledged. */
const repeatReports = (state: State): readonly Effect[] => {
  const { serviceRestore, restoreAnswered, repeats } = state;
  if (serviceRestore === null) return [];
  const { restoredAt, forgotSinceMs, keptHead } = serviceRestore;
  if (restoredAt === null || forgotSinceMs === null || restoredAt === restoreAnswered) return [];
  if (repeats?.restoredAt === restoredAt) {
    const { number, notBeforeMs } = repeats;
    return [{ key: `repeat:${restoredAt}:${number}`, notBeforeMs, work: { kind: "repeat_report", number } }];
  }
  // A service's clock that is wrong just now must not hide what it forgot: repeated too often does no harm.
  const atMs = forgotSinceMs + Math.min(state.serviceClock?.offMs ?? 0, 0) - forgotMarginMs;
  const work = { kind: "collect_reports", restoredAt, since: { head: keptHead, atMs } } as const;
  return [{ key: `restore:${restoredAt}`, notBeforeMs: state.respondedAtMs, work }];
};

const ofConnection = (state: State): readonly Effect[] => {
  if (state.device === null) return [];
  const pauseMs = state.isDoubted
    ? 0
    : { starting: 0, offline: probeOfflineMs, online: probeOnlineMs }[state.connection];
  const effects: Effect[] = [
    { key: `probe:${state.probes}`, notBeforeMs: state.respondedAtMs + pauseMs, work: { kind: "probe" } },
  ];
  if (state.connection === "online" && state.credential === "good")
    effects.push(reportHead(state), readShop(state, state.device.merchantId), ...repeatReports(state), {
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

const ofNoSale = ({ noSale }: State): readonly Effect[] =>
  noSale.result === "opening"
    ? [{ key: `no_sale:${noSale.number}`, notBeforeMs: 0, work: { kind: "no_sale", number: noSale.number } }]
    : [];

/** Everything due now or later. An effect that is not in the list any more has nothing to do. */
export const effectsOf = (state: State): readonly Effect[] =>
  state.phase === "starting" || state.blocked !== null
    ? []
    : [
        ...ofActiveScreen(state),
        ...[...state.open.values()].flatMap(ofWithdrawal),
        ...ofPrinting(state),
        ...ofNoSale(state),
        ...ofConnection(state),
      ];
