/** Updates of a running terminal: checks automatically or on request, and installs while nobody is served. */
import path from "node:path";
import { z } from "zod";
import type {
  Snapshot,
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
import type { Answers } from "../terminal/withdrawal/inputs.ts";

/** `day`: no withdrawal is open, but the shop is; a manager may agree. */
type Busy = "withdrawal" | "report" | "printing" | "day";

/** Whether nobody is served or sets up the terminal; a blocked terminal cannot be used. */
const isIdle = ({ kind }: Snapshot["screen"]): boolean => kind === "ready" || kind === "blocked";

/**
 * Why an update has to wait; null: the terminal can be down for a minute. An unwritable journal counts as a withdrawal,
 * because it is unknown what is open. Without days, only the time window tells when the shop is closed.
 */
export const busyWith = ({ screen, header }: Pick<Snapshot, "screen" | "header">): Busy | null => {
  if (!isIdle(screen) || header.unfinished > 0 || header.open.length > 0 || header.journalFailing) return "withdrawal";
  if (header.pendingReports !== null) return "report";
  if (header.printing !== null) return "printing";
  return header.day !== null && header.day.kind !== "closed" ? "day" : null;
};

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
};

/** Whether a minute of the day (0 to 1439) lies in a window, which ends before `to` and may span midnight. */
export const isInWindow = (window: NonNullable<UpdateSettings["window"]>, minuteOfDay: number): boolean => {
  const [from, to] = [minutesOf(window.from), minutesOf(window.to)];
  return from < to ? minuteOfDay >= from && minuteOfDay < to : minuteOfDay >= from || minuteOfDay < to;
};

/** Time between an answered check and the next one. */
export const checkEveryMs = 6 * 3_600_000;
/** Time from start to the first check, because a start has more urgent work. */
export const firstCheckMs = 60_000;
/** Time after a failed check; doubles with each failure up to `checkEveryMs`. */
export const retryMs = 10 * 60_000;
/** The terminal must be idle for this long before an update installs by itself. */
export const idleMs = 5 * 60_000;

/** Times by the monotonic clock. */
interface CheckFacts {
  readonly settings: Pick<UpdateSettings, "enabled">;
  readonly startedMs: number;
  /** When the last check of this run ended, answered or not; null before the first. */
  readonly checkedMs: number | null;
  /** In a row. */
  readonly failures: number;
  readonly nowMs: number;
}

/** Whether to check for a new version now, without being asked. */
export const isCheckDue = ({ settings, startedMs, checkedMs, failures, nowMs }: CheckFacts): boolean => {
  if (!settings.enabled) return false;
  if (checkedMs === null) return nowMs - startedMs >= firstCheckMs;
  const pauseMs = failures === 0 ? checkEveryMs : Math.min(checkEveryMs, retryMs * 2 ** (failures - 1));
  return nowMs - checkedMs >= pauseMs;
};

/** What an installation depends on. */
export interface InstallFacts {
  readonly settings: Pick<UpdateSettings, "enabled" | "window">;
  readonly busy: Busy | null;
  /** Whether the terminal knows when the shop is closed, because the drawer's days are counted. */
  readonly hasDays: boolean;
  readonly minuteOfDay: number;
  /** Time since the last command or screen change. */
  readonly idleForMs: number;
  /** The system asks for no password. */
  readonly isUnattended: boolean;
  /** Other machines use the service that this terminal runs, which would be down, too. */
  readonly servesOthers: boolean;
  /** The installation of this version failed before. */
  readonly failedBefore: boolean;
  /** A manager asked for it just now. */
  readonly isAgreed: boolean;
}

/** What a downloaded version waits for; null: install it now. */
export const waitOf = (facts: InstallFacts): UpdateWait | null => {
  const { settings, busy, hasDays, minuteOfDay, idleForMs, isAgreed } = facts;
  // An open withdrawal or report comes first, even when a manager has agreed.
  if (busy !== null && busy !== "day") return busy;
  if (isAgreed) return null;
  const needsManager = !facts.isUnattended || facts.servesOthers || facts.failedBefore || !settings.enabled;
  if (needsManager || (!hasDays && settings.window === null)) return "manager";
  if (busy === "day") return "day";
  if (settings.window !== null && !isInWindow(settings.window, minuteOfDay)) return "window";
  return idleForMs < idleMs ? "quiet" : null;
};

const failedMax = 20;

const schema = z.object({
  /** When the newest trusted feed of each name was issued, in ms since the epoch. */
  seen: z.record(z.string(), z.number()).default({}),
  /** Versions whose installation failed; they are not installed automatically again. */
  failed: z.array(z.string()).default([]),
  attempt: z.object({ to: z.string() }).nullable().default(null),
});
/** The content of `update.json`. */
export type UpdateRecord = z.infer<typeof schema>;

/** The record of a terminal, saved whole with each change. */
export type UpdateFile = ReturnType<typeof openUpdateFile>;

/** Adds a version to those that failed; the oldest beyond twenty are dropped. */
export const withFailed = (failed: readonly string[], version: string): string[] =>
  [...failed.filter((one) => one !== version), version].slice(-failedMax);

