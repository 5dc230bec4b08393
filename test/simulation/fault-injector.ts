/** Draws faults: each withdrawal has a stream of its own, so that cutting others out of a story leaves its faults as they were. */

import { createChance, seedOf } from "../random.ts";
import { type FaultName, type FaultRates, noFaults } from "./plan.ts";

/** The faults of one withdrawal, one machine or one message. */
export interface FaultStream {
  /** Whether this fault occurs at this moment; counts it if so. */
  occurs(fault: FaultName): boolean;
  /** A whole number for a delay or the like. */
  between(low: number, high: number): number;
}

/** Says where a fault occurs. */
export interface FaultInjector {
  /** The stream of a scope (`withdrawal 12`, `till 1`, …): the same one each time, where it was left. */
  of(scope: string): FaultStream;
  /** No fault occurs before the first `start` or after `stop`. */
  start(): void;
  stop(): void;
  /** How often each fault has occurred. */
  readonly counts: Readonly<Record<FaultName, number>>;
}

/** An injector that asks `createStream` for each scope's stream once, and the stream only while faults occur at all. */
export const createInjector = (createStream: (scope: string) => FaultStream): FaultInjector => {
  const streams = new Map<string, FaultStream>();
  const counts: Record<FaultName, number> = { ...noFaults };
  let isOn = false;
  const counted = ({ occurs, between }: FaultStream): FaultStream => ({
    between,
    occurs: (fault) => {
      if (!isOn || !occurs(fault)) return false;
      counts[fault] += 1;
      return true;
    },
  });
  return {
    of: (scope) => {
      const known = streams.get(scope);
      if (known) return known;
      const stream = counted(createStream(scope));
      streams.set(scope, stream);
      return stream;
    },
    start: () => {
      isOn = true;
    },
    stop: () => {
      isOn = false;
    },
    counts,
  };
};

/** Draws by seed. A fault that is switched off is drawn as well: the others must not change by it. */
export const createFaultInjector = (seed: number, rates: FaultRates): FaultInjector =>
  createInjector((scope) => {
    const { fraction, between } = createChance(seedOf(seed, scope));
    return { between, occurs: (fault) => fraction() < rates[fault] };
  });
