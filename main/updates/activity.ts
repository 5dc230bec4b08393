/** How long the terminal has been idle: an update installs by itself only after five minutes without use. */
import type { Snapshot } from "../../preload/contract.ts";
import type { Clock } from "../terminal/ports.ts";

/** Detects use of the terminal, by commands and by what the screens show. */
export interface ActivityWatch {
  /** Somebody sent a command. */
  recordActivity(): void;
  /** Compares the snapshot with the one of the last call: a screen that changed counts as activity. */
  compareSnapshot(): void;
  idleForMs(): number;
}

/** @param snapshot the latest of what the screens show; null before the first. */
export const createActivityWatch = (clock: Clock, snapshot: () => Snapshot | null): ActivityWatch => {
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
