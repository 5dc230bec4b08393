/** Looks for new versions, fetches them, and installs them when nobody is served. */
import type { Snapshot, UpdateProgress, UpdateStatus, UpdateTrouble, UpdateWait } from "../../preload/contract.ts";
import type { Log } from "../host/log-file.ts";
import type { Cancel, Clock } from "../terminal/ports.ts";
import { busyWith } from "./busy.ts";
import { isLookDue, waitOf } from "./decide.ts";
import type { Fetched, KeptFiles, UpdateSource } from "./source.ts";
import { type UpdateFile, withFailed } from "./update-file.ts";

const tickMs = 20_000;
/** Smallest step of a download that the screens are told, in percent. */
const percentStep = 5;
/** The program ends within seconds once an installation begins. */
const endPatienceMs = 60_000;

/** What the updates work with. */
export interface UpdateParts {
  readonly source: UpdateSource;
  readonly file: UpdateFile;
  readonly clock: Clock;
  readonly log: Log;
  /** The running one. */
  readonly version: string;
  /** The latest of what the screens show; null before the first. */
  readonly snapshot: () => Snapshot | null;
  readonly servesOthers: () => boolean;
  /** 0 to 1439. */
  readonly minuteOfDay: () => number;
  readonly show: (status: UpdateStatus) => void;
  /** Writes into the journal that a version is about to be installed. */
  readonly record: (version: string) => void;
}

/** The updates of a running terminal. */
export interface Updates {
  /** False: it is being looked or fetched already. */
  look(): boolean;
  /** A manager agrees. `stale`: another version, or none, was fetched. */
  install(version: string): Promise<"begun" | "busy" | "stale" | "failed">;
  /** Somebody did something. */
  touched(): void;
  isInstalling(): boolean;
  close(): void;
}

type Held = { readonly fetched: Fetched; readonly kept: KeptFiles; readonly channel: string };

/** Begins at once. */
export const createUpdates = (parts: UpdateParts): Updates => {
  const { source, file, clock, log } = parts;
  const startedMs = clock.monotonicMs();
  let touchedMs = startedMs;
  let lookedMs: number | null = null;
  let lookedAt: string | null = null;
  let lookedChannel: string | null = null;
  let failures = 0;
  let trouble: UpdateTrouble | null = null;
  let working: Extract<UpdateProgress, { kind: "looking" | "downloading" | "installing" }> | null = null;
  let held: Held | null = null;
  let shown = "";
  let scene = "";
  let cancel: Cancel | null = null;
  let cancelPatience: Cancel | null = null;
  let isClosed = false;

  const settings = () => parts.snapshot()?.settings.updates ?? null;

  const waitNow = (isAgreed: boolean): UpdateWait | null => {
    const snapshot = parts.snapshot();
    if (snapshot === null || held === null) return "withdrawal";
    return waitOf({
      settings: snapshot.settings.updates,
      busy: busyWith(snapshot),
      hasDays: snapshot.header.day !== null,
      minuteOfDay: parts.minuteOfDay(),
      quietForMs: clock.monotonicMs() - touchedMs,
      isUnattended: source.isUnattended && held.kept.previous !== null,
      servesOthers: parts.servesOthers(),
      failedBefore: file.load().failed.includes(held.fetched.version),
      isAgreed,
    });
  };

  const progress = (): UpdateProgress => {
    if (working !== null) return working;
    if (settings()?.enabled === false) return { kind: "off" };
    if (held === null) return { kind: "idle", lookedAt, trouble };
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

  const fetchFound = async (version: string, channel: string): Promise<void> => {
    working = { kind: "downloading", version, percent: 0 };
    show();
    const fetched = await source.fetch((percent) => {
      if (working?.kind !== "downloading" || percent < working.percent + percentStep) return;
      working = { ...working, percent };
      show();
    });
    held = { fetched, kept: await source.keepPresent(fetched), channel };
    log("info", "a new version was fetched", { version, canGoBack: held.kept.previous !== null });
  };

  const lookOnce = async (channel: "latest" | "beta"): Promise<void> => {
    working = { kind: "looking" };
    if (held?.channel !== channel) held = null;
    show();
    const found = await source.look(channel);
    trouble = found.kind === "failed" ? found.why : null;
    if (found.kind === "failed") log("warn", "no answer about new versions", { why: found.why, detail: found.detail });
    else lookedAt = new Date(clock.now()).toISOString();
    // Whoever makes the releases took it back, or this is the newest.
    if (found.kind === "none") held = null;
    if (found.kind === "found" && found.version !== held?.fetched.version) await fetchFound(found.version, channel);
  };

  const look = (): boolean => {
    const channel = settings()?.channel;
    if (working !== null || isClosed || channel === undefined) return false;
    lookedChannel = channel;
    void lookOnce(channel)
      .catch((error: unknown) => {
        trouble = "download";
        log("warn", "a new version did not arrive", { error: String(error) });
      })
      .finally(() => {
        working = null;
        lookedMs = clock.monotonicMs();
        failures = trouble === null ? 0 : failures + 1;
        show();
      });
    return true;
  };

  const install = async (isAgreed: boolean): Promise<"begun" | "busy" | "failed"> => {
    if (held === null || working !== null || waitNow(isAgreed) !== null) return "busy";
    const { fetched, kept } = held;
    const isWhole = await source.isWhole(fetched);
    if (held?.fetched !== fetched) return "busy";
    if (!isWhole) {
      [held, trouble] = [null, "download"];
      show();
      return "failed";
    }
    // Looking at the file took a moment, in which a customer may have come.
    if (working !== null || isClosed || waitNow(isAgreed) !== null) return "busy";
    const attempt = { from: parts.version, to: fetched.version, starts: 0, ...kept };
    // Without the record a start that fails could not offer the version before.
    if (!file.save({ attempt })) return "failed";
    parts.record(fetched.version);
    working = { kind: "installing", version: fetched.version };
    show();
    source.install();
    cancelPatience = clock.after(endPatienceMs, stay);
    return "begun";
  };

  /** The program did not end, so it must go on serving. */
  const stay = (): void => {
    const { attempt, failed } = file.load();
    if (attempt !== null) file.save({ attempt: null, failed: withFailed(failed, attempt.to) });
    log("error", "an installation was begun, and the program did not end", { version: attempt?.to });
    working = null;
    show();
  };

  /** What somebody would notice: while it changes, the terminal is in use. */
  const watch = (): void => {
    const snapshot = parts.snapshot();
    const next = JSON.stringify([snapshot?.screen, snapshot?.header.day?.kind, snapshot?.header.unfinished]);
    if (next !== scene) touchedMs = clock.monotonicMs();
    scene = next;
  };
  const notInstalled = (error: unknown): void => log("error", "an update was not installed", { error: String(error) });
  const tick = (): void => {
    watch();
    const now = settings();
    if (now !== null && working === null) {
      const facts = { settings: now, startedMs, lookedMs, failures, nowMs: clock.monotonicMs() };
      const isOther = lookedChannel !== null && lookedChannel !== now.channel && now.enabled;
      if (isLookDue(facts) || isOther) look();
      else if (now.enabled && held !== null) void install(false).catch(notInstalled);
    }
    show();
    cancel = clock.after(tickMs, tick);
  };
  tick();

  return {
    look,
    async install(version) {
      if (held?.fetched.version !== version) return "stale";
      const outcome = await install(true);
      show();
      return outcome;
    },
    touched() {
      touchedMs = clock.monotonicMs();
    },
    isInstalling: () => working?.kind === "installing",
    close() {
      isClosed = true;
      cancel?.();
      cancelPatience?.();
    },
  };
};
