/**
 * The embedded store. All units that arrive in one event-loop tick share one transaction, a savepoint each, and are
 * answered after its COMMIT, so that durability costs one sync for all of them and not one for each.
 */
import type { Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";
import { createChanges } from "./changes.ts";
import { migrationFrom, refuseNewer } from "./migrate.ts";
import { driveSync } from "./run-unit.ts";
import { openNodeSqlite, type SqliteEngine, SqliteFailure } from "./sqlite-engine.ts";
import { asUnavailable, createSqliteReads, rollBack } from "./sqlite-reads.ts";
import type { Query } from "./statement.ts";
import { type Rows, type Store, StoreRefused, UniqueViolation, type UnitOfWork } from "./store.ts";

export interface SqliteOptions {
  /** A file, or `:memory:`. Its folder must be there. */
  readonly path: string;
  readonly clock: Clock;
  /** FULL unless a test wants to show what NORMAL loses. */
  readonly synchronous?: "FULL" | "NORMAL";
  readonly open?: (path: string, busyTimeoutMs: number) => SqliteEngine;
  /** Units that share a commit; 1 turns the sharing off, to measure what it brings. */
  readonly unitsPerCommitMax?: number;
}

const unitsPerCommitMax = 1_000;
const unitsWaitingMax = 50_000;
/** Another process holds the write lock: try again this often, without blocking the event loop, for so long. */
const lockedPauseMs = 10;
const lockedMaxMs = 3_000;
const openBusyTimeoutMs = 5_000;
const runBusyTimeoutMs = 20;

interface Waiting {
  readonly since: number;
  /** Runs the unit; returns how to answer when the commit has succeeded. */
  attempt(changed: Set<string>): () => void;
  fail(error: unknown): void;
}

/** @throws StoreRefused when the file is no database, or one of a newer program. */
export const openSqliteStore = async (options: SqliteOptions): Promise<Store> => {
  const { clock } = options;
  const db = openMigrated(options);
  const changes = createChanges();
  const queue: Waiting[] = [];
  const mostPerCommit = options.unitsPerCommitMax ?? unitsPerCommitMax;
  let scheduled = false;
  let closed = false;

  const answer = (query: Query<unknown>): Rows => {
    const { text, values } = query.sql("sqlite");
    return db.query(text, values, query.name !== null);
  };
  const reads = createSqliteReads(db, clock, answer);

  const schedule = (start: (run: () => void) => void = clock.soon) => {
    if (scheduled) return;
    scheduled = true;
    start(() => {
      scheduled = false;
      commitQueued();
    });
  };

  const commitQueued = () => {
    if (closed || queue.length === 0) return;
    const batch = queue.splice(0, mostPerCommit);
    const changed = new Set<string>();
    let answers: (() => void)[];
    try {
      db.exec("BEGIN IMMEDIATE");
      answers = batch.map((unit) => attemptInSavepoint(unit, batch.length > 1, changed));
      if (db.inTransaction()) db.exec("COMMIT");
    } catch (error) {
      rollBack(db);
      giveUp(batch, error);
      return;
    } finally {
      if (queue.length > 0) schedule();
    }
    for (const transactionId of changed) changes.fire(transactionId);
    for (const tell of answers) tell();
  };

  /** A unit that fails takes back its own statements only; a failing disk ends the whole batch. */
  const attemptInSavepoint = (unit: Waiting, shared: boolean, changed: Set<string>): (() => void) => {
    const own = new Set<string>();
    if (shared) db.query("SAVEPOINT unit", [], true);
    try {
      const tell = unit.attempt(own);
      if (shared) db.query("RELEASE unit", [], true);
      for (const transactionId of own) changed.add(transactionId);
      return tell;
    } catch (error) {
      if (error instanceof SqliteFailure && (error.kind === "storage" || error.kind === "busy")) throw error;
      if (shared) {
        db.query("ROLLBACK TO unit", [], true);
        db.query("RELEASE unit", [], true);
      } else {
        db.exec("ROLLBACK");
      }
      return () => unit.fail(asUniqueViolation(error));
    }
  };

  const giveUp = (batch: readonly Waiting[], error: unknown) => {
    if (!(error instanceof SqliteFailure && error.kind === "busy")) {
      for (const unit of batch) unit.fail(asUnavailable(error));
      return;
    }
    const now = clock.now();
    const isLate = (unit: Waiting) => now - unit.since > lockedMaxMs || now < unit.since;
    queue.unshift(...batch.filter((unit) => !isLate(unit)));
    for (const unit of batch.filter(isLate)) unit.fail(asUnavailable(error));
    if (queue.length > 0) schedule((run) => void clock.after(lockedPauseMs, run));
  };

  return {
    dialect: "sqlite",

    write: <T>(unit: () => UnitOfWork<T>) =>
      new Promise<T>((resolve, reject) => {
        if (closed) return reject(new ServiceError("unavailable", "The service is stopping."));
        if (queue.length >= unitsWaitingMax) return reject(new ServiceError("unavailable", "Too much to write."));
        queue.push({
          since: clock.now(),
          attempt(changed) {
            const result = driveSync(unit, answer, changed);
            return () => resolve(result);
          },
          fail: reject,
        });
        schedule();
      }),

    read: (unit) =>
      closed ? Promise.reject(new ServiceError("unavailable", "The service is stopping.")) : reads.read(unit),

    onChange: changes.on,

    async close() {
      if (closed) return;
      while (queue.length > 0) {
        const before = queue.length;
        commitQueued();
        if (queue.length >= before) break;
      }
      reads.flush();
      closed = true;
      for (const unit of queue.splice(0)) unit.fail(new ServiceError("unavailable", "The service is stopping."));
      db.close();
    },
  };
};

const asUniqueViolation = (error: unknown): unknown =>
  error instanceof SqliteFailure && error.kind === "unique" ? new UniqueViolation(error) : error;

const openMigrated = ({ path, synchronous = "FULL", open = openNodeSqlite }: SqliteOptions) => {
  let db: SqliteEngine | null = null;
  try {
    db = open(path, openBusyTimeoutMs);
    refuseNewer(versionOf(db));
    // Off a file system that can lose power, WAL answers "memory"; there is nothing to lose then.
    db.query("PRAGMA journal_mode = WAL", [], false);
    db.exec(`PRAGMA synchronous = ${synchronous}`);
    migrateFile(db);
    db.query(`PRAGMA busy_timeout = ${runBusyTimeoutMs}`, [], false);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(`the database ${path} cannot be opened: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
};

/** Without a pause for the event loop: other openings in this process would wait for the lock and never let go. */
const migrateFile = (db: SqliteEngine) => {
  if (migrationFrom(versionOf(db)).length === 0) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    for (const sql of migrationFrom(versionOf(db))) db.exec(sql);
    db.exec("COMMIT");
  } catch (error) {
    if (db.inTransaction()) db.exec("ROLLBACK");
    throw error;
  }
};

const versionOf = (db: SqliteEngine): number | null => {
  const table = db.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'", [], false);
  if (table.rows.length === 0) return null;
  const [row] = db.query("SELECT version FROM schema_version WHERE id = 1", [], false).rows as { version: number }[];
  return row?.version ?? null;
};
