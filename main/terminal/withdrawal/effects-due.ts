/** The effects that are due, derived from the state: calls to the service, drawer, printer, and deadlines, each with its key. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import {
  drawerCheckMs,
  forgotMarginMs,
  handOutCheckMs,
  payableCheckMs,
  probeOfflineMaxMs,
  probeOfflineMs,
  probeOnlineMs,
  shopEarlyMs,
  shopReadMs,
} from "../bounds.ts";
import { backOffMs } from "../service/answer.ts";
import type { Report } from "../service/client.ts";
import type { EffectResult } from "./inputs.ts";
import { activeWithdrawal, hasSensor, type State, type Tagged, waitsForRestore } from "./state.ts";
import { awaitsApproval, closingEndsMs, isCounting, offersCash, pendingReport, type Withdrawal } from "./withdrawal.ts";

interface OfOne {
  withdrawalId: string;
}

/** From where on a restored service may have lost reports. */
export interface ForgottenSince {
  /** The newest link of the journal that the service still has: nothing answered before it was lost. */
  readonly head: { readonly sequence: number; readonly hash: string } | null;
  /** By this terminal's clock; used if the journal has no such link. */
  readonly atMs: number;
}

/** What an effect does. */
export type Work = Tagged<
  "kind",
  {
    look_up: { transactionId: string };
    confirm: OfOne & { number: number };
    /** `heldFor`: long poll while the status is this; null: answer at once. */
    get_status: OfOne & { number: number; heldFor: "awaiting_sca" | "settling" | null };
    send_report: OfOne & { number: number; report: Report };
    /** Searches the journal for reports that a restored service may have lost. */
    collect_reports: { restoredAt: string; since: ForgottenSince };
    repeat_report: { number: number };
    drawer: OfOne;
    /** Opens the drawer without a withdrawal; `number` is the opening's. */
    no_sale: { number: number };
    drawer_state: OfOne;
    /** `number` is the job's. */
    print: { number: number };
    probe: unknown;
    read_shop: { merchantId: string };
    read_service_head: unknown;
    report_journal_head: unknown;
    dispatch: { input: EffectResult };
    /** The screen changes because of time alone. */
    repaint: unknown;
  }
>;

