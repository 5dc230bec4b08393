/** Transactions for tests: one without a database, and one that shows what passes through it. */
import type { Query, Tx } from "../../backend/store/store.ts";

/** A statement of a unit, or the notice that it has changed a withdrawal. */
export type Step = Query<unknown> | "changed";

/** @param answer the rows of what the unit awaits. @param seen gets every step, also those that nobody awaits. */
export const scriptedTx = (
  answer: (query: Query<unknown>) => readonly unknown[],
  seen: (step: Step) => void = () => {},
): Tx => {
  const ask = async (query: Query<unknown>): Promise<readonly unknown[]> => {
    seen(query);
    return answer(query);
  };
  return {
    dialect: "sqlite",
    first: async <R>(query: Query<R>) => (await ask(query))[0] as R | undefined,
    all: async <R>(query: Query<R>) => (await ask(query)) as readonly R[],
    run: async (query) => (await ask(query)).length,
    runUnawaited(query) {
      seen(query);
      return Promise.resolve(0);
    },
    changed: () => seen("changed"),
  };
};

/** The same transaction; `seen` gets each step when it is done, and may hold the unit up. */
export const watchedTx = (tx: Tx, seen: (step: Step) => void | Promise<void>): Tx => {
  const then = async <T>(query: Query<unknown>, answered: Promise<T>): Promise<T> => {
    const answer = await answered;
    await seen(query);
    return answer;
  };
  return {
    dialect: tx.dialect,
    first: (query) => then(query, tx.first(query)),
    all: (query) => then(query, tx.all(query)),
    run: (query) => then(query, tx.run(query)),
    runUnawaited(query) {
      const changes = tx.runUnawaited(query);
      void seen(query);
      return changes;
    },
    changed(...what) {
      tx.changed(...what);
      void seen("changed");
    },
  };
};
