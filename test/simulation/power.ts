/** A machine's power. When it goes, nothing that program had planned happens any more; what it had synced stays. */
import type { Cancel, Scheduler } from "./scheduler.ts";

/** Thrown into a program at the call of a port at which its machine dies: no line after it has any effect. */
export class PowerCut extends Error {}

/** One machine from boot to death. */
export interface Power {
  readonly on: boolean;
  cut(): void;
  /** Aborted when the power goes: who listens at the other end of a connection sees it break. */
  readonly signal: AbortSignal;
  /** Called by every port at its beginning and end: throws when the machine is dead, and is where it may die. */
  touch(): void;
  /** A timer of this machine; it does not fire once the power is gone, and may be the moment at which it goes. */
  after(delayMs: number, run: () => void): Cancel;
  /** Hands an answer from outside to the program, or to nobody when it is gone or goes just then. */
  whileOn<T>(answer: Promise<T>): Promise<T>;
}

/** `diesNow` is asked at each call of a port; `onCut` runs once. */
export const createPower = (scheduler: Scheduler, diesNow: () => boolean, onCut: () => void): Power => {
  let on = true;
  const connection = new AbortController();
  const cut = (): void => {
    if (!on) return;
    on = false;
    onCut();
    connection.abort("no power");
  };
  const lives = (): boolean => {
    if (on && diesNow()) cut();
    return on;
  };
  return {
    get on() {
      return on;
    },
    cut,
    signal: connection.signal,
    touch: () => {
      if (!lives()) throw new PowerCut();
    },
    after: (delayMs, run) =>
      scheduler.after(delayMs, () => {
        if (!lives()) return;
        try {
          run();
        } catch (problem) {
          if (!(problem instanceof PowerCut)) throw problem;
        }
      }),
    whileOn: (answer) =>
      new Promise((resolve, reject) => {
        answer.then(
          (value) => lives() && resolve(value),
          (problem: unknown) => lives() && reject(problem),
        );
      }),
  };
};
