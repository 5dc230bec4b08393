/** Faults by script: numbers every point at which one could occur, and lets exactly the named ones occur. */
import { createChance, seedOf } from "../../random.ts";
import { createInjector, type FaultInjector } from "../fault-injector.ts";
import type { FaultName } from "../plan.ts";
import { troubles } from "../receipt-printer.ts";

/** A point of a run at which a fault could occur: the same number is the same point in every run that was alike before it. */
export interface FaultPoint {
  readonly fault: FaultName;
  /** Points of one step (one message, one call of a port) differ by their fault alone. */
  readonly step: number;
  /** It occurs by the course itself: nothing to try out. */
  readonly scripted: boolean;
}

/** A fault that occurs at the point with this number, in one of the ways that it has. */
export interface Injection {
  readonly point: number;
  readonly way: number;
}

/** Whether a course itself has this fault: at the `nth` time (from 0) that this scope could meet it. */
export type ScriptedFaults = (fault: FaultName, scope: string, nth: number) => boolean;

/** What the next number that is drawn says after a fault: before or after it was done, not moved or moved, how long. */
const waysOf: Readonly<Partial<Record<FaultName, readonly number[]>>> = {
  reset: [0, 1],
  badGateway: [0, 1],
  drawerFails: [0, 2, 1],
  printerFails: [...troubles.keys()],
  bankFailsInAYes: [0, 1, 2, 3],
  delayed: [3_000, 15_000, 90_000],
};

/** In how many ways a fault can occur. */
export const waysOfFault = (fault: FaultName): number => waysOf[fault]?.length ?? 1;

/** An injector that follows a script. */
export interface ScriptedInjector extends FaultInjector {
  /** In order, between `start` and `stop`. */
  readonly points: readonly FaultPoint[];
}

/** Follows `injections` and what the course scripts; everything else is drawn by seed. */
export const createScriptedInjector = (
  seed: number,
  injections: readonly Injection[],
  isScripted: ScriptedFaults,
): ScriptedInjector => {
  const points: FaultPoint[] = [];
  const wayAt = new Map(injections.map(({ point, way }) => [point, way]));
  const times = new Map<string, number>();
  let step = 0;
  let inStep = { scope: "", faults: new Set<FaultName>() };

  const stepOf = (scope: string, fault: FaultName): number => {
    if (inStep.scope !== scope || inStep.faults.has(fault)) {
      step += 1;
      inStep = { scope, faults: new Set() };
    }
    inStep.faults.add(fault);
    return step;
  };

  const injector = createInjector((scope) => {
    const { between } = createChance(seedOf(seed, scope));
    /** Drawn by the fault that has just occurred. */
    let next: number | null = null;
    return {
      between: (low, high) => {
        const drawn = between(low, high);
        const forced = next;
        next = null;
        return forced ?? drawn;
      },
      occurs: (fault) => {
        const key = `${scope} ${fault}`;
        const nth = times.get(key) ?? 0;
        times.set(key, nth + 1);
        const way = wayAt.get(points.length);
        const scripted = isScripted(fault, scope, nth);
        points.push({ fault, step: stepOf(scope, fault), scripted });
        if (way === undefined && !scripted) return false;
        next = waysOf[fault]?.[way ?? waysOfFault(fault) - 1] ?? null;
        return true;
      },
    };
  });
  return { ...injector, points };
};
