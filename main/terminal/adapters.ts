/** The real clock and randomness, used nowhere else in this folder. */
import { randomBytes } from "node:crypto";
import { uptime } from "node:os";
import { performance } from "node:perf_hooks";
import { toBase32 } from "../../backend/contract/ids.ts";
import type { Clock, Ids } from "./ports.ts";

/** Node's timers fire immediately above this. */
const timerMaxMs = 2 ** 31 - 1;

/** Uptime is read at most this often: on Linux it comes from a file. Short, as what is heard first after a sleep may be an old answer. */
const uptimeEveryMs = 10;
/** A smaller difference is rounding, not sleep. */
const sleepLeastMs = 2_000;

const systemTime = {
  wallMs: () => Date.now(),
  /** Never jumps; may stand still while the machine sleeps. */
  runningMs: () => performance.now(),
  /** Time since the machine started, sleep included. */
  uptimeMs: () => uptime() * 1_000,
};

/** The machine's clock. Unlike Node's timers, `monotonicMs` also counts time asleep. */
export const createClock = (sources = systemTime): Clock => {
  const bootedAgoMs = sources.uptimeMs() - sources.runningMs();
  let sleptMs = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return {
    now: sources.wallMs,
    monotonicMs() {
      const runningMs = sources.runningMs();
      if (runningMs - lookedAtMs >= uptimeEveryMs) {
        lookedAtMs = runningMs;
        const ahead = sources.uptimeMs() - bootedAgoMs - runningMs;
        if (ahead > sleptMs + sleepLeastMs) sleptMs = ahead;
      }
      return runningMs + sleptMs;
    },
    after(delayMs, run) {
      let afterInput: NodeJS.Immediate | undefined;
      // Input that arrived while this program was blocked or asleep is handled before the timer fires.
      const onTime = (): void => {
        afterInput = setImmediate(run);
      };
      const timer = setTimeout(onTime, Math.max(0, Math.min(delayMs, timerMaxMs)));
      return () => {
        clearTimeout(timer);
        clearImmediate(afterInput);
      };
    },
  };
};

const timeDigits = 10;
const randomDigits = 16;

const timeInBase32 = (ms: number): string =>
  toBase32(Array.from({ length: timeDigits }, (_, at) => Math.floor(ms / 32 ** (timeDigits - 1 - at))));

/** Ids in the form of a ULID: they sort by time and have 80 random bits, so they are unique even if the clock jumps back. */
export const createIds = (): Ids => ({
  next: () => timeInBase32(Date.now()) + toBase32(randomBytes(randomDigits)),
  fraction: () => Math.random(),
});
