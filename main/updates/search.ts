/** Looks for a new version, fetches it, and keeps what is needed to go back from it. */
import type { UpdateProgress, UpdateTrouble } from "../../preload/contract.ts";
import type { Log } from "../host/log-file.ts";
import type { Clock } from "../terminal/ports.ts";
import { type Fetched, type KeptFiles, NoDiskSpace, type UpdateSource } from "./source.ts";

/** Smallest step of a download's progress that the screens show, in percent. */
const percentStep = 5;

type Channel = "latest" | "beta";

/** A downloaded version, the copies kept for a rollback, and the channel it came by. */
export interface Downloaded {
  readonly fetched: Fetched;
  readonly kept: KeptFiles;
  readonly channel: Channel;
}

/** State of the search; the installation reads `held` and clears it. */
export interface SearchState {
  working: Extract<UpdateProgress, { kind: "checking" | "downloading" | "installing" }> | null;
  held: Downloaded | null;
  trouble: UpdateTrouble | null;
  /** ISO 8601; null before the first answer. */
  checkedAt: string | null;
  /** When the last check ended, by the monotonic clock; null before the first. */
  checkedMs: number | null;
  checkedChannel: Channel | null;
  /** Failed checks in a row. */
  failures: number;
}

/** The state before the first check. */
export const newSearch = (): SearchState => ({
  working: null,
  held: null,
  trouble: null,
  checkedAt: null,
  checkedMs: null,
  checkedChannel: null,
  failures: 0,
});

/** What the search works with. */
export interface SearchParts {
  readonly source: UpdateSource;
  readonly clock: Clock;
  readonly log: Log;
}

/** @param show runs after each change of `state`. @returns starts a check that never rejects: a failure ends in `state.trouble`. */
export const createSearch = ({ source, clock, log }: SearchParts, state: SearchState, show: () => void) => {
  const fetchFound = async (version: string, channel: Channel): Promise<void> => {
    state.working = { kind: "downloading", version, percent: 0 };
    show();
    const fetched = await source.fetch((percent) => {
      if (state.working?.kind !== "downloading" || percent < state.working.percent + percentStep) return;
      state.working = { ...state.working, percent };
      show();
    });
    state.held = { fetched, kept: await source.keepRunningVersion(fetched), channel };
    log("info", "a new version was fetched", { version, canGoBack: state.held.kept.previous !== null });
  };

  const checkOnce = async (channel: Channel): Promise<void> => {
    state.working = { kind: "checking" };
    if (state.held?.channel !== channel) state.held = null;
    show();
    const found = await source.check(channel);
    state.trouble = found.kind === "failed" ? found.why : null;
    if (found.kind === "failed") log("warn", "no answer about new versions", { why: found.why, detail: found.detail });
    else state.checkedAt = new Date(clock.now()).toISOString();
    // The release was withdrawn, or this is the newest.
    if (found.kind === "none") state.held = null;
    if (found.kind === "found" && found.version !== state.held?.fetched.version)
      await fetchFound(found.version, channel);
  };

  return (channel: Channel): void => {
    state.checkedChannel = channel;
    void checkOnce(channel)
      .catch((error: unknown) => {
        state.trouble = error instanceof NoDiskSpace ? "no_disk_space" : "download";
        log("warn", "a new version could not be downloaded", { error: String(error) });
      })
      .finally(() => {
        state.working = null;
        state.checkedMs = clock.monotonicMs();
        state.failures = state.trouble === null ? 0 : state.failures + 1;
        show();
      });
  };
};
