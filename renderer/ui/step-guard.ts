/**
 * Keeps a press that was meant for the screen before from acting on this one, and a step from being answered twice.
 * Times are those of `event.timeStamp` and `performance.now()`, which share one clock.
 */

/** A press counts only this long after its screen was first painted. */
export const settleMs = 350;
/** Fast repeated tapping keeps a new screen closed, but never for longer than this. */
export const settleLimitMs = 1500;
/** A tone about money that someone confirmed stays up at least this long, however the keys are pressed. */
export const outcomeHoldMs = 1500;

/** What a press comes to; only `accepted` does anything. */
export type PressResult = "accepted" | "too_soon" | "already_sent" | "gone";

/** Decides which presses count. */
export interface StepGuard {
  /** A screen with this step is about to be painted; it takes no press for `holdMs` after that, whatever came before. */
  show(step: string, holdMs?: number): void;
  /** The step's first paint is over. */
  painted(step: string, atMs: number): void;
  /** Decides about a press; `accepted` also remembers it, so that the step takes no second one. */
  press(step: string, atMs: number): PressResult;
  /** The command was refused, or may be sent again: the step is open once more. */
  release(step: string): void;
}

/** A guard that has seen no screen yet: every press is `gone`. */
export const createStepGuard = (): StepGuard => {
  let current = "";
  let paintedAtMs: number | null = null;
  let quietSinceMs = 0;
  let sent = false;
  let heldMs = 0;
  return {
    show(step, holdMs = 0) {
      if (step === current) return;
      current = step;
      paintedAtMs = null;
      heldMs = holdMs;
      sent = false;
    },
    painted(step, atMs) {
      if (step !== current || paintedAtMs !== null) return;
      paintedAtMs = atMs;
      quietSinceMs = atMs;
    },
    press(step, atMs) {
      if (step !== current) return "gone";
      if (sent) return "already_sent";
      if (paintedAtMs === null) return "too_soon";
      if (atMs - paintedAtMs < heldMs) {
        quietSinceMs = Math.max(quietSinceMs, atMs);
        return "too_soon";
      }
      const waitedOut = atMs - paintedAtMs >= settleLimitMs;
      if (!waitedOut && atMs - quietSinceMs < settleMs) {
        quietSinceMs = Math.max(quietSinceMs, atMs);
        return "too_soon";
      }
      sent = true;
      return "accepted";
    },
    release(step) {
      if (step === current) sent = false;
    },
  };
};
