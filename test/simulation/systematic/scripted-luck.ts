/** Luck that is written down: numbers every chance of a fault, and lets exactly the named ones strike. */
import { createChance, seedOf } from "../../random.ts";
import type { Fate, Luck } from "../luck.ts";
import { type FaultName, noFaults } from "../plan.ts";

/** One chance that a run had: the same number is the same chance in every run that struck alike before it. */
export interface Chance {
  readonly fault: FaultName;
  /** Chances of one step (one message, one call of a port) differ by their fault alone. */
  readonly step: number;
  /** Struck by the course itself: nothing to try out. */
  readonly scripted: boolean;
}

/** The chance with this number strikes, in one of the ways that its fault has. */
export interface Strike {
  readonly chance: number;
  readonly way: number;
}

/** Whether the course itself lets this fault strike: at the `nth` time (from 0) that this subject meets it. */
export type CourseStrikes = (fault: FaultName, subject: string, nth: number) => boolean;

/** What the next number that is drawn says after a strike: before or after it was done, not moved or moved, how long. */
const waysOf: Readonly<Partial<Record<FaultName, readonly number[]>>> = {
  reset: [0, 1],
  badGateway: [0, 1],
  drawerFails: [0, 1],
  delayed: [3_000, 15_000, 90_000],
};

export const waysOfFault = (fault: FaultName): number => waysOf[fault]?.length ?? 1;

export interface ScriptedLuck extends Luck {
  /** In order, between `start` and `stop`. */
  readonly chances: readonly Chance[];
}

export const createScriptedLuck = (
  seed: number,
  strikes: readonly Strike[],
  courseStrikes: CourseStrikes,
): ScriptedLuck => {
  const fates = new Map<string, Fate>();
  const counts: Record<FaultName, number> = { ...noFaults };
  const chances: Chance[] = [];
  const wayAt = new Map(strikes.map(({ chance, way }) => [chance, way]));
  const times = new Map<string, number>();
  let started = false;
  let step = 0;
  let inStep = { subject: "", faults: new Set<FaultName>() };

  const stepOf = (subject: string, fault: FaultName): number => {
    if (inStep.subject !== subject || inStep.faults.has(fault)) {
      step += 1;
      inStep = { subject, faults: new Set() };
    }
    inStep.faults.add(fault);
    return step;
  };

  const createFate = (subject: string): Fate => {
    const { between } = createChance(seedOf(seed, subject));
    /** Drawn by the strike that has just happened. */
    let next: number | null = null;
    return {
      between: (low, high) => {
        const drawn = between(low, high);
        const forced = next;
        next = null;
        return forced ?? drawn;
      },
      strikes: (fault) => {
        if (!started) return false;
        const key = `${subject} ${fault}`;
        const nth = times.get(key) ?? 0;
        times.set(key, nth + 1);
        const way = wayAt.get(chances.length);
        const scripted = courseStrikes(fault, subject, nth);
        chances.push({ fault, step: stepOf(subject, fault), scripted });
        if (way === undefined && !scripted) return false;
        counts[fault] += 1;
        next = waysOf[fault]?.[way ?? waysOfFault(fault) - 1] ?? null;
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
      started = true;
    },
    stop: () => {
      started = false;
    },
    counts,
    chances,
  };
};
