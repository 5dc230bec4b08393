/**
 * Updates of a running terminal: checked for by themselves or on request, installed while no customer is being served. Where
 * new versions come from is a port, `UpdateSource`; its adapter over electron-updater lies beside the desktop host.
 */
import path from "node:path";
import { z } from "zod";
import type {
  Reply,
  Snapshot,
  TerminalCommand,
  UpdateProgress,
  UpdateSettings,
  UpdateStatus,
  UpdateTrouble,
  UpdateWait,
} from "../../preload/contract.ts";
import { withAnswers } from "../host/host-answers.ts";
import { readJson, tryWriteJson } from "../host/json-file.ts";
import type { Log } from "../host/log-file.ts";
import type { Cancel, Clock } from "../terminal/ports.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Actor } from "../terminal/withdrawal/inputs.ts";
import { busyWith, isCheckDue, waitOf } from "./decide.ts";

const failedMax = 20;

const schema = z.object({
  /** When the newest trusted feed of each name was issued, in ms since the epoch. */
  seen: z.record(z.string(), z.number()).default({}),
  /** Versions whose installation failed: they never install by themselves again. */
  failed: z.array(z.string()).default([]),
  /** The version whose installation has begun. */
  attempt: z.object({ to: z.string() }).nullable().default(null),
});
/** The content of `update.json`. */
export type UpdateRecord = z.infer<typeof schema>;

/** The record of a terminal, saved whole with each change. */
export interface UpdateFile {
  load(): UpdateRecord;
  /** False: it could not be written. The change holds for this run all the same. */
  save(change: Partial<UpdateRecord>): boolean;
}

/** Adds a version to those that failed; the oldest beyond twenty are dropped. */
export const withFailed = (failed: readonly string[], version: string): string[] =>
  [...failed.filter((one) => one !== version), version].slice(-failedMax);

/**
 * What a start makes of an installation that began in the run before: another version than the one that was to be installed
 * runs, so it failed. @param version the one that is starting.
 */
export const atStart = (record: UpdateRecord, version: string): UpdateRecord => {
  const { attempt, failed } = record;
  if (attempt === null) return record;
  return { ...record, attempt: null, failed: attempt.to === version ? failed : withFailed(failed, attempt.to) };
};

/** @param data the terminal's data folder, not the one of a purpose: there is one program. */
export const openUpdateFile = (data: string, log: Log): UpdateFile => {
  const file = path.join(data, "update.json");
  let record: UpdateRecord;
  try {
    record = schema.parse(readJson(file, schema) ?? {});
  } catch (error) {
    log("warn", "what is known of updates could not be read", { error: String(error) });
    record = schema.parse({});
  }
  return {
    load: () => record,
    save(change) {
      record = { ...record, ...change };
      const isKept = tryWriteJson(file, record);
      if (!isKept) log("warn", "what is known of updates could not be kept", {});
      return isKept;
    },
  };
};

/** Result of a check. */
export type CheckResult =
  | { readonly kind: "none" }
  | { readonly kind: "found"; readonly version: string }
  | { readonly kind: "failed"; readonly why: UpdateTrouble; readonly detail: string };

/** A version that was downloaded to this machine, with the hash that its signed feed names. */
export interface Fetched {
  readonly version: string;
  readonly file: string;
}

/** A version was not downloaded: the disk, which the journal is on, has no space for it. */
export class NoDiskSpace extends Error {}

/** Where new versions come from and how they replace this program. */
export interface UpdateSource {
  /** Whether a new version starts without a person: the system asks for no password, and no option has to be typed again. */
  readonly isUnattended: boolean;
  /** Never rejects. */
  check(channel: UpdateSettings["channel"]): Promise<CheckResult>;
  /** Downloads what the last check found. Rejects when it does not arrive whole, or with NoDiskSpace. @param progress in percent. */
  fetch(progress: (percent: number) => void): Promise<Fetched>;
  /** Whether the file is still the one that the feed was signed for. Never rejects. */
  isWhole(fetched: Fetched): Promise<boolean>;
  /** Exits this program in order and starts the installation. Nothing of the terminal may be used afterwards. */
  install(): void;
}

