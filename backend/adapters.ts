/** The machine's time and randomness: the only place of the service that reads either. */
import { randomBytes, randomUUID } from "node:crypto";
import type { Clock, Random } from "./ports.ts";

/** Timers take at most 2³¹ − 1 ms; longer waits fire early and are checked again. */
const delayMsMax = 2 ** 31 - 1;

/** A monotonic time in milliseconds. */
export const elapsedMs = (): number => performance.now();

/** The wall clock is read no more often: each call of the API asks for the time four times. */
const askedEveryMs = 1;

/**
 * Time that never runs back in a process: deadlines, leases, pauses and tokens depend on it, and setting the clock back
 * would revive what has ended. A clock that is set forward, or ran on during sleep, is followed. Pure.
 * @param calendarMs epoch milliseconds of the wall clock, which may be set back and forth.
 * @param elapsedMs monotonic milliseconds, which may stand still while the machine sleeps.
 */
export const createSteadyTime = (calendarMs: () => number, elapsedMs: () => number) => {
  let latestMs = calendarMs();
  let readAt = elapsedMs();
  return {
    /** Epoch milliseconds, whole; never less than before. */
    now(): number {
      const at = elapsedMs();
      const passedMs = at - readAt;
      if (passedMs >= 0 && passedMs < askedEveryMs) return Math.floor(latestMs + passedMs);
      latestMs = Math.max(latestMs + Math.max(0, passedMs), calendarMs());
      readAt = at;
      return Math.floor(latestMs);
    },
  };
};

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
  id() {
    const uuid = randomUUID();
    return uuid.slice(19, 23) + uuid.slice(24);
  },
};
