/** Ignores presses that were meant for the screen before, and second answers to a step. Times are `event.timeStamp`s. */

/** A press counts only from this time after the first paint of its screen. */
export const settleMs = 350;
/** Repeated tapping delays the first press that counts, but never beyond this. */
export const settleLimitMs = 1500;
/** An outcome after a confirm stays on the screen at least this long, whatever is pressed. */
export const outcomeHoldMs = 1500;

/** The result of a press; only `accepted` does anything. */
type PressResult = "accepted" | "too_soon" | "already_sent" | "gone";

/** A guard before the first screen: every press is `gone`. */
export const createStepGuard = () => {
  let current = "";
  let paintedAtMs: number | null = null;
  let quietSinceMs = 0;
  let sent = false;
  let heldMs = 0;
  return {
    /** A screen with this step is about to be painted. @param holdMs it ignores presses for this long after that. */
    show(step: string, holdMs = 0): void {
      if (step === current) return;
      current = step;
      paintedAtMs = null;
      heldMs = holdMs;
      sent = false;
    },
    /** The step's first paint is over. */
    painted(step: string, atMs: number): void {
      if (step !== current || paintedAtMs !== null) return;
      paintedAtMs = atMs;
      quietSinceMs = atMs;
    },
    /** Classifies a press; after `accepted` the step takes no second one. */
    press(step: string, atMs: number): PressResult {
      if (step !== current) return "gone";
      if (sent) return "already_sent";
      if (paintedAtMs === null) return "too_soon";
      if (atMs - paintedAtMs < heldMs) return "too_soon";
      const waitedOut = atMs - paintedAtMs >= settleLimitMs;
      if (!waitedOut && atMs - quietSinceMs < settleMs) {
        quietSinceMs = Math.max(quietSinceMs, atMs);
        return "too_soon";
      }
      sent = true;
      return "accepted";
    },
    /** The command was refused, or may be sent again: the step is open once more. */
    release(step: string): void {
      if (step === current) sent = false;
    },
  };
};
