import type { Cancel } from "../ports.ts";

/** Who waits for which transaction, in this process. */
export interface Changes {
  on(transactionId: string, run: () => void): Cancel;
  fire(transactionId: string): void;
  /** When it is not known what was missed. */
  fireAll(): void;
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
  };
};
