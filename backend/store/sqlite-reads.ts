/**
 * Reads of the embedded store. All that arrive in one event-loop tick share one snapshot: SQLite takes and drops its
 * locks once for all of them, and their answers leave together.
 */
import type { Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";
import { runUnitSync } from "./run-unit.ts";
import { type SqliteEngine, SqliteFailure } from "./sqlite-engine.ts";
import type { Query } from "./statement.ts";
import type { Rows, UnitOfWork } from "./store.ts";

/** The rest waits for the next tick, so that writes do not wait for long. */
const readsPerSnapshotMax = 1_000;
const readsWaitingMax = 50_000;

/** Reads that share a snapshot. */
export interface SqliteReads {
  read<T>(unit: () => UnitOfWork<T>): Promise<T>;
  /** Answers what waits. Until the next snapshot begins, no transaction is open. */
  flush(): void;
}

interface Waiting {
  /** Runs the unit; returns how to answer when the snapshot has been let go. Never throws. */
  attempt(changed: Set<string>): () => void;
  fail(error: unknown): void;
}

/** No disk, no lock, no memory: nothing that the caller did. */
export const asUnavailable = (cause: unknown): ServiceError =>
  new ServiceError("unavailable", "The database cannot be used now. Nothing was changed.", { cause });

/** Leaves no transaction open; the failure that led here is the one to report. */
export const rollBack = (db: SqliteEngine): void => {
  try {
    if (db.inTransaction()) db.exec("ROLLBACK");
  } catch {
    // A database that cannot even roll back says so again at the next statement.
  }
};

const toCallerError = (error: unknown): unknown =>
  error instanceof SqliteFailure && error.kind !== "statement" ? asUnavailable(error) : error;

/** @param answer runs one statement. */
export const createSqliteReads = (
  db: SqliteEngine,
  clock: Clock,
  answer: (query: Query<unknown>) => Rows,
): SqliteReads => {
  let waiting: Waiting[] = [];

  const readWaiting = (): void => {
    const batch = waiting.slice(0, readsPerSnapshotMax);
    waiting = waiting.slice(readsPerSnapshotMax);
    if (waiting.length > 0) clock.soon(readWaiting);
    if (batch.length === 0) return;
    let answers: readonly (() => void)[];
    try {
      db.query("BEGIN", [], true);
      const nothing = new Set<string>();
      answers = batch.map((each) => each.attempt(nothing));
      if (db.inTransaction()) db.query("COMMIT", [], true);
    } catch (error) {
      rollBack(db);
      for (const each of batch) each.fail(toCallerError(error));
      return;
    }
    for (const settle of answers) settle();
  };

  return {
    read: <T>(unit: () => UnitOfWork<T>) =>
      new Promise<T>((resolve, reject) => {
        if (waiting.length >= readsWaitingMax) return reject(new ServiceError("unavailable", "Too much to read."));
        waiting.push({
          attempt(changed) {
            try {
              const result = runUnitSync(unit, answer, changed);
              return () => resolve(result);
            } catch (error) {
              return () => reject(toCallerError(error));
            }
          },
          fail: reject,
        });
        if (waiting.length === 1) clock.soon(readWaiting);
      }),

    flush() {
      while (waiting.length > 0) readWaiting();
    },
  };
};