/** Detects use of the terminal, by commands and by what the screens show. */
interface ActivityWatch {
  /** Somebody sent a command. */
  recordActivity(): void;
  /** Compares the snapshot with the one of the last call: a screen that changed counts as activity. */
  compareSnapshot(): void;
  idleForMs(): number;
}

/** @param snapshot the latest of what the screens show; null before the first. */
const createActivityWatch = (clock: Clock, snapshot: () => Snapshot | null): ActivityWatch => {
  let activeAtMs = clock.monotonicMs();
  let shown = "";
  const recordActivity = (): void => {
    activeAtMs = clock.monotonicMs();
  };
  return {
    recordActivity,
    compareSnapshot() {
      const now = snapshot();
      const next = JSON.stringify([now?.screen, now?.header.day?.kind, now?.header.unfinished]);
      if (next !== shown) recordActivity();
      shown = next;
    },
    idleForMs: () => clock.monotonicMs() - activeAtMs,
  };
};

/** Smallest step of a download's progress that the screens show, in percent. */
const percentStep = 5;

type Channel = "latest" | "beta";

/** A downloaded version, and the channel it came by. */
interface Downloaded {
  readonly fetched: Fetched;
  readonly channel: Channel;
}

/** State of the search; the installation reads `downloaded` and clears it. */
interface SearchState {
  working: Extract<UpdateProgress, { kind: "checking" | "downloading" | "installing" }> | null;
  downloaded: Downloaded | null;
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
const newSearch = (): SearchState => ({
  working: null,
  downloaded: null,
  trouble: null,
  checkedAt: null,
  checkedMs: null,
  checkedChannel: null,
  failures: 0,
});

/** What the search works with. */
interface SearchParts {
  readonly source: UpdateSource;
  readonly clock: Clock;
  readonly log: Log;
}

/** @param show runs after each change of `state`. @returns starts a check that never rejects: a failure ends in `state.trouble`. */
const createSearch = ({ source, clock, log }: SearchParts, state: SearchState, show: () => void) => {
  const fetchFound = async (version: string, channel: Channel): Promise<void> => {
    state.working = { kind: "downloading", version, percent: 0 };
    show();
    const fetched = await source.fetch((percent) => {
      if (state.working?.kind !== "downloading" || percent < state.working.percent + percentStep) return;
      state.working = { ...state.working, percent };
      show();
    });
    state.downloaded = { fetched, channel };
    log("info", "a new version was fetched", { version });
  };

  const checkOnce = async (channel: Channel): Promise<void> => {
    state.working = { kind: "checking" };
    if (state.downloaded?.channel !== channel) state.downloaded = null;
    show();
    const found = await source.check(channel);
    state.trouble = found.kind === "failed" ? found.why : null;
    if (found.kind === "failed") log("warn", "no answer about new versions", { why: found.why, detail: found.detail });
    else state.checkedAt = new Date(clock.now()).toISOString();
    // The release was withdrawn, or this is the newest.
    if (found.kind === "none") state.downloaded = null;
    if (found.kind === "found" && found.version !== state.downloaded?.fetched.version)
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

/** The program exits within seconds once an installation begins; after this time it did not. */
const exitTimeoutMs = 60_000;

/** What an installation works with. */
interface InstallParts extends SearchParts {
  readonly file: UpdateFile;
  /** Writes into the journal that a version is about to be installed. */
  readonly record: (version: string) => void;
  /** What it has to wait for now; null when it may begin. */
  readonly waitNow: (isAgreed: boolean) => UpdateWait | null;
  readonly isClosed: () => boolean;
}

/** @param show runs after each change of `state`. */
const createInstall = (parts: InstallParts, state: SearchState, show: () => void) => {
  const { source, file, clock, log, waitNow } = parts;
  let cancelTimeout: Cancel | null = null;

  /** The program did not exit: the terminal accepts work again. */
  const continueServing = (): void => {
    const { attempt, failed } = file.load();
    if (attempt !== null) file.save({ attempt: null, failed: withFailed(failed, attempt.to) });
    log("error", "an installation began, and the program did not exit", { version: attempt?.to });
    state.working = null;
    show();
  };

  return {
    /** @param isAgreed a manager has said so; otherwise it happens by itself. */
    async install(isAgreed: boolean): Promise<"begun" | "busy" | "failed"> {
      if (state.downloaded === null || state.working !== null || waitNow(isAgreed) !== null) return "busy";
      const { fetched } = state.downloaded;
      const isWhole = await source.isWhole(fetched);
      if (state.downloaded?.fetched !== fetched) return "busy";
      if (!isWhole) {
        [state.downloaded, state.trouble] = [null, "download"];
        show();
        return "failed";
      }
      // Hashing the file took a moment, in which a customer may have come.
      if (state.working !== null || parts.isClosed() || waitNow(isAgreed) !== null) return "busy";
      // Without the record an installation that fails would be tried again and again.
      if (!file.save({ attempt: { to: fetched.version } })) return "failed";
      parts.record(fetched.version);
      state.working = { kind: "installing", version: fetched.version };
      show();
      source.install();
      cancelTimeout = clock.after(exitTimeoutMs, continueServing);
      return "begun";
    },
    close(): void {
      cancelTimeout?.();
    },
  };
};

const tickMs = 20_000;

/** What the updates work with. */
interface UpdateParts {
  readonly source: UpdateSource;
  readonly file: UpdateFile;
  readonly clock: Clock;
  readonly log: Log;
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
    if (snapshot === null || state.downloaded === null) return "withdrawal";
    return waitOf({
      settings: snapshot.settings.updates,
      busy: busyWith(snapshot),
      hasDays: snapshot.header.day !== null,
      minuteOfDay: parts.minuteOfDay(),
      idleForMs: activity.idleForMs(),
      isUnattended: source.isUnattended,
      servesOthers: parts.servesOthers(),
      failedBefore: file.load().failed.includes(state.downloaded.fetched.version),
      isAgreed,
    });
  };

  const progress = (): UpdateProgress => {
    const { working, downloaded, checkedAt, trouble } = state;
    if (working !== null) return working;
    if (settings()?.enabled === false) return { kind: "off" };
    if (downloaded === null) return { kind: "idle", checkedAt, trouble };
    const { version } = downloaded.fetched;
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
      else if (now.enabled && state.downloaded !== null) void installing.install(false).catch(notInstalled);
    }
    show();
    cancel = clock.after(tickMs, tick);
  };
  tick();

  return {
    check,
    async install(version) {
      if (state.downloaded?.fetched.version !== version) return "stale";
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

type Updated = Pick<Terminal, "dispatch" | "record">;

const withAnswered = <T extends Updated>(terminal: T, updates: Updates): T =>
  withAnswers<"updates", T>(terminal, {
    check_for_update: () => (updates.check() ? { ok: true } : { ok: false, code: "busy" }),
    async install_update({ version }, actor) {
      terminal.record("update_agreed", version, actor);
      const outcome = await updates.install(version);
      return outcome === "begun" ? { ok: true } : { ok: false, code: outcome };
    },
  });

/** @param updates null where this program takes none: the terminal itself refuses the commands then. */
export const withUpdates = <T extends Updated>(terminal: T, updates: Updates | null): T => {
  if (updates === null) return terminal;
  const answered = withAnswered(terminal, updates);
  return {
    ...terminal,
    async dispatch(command: TerminalCommand, actor: Actor): Promise<Reply> {
      updates.recordActivity();
      // No new work on a program that is about to exit.
      return updates.isInstalling() ? { ok: false, code: "busy" } : answered.dispatch(command, actor);
    },
  };
};
