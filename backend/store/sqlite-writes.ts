/**
 * Writes of the embedded store. All units that arrive in one event-loop tick share one transaction, and
 * are answered after its COMMIT, so that durability costs one sync for all of them and not one for each.
 */
import type { Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";
import { runUnitSync } from "./run-unit.ts";
import { type SqliteEngine, SqliteFailure } from "./sqlite-engine.ts";
import { asUnavailable, rollBack } from "./sqlite-reads.ts";
import type { Query } from "./statement.ts";
import { type Rows, UniqueViolation, type UnitOfWork } from "./store.ts";

const unitsPerCommitMax = 1_000;
const unitsWaitingMax = 50_000;
/** Another process holds the write lock: try again this often, without blocking the event loop, for so long. */
const lockedPauseMs = 10;
const lockedMaxMs = 3_000;

/** Writes that share a commit. */
export interface SqliteWrites {
  /** Resolves after the commit; rejects with what the unit threw, or `unavailable`. */
  write<T>(unit: () => UnitOfWork<T>): Promise<T>;
  /** Commits what waits now, without waiting for the end of the tick. */
  flush(): void;
  /** Refuses what waits. */
  refuseAll(error: ServiceError): void;
}

/** What they are made of. */
export interface SqliteWritesParts {
  readonly db: SqliteEngine;
  readonly clock: Clock;
  readonly answer: (query: Query<unknown>) => Rows;
  /** Called for each transaction that a commit has changed. */
  readonly onChanged: (transactionId: string) => void;
  /** Units that share a commit: 1,000 by default; 1 turns the sharing off. */
  readonly unitsPerCommit?: number | undefined;
}

interface Waiting {
  readonly since: number;
  /** Runs the unit; returns how to answer when the commit has succeeded. */
  attempt(changed: Set<string>): () => void;
  fail(error: unknown): void;
}

/** One for each file: SQLite has one writer at a time. */
export const createSqliteWrites = (parts: SqliteWritesParts): SqliteWrites => {
  const { db, clock, answer, onChanged, unitsPerCommit = unitsPerCommitMax } = parts;
  const queue: Waiting[] = [];
  let scheduled = false;

  const schedule = (start: (run: () => void) => void = clock.soon) => {
    if (scheduled) return;
    scheduled = true;
    start(() => {
      scheduled = false;
      commitQueued();
    });
  };

  const commitQueued = () => {
    if (queue.length === 0) return;
    const batch = queue.splice(0, unitsPerCommit);
    const changed = new Set<string>();
    let answers: readonly (() => void)[];
    try {
      answers = attemptAll(db, batch, changed) ?? attemptEach(db, batch, changed);
      if (db.inTransaction()) db.exec("COMMIT");
    } catch (error) {
      rollBack(db);
      retryOrFail(batch, error);
      return;
    } finally {
      if (queue.length > 0) schedule();
    }
    for (const transactionId of changed) onChanged(transactionId);
    for (const respond of answers) respond();
  };

  /** A lock that another process holds is waited for; any other failure ends the batch. */
  const retryOrFail = (batch: readonly Waiting[], error: unknown) => {
    const isLocked = error instanceof SqliteFailure && error.kind === "busy";
    const now = clock.now();
    const hasFailed = (unit: Waiting) => !isLocked || now - unit.since > lockedMaxMs || now < unit.since;
    queue.unshift(...batch.filter((unit) => !hasFailed(unit)));
    for (const unit of batch.filter(hasFailed)) unit.fail(asUnavailable(error));
    if (queue.length > 0) schedule((run) => void clock.after(lockedPauseMs, run));
  };

  return {
    write: <T>(unit: () => UnitOfWork<T>) =>
      new Promise<T>((resolve, reject) => {
        if (queue.length >= unitsWaitingMax) return reject(new ServiceError("unavailable", "Too much to write."));
        queue.push({
          since: clock.now(),
          attempt(changed) {
            const result = runUnitSync(unit, answer, changed);
            return () => resolve(result);
          },
          fail: reject,
        });
        schedule();
      }),

    flush() {
      while (queue.length > 0) {
        const before = queue.length;
        commitQueued();
        if (queue.length >= before) return;
      }
    },

    refuseAll(error) {
      for (const unit of queue.splice(0)) unit.fail(error);
    },
  };
};

const endsTheBatch = (error: unknown): boolean =>
  error instanceof SqliteFailure && (error.kind === "storage" || error.kind === "busy");

/**
 * Without a savepoint each, which would cost more than many a unit's statements: hardly one ever fails.
 * @returns null where one of several did: nothing of the batch is left then. @throws what ends the whole batch.
 */
const attemptAll = (
  db: SqliteEngine,
  batch: readonly Waiting[],
  changed: Set<string>,
): readonly (() => void)[] | null => {
  db.exec("BEGIN IMMEDIATE");
  try {
    return batch.map((unit) => unit.attempt(changed));
  } catch (error) {
    if (endsTheBatch(error)) throw error;
    db.exec("ROLLBACK");
    changed.clear();
    return batch.length > 1 ? null : batch.map((unit) => () => unit.fail(asUniqueViolation(error)));
  }
};

/** A unit that fails takes back its own statements only; a failing disk ends the whole batch. */
const attemptEach = (db: SqliteEngine, batch: readonly Waiting[], changed: Set<string>): readonly (() => void)[] => {
  db.exec("BEGIN IMMEDIATE");
  return batch.map((unit) => attemptInSavepoint(db, unit, changed));
};

const attemptInSavepoint = (db: SqliteEngine, unit: Waiting, changed: Set<string>): (() => void) => {
  const own = new Set<string>();
  db.query("SAVEPOINT unit", [], true);
  try {
    const respond = unit.attempt(own);
    db.query("RELEASE unit", [], true);
    for (const transactionId of own) changed.add(transactionId);
    return respond;
  } catch (error) {
    if (endsTheBatch(error)) throw error;
    db.query("ROLLBACK TO unit", [], true);
    db.query("RELEASE unit", [], true);
    return () => unit.fail(asUniqueViolation(error));
  }
};

const asUniqueViolation = (error: unknown): unknown =>
  error instanceof SqliteFailure && error.kind === "unique" ? new UniqueViolation(error) : error;
