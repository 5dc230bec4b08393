/** When to check for an update, and when the program may exit to install it. Pure. */
import type { Snapshot, UpdateSettings, UpdateWait } from "../../preload/contract.ts";

/** `day`: nothing is open, but the shop is; a manager may agree. */
type Busy = "withdrawal" | "report" | "printing" | "day";

/** Whether nobody is served or sets it up: at a terminal that is blocked, nobody can be. */
const isIdle = ({ kind }: Snapshot["screen"]): boolean => kind === "ready" || kind === "blocked";

/**
 * Null: the terminal can be away for a minute. A journal that cannot be written counts as a withdrawal, since what is open is
 * not known then. In a shop that counts no days only the time window says when it is closed.
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

/**
 * Whether a minute of the day lies in a window; it ends before `to`, and spans midnight where `to` is not after `from`.
 * @param minuteOfDay 0 to 1439, by the terminal's wall clock.
 */
export const isInWindow = (window: NonNullable<UpdateSettings["window"]>, minuteOfDay: number): boolean => {
  const [from, to] = [minutesOf(window.from), minutesOf(window.to)];
  return from < to ? minuteOfDay >= from && minuteOfDay < to : minuteOfDay >= from || minuteOfDay < to;
};

/** From one check that was answered to the next. */
export const checkEveryMs = 6 * 3_600_000;
/** From the start to the first check: a start has more urgent things to do. */
export const firstCheckMs = 60_000;
/** After a check that failed; doubled with each failure, up to `checkEveryMs`. */
export const retryMs = 10 * 60_000;
/** The terminal must be idle for this long before an update installs by itself. */
export const idleMs = 5 * 60_000;

/** What a check depends on. Times by the monotonic clock. */
interface CheckFacts {
  readonly settings: Pick<UpdateSettings, "enabled">;
  readonly startedMs: number;
  /** When the last check of this run ended, answered or not; null before the first. */
  readonly checkedMs: number | null;
  /** Failed checks in a row. */
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
  /** Whether the shop says when it is closed: it counts the drawer's days here. */
  readonly hasDays: boolean;
  readonly minuteOfDay: number;
  /** Since the last command or the last change of a screen. */
  readonly idleForMs: number;
  /** The system asks for no password. */
  readonly isUnattended: boolean;
  /** Other machines use the service that this terminal runs: it would be down for them too. */
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
