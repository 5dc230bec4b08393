/** Time and chance as the machine gives them: the only place of the service that asks for either. */
import { randomBytes } from "node:crypto";
import type { Clock, Random } from "./ports.ts";
import { createSteadyTime } from "./steady-time.ts";

/** Timers take at most 2³¹ − 1 ms; whoever waits longer is called early and looks again. */
const delayMsMax = 2 ** 31 - 1;

/** Milliseconds that no setting of the clock changes. */
export const elapsedMs = (): number => performance.now();

/** The machine's clock and timers; never runs back in a process. */
export const systemClock: Clock = {
  now: createSteadyTime(() => Date.now(), elapsedMs).now,
  calendar: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, Math.ceil(delayMs)), delayMsMax));
    return () => clearTimeout(timer);
  },
  soon(run) {
    setImmediate(run);
  },
};

/** The system's CSPRNG; jitter from `Math.random`. */
export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  fraction: () => Math.random(),
};
