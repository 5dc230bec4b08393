/** Reporting the newest link of the journal's chain, so that a journal which was cut, rewritten or restored from an older copy shows. */
import { headEveryMs, headRetryMs } from "./bounds.ts";
import type { JournalFork, ServiceHead } from "./head-report.ts";
import type { Moment, State } from "./state.ts";

/** Stands for the journal itself where problems are named by a withdrawal. */
export const journalProblemId = "journal";

/** With every report that the service was given. */
export const headDueNow = (state: State, { monotonicMs }: Moment): State => ({
  ...state,
  headReport: { ...state.headReport, dueMs: Math.min(state.headReport.dueMs, monotonicMs) },
});

/** The service has said what it holds; the report follows at once. */
export const serviceHeadRead = (state: State, serviceHead: ServiceHead): State => ({
  ...state,
  headReport: { ...state.headReport, number: state.headReport.number + 1, serviceHead },
});

/** @param outcome `taken`, `unsupported` by this service, `forked`, or `failed`: tried again soon. */
export const headAnswered = (
  state: State,
  outcome: "taken" | "unsupported" | "forked" | "failed",
  moment: Moment,
): State => ({
  ...state,
  headReport: {
    number: state.headReport.number + 1,
    dueMs: moment.monotonicMs + (outcome === "failed" ? headRetryMs : headEveryMs),
    serviceHead: outcome === "taken" || outcome === "forked" ? { kind: "compared" } : state.headReport.serviceHead,
  },
  journalFork: outcome === "taken" && state.journalFork.kind === "acknowledged" ? { kind: "none" } : state.journalFork,
});

/** Said no more, as long as the service holds what it held. */
export const forkAcknowledged = (fork: JournalFork): JournalFork => ({
  kind: "acknowledged",
  serviceHash: fork.kind === "none" ? undefined : fork.serviceHash,
});
