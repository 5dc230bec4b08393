/** What the updates do next: pure, so that each line of it is a line of a table in the tests. */
import type { UpdateSettings, UpdateWait } from "../../preload/contract.ts";
import type { Busy } from "./busy.ts";
import { isInWindow } from "./time-window.ts";

/** Between two good looks. */
export const lookEveryMs = 6 * 3_600_000;
/** Before the first look of a run: a terminal that starts has better things to do. */
export const firstLookMs = 60_000;
/** After one that came to nothing; doubled with each, up to `lookEveryMs`. */
export const retryMs = 10 * 60_000;
/** Nobody did anything at the terminal for so long, before it ends by itself. */
export const quietMs = 5 * 60_000;

/** What a look depends on. Times by the monotonic clock. */
export interface LookFacts {
  readonly settings: Pick<UpdateSettings, "enabled">;
  readonly startedMs: number;
  /** When the last look of this run ended, well or not. */
  readonly lookedMs: number | null;
  /** Looks in a row that came to nothing. */
  readonly failures: number;
  readonly nowMs: number;
}

/** Whether to look for a new version now, by itself. */
export const isLookDue = ({ settings, startedMs, lookedMs, failures, nowMs }: LookFacts): boolean => {
  if (!settings.enabled) return false;
  if (lookedMs === null) return nowMs - startedMs >= firstLookMs;
  const pauseMs = failures === 0 ? lookEveryMs : Math.min(lookEveryMs, retryMs * 2 ** (failures - 1));
  return nowMs - lookedMs >= pauseMs;
};

/** What an installation depends on. */
export interface InstallFacts {
  readonly settings: Pick<UpdateSettings, "enabled" | "window">;
  readonly busy: Busy | null;
  /** Whether the shop says when it is closed: it counts the drawer's days here. */
  readonly hasDays: boolean;
  readonly minuteOfDay: number;
  /** Since anybody did anything at the terminal, or anything changed on it. */
  readonly quietForMs: number;
  /** The system asks nobody for a password. */
  readonly isUnattended: boolean;
  /** Other machines reach the service that this terminal runs: it would be gone for them too. */
  readonly servesOthers: boolean;
  /** This very version was tried before and did not come up. */
  readonly failedBefore: boolean;
  /** A manager asked for it just now. */
  readonly isAgreed: boolean;
}

/** What a version that was fetched waits for; null: it is to be installed now. */
export const waitOf = (facts: InstallFacts): UpdateWait | null => {
  const { settings, busy, hasDays, minuteOfDay, quietForMs, isAgreed } = facts;
  // Money and what is owed to the books come first, whoever agrees.
  if (busy !== null && busy !== "day") return busy;
  if (isAgreed) return null;
  const needsManager = !facts.isUnattended || facts.servesOthers || facts.failedBefore || !settings.enabled;
  if (needsManager || (!hasDays && settings.window === null)) return "manager";
  if (busy === "day") return "day";
  if (settings.window !== null && !isInWindow(settings.window, minuteOfDay)) return "window";
  return quietForMs < quietMs ? "quiet" : null;
};
