/** The embedded store: one file, one process that serves, durable commits shared by requests of the same tick. */

import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { pause } from "../background.ts";
import type { Clock } from "../ports.ts";
import { messageOf, ServiceError } from "../service-error.ts";
import {
  type DatabaseVersion,
  dropIndexSql,
  indexesOfEnded,
  liesApartSql,
  migrationFrom,
  refuseNewer,
  versionFrom,
} from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { restoredFromSetting } from "./restores.ts";
import {
  type Changed,
  createChanges,
  type Query,
  type Rows,
  runUnit,
  type Store,
  StoreRefused,
  UniqueViolation,
  type UnitOfWork,
  type Value,
} from "./store.ts";

/** An open database file. Calls are synchronous and throw SqliteFailure. */
export interface SqliteEngine {
  exec(sql: string): void;
  /** Runs a statement, prepared once if `keep` is set. */
  query(sql: string, values: readonly Value[], keep: boolean): { rows: readonly unknown[]; changes: number };
  /** Whether a transaction is open; false after a failure that made SQLite roll back by itself. */
  inTransaction(): boolean;
  close(): void;
}

/** `busy`: wait; `unique`: a unique violation; `storage`: unavailable for now; `statement`: a defect of the program. */
export type SqliteFailureKind = "busy" | "unique" | "storage" | "statement";

/** A failure of SQLite, classified by what the caller can do about it. */
export class SqliteFailure extends Error {
  readonly kind: SqliteFailureKind;
  constructor(kind: SqliteFailureKind, cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = "SqliteFailure";
    this.kind = kind;
  }
}

/** Primary result codes (extended codes carry them in the low byte). */
const busyCodes = [5, 6];
/** Read-only, I/O, corrupt, full, cannot open, no memory, permission, not a database. */
const storageCodes = [3, 7, 8, 10, 11, 13, 14, 26];
/** SQLITE_CONSTRAINT_UNIQUE and _PRIMARYKEY. */
const uniqueCodes = [2067, 1555];

/** Classifies a failure. @param extendedCode SQLite's extended result code. */
export const sqliteFailureKind = (extendedCode: number): SqliteFailureKind => {
  if (uniqueCodes.includes(extendedCode)) return "unique";
  const primary = extendedCode & 0xff;
  if (busyCodes.includes(primary)) return "busy";
  return storageCodes.includes(primary) ? "storage" : "statement";
};

const translated = <T>(run: () => T): T => {
  try {
    return run();
  } catch (error) {
    const { errcode } = error as { readonly errcode?: unknown };
    throw typeof errcode === "number" ? new SqliteFailure(sqliteFailureKind(errcode), error) : error;
  }
};

interface Prepared {
  readonly statement: StatementSync;
  /** A row whose columns are null; `null` for a statement without rows. */
  readonly blank: Readonly<Record<string, unknown>> | null;
}

/** Fills a copy of a blank row: node:sqlite creates the names anew for each row, in slow objects. */
const toRow = (blank: Readonly<Record<string, unknown>>, values: readonly unknown[]) => {
  const row = { ...blank };
  let at = 0;
  for (const name in row) row[name] = values[at++];
  return row;
};

/** Opens a database with Node's SQLite. `busyTimeoutMs` blocks the event loop, so keep it short in a running service. */
export const openNodeSqlite = (path: string, busyTimeoutMs: number): SqliteEngine => {
  const db = translated(() => new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: false }));
  const kept = new Map<string, Prepared>();

  const prepare = (sql: string, keep: boolean): Prepared => {
    const known = kept.get(sql);
    if (known) return known;
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    const names = statement.columns().map(({ name }) => name);
    const blank = Object.fromEntries(names.map((name) => [name, null]));
    if (String(Object.keys(blank)) !== String(names))
      throw new TypeError(`columns that cannot be told apart: ${names}`);
    const prepared = { statement, blank: names.length === 0 ? null : blank };
    if (keep) kept.set(sql, prepared);
    return prepared;
  };

  return {
    exec: (sql) => translated(() => db.exec(sql)),
    query: (sql, values, keep) =>
      translated(() => {
        const { statement, blank } = prepare(sql, keep);
        if (blank !== null) {
          const rows = statement.all(...values) as unknown as readonly (readonly unknown[])[];
          return { rows: rows.map((values) => toRow(blank, values)), changes: 0 };
        }
        return { rows: [], changes: Number(statement.run(...values).changes) };
      }),
    inTransaction: () => db.isTransaction,
    close: () => db.close(),
  };
};

