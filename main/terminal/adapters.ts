/** The real clock and the real randomness: the only place in the core's folder where they are touched. */
import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Clock, Ids } from "./ports.ts";

/** Node's timers fire at once above this. */
const timerMaxMs = 2 ** 31 - 1;

export const createClock = (): Clock => ({
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.max(0, Math.min(delayMs, timerMaxMs)));
    return () => clearTimeout(timer);
  },
});

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const timeDigits = 10;
const randomDigits = 16;

const encode = (value: number, digits: number): string => {
  let text = "";
  for (let rest = value, digit = 0; digit < digits; digit++) {
    text = `${alphabet[rest % 32]}${text}`;
    rest = Math.floor(rest / 32);
  }
  return text;
};

/** Ids that sort by time and carry 80 random bits (the form of a ULID): unique also when the clock jumps back. */
export const createIds = (): Ids => ({
  next: () =>
    encode(Date.now(), timeDigits) + [...randomBytes(randomDigits)].map((byte) => alphabet[byte & 31]).join(""),
  fraction: () => Math.random(),
});