/** At start, checks the attempt of the previous run: if another version is running, that installation failed. */
export const atStart = (record: UpdateRecord, version: string): UpdateRecord => {
  const { attempt, failed } = record;
  if (attempt === null) return record;
  return { ...record, attempt: null, failed: attempt.to === version ? failed : withFailed(failed, attempt.to) };
};

/** @param data the terminal's data folder, not the one of a purpose: there is one program. */
export const openUpdateFile = (data: string, log: Log) => {
  const file = path.join(data, "update.json");
  let record: UpdateRecord;
  try {
    record = schema.parse(readJson(file, schema) ?? {});
  } catch (error) {
    log("warn", "what is known of updates could not be read", { error: String(error) });
    record = schema.parse({});
  }
  return {
    load: (): UpdateRecord => record,
    /** False: it could not be written; the change still applies to this run. */
    save(change: Partial<UpdateRecord>): boolean {
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

/** There is not enough space for the download on the journal's disk. */
export class NoDiskSpace extends Error {}

/** Where new versions come from and how they replace this program. */
export interface UpdateSource {
  /** Whether a new version starts without a person: the system asks for no password, and no option has to be typed again. */
  readonly isUnattended: boolean;
  /** Never rejects. */
  check(channel: UpdateSettings["channel"]): Promise<CheckResult>;
  /** Downloads what the last check found. Rejects if it is incomplete, or with NoDiskSpace. @param progress called with percent. */
  fetch(progress: (percent: number) => void): Promise<Fetched>;
  /** Whether the file is still the one that the feed was signed for. Never rejects. */
  matchesChecksum(fetched: Fetched): Promise<boolean>;
  /** Exits this program in order and starts the installation. The terminal must not be used afterwards. */
  install(): void;
}

/** Smallest step of a download's progress that the screens show, in percent. */
const percentStep = 5;
/** The program normally exits within seconds after an installation has begun; after this time it counts as failed. */
const exitTimeoutMs = 60_000;
const tickMs = 20_000;

type Channel = UpdateSettings["channel"];

interface UpdateParts {
  readonly source: UpdateSource;
  readonly file: UpdateFile;
  readonly clock: Clock;
  readonly log: Log;
  readonly snapshot: () => Snapshot;
  readonly servesOthers: () => boolean;
  /** By the terminal's wall clock, 0 to 1439. */
  readonly minuteOfDay: () => number;
  readonly show: (status: UpdateStatus) => void;
  /** Records in the journal that a version is about to be installed. */
  readonly record: (version: string) => void;
}

/** The updates of a running terminal. */
export type Updates = ReturnType<typeof createUpdates>;

/** Starts the schedule: the first check after a minute, then every six hours. */
export const createUpdates = (parts: UpdateParts) => {
  const { source, file, clock, log, snapshot } = parts;
  const startedMs = clock.monotonicMs();
  let working: Extract<UpdateProgress, { kind: "checking" | "downloading" | "installing" }> | null = null;
  /** A downloaded version, and the channel it came by. */
  let downloaded: { readonly fetched: Fetched; readonly channel: Channel } | null = null;
  let trouble: UpdateTrouble | null = null;
  /** When a check was last answered, ISO 8601. */
  let checkedAt: string | null = null;
  /** When and for which channel the last check of this run ended, answered or not. */
  let checked: { readonly atMs: number; readonly channel: Channel } | null = null;
  let failures = 0;
  let activeAtMs = startedMs;
  let screensBefore = "";
  let shown = "";
  let cancelTick: Cancel | null = null;
  let cancelTimeout: Cancel | null = null;
  let isClosed = false;

  const recordActivity = (): void => {
    activeAtMs = clock.monotonicMs();
  };
  const noticeScreens = (): void => {
    const { screen, header } = snapshot();
    const screens = JSON.stringify([screen, header.day?.kind, header.unfinished]);
    if (screens !== screensBefore) recordActivity();
    screensBefore = screens;
  };

  /** What an installation has to wait for now; null: it may begin. @param isAgreed a manager has agreed. */
  const waitNow = ({ version }: Fetched, isAgreed: boolean): UpdateWait | null => {
    const { settings, header, screen } = snapshot();
    return waitOf({
      settings: settings.updates,
      busy: busyWith({ screen, header }),
      hasDays: header.day !== null,
      minuteOfDay: parts.minuteOfDay(),
      idleForMs: clock.monotonicMs() - activeAtMs,
      isUnattended: source.isUnattended,
      servesOthers: parts.servesOthers(),
      failedBefore: file.load().failed.includes(version),
      isAgreed,
    });
  };

  const progress = (): UpdateProgress => {
    if (working !== null) return working;
    if (!snapshot().settings.updates.enabled) return { kind: "off" };
    if (downloaded === null) return { kind: "idle", checkedAt, trouble };
    const { fetched } = downloaded;
    const failedBefore = file.load().failed.includes(fetched.version);
    return { kind: "ready", version: fetched.version, waitsFor: waitNow(fetched, false), failedBefore };
  };
  const show = (): void => {
    if (isClosed) return;
    const status: UpdateStatus = { progress: progress(), isUnattended: source.isUnattended };
    const text = JSON.stringify(status);
    if (text !== shown) parts.show(status);
    shown = text;
  };

  const download = async (version: string, channel: Channel): Promise<void> => {
    let percent = 0;
    const showPercent = (): void => {
      working = { kind: "downloading", version, percent };
      show();
    };
    showPercent();
    const fetched = await source.fetch((now) => {
      if (now < percent + percentStep) return;
      percent = now;
      showPercent();
    });
    downloaded = { fetched, channel };
    log("info", "a new version was fetched", { version });
  };

  const search = async (channel: Channel): Promise<void> => {
    working = { kind: "checking" };
    if (downloaded?.channel !== channel) downloaded = null;
    show();
    try {
      const found = await source.check(channel);
      trouble = found.kind === "failed" ? found.why : null;
      if (found.kind === "failed")
        log("warn", "no answer about new versions", { why: found.why, detail: found.detail });
      else checkedAt = new Date(clock.now()).toISOString();
      // The release was withdrawn, or this is the newest.
      if (found.kind === "none") downloaded = null;
      if (found.kind === "found" && found.version !== downloaded?.fetched.version)
        await download(found.version, channel);
    } catch (error) {
      trouble = error instanceof NoDiskSpace ? "no_disk_space" : "download";
      log("warn", "a new version could not be downloaded", { error: String(error) });
    }
    working = null;
    checked = { atMs: clock.monotonicMs(), channel };
    failures = trouble === null ? 0 : failures + 1;
    show();
  };
  const check = (): boolean => {
    if (working !== null || isClosed) return false;
    void search(snapshot().settings.updates.channel);
    return true;
  };

  /** The program did not exit: the terminal accepts work again. */
  const continueServing = (): void => {
    const { attempt, failed } = file.load();
    if (attempt !== null) file.save({ attempt: null, failed: withFailed(failed, attempt.to) });
    log("error", "an installation began, and the program did not exit", { version: attempt?.to });
    working = null;
    show();
  };

  /** @param isAgreed a manager has agreed; false: automatic. */
  const install = async (isAgreed: boolean): Promise<"begun" | "busy" | "failed"> => {
    const fetched = downloaded?.fetched;
    if (fetched === undefined || waitNow(fetched, isAgreed) !== null) return "busy";
    const isSound = await source.matchesChecksum(fetched);
    if (downloaded?.fetched !== fetched) return "busy";
    if (!isSound) {
      [downloaded, trouble] = [null, "download"];
      show();
      return "failed";
    }
    // A customer may have come while the file was hashed.
    if (working !== null || isClosed || waitNow(fetched, isAgreed) !== null) return "busy";
    // Without the record a failing installation would be repeated for ever.
    if (!file.save({ attempt: { to: fetched.version } })) return "failed";
    parts.record(fetched.version);
    // First of all: while it installs every command is refused, also if what comes next throws.
    cancelTimeout = clock.after(exitTimeoutMs, continueServing);
    working = { kind: "installing", version: fetched.version };
    show();
    source.install();
    return "begun";
  };

  const tick = (): void => {
    noticeScreens();
    const { updates: settings } = snapshot().settings;
    if (working === null) {
      const facts = { settings, startedMs, checkedMs: checked?.atMs ?? null, failures, nowMs: clock.monotonicMs() };
      const isOther = checked !== null && checked.channel !== settings.channel && settings.enabled;
      if (isCheckDue(facts) || isOther) check();
      else if (downloaded !== null)
        void install(false).catch((error: unknown) =>
          log("error", "an update was not installed", { error: String(error) }),
        );
    }
    show();
    cancelTick = clock.after(tickMs, tick);
  };
  tick();

  return {
    /** False: a check or a download is running already. */
    check,
    /** A manager agrees. `stale`: another version, or none, was fetched. */
    async install(version: string): Promise<"begun" | "busy" | "stale" | "failed"> {
      if (downloaded?.fetched.version !== version) return "stale";
      const outcome = await install(true);
      show();
      return outcome;
    },
    /** Call when somebody used the terminal; restarts its idle time. */
    recordActivity,
    isInstalling: (): boolean => working?.kind === "installing",
    close(): void {
      isClosed = true;
      cancelTick?.();
      cancelTimeout?.();
    },
  };
};

/** @param updates null: this program takes no updates, and the terminal itself refuses the commands. */
export const withUpdates = <T extends Pick<Terminal, "dispatch" | "record">>(
  terminal: T,
  updates: Updates | null,
): T => {
  if (updates === null) return terminal;
  const answers: Answers<"updates"> = {
    check_for_update: () => (updates.check() ? { ok: true } : { ok: false, code: "busy" }),
    async install_update({ version }, actor) {
      terminal.record("update_agreed", version, actor);
      const outcome = await updates.install(version);
      return outcome === "begun" ? { ok: true } : { ok: false, code: outcome };
    },
  };
  return withAnswers(terminal, answers, () => {
    updates.recordActivity();
    // No new work on a program that is about to exit.
    return updates.isInstalling() ? { ok: false, code: "busy" } : null;
  });
};