interface SqliteFile {
  /** A file whose folder exists, or `:memory:`. */
  readonly path: string;
  /** FULL by default: an answered commit survives a power cut. NORMAL is for a test that shows the difference. */
  readonly synchronous?: "FULL" | "NORMAL";
  /** Node's own SQLite by default. */
  readonly open?: (path: string, busyTimeoutMs: number) => SqliteEngine;
}

const openBusyTimeoutMs = 5_000;
const runBusyTimeoutMs = 20;

/** @throws StoreRefused when the file is not a database, or one of a newer program; it is left as it is. */
export const openSqliteFile = ({ path, synchronous = "FULL", open = openNodeSqlite }: SqliteFile): SqliteEngine => {
  let db: SqliteEngine | null = null;
  try {
    db = open(path, openBusyTimeoutMs);
    refuseNewer(versionOf(db));
    // An in-memory database answers "memory" and has no WAL.
    db.query("PRAGMA journal_mode = WAL", [], false);
    db.exec(`PRAGMA synchronous = ${synchronous}`);
    // On the disk, not in its cache, also on macOS.
    db.exec("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON");
    // 16 MB: each withdrawal changes the same few pages again, and every checkpoint writes them to the file and waits for the disk.
    db.query("PRAGMA wal_autocheckpoint = 4000", [], false);
    // Ids move with their rows, from table to table: each place that a row has left must hold nothing of it by the time it is erased.
    db.query("PRAGMA secure_delete = ON", [], false);
    keepOldVersion(db, path, open);
    migrateFile(db);
    db.query(`PRAGMA busy_timeout = ${runBusyTimeoutMs}`, [], false);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(`the database ${path} cannot be opened: ${messageOf(error)}`, { cause: error });
  }
};

/** How many copies of older versions are kept; for earlier states there are daily copies. */
const oldVersionsKept = 3;

/** @param made the version copied just now; newer ones may exist from before a downgrade. */
const removeOldest = (path: string, made: number): void => {
  const start = `${basename(path)}.version-`;
  const versions = readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)))
    .filter((version) => version !== made)
    .sort((one, other) => other - one);
  for (const version of versions.slice(oldVersionsKept - 1)) rmSync(join(dirname(path), `${start}${version}`));
};

