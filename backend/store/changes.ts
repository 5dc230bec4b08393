import type { Cancel } from "../ports.ts";

/** Who waits for which transaction, in this process. */
export interface Changes {
  on(transactionId: string, run: () => void): Cancel;
  fire(transactionId: string): void;
  /** When it is not known what was missed. */
  fireAll(): void;
  /** The next so many of those that wait, in turn: all of them in time, and not all at once. */
  fireSome(share: number): void;
}

export const createChanges = (): Changes => {
  const waiting = new Map<string, Set<() => void>>();
  const call = (runs: Iterable<() => void>) => {
    for (const run of [...runs]) run();
  };
  return {
    on(transactionId, run) {
      const runs = waiting.get(transactionId) ?? new Set();
      waiting.set(transactionId, runs.add(run));
      return () => {
        runs.delete(run);
        if (runs.size === 0 && waiting.get(transactionId) === runs) waiting.delete(transactionId);
      };
    },
    fire(transactionId) {
      call(waiting.get(transactionId) ?? []);
    },
    fireAll() {
      for (const runs of [...waiting.values()]) call(runs);
    },
    fireSome(share) {
      const some = [...waiting].slice(0, Math.ceil(waiting.size * share));
      for (const [transactionId, runs] of some) {
        // To the end of the line; who leaves it meanwhile is called for nothing.
        waiting.delete(transactionId);
        waiting.set(transactionId, runs);
        call(runs);
      }
    },
  };
};
