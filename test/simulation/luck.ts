/** Draws faults: each withdrawal has luck of its own, so that cutting others out of a story leaves its faults as they were. */
import { type FaultName, type FaultRates, noFaults } from "./plan.ts";
import { type Chance, createChance, seedOf } from "./random.ts";

export interface Luck {
  /** Whether this fault strikes the subject (`withdrawal 12`, `till 1`, …) at this moment; counts it if so. */
  strikes(fault: FaultName, subject: string): boolean;
  /** A whole number for a delay or the like. */
  between(low: number, high: number, subject: string): number;
  /** No fault strikes before the first `start` or after `stop`. */
  start(): void;
  stop(): void;
  readonly counts: Readonly<Record<FaultName, number>>;
}

export const createLuck = (seed: number, rates: FaultRates): Luck => {
  const chances = new Map<string, Chance>();
  const counts: Record<FaultName, number> = { ...noFaults };
  let stopped = true;
  const chanceOf = (subject: string): Chance => {
    const known = chances.get(subject);
    if (known) return known;
    const chance = createChance(seedOf(seed, subject));
    chances.set(subject, chance);
    return chance;
  };
  return {
    strikes: (fault, subject) => {
      if (stopped) return false;
      // Drawn also for a fault that is switched off: the others must not change by it.
      if (chanceOf(subject).fraction() >= rates[fault]) return false;
      counts[fault] += 1;
      return true;
    },
    between: (low, high, subject) => chanceOf(subject).between(low, high),
    start: () => {
      stopped = false;
    },
    stop: () => {
      stopped = true;
    },
    counts,
  };
};
