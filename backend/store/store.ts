/**
 * The store as the rest of the service sees it. A unit of work is an async function over a transaction; several that arrive
 * together may share a commit, without knowing of each other.
 */
import type { Status } from "../contract/transaction.ts";
import type { Cancel } from "../ports.ts";
import type { Dialect, Query } from "./statement.ts";

/** What a statement brought. */
export interface Rows {
  readonly rows: readonly unknown[];
  /** Rows inserted, updated or deleted by a statement without RETURNING. */
  readonly changes: number;
}

/** The transaction that a unit of work runs in. After the unit's end, and after any unit that shares it has failed, every call throws. */
export interface Tx {
  /** First row or undefined: `const row = await tx.first(byId({ id }))`. */
  first<R>(query: Query<R>): Promise<R | undefined>;
  /** All rows. */
  all<R>(query: Query<R>): Promise<readonly R[]>;
  /** How many rows a statement without RETURNING changed. */
  run(query: Query<unknown>): Promise<number>;
  /**
   * Runs a statement whose answer the unit does not need: on PostgreSQL it travels with the statements that follow and with
   * the COMMIT. What fails in it fails the unit, which may be done by then.
   */
  runUnawaited(query: Query<unknown>): void;
  /** Says that a withdrawal was changed; see `Store.onChange`. */
  changed(transactionId: string): void;
}

/** A unit of work. It awaits nothing but its statements: others wait for their turn meanwhile. */
export type UnitOfWork<T> = (tx: Tx) => Promise<T>;

/** A unique index refused a row; catch it around `write`, the unit is rolled back. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super("a unique index refused the row", { cause });
    this.name = "UniqueViolation";
  }
}

/** The database cannot be used by this program; thrown at start, before anything in it is touched. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused";
  /** `other`: only its sentence says. */
  readonly why: "newer_database" | "database_in_use" | "other_environment" | "other";
  constructor(message: string, options: ErrorOptions & { readonly why?: StoreRefused["why"] } = {}) {
    super(message, options);
    this.why = options.why ?? "other";
  }
}

/** A database, SQLite or PostgreSQL. */
export interface Store {
  readonly dialect: Dialect;
  /**
   * Runs a unit atomically; resolves (or rejects with what the unit threw) only after a durable commit. Decide inside:
   * `UPDATE … WHERE status = … RETURNING`. A unit that throws leaves nothing behind. It may run more than once
   * (PostgreSQL repeats it after a deadlock), so it has no effects but its statements.
   * @throws ServiceError `unavailable` when the commit failed: nothing of the unit is there (on PostgreSQL a connection
   * lost during COMMIT leaves that open; every verb can be repeated).
   * @param about the withdrawal that the unit writes about, where it writes about no other and waits for nobody else's
   * lock: a fleet's store may commit units about different withdrawals together. Default: a transaction of its own.
   */
  write<T>(unit: UnitOfWork<T>, about?: string): Promise<T>;
  /**
   * Runs a unit of SELECTs outside of the write queue. Never sees what is not committed.
   * @param isShort it looks up single rows by their keys: a fleet's store sends such units together. Default: false.
   */
  read<T>(unit: UnitOfWork<T>, isShort?: boolean): Promise<T>;
  /**
   * Calls `run` after each commit, by any process, that said `changed(transactionId)`. It may be called for nothing
   * and says no more than "read again".
   * @param status what the caller has seen, and waits to see replaced: a fleet's store compares many of them at once
   * instead of waking each. Default: woken by every look.
   */
  onChange(transactionId: string, run: () => void, status?: Status): Cancel;
  /** Commits what is queued, then lets go of the database. */
  close(): Promise<void>;
}

/**
 * Runs a unit over whatever answers its statements.
 * @param changed gets what it said to have changed.
 * @param unawaited gets the answers that it has not waited for, in order; what failed in them has failed the unit.
 */
export const runUnit = async <T>(
  unit: UnitOfWork<T>,
  answer: (query: Query<unknown>) => Rows | Promise<Rows>,
  changed: Set<string>,
  unawaited: Promise<unknown>[],
): Promise<T> => {
  let hasEnded = false;
  const ask = async (query: Query<unknown>): Promise<Rows> => {
    if (hasEnded) throw new Error("a unit of work asked for a statement after its end");
    return answer(query);
  };
  try {
    return await unit({
      first: async <R>(query: Query<R>) => (await ask(query)).rows[0] as R | undefined,
      all: async <R>(query: Query<R>) => (await ask(query)).rows as readonly R[],
      run: async (query) => (await ask(query)).changes,
      runUnawaited(query) {
        const answered = ask(query);
        answered.catch(() => {});
        unawaited.push(answered);
      },
      changed: (transactionId) => void changed.add(transactionId),
    });
  } finally {
    hasEnded = true;
  }
};

/** Who waits in this process for which transaction to change; one for each store. */
export const createChanges = () => {
  const waiting = new Map<string, Set<{ readonly run: () => void; readonly status: Status | undefined }>>();
  return {
    /** @param status what the waiting reader has seen, to be woken by another; without one it is woken by every look. */
    on(transactionId: string, run: () => void, status?: Status): Cancel {
      const entry = { run, status };
      const entries = waiting.get(transactionId) ?? new Set();
      waiting.set(transactionId, entries.add(entry));
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && waiting.get(transactionId) === entries) waiting.delete(transactionId);
      };
    },
    /** The transaction was changed. */
    notify(transactionId: string): void {
      for (const { run } of [...(waiting.get(transactionId) ?? [])]) run();
    },
    /** The transaction has this status now: wakes those who have seen another. */
    notifyUnless(transactionId: string, status: string): void {
      for (const each of [...(waiting.get(transactionId) ?? [])]) if (each.status !== status) each.run();
    },
    /** At most so many of the transactions that are waited for, in turn: each comes up again after all others. */
    inTurn(most: number): readonly string[] {
      const some = [...waiting.entries().take(most)];
      for (const [transactionId, entries] of some) {
        waiting.delete(transactionId);
        waiting.set(transactionId, entries);
      }
      return some.map(([transactionId]) => transactionId);
    },
    /** Transactions that are waited for. */
    get size(): number {
      return waiting.size;
    },
  };
};
/** What waits for changes. */
export type Changes = ReturnType<typeof createChanges>;
