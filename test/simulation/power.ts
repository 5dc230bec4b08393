/** A machine's power. When it goes, nothing that program had planned happens any more; what it had synced stays. */
import type { Cancel, Scheduler } from "./scheduler.ts";

/** Thrown into a program at the call of a port at which its machine dies: no line after it has any effect. */
export class PowerCut extends Error {}

export interface Power {
  readonly on: boolean;
  cut(): void;
  /** Called by every port at its beginning and end: throws when the machine is dead, and is where it may die. */
  touch(): void;
  /** A timer of this machine; it does not fire once the power is gone. */
  after(delayMs: number, run: () => void): Cancel;
  /** Hands an answer from outside to the program, or to nobody when it is gone. */
  whileOn<T>(answer: Promise<T>): Promise<T>;
}

export const createPower = (scheduler: Scheduler, diesNow: () => boolean, onCut: () => void): Power => {
  let on = true;
  const cut = (): void => {
    if (!on) return;
    on = false;
    onCut();
  };
  return {
    get on() {
      return on;
    },
    cut,
    touch: () => {
      if (on && diesNow()) cut();
      if (!on) throw new PowerCut();
    },
    after: (delayMs, run) =>
      scheduler.after(delayMs, () => {
        if (on) run();
      }),
    whileOn: (answer) =>
      new Promise((resolve, reject) => {
        answer.then(
          (value) => on && resolve(value),
          (problem: unknown) => on && reject(problem),
        );
      }),
  };
};
