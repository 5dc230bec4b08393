/** The header of a snapshot: the connection, what is open behind the screen, and what is wrong. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Header, OpenWithdrawal } from "../../../preload/contract.ts";
import { dayInHeader } from "./day-view.ts";
import { shownFacts } from "./facts.ts";
import {
  activeWithdrawal,
  type Moment,
  needsRecheck,
  pendingReport,
  type State,
  shopOf,
  type Withdrawal,
} from "./state.ts";

const openState = (one: Withdrawal): OpenWithdrawal["state"] | null => {
  const { stage } = one;
  switch (stage.kind) {
    case "payable":
      return needsRecheck(one) ? "unknown" : "payable";
    case "opening":
      return "payable";
    case "confirming":
    case "waiting":
      return "unknown";
    case "rejecting":
      return one.intended ? "closing" : null;
    case "review":
    case "handed_out":
    case "not_handed_out":
      return null;
    default:
      return assertNever(stage);
  }
};

const openOf = (state: State, moment: Moment): readonly OpenWithdrawal[] => {
  const active = activeWithdrawal(state);
  return [...state.open.values()].flatMap((one) => {
    const shown = openState(one);
    if (shown === null || one === active) return [];
    return [{ ...shownFacts(one), state: shown, sinceMs: Math.max(0, moment.monotonicMs - one.beganMs) }];
  });
};

/** A report on its first way to the service is not counted: the header would only flicker. */
const reportIsWaiting = (one: Withdrawal): boolean =>
  pendingReport(one) !== null && (one.requestState.failures > 0 || (one.recovered && one.stage.kind !== "rejecting"));

/** A review, and a reject that the service was not asked for, can be dropped without a word to anybody. */
const isUnfinished = (one: Withdrawal): boolean =>
  one.stage.kind !== "review" && (one.stage.kind !== "rejecting" || one.intended || reportIsWaiting(one));

const pendingReportsOf = (state: State, moment: Moment): Header["pendingReports"] => {
  const waiting = [...state.open.values()].filter(reportIsWaiting);
  if (waiting.length === 0) return null;
  const oldest = Math.min(...waiting.map((one) => one.reportDueSinceMs ?? one.beganMs));
  return { count: waiting.length, oldestMs: Math.max(0, moment.monotonicMs - oldest) };
};

const printingOf = ({ printing }: State): Header["printing"] => {
  const { printer, jobs } = printing;
  if (printer.kind !== "not_printed" && printer.kind !== "unclear") return null;
  const isRetried = printer.kind === "not_printed" && printer.retryAtMs !== null;
  return { why: printer.why, isUnclear: printer.kind === "unclear", isRetried, waiting: jobs.length };
};

/** That a blind count differed is a manager's to know: it counts while one is here. */
const drawerProblemsSeen = ({ drawerProblems, people }: State): number =>
  people.guarded && people.manager === null
    ? drawerProblems.filter(({ about }) => about !== "count_differs").length
    : drawerProblems.length;

/** The header at one moment; durations run from it. */
export const headerOf = (state: State, moment: Moment): Header => ({
  shop: shopOf(state)?.name ?? state.device?.merchantId ?? "",
  device: state.settings.terminalName || (state.device?.deviceId ?? ""),
  identity: state.device && {
    serviceUrl: state.device.serviceUrl,
    merchantId: state.device.merchantId,
    deviceId: state.device.deviceId,
  },
  profile: shopOf(state),
  training: state.training,
  sandboxUrl: state.training && state.device !== null ? new URL("/sandbox", state.device.serviceUrl).href : null,
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
