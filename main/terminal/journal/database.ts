/** The journal's tables in SQLite, and what of SQLite the journal uses. */
import { DatabaseSync } from "node:sqlite";
import type { JournalDatabase } from "../database-port.ts";
import type { DamagedEntry } from "../ports.ts";
import { isArchiveMarker } from "./archive-marker.ts";
import type { Row } from "./chain.ts";
import { journalFormat, refuseNewer, upgrade } from "./format.ts";
import { isKeyMarker } from "./keys.ts";

export type { JournalDatabase } from "../database-port.ts";

/** The trigger stands aside only within the transaction that removes what is archived. */
export const isNotCut = {
  create:
    "CREATE TRIGGER IF NOT EXISTS journal_is_not_cut BEFORE DELETE ON journal BEGIN SELECT RAISE(ABORT, 'append-only'); END;",
  drop: "DROP TRIGGER IF EXISTS journal_is_not_cut;",
} as const;

const schema = `
  CREATE TABLE IF NOT EXISTS journal (
    sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS journal_lost (sequence INTEGER NOT NULL, why TEXT NOT NULL) STRICT;
  CREATE TRIGGER IF NOT EXISTS journal_is_not_changed BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'append-only'); END;
  ${isNotCut.create}
`;
/** Where an archived file's chain begins: it verifies by itself. */
export const archiveStart = {
  create: "CREATE TABLE archive_start (sequence INTEGER NOT NULL, hash TEXT NOT NULL, key TEXT) STRICT;",
  insert: "INSERT INTO archive_start (sequence, hash, key) VALUES (?, ?, nullif(?, ''))",
  select: "SELECT sequence, hash, key FROM archive_start",
} as const;
/** Found by its own small index; the core writes the type first. */
export const isCheckpoint = `substr(body, 1, 20) = '{"type":"checkpoint"'`;
const indexes = `
  CREATE INDEX IF NOT EXISTS journal_checkpoints ON journal (sequence) WHERE ${isCheckpoint};
  CREATE INDEX IF NOT EXISTS journal_keys ON journal (sequence) WHERE ${isKeyMarker};
  CREATE INDEX IF NOT EXISTS journal_archives ON journal (sequence) WHERE ${isArchiveMarker};
`;
/** A locked file is tried again later; waiting for it here would stop the whole program. */
const busyTimeoutMs = 500;

/** Opens a file, `write` makes it when there is none. Throws what SQLite throws. */
export type OpenDatabase = (path: string, mode: "write" | "read") => JournalDatabase;

/** With `node:sqlite`; a lock of another process is waited for up to `busyTimeoutMs`. */
export const openNodeDatabase: OpenDatabase = (path, mode) =>
  new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly: mode === "read" });

/** All columns of a row, in the order of `Row`; a WHERE is put behind it. */
export const columns = "SELECT sequence, at, body, previous, hash FROM journal";

/** A row as SQLite returns it, with the types made sure. */
export const toRow = (row: Record<string, unknown>): Row => ({
  sequence: Number(row.sequence),
  at: Number(row.at),
  body: String(row.body),
  previous: String(row.previous),
  hash: String(row.hash),
});

/**
 * Rows one after the other, for years of them. `condition`: a WHERE, with places for the values. node:sqlite makes an object
 * in the old generation of each row that is not an array, and a check of two million would wait for the collector with them.
 */
export const prepareRows = (database: JournalDatabase, condition: string) => {
  const statement = database.prepare(`${columns} ${condition}`);
  statement.setReturnArrays(true);
  return function* (...values: number[]): Generator<Row, void> {
    for (const read of statement.iterate(...values) as unknown as Iterable<readonly unknown[]>) {
      const [sequence, at, body, previous, hash] = read;
      yield toRow({ sequence, at, body, previous, hash });
    }
  };
};

/**
 * Opens the journal for writing: WAL, every commit synced, older formats upgraded. Throws on a newer format, which
 * stays untouched.
 */
export const prepareDatabase = (path: string, open: OpenDatabase): JournalDatabase => {
  const database = open(path, "write");
  try {
    refuseNewer(database);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    upgrade(database, path);
    database.exec(schema + indexes);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** A new file for archived rows: one file alone, without a sidecar, whole once it has its name. */
export const prepareArchive = (path: string, open: OpenDatabase): JournalDatabase => {
  const database = open(path, "write");
  try {
    database.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;");
    database.exec(`PRAGMA user_version = ${journalFormat}`);
    database.exec(schema + archiveStart.create + indexes);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** What repairs found lost, kept with the journal; an older journal has no such table. */
export const lostEntries = (database: JournalDatabase): readonly DamagedEntry[] => {
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'journal_lost'").get();
  if (table === undefined) return [];
  return database
    .prepare("SELECT sequence FROM journal_lost ORDER BY sequence")
    .all()
    .map((row) => ({ sequence: Number(row.sequence), why: "unreadable" }));
};

/** The five values of a `Row`, in its order. */
export const insertRow = "INSERT INTO journal (sequence, at, body, previous, hash) VALUES (?, ?, ?, ?, ?)";
