import type { Status } from "../contract/transaction.ts";
import type { Cancel } from "../ports.ts";

/** Who waits in this process for which transaction to change. */
export interface Changes {
  /** @param status what the waiting reader has seen, to be woken by another; without one it is woken by every look. */
  on(transactionId: string, run: () => void, status?: Status): Cancel;
  /** The transaction was changed. */
  notify(transactionId: string): void;
  /** The transaction has this status now: wakes those who have seen another. */
  notifyUnless(transactionId: string, status: string): void;
  /** At most so many of the transactions that are waited for, in turn: each comes up again after all others. */
  inTurn(most: number): readonly string[];
  /** Transactions that are waited for. */
  readonly size: number;
}

interface Waiting {
  readonly run: () => void;
  readonly status: Status | undefined;
}

/** One for each store; knows only this process. */
export const createChanges = (): Changes => {
  const waiting = new Map<string, Set<Waiting>>();
  return {
    on(transactionId, run, status) {
      const entry = { run, status };
      const entries = waiting.get(transactionId) ?? new Set();
      waiting.set(transactionId, entries.add(entry));
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && waiting.get(transactionId) === entries) waiting.delete(transactionId);
      };
    },
    notify(transactionId) {
      for (const { run } of [...(waiting.get(transactionId) ?? [])]) run();
    },
    notifyUnless(transactionId, status) {
      for (const each of [...(waiting.get(transactionId) ?? [])]) if (each.status !== status) each.run();
    },
    inTurn(most) {
      const some = [...waiting.entries().take(most)];
      for (const [transactionId, entries] of some) {
        waiting.delete(transactionId);
        waiting.set(transactionId, entries);
      }
      return some.map(([transactionId]) => transactionId);
    },
    get size() {
      return waiting.size;
    },
  };
};
