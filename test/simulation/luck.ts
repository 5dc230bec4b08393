/** Draws faults: each withdrawal has luck of its own, so that cutting others out of a story leaves its faults as they were. */

import { createChance, seedOf } from "../random.ts";
import { type FaultName, type FaultRates, noFaults } from "./plan.ts";

/** The luck of one withdrawal, one machine or one message. */
export interface Fate {
  /** Whether this fault strikes at this moment; counts it if so. */
  strikes(fault: FaultName): boolean;
  /** A whole number for a delay or the like. */
  between(low: number, high: number): number;
}

export interface Luck {
  /** The fate of a subject (`withdrawal 12`, `till 1`, …): the same one each time, further on in its own stream. */
  of(subject: string): Fate;
  /** No fault strikes before the first `start` or after `stop`. */
  start(): void;
  stop(): void;
  readonly counts: Readonly<Record<FaultName, number>>;
}

export const createLuck = (seed: number, rates: FaultRates): Luck => {
  const fates = new Map<string, Fate>();
  const counts: Record<FaultName, number> = { ...noFaults };
  let stopped = true;
  const createFate = (subject: string): Fate => {
    const { fraction, between } = createChance(seedOf(seed, subject));
    return {
      between,
      strikes: (fault) => {
        if (stopped) return false;
        // Drawn also for a fault that is switched off: the others must not change by it.
        if (fraction() >= rates[fault]) return false;
        counts[fault] += 1;
        return true;
      },
    };
  };
  return {
    of: (subject) => {
      const known = fates.get(subject);
      if (known) return known;
      const fate = createFate(subject);
      fates.set(subject, fate);
      return fate;
    },
    start: () => {
      stopped = false;
    },
    stop: () => {
      stopped = true;
    },
    counts,
  };
};
