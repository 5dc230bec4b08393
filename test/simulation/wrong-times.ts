/** Times at which the service's machine does not know what day it is: drawn before a story begins, set right again after minutes. */
import { createChance, seedOf } from "../random.ts";

/** How the service's clock comes to be wrong by days, weeks or years. */
export const wrongTimeKinds = ["set_ahead", "set_back", "wrong_start", "resumed", "paused"] as const;
/** One of them. */
export type WrongTimeKind = (typeof wrongTimeKinds)[number];

/** It lasts from `atMs` to `atMs + forMs`, virtual milliseconds since the run began. */
export interface PlannedWrongTime {
  readonly kind: WrongTimeKind;
  readonly atMs: number;
  readonly forMs: number;
  /** By how much the clock is wrong; a machine that was resumed is behind by the time for which it stood. */
  readonly byMs: number;
  /** Whether the machine starts again when its clock is set right: only then does its time run back. */
  readonly restarts: boolean;
}

const minute = 60_000;
const day = 86_400_000;
/** By how much: days, weeks, a dead battery's years back, a mistyped year. */
const sizes: Readonly<Record<WrongTimeKind, readonly [number, ...number[]]>> = {
  set_ahead: [day, 5 * day, 21 * day, 500 * day],
  set_back: [-day, -5 * day, -21 * day],
  wrong_start: [-20 * 365 * day, -40 * day, 40 * day, 10 * 365 * day],
  resumed: [-minute, -4 * minute],
  paused: [0],
};
/** Mean time between two of them. */
const everyMs = 12 * minute;

/** @param untilMs when the last customer comes; all is right by then. */
export const planWrongTimes = (seed: number, untilMs: number): readonly PlannedWrongTime[] => {
  const chance = createChance(seedOf(seed, "service's time"));
  const planned: PlannedWrongTime[] = [];
  for (let atMs = chance.between(everyMs / 3, everyMs); ; ) {
    const kind = chance.pick(wrongTimeKinds);
    const byMs = chance.pick(sizes[kind]);
    const forMs = chance.between(minute / 2, 4 * minute);
    const endsAtMs = atMs + forMs + (kind === "resumed" ? -byMs : 0);
    if (endsAtMs > untilMs) return planned;
    planned.push({ kind, atMs, forMs: endsAtMs - atMs, byMs, restarts: chance.happens(0.5) });
    atMs = endsAtMs + chance.between(everyMs / 2, (everyMs * 3) / 2);
  }
};
