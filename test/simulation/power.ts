/** A machine's power. When it goes, nothing that program had planned happens any more; what it had synced stays. */
import type { Cancel, Scheduler } from "./scheduler.ts";

/** Thrown into a program at the call of a port at which its machine dies: no line after it has any effect. */
export class PowerCut extends Error {}

/** One life of a machine, from its start to its power cut. */
export interface Power {
  readonly on: boolean;
  readonly asleep: boolean;
  cut(): void;
  /** For so long no timer fires and no answer arrives; then all that was due does, late. */
  sleep(forMs: number): void;
  /** Aborted when the power goes: who listens at the other end of a connection sees it break. */
  readonly signal: AbortSignal;
  /** Called by every port at its beginning and end: throws when the machine is dead, and is where it may die. */
  touch(): void;
  /** A timer of this machine; it does not fire once the power is gone, and may be the moment at which it goes. */
  after(delayMs: number, run: () => void): Cancel;
  /** Hands an answer from outside to the program, or to nobody when it is gone or goes just then. */
  whileOn<T>(answer: Promise<T>): Promise<T>;
}

/** @param diesNow asked at each touch, timer and answer. @param onCut called once. */
export const createPower = (scheduler: Scheduler, diesNow: () => boolean, onCut: () => void): Power => {
  let on = true;
  let asleepUntilMs = 0;
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
  const isAsleep = (): boolean => scheduler.now() < asleepUntilMs;
  /** At once, or in the order in which things were due when the machine wakes. */
  const awake = (run: () => void): void => {
    if (isAsleep()) scheduler.at(asleepUntilMs, run);
    else run();
  };
  return {
    get on() {
      return on;
    },
    get asleep() {
      return isAsleep();
    },
    cut,
    sleep: (forMs) => {
      asleepUntilMs = scheduler.now() + forMs;
    },
    signal: connection.signal,
    touch: () => {
      if (!lives()) throw new PowerCut();
    },
    after: (delayMs, run) => {
      let isCanceled = false;
      const fire = (): void => {
        if (isCanceled || !lives()) return;
        try {
          run();
        } catch (problem) {
          if (!(problem instanceof PowerCut)) throw problem;
        }
      };
      const cancel = scheduler.after(delayMs, () => awake(fire));
      return () => {
        isCanceled = true;
        cancel();
      };
    },
    whileOn: (answer) =>
      new Promise((resolve, reject) => {
        answer.then(
          (value) => awake(() => lives() && resolve(value)),
          (problem: unknown) => awake(() => lives() && reject(problem)),
        );
      }),
  };
};