const sync = (path: string): void => {
  // Windows syncs only writable handles.
  const file = openSync(path, process.platform === "win32" ? "r+" : "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/** Put in the database's place by hand it would be served as if nothing had come since, and no terminal would repeat what it did. */
const markAsCopy = (db: SqliteEngine, copy: string): void => {
  try {
    // One that was put back itself has a mark that says more.
    const mark = "INSERT OR IGNORE INTO settings (name, value) VALUES (?, ?)";
    db.query(mark, [restoredFromSetting, JSON.stringify({ copy })], false);
  } finally {
    db.close();
  }
};

/**
 * Copies a database to `PATH.version-N` before it is upgraded, for a downgrade; without room for the copy it is not
 * upgraded. An existing copy is replaced: after a downgrade it is outdated.
 */
const keepOldVersion = (db: SqliteEngine, path: string, open: typeof openNodeSqlite) => {
  const version = versionOf(db);
  if (path === ":memory:" || version === null || migrationFrom(version).length === 0) return;
  const copy = `${path}.version-${version.applied}`;
  const partial = `${copy}.${process.pid}`;
  rmSync(partial, { force: true });
  try {
    db.query("VACUUM INTO ?", [partial], false);
    // Another process has upgraded it meanwhile, with a copy of its own.
    if (versionOf(db)?.applied !== version.applied) return rmSync(partial);
    markAsCopy(open(partial, openBusyTimeoutMs), copy);
    sync(partial);
    renameSync(partial, copy);
    // Windows cannot sync folders, and writes names in order.
    if (process.platform !== "win32") sync(dirname(path));
    removeOldest(path, version.applied);
  } catch (cause) {
    rmSync(partial, { force: true });
    const why = `the database ${path} is of an older version and no copy can be kept beside it: ${messageOf(cause)}`;
    throw new StoreRefused(why, { cause });
  }
};

/** Runs without yielding to the event loop, since other openings in this process would wait for the lock forever. */
const migrateFile = (db: SqliteEngine) => {
  if (migrationFrom(versionOf(db)).length === 0 && uselessIndexes(db).length === 0) return;
  db.exec("BEGIN IMMEDIATE");
  try {
    for (const sql of migrationFrom(versionOf(db))) db.exec(sql);
    for (const name of uselessIndexes(db)) db.exec(dropIndexSql(name, ""));
    db.exec("COMMIT");
  } catch (error) {
    if (db.inTransaction()) db.exec("ROLLBACK");
    throw error;
  }
};

const uselessIndexes = (db: SqliteEngine): readonly string[] => {
  const { rows } = db.query("SELECT name FROM sqlite_master WHERE type = 'index'", [], false);
  const all = new Set((rows as { name: string }[]).map(({ name }) => name));
  const useless = indexesOfEnded(migrations).filter((name) => all.has(name));
  return db.query(liesApartSql, [], false).rows.length > 0 ? useless : [];
};

const versionOf = (db: SqliteEngine): DatabaseVersion | null => {
  const table = db.query("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'", [], false);
  if (table.rows.length === 0) return null;
  return versionFrom(
    db.query("SELECT id, version FROM schema_version", [], false).rows as { id: number; version: number }[],
  );
};

/** Reads per snapshot; the rest waits for the next tick, so that writes are not delayed long. */
const readsPerSnapshotMax = 1_000;
const readsWaitingMax = 50_000;

/** Runs transactions one after the other on the file's only connection. */
export const createTurns = () => {
  let last = Promise.resolve();
  return (transact: () => Promise<void>): Promise<void> => {
    const done = last.then(transact);
    last = done.catch(() => {});
    return done;
  };
};

interface WaitingRead {
  /** Runs the unit; returns a function that answers once the snapshot is released. Never throws. */
  attempt(): Promise<() => void>;
  fail(error: unknown): void;
}

/** The error for callers when disk, lock or memory fail. */
const asUnavailable = (cause: unknown): ServiceError =>
  new ServiceError("unavailable", "The database cannot be used now. Nothing was changed.", { cause });

/** Rolls back if a transaction is open. A failure here is not reported, but the one that led here. */
const rollBack = (db: SqliteEngine): void => {
  try {
    if (db.inTransaction()) db.exec("ROLLBACK");
  } catch {
    // A database that cannot roll back fails again at the next statement.
  }
};

const toCallerError = (error: unknown): unknown =>
  error instanceof SqliteFailure && error.kind !== "statement" ? asUnavailable(error) : error;

/** Runs reads that share a snapshot. @param answer runs one statement. */
export const createSqliteReads = (
  db: SqliteEngine,
  clock: Clock,
  answer: (query: Query<unknown>) => Rows,
  inTurn: ReturnType<typeof createTurns>,
) => {
  let waiting: WaitingRead[] = [];

  const readWaiting = async (): Promise<void> => {
    const batch = waiting.slice(0, readsPerSnapshotMax);
    waiting = waiting.slice(readsPerSnapshotMax);
    if (waiting.length > 0) schedule();
    if (batch.length === 0) return;
    const answers: (() => void)[] = [];
    try {
      db.query("BEGIN", [], true);
      for (const each of batch) answers.push(await each.attempt());
      if (db.inTransaction()) db.query("COMMIT", [], true);
    } catch (error) {
      rollBack(db);
      for (const each of batch) each.fail(toCallerError(error));
      return;
    }
    for (const settle of answers) settle();
  };
  const schedule = () => clock.soon(() => void inTurn(readWaiting));

  return {
    read: <T>(unit: UnitOfWork<T>) =>
      new Promise<T>((resolve, reject) => {
        if (waiting.length >= readsWaitingMax) return reject(new ServiceError("unavailable", "Too much to read."));
        waiting.push({
          async attempt() {
            try {
              const result = await runUnit(unit, answer, "sqlite");
              return () => resolve(result);
            } catch (error) {
              return () => reject(toCallerError(error));
            }
          },
          fail: reject,
        });
        if (waiting.length === 1) schedule();
      }),

    async flush(): Promise<void> {
      while (waiting.length > 0) await inTurn(readWaiting);
    },
  };
};

const unitsPerCommitMax = 1_000;
const unitsWaitingMax = 50_000;
/** While another process holds the write lock: pause between tries, without blocking the event loop, and their total time. */
const lockedPauseMs = 10;
const lockedMaxMs = 3_000;

interface Waiting {
  readonly since: number;
  /** Runs the unit; returns a function that answers once the commit has succeeded. */
  attempt(changed: Changed): Promise<() => void>;
  fail(error: unknown): void;
}

/**
 * Runs writes that share a commit; one instance per file, as SQLite has one writer at a time.
 * @param onChanged called for each withdrawal that a commit has changed.
 * @param unitsPerCommit 1 disables sharing.
 */
export const createSqliteWrites = (
  db: SqliteEngine,
  clock: Clock,
  answer: (query: Query<unknown>) => Rows,
  inTurn: ReturnType<typeof createTurns>,
  onChanged: ReturnType<typeof createChanges>["notify"],
  unitsPerCommit = unitsPerCommitMax,
) => {
  const queue: Waiting[] = [];
  let scheduled = false;

  /** A disk that fails under a statement may end the transaction: whatever came after that would be a commit of its own. */
  const assertOpen = (): void => {
    if (!db.inTransaction()) throw new SqliteFailure("storage", new Error("SQLite has rolled back the transaction"));
  };
  const answerInside = (query: Query<unknown>): Rows => {
    assertOpen();
    return answer(query);
  };

  const schedule = (start: (run: () => void) => void = clock.soon) => {
    if (scheduled) return;
    scheduled = true;
    start(() => {
      scheduled = false;
      void inTurn(commitQueued);
    });
  };

  const commitQueued = async () => {
    if (queue.length === 0) return;
    const batch = queue.splice(0, unitsPerCommit);
    const changed: Changed = new Map();
    let answers: readonly (() => void)[];
    try {
      answers = (await attemptAll(db, batch, changed)) ?? (await attemptEach(db, batch, changed));
      if (db.inTransaction()) db.exec("COMMIT");
    } catch (error) {
      rollBack(db);
      retryOrFail(batch, error);
      return;
    } finally {
      if (queue.length > 0) schedule();
    }
    for (const [transactionId, row] of changed) onChanged(transactionId, row);
    for (const respond of answers) respond();
  };

  /** Retries after another process's lock; any other failure fails the batch. */
  const retryOrFail = (batch: readonly Waiting[], error: unknown) => {
    const isLocked = error instanceof SqliteFailure && error.kind === "busy";
    const now = clock.now();
    const hasFailed = (unit: Waiting) => !isLocked || now - unit.since > lockedMaxMs || now < unit.since;
    queue.unshift(...batch.filter((unit) => !hasFailed(unit)));
    for (const unit of batch.filter(hasFailed)) unit.fail(asUnavailable(error));
    if (queue.length > 0) schedule((run) => void clock.after(lockedPauseMs, run));
  };

  return {
    /** Resolves after the commit; rejects with what the unit threw, or `unavailable`. */
    write: <T>(unit: UnitOfWork<T>) =>
      new Promise<T>((resolve, reject) => {
        if (queue.length >= unitsWaitingMax) return reject(new ServiceError("unavailable", "Too much to write."));
        queue.push({
          since: clock.now(),
          async attempt(changed) {
            const unawaited: Promise<unknown>[] = [];
            const result = await runUnit(unit, answerInside, "sqlite", changed, unawaited);
            await Promise.all(unawaited);
            assertOpen();
            return () => resolve(result);
          },
          fail: reject,
        });
        schedule();
      }),

    /** Commits all waiting writes now. */
    async flush(): Promise<void> {
      while (queue.length > 0) {
        const before = queue.length;
        await inTurn(commitQueued);
        if (queue.length >= before) return;
      }
    },

    refuseAll(error: ServiceError): void {
      for (const unit of queue.splice(0)) unit.fail(error);
    },
  };
};

const endsTheBatch = (error: unknown): boolean =>
  error instanceof SqliteFailure && (error.kind === "storage" || error.kind === "busy");

/**
 * Runs a batch without savepoints, which would cost more than the statements of many units; failures are rare.
 * @returns null where one of several failed and everything is rolled back.
 * @throws errors that end the whole batch.
 */
const attemptAll = async (db: SqliteEngine, batch: readonly Waiting[], changed: Changed) => {
  db.exec("BEGIN IMMEDIATE");
  try {
    const answers: (() => void)[] = [];
    for (const unit of batch) answers.push(await unit.attempt(changed));
    return answers;
  } catch (error) {
    if (endsTheBatch(error)) throw error;
    db.exec("ROLLBACK");
    changed.clear();
    return batch.length > 1 ? null : batch.map((unit) => () => unit.fail(asUniqueViolation(error)));
  }
};

/** Runs each unit in a savepoint: a failing unit rolls back only its own statements; a failing disk ends the batch. */
const attemptEach = async (db: SqliteEngine, batch: readonly Waiting[], changed: Changed) => {
  db.exec("BEGIN IMMEDIATE");
  const answers: (() => void)[] = [];
  for (const unit of batch) answers.push(await attemptInSavepoint(db, unit, changed));
  return answers;
};

const attemptInSavepoint = async (db: SqliteEngine, unit: Waiting, changed: Changed): Promise<() => void> => {
  const own: Changed = new Map();
  db.query("SAVEPOINT unit", [], true);
  try {
    const respond = await unit.attempt(own);
    db.query("RELEASE unit", [], true);
    for (const [transactionId, row] of own) changed.set(transactionId, row);
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

const isLogEmptied = (db: SqliteEngine): boolean => {
  try {
    const { rows } = db.query("PRAGMA wal_checkpoint(TRUNCATE)", [], false);
    return (rows as readonly { readonly busy: number }[]).every(({ busy }) => busy === 0);
  } catch (error) {
    if (!endsTheBatch(error)) throw error;
    return false;
  }
};

interface SqliteOptions extends SqliteFile {
  readonly clock: Clock;
  /** Units that share a commit: 1,000 by default; 1 disables sharing, to measure its effect. */
  readonly unitsPerCommitMax?: number;
}

/** @throws StoreRefused when the file is not a database, or one of a newer program. */
export const openSqliteStore = async (options: SqliteOptions): Promise<Store> => {
  const { clock } = options;
  const db = openSqliteFile(options);
  const changes = createChanges();
  const answer = (query: Query<unknown>): Rows => {
    const { text, values } = query.sql("sqlite");
    return db.query(text, values, query.name !== null);
  };
  const inTurn = createTurns();
  const reads = createSqliteReads(db, clock, answer, inTurn);
  const writes = createSqliteWrites(db, clock, answer, inTurn, changes.notify, options.unitsPerCommitMax);
  const stopping = () => new ServiceError("unavailable", "The service is stopping.");
  let closed = false;

  return {
    dialect: "sqlite",
    write: (unit) => (closed ? Promise.reject(stopping()) : writes.write(unit)),
    read: (unit) => (closed ? Promise.reject(stopping()) : reads.read(unit)),
    onChange: changes.on,

    async emptyLog() {
      for (let waitedMs = 0; ; waitedMs += lockedPauseMs + runBusyTimeoutMs) {
        let isEmpty = false;
        await inTurn(async () => {
          isEmpty = !closed && isLogEmptied(db);
        });
        if (isEmpty || closed || waitedMs >= lockedMaxMs) return isEmpty;
        await pause(clock, lockedPauseMs);
      }
    },

    async close() {
      if (closed) return;
      closed = true;
      await writes.flush();
      await reads.flush();
      // After the current transaction.
      await inTurn(async () => {
        writes.refuseAll(stopping());
        db.close();
      });
    },
  };
};