/** One thing to do, now or later. */
export interface Effect {
  /** Constant until the effect was answered, so that it is not started twice. */
  readonly key: string;
  /** Earliest time, monotonic. */
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

/** Whether its cash is offered but not requested yet: another program on a copy of this folder may hand it out meanwhile. */
const isWatched = (one: Withdrawal): boolean =>
  offersCash(one) && one.handOutAsked === null && one.requestState.failures === 0;

const due = (key: string, notBeforeMs: number, work: Work): Effect => ({ key, notBeforeMs, work });

/** A deadline. */
const timer = (key: string, notBeforeMs: number, input: EffectResult): Effect =>
  due(key, notBeforeMs, { kind: "dispatch", input });

/** Effects of every open withdrawal, on the screen or not. */
const ofWithdrawal = (one: Withdrawal): readonly Effect[] => {
  const { withdrawalId, stage, requestState, handOutAsked, approval } = one;
  const call = callOf(one);
  const callMs = requestState.notBeforeMs + (isWatched(one) ? payableCheckMs : 0);
  const checkMs = (handOutAsked?.atMs ?? 0) + handOutCheckMs;
  return [
    call !== null && due(`${withdrawalId}:${call.kind}:${requestState.number}`, callMs, call),
    stage.kind === "opening" &&
      stage.drawer === "opening" &&
      due(`${withdrawalId}:drawer:${one.drawerTries}`, one.stageSinceMs, { kind: "drawer", withdrawalId }),
    handOutAsked !== null &&
      timer(`${withdrawalId}:hand_out_check:${handOutAsked.atMs}`, checkMs, {
        type: "hand_out_check_ran_out",
        withdrawalId,
      }),
    approval !== null &&
      awaitsApproval(stage) &&
      timer(`${withdrawalId}:approval`, approval.untilMs, { type: "approval_ran_out", withdrawalId }),
  ].filter((effect) => effect !== false);
};

/** Effects of the withdrawal on the screen: its review, its closing, the drawer's sensor. */
const ofActiveWithdrawal = (state: State): readonly Effect[] => {
  const one = activeWithdrawal(state);
  if (one === null) return [];
  const { withdrawalId, stage, sensed, expiresAtMs } = one;
  if (stage.kind === "rejecting") {
    const closing: Work = one.confirmAttempted
      ? { kind: "repaint" }
      : { kind: "dispatch", input: { type: "closing_ran_out", withdrawalId } };
    return [due(`${withdrawalId}:closing:${one.stageSinceMs}`, closingEndsMs(one), closing)];
  }
  if (isCounting(one) && hasSensor(state.settings)) {
    const key = `${withdrawalId}:drawer_state:${one.drawerTries}:${sensed.checks}`;
    return [due(key, sensed.atMs + drawerCheckMs, { kind: "drawer_state", withdrawalId })];
  }
  const { serviceClock } = state;
  if (stage.kind !== "review" || expiresAtMs === null || serviceClock === null) return [];
  const untilMs = serviceClock.atMs + (expiresAtMs - serviceClock.dateMs);
  return [timer(`${withdrawalId}:review`, untilMs, { type: "review_ran_out", withdrawalId })];
};

const ofActiveScreen = (state: State): readonly Effect[] => {
  const { activeScreen, screenNumber } = state;
  switch (activeScreen.kind) {
    case "idle":
    case "ended":
      return [];
    case "looking_up": {
      const { transactionId, tries, notBeforeMs } = activeScreen;
      return [due(`look_up:${screenNumber}:${tries}`, notBeforeMs, { kind: "look_up", transactionId })];
    }
    case "done":
      return [timer(`done:${screenNumber}`, activeScreen.untilMs, { type: "done_ran_out", step: screenNumber })];
    case "withdrawal":
      return ofActiveWithdrawal(state);
    default:
      return assertNever(activeScreen);
  }
};

const reportHead = ({ headReport: { number, dueMs, serviceHead } }: State): Effect =>
  due(`journal-head:${number}`, dueMs, {
    kind: serviceHead.kind === "not_asked" ? "read_service_head" : "report_journal_head",
  });

/** After a restore of the service everything that it may have lost is reported again, even if it was acknowledged. */
const repeatReports = (state: State): readonly Effect[] => {
  const { serviceRestore, restoreAnswered, repeats, keyNumber } = state;
  if (serviceRestore === null) return [];
  const { restoredAt, forgotSinceMs, keptHead } = serviceRestore;
  if (restoredAt === null || forgotSinceMs === null || restoredAt === restoreAnswered) return [];
  if (repeats?.restoredAt === restoredAt) {
    const { number, notBeforeMs } = repeats;
    return [due(`repeat:${restoredAt}:${number}`, notBeforeMs, { kind: "repeat_report", number })];
  }
  // A wrong service clock must not hide lost reports; repeating too many does no harm.
  const atMs = forgotSinceMs + Math.min(state.serviceClock?.offMs ?? 0, 0) - forgotMarginMs;
  const since = { head: keptHead, atMs };
  return [
    due(`restore:${keyNumber}:${restoredAt}`, state.respondedAtMs, { kind: "collect_reports", restoredAt, since }),
  ];
};

/**
 * A hundred thousand idle terminals must not ask a service that comes back in step, or all within seconds. A scan asks at once
 * whatever the pause, and what is open goes on with the first answer: while something is, no pause grows.
 */
const probePauseMs = ({ connection, silentProbes, probeFraction, open }: State): number => {
  if (connection === "starting") return 0;
  if (connection === "online") return probeOnlineMs * (1 + probeFraction / 2);
  const maxMs = open.size === 0 ? probeOfflineMaxMs : probeOfflineMs;
  return backOffMs(silentProbes + 1, maxMs, probeFraction, null, probeOfflineMs);
};

const ofConnection = (state: State): readonly Effect[] => {
  const { device, connection, credential, isDoubted, probes, respondedAtMs, shopAskedMs } = state;
  if (device === null) return [];
  const probe = due(`probe:${probes}`, respondedAtMs + (isDoubted ? 0 : probePauseMs(state)), { kind: "probe" });
  if (connection !== "online" || credential !== "good") return [probe];
  const { merchantId } = device;
  const pauseMs = [...state.open.values()].some((one) => waitsForRestore(state, one))
    ? state.shopUnsaid.againMs
    : shopReadMs;
  const shopMs = shopAskedMs === null ? respondedAtMs : shopAskedMs + pauseMs;
  const shop = due(`shop:${merchantId}:${shopAskedMs ?? "first"}`, shopMs, { kind: "read_shop", merchantId });
  // If both are due soon, reading the shop also serves as the probe.
  const isShopNear = !isDoubted && probe.notBeforeMs >= shop.notBeforeMs - shopEarlyMs;
  return [
    ...(isShopNear ? [] : [probe]),
    { ...shop, notBeforeMs: isShopNear ? Math.min(shop.notBeforeMs, probe.notBeforeMs) : shop.notBeforeMs },
    reportHead(state),
    ...repeatReports(state),
  ];
};

const ofPrinting = ({ printing: { jobs, printer } }: State): readonly Effect[] => {
  const [job] = jobs;
  if (job === undefined) return [];
  const { number, tries } = job;
  if (printer.kind === "printing")
    return [due(`print:${number}:${tries}`, printer.notBeforeMs, { kind: "print", number })];
  if (printer.kind !== "not_printed" || printer.retryAtMs === null) return [];
  return [timer(`print-again:${number}:${tries}`, printer.retryAtMs, { type: "print_pause_ended" })];
};

const ofNoSale = ({ noSale: { result, number } }: State): readonly Effect[] =>
  result === "opening" ? [due(`no_sale:${number}`, 0, { kind: "no_sale", number })] : [];

/** All effects due now or later. An effect that is not in the list any more is obsolete. */
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
