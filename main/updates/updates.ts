/** Updates of a running terminal: checked for by themselves or on request, installed while no customer is being served. */
import type { Snapshot, UpdateProgress, UpdateStatus, UpdateWait } from "../../preload/contract.ts";
import type { Log } from "../host/log-file.ts";
import type { Cancel, Clock } from "../terminal/ports.ts";
import { createActivityWatch } from "./activity.ts";
import { busyWith } from "./busy.ts";
import { isCheckDue, waitOf } from "./decide.ts";
import { createInstall } from "./install.ts";
import { createSearch, newSearch } from "./search.ts";
import type { UpdateSource } from "./source.ts";
import type { UpdateFile } from "./update-file.ts";

const tickMs = 20_000;

/** What the updates work with. */
export interface UpdateParts {
  readonly source: UpdateSource;
  readonly file: UpdateFile;
  readonly clock: Clock;
  readonly log: Log;
  /** Of the running program. */
  readonly version: string;
  /** The latest of what the screens show; null before the first. */
  readonly snapshot: () => Snapshot | null;
  readonly servesOthers: () => boolean;
  /** By the terminal's wall clock, 0 to 1439. */
  readonly minuteOfDay: () => number;
  readonly show: (status: UpdateStatus) => void;
  /** Writes into the journal that a version is about to be installed. */
  readonly record: (version: string) => void;
}

/** The updates of a running terminal. */
export interface Updates {
  /** Starts a check. False: a check or a download is running already. */
  check(): boolean;
  /** A manager agrees. `stale`: another version, or none, was fetched. */
  install(version: string): Promise<"begun" | "busy" | "stale" | "failed">;
  /** Somebody used the terminal: it counts as idle from now on again. */
  recordActivity(): void;
  isInstalling(): boolean;
  close(): void;
}

/** Starts checking at once: the first check comes a minute after the start, then one every six hours. */
export const createUpdates = (parts: UpdateParts): Updates => {
  const { source, file, clock, log } = parts;
  const startedMs = clock.monotonicMs();
  const state = newSearch();
  const activity = createActivityWatch(clock, parts.snapshot);
  let shown = "";
  let cancel: Cancel | null = null;
  let isClosed = false;

  const settings = () => parts.snapshot()?.settings.updates ?? null;

  const waitNow = (isAgreed: boolean): UpdateWait | null => {
    const snapshot = parts.snapshot();
    if (snapshot === null || state.held === null) return "withdrawal";
    return waitOf({
      settings: snapshot.settings.updates,
      busy: busyWith(snapshot),
      hasDays: snapshot.header.day !== null,
      minuteOfDay: parts.minuteOfDay(),
      idleForMs: activity.idleForMs(),
      isUnattended: source.isUnattended && state.held.kept.previous !== null,
      servesOthers: parts.servesOthers(),
      failedBefore: file.load().failed.includes(state.held.fetched.version),
      isAgreed,
    });
  };

  const progress = (): UpdateProgress => {
    const { working, held, checkedAt, trouble } = state;
    if (working !== null) return working;
    if (settings()?.enabled === false) return { kind: "off" };
    if (held === null) return { kind: "idle", checkedAt, trouble };
    const { version } = held.fetched;
    return { kind: "ready", version, waitsFor: waitNow(false), failedBefore: file.load().failed.includes(version) };
  };
  const show = (): void => {
    if (isClosed) return;
    const status: UpdateStatus = { progress: progress(), isUnattended: source.isUnattended };
    const text = JSON.stringify(status);
    if (text === shown) return;
    shown = text;
    parts.show(status);
  };

  const search = createSearch(parts, state, show);
  const check = (): boolean => {
    const channel = settings()?.channel;
    if (state.working !== null || isClosed || channel === undefined) return false;
    search(channel);
    return true;
  };

  const installing = createInstall({ ...parts, isClosed: () => isClosed, waitNow }, state, show);
  const notInstalled = (error: unknown): void => log("error", "an update was not installed", { error: String(error) });
  const tick = (): void => {
    activity.compareSnapshot();
    const now = settings();
    if (now !== null && state.working === null) {
      const { checkedMs, checkedChannel, failures } = state;
      const facts = { settings: now, startedMs, checkedMs, failures, nowMs: clock.monotonicMs() };
      const isOther = checkedChannel !== null && checkedChannel !== now.channel && now.enabled;
      if (isCheckDue(facts) || isOther) check();
      else if (now.enabled && state.held !== null) void installing.install(false).catch(notInstalled);
    }
    show();
    cancel = clock.after(tickMs, tick);
  };
  tick();

  return {
    check,
    async install(version) {
      if (state.held?.fetched.version !== version) return "stale";
      const outcome = await installing.install(true);
      show();
      return outcome;
    },
    recordActivity: activity.recordActivity,
    isInstalling: () => state.working?.kind === "installing",
    close() {
      isClosed = true;
      cancel?.();
      installing.close();
    },
  };
};
