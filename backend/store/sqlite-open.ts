/** Opens a database file, durable and brought to the newest version. */
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type DatabaseVersion, migrationFrom, refuseNewer, versionFrom } from "./migrate.ts";
import { openNodeSqlite, type SqliteEngine } from "./sqlite-engine.ts";
import { StoreRefused } from "./store.ts";

/** Which file is opened, and how durably. */
export interface SqliteFile {
  /** A file, or `:memory:`. Its folder must be there. */
  readonly path: string;
  /** FULL by default: a commit that was answered survives a power cut. NORMAL only for a test that shows what it loses. */
  readonly synchronous?: "FULL" | "NORMAL";
  /** Node's own SQLite by default. */
  readonly open?: (path: string, busyTimeoutMs: number) => SqliteEngine;
}

const openBusyTimeoutMs = 5_000;
const runBusyTimeoutMs = 20;

/** @throws StoreRefused when the file is no database, or one of a newer program; it is left as it is. */
export const openSqliteFile = ({ path, synchronous = "FULL", open = openNodeSqlite }: SqliteFile): SqliteEngine => {
  let db: SqliteEngine | null = null;
  try {
    db = open(path, openBusyTimeoutMs);
    refuseNewer(versionOf(db));
    // Off a file system that can lose power, WAL answers "memory"; there is nothing to lose then.
    db.query("PRAGMA journal_mode = WAL", [], false);
    db.exec(`PRAGMA synchronous = ${synchronous}`);
    keepOldVersion(db, path);
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

/** Copies of older versions that stay, the newest: who goes back further restores a daily copy. */
const oldVersionsKept = 3;

/** @param made the version that was copied just now: newer ones may lie there from before a way back. */
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
  // Windows syncs only what may be written.
  const file = openSync(path, process.platform === "win32" ? "r+" : "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
};

/**
 * A copy of an older version before it is upgraded, `PATH.version-N`, for the way back. Nothing is upgraded where there is
 * no room for one. One that is there makes way: after a way back it holds what the database was before it.
 */
const keepOldVersion = (db: SqliteEngine, path: string) => {
  const version = versionOf(db);
  if (path === ":memory:" || version === null || migrationFrom(version).length === 0) return;
  const copy = `${path}.version-${version.applied}`;
  const partial = `${copy}.${process.pid}`;
  rmSync(partial, { force: true });
  try {
    db.query("VACUUM INTO ?", [partial], false);
    // Another process has upgraded it meanwhile, after a copy of its own.
    if (versionOf(db)?.applied !== version.applied) return rmSync(partial);
    sync(partial);
    renameSync(partial, copy);
    // Windows syncs no folder, and writes names in order.
    if (process.platform !== "win32") sync(dirname(path));
    removeOldest(path, version.applied);
  } catch (cause) {
    rmSync(partial, { force: true });
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StoreRefused(`the database ${path} is of an older version and no copy can be kept beside it: ${why}`, {
      cause,
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

const versionOf = (db: SqliteEngine): DatabaseVersion | null => {
  const table = db.query("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'schema_version'", [], false);
  if (table.rows.length === 0) return null;
  return versionFrom(
    db.query("SELECT id, version FROM schema_version", [], false).rows as { id: number; version: number }[],
  );
};
