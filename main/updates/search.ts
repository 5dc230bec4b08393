/** Looks for a new version, fetches it, and keeps what is needed to go back from it. */
import type { UpdateProgress, UpdateTrouble } from "../../preload/contract.ts";
import type { Log } from "../host/log-file.ts";
import type { Clock } from "../terminal/ports.ts";
import { type Fetched, type KeptFiles, NoRoom, type UpdateSource } from "./source.ts";

/** Smallest step of a download that the screens are told, in percent. */
const percentStep = 5;

type Channel = "latest" | "beta";

/** A fetched version, what is kept to go back from it, and the channel it came by. */
export interface Held {
  readonly fetched: Fetched;
  readonly kept: KeptFiles;
  readonly channel: Channel;
}

/** What the search has come to; everyone who installs reads and drops it here. */
export interface SearchState {
  working: Extract<UpdateProgress, { kind: "looking" | "downloading" | "installing" }> | null;
  held: Held | null;
  trouble: UpdateTrouble | null;
  /** ISO 8601; null before the first answer. */
  lookedAt: string | null;
  /** Monotonic; null before the first look has ended. */
  lookedMs: number | null;
  lookedChannel: Channel | null;
  /** In a row. */
  failures: number;
}

/** Nothing was looked for yet. */
export const newSearch = (): SearchState => ({
  working: null,
  held: null,
  trouble: null,
  lookedAt: null,
  lookedMs: null,
  lookedChannel: null,
  failures: 0,
});

/** What the search works with. */
export interface SearchParts {
  readonly source: UpdateSource;
  readonly clock: Clock;
  readonly log: Log;
}

/** Begins a look that ends by itself, whatever it fails with; `show` runs after each change of `state`. */
export const createSearch = ({ source, clock, log }: SearchParts, state: SearchState, show: () => void) => {
  const fetchFound = async (version: string, channel: Channel): Promise<void> => {
    state.working = { kind: "downloading", version, percent: 0 };
    show();
    const fetched = await source.fetch((percent) => {
      if (state.working?.kind !== "downloading" || percent < state.working.percent + percentStep) return;
      state.working = { ...state.working, percent };
      show();
    });
    state.held = { fetched, kept: await source.keepPresent(fetched), channel };
    log("info", "a new version was fetched", { version, canGoBack: state.held.kept.previous !== null });
  };

  const lookOnce = async (channel: Channel): Promise<void> => {
    state.working = { kind: "looking" };
    if (state.held?.channel !== channel) state.held = null;
    show();
    const found = await source.look(channel);
    state.trouble = found.kind === "failed" ? found.why : null;
    if (found.kind === "failed") log("warn", "no answer about new versions", { why: found.why, detail: found.detail });
    else state.lookedAt = new Date(clock.now()).toISOString();
    // Whoever makes the releases took it back, or this is the newest.
    if (found.kind === "none") state.held = null;
    if (found.kind === "found" && found.version !== state.held?.fetched.version)
      await fetchFound(found.version, channel);
  };

  return (channel: Channel): void => {
    state.lookedChannel = channel;
    void lookOnce(channel)
      .catch((error: unknown) => {
        state.trouble = error instanceof NoRoom ? "no_room" : "download";
        log("warn", "a new version did not arrive", { error: String(error) });
      })
      .finally(() => {
        state.working = null;
        state.lookedMs = clock.monotonicMs();
        state.failures = state.trouble === null ? 0 : state.failures + 1;
        show();
      });
  };
};
