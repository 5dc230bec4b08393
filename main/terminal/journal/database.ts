/** The journal's tables in SQLite, and what of SQLite the journal uses. */
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { DamagedEntry, JournalDatabase } from "../ports.ts";
import { isKeyMarker, type Row } from "./chain.ts";
import { copyAtomically } from "./files.ts";

const prefix = '{"type":"journal_archived"';
/** Found by its own small index; the type comes first. */
export const isArchiveMarker = `substr(body, 1, ${prefix.length}) = '${prefix}'`;

/** `file` is a name in the folder `archive` beside the journal, never a path. */
const archiveFileSchema = z.object({
  file: z.string().regex(/^[\w-]+\.db$/),
  first: z.int().min(1),
  through: z.int().min(1),
  /** The last entry's hash: what the next file, or the live one, goes on from. */
  hash: z.string(),
  /** The key that counts behind the last entry; null while none did. */
  key: z.string().nullable(),
});
/** One archived stretch of the chain. */
export type ArchiveFile = z.infer<typeof archiveFileSchema>;

const markerSchema = z.object({ archives: z.array(archiveFileSchema) });

/** @param archives all of the journal, the oldest first: the newest marker says everything. */
export const archiveMarker = (archives: readonly ArchiveFile[]): string =>
  JSON.stringify({ type: "journal_archived", archives });

/** What a marker names; nothing for an entry that is none, or cannot be read. */
export const archivesIn = (body: string): readonly ArchiveFile[] => {
  if (!body.startsWith(prefix)) return [];
  try {
    return markerSchema.parse(JSON.parse(body)).archives;
  } catch {
    return [];
  }
};

/**
 * 1 (written as 0) has the same tables; since 2 the first entry says whose journal it is, since 3 entries are under a key.
 * Since 4 closed years lie in files of their own, and there are entries about people, a drawer opened again, the drawer's
 * day and receipts. Raised whenever an older program would misread an entry: it refuses the file instead.
 */
export const journalFormat = 4;

/** A journal of a newer program: reading it with this one could take a hand-out for none. */
export class NewerJournal extends Error {
  readonly format: number;

  constructor(format: number) {
    super(`the journal has format ${format}, this program knows ${journalFormat}`);
    this.format = format;
  }
}

const formatOf = (database: JournalDatabase): number =>
  Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);

const hasEntries = (database: JournalDatabase): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'journal'").get() !== undefined &&
  database.prepare("SELECT 1 FROM journal LIMIT 1").get() !== undefined;

/** @throws NewerJournal before anything is written. */
const refuseNewer = (database: JournalDatabase): void => {
  const format = formatOf(database);
  if (format > journalFormat) throw new NewerJournal(format);
};

/** Copies of older formats that stay, the newest. */
const copiesKept = 3;

/** @param made the format that was copied just now: newer ones may lie there from before a way back. */
const removeOldest = (path: string, made: number): void => {
  const start = `${basename(path)}.format-`;
  const formats = readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)))
    .filter((format) => format !== made)
    .sort((one, other) => other - one);
  for (const format of formats.slice(copiesKept - 1)) rmSync(join(dirname(path), `${start}${format}`));
};

/** A copy that is there makes way: after a way back it holds what the journal was before it. */
const copyBeforeUpgrade = (database: JournalDatabase, path: string, format: number): void => {
  const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  if (Number(checkpoint?.busy) !== 0)
    throw new Error("the journal is being read, so that no copy of it would be whole");
  copyAtomically(path, `${path}.format-${format}`);
  removeOldest(path, format);
};

/** Brings an older file to this format, one step after the other. */
export const upgrade = (database: JournalDatabase, path: string): void => {
  const format = Math.max(1, formatOf(database));
  if (format === journalFormat) return;
  if (hasEntries(database)) copyBeforeUpgrade(database, path, format);
  database.exec(`PRAGMA user_version = ${journalFormat}`);
};

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

/** What is made of a database; one that turns out to be none of ours is closed again. */
export const orClose = <T>(database: JournalDatabase, make: (database: JournalDatabase) => T): T => {
  try {
    return make(database);
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Opens the journal for writing: WAL, every commit synced, older formats upgraded, a newer one refused. */
export const prepareDatabase = (path: string, open: OpenDatabase): JournalDatabase =>
  orClose(open(path, "write"), (database) => {
    refuseNewer(database);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    upgrade(database, path);
    database.exec(schema + indexes);
    return database;
  });

/** A new file for archived rows: one file alone, without a sidecar, whole once it has its name. */
export const prepareArchive = (path: string, open: OpenDatabase): JournalDatabase =>
  orClose(open(path, "write"), (database) => {
    database.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;");
    database.exec(`PRAGMA user_version = ${journalFormat}`);
    database.exec(schema + archiveStart.create + indexes);
    return database;
  });

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
