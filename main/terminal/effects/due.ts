/** What is due, derived from the state: each effect has a key that stays the same until it has been answered. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { duplicateCheckMs, forgotMarginMs, probeOfflineMs, probeOnlineMs, shopReadMs } from "../state/bounds.ts";
import type { State } from "../state/state.ts";
import { ofActiveWithdrawal, ofWithdrawal } from "./due-withdrawal.ts";
import type { Effect } from "./work.ts";

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
