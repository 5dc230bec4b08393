/** The journal's tables in SQLite, and helpers for them. */
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { DamagedEntry, JournalDatabase } from "../ports.ts";
import { isKeyMarker, type Row } from "./chain.ts";
import { copyAtomically, numbersBeside } from "./files.ts";

const prefix = '{"type":"journal_archived"';
/** Has its own small index; the type comes first in the body. */
export const isArchiveMarker = `substr(body, 1, ${prefix.length}) = '${prefix}'`;

/** `file` is a name in the folder `archive` beside the journal, not a path. */
const archiveFileSchema = z.object({
  file: z.string().regex(/^[\w-]+\.db$/),
  first: z.int().min(1),
  through: z.int().min(1),
  hash: z.string(),
  key: z.string().nullable(),
});
/** One archived part of the chain. */
export type ArchiveFile = z.infer<typeof archiveFileSchema>;

const markerSchema = z.object({ archives: z.array(archiveFileSchema) });

/** @param archives all archives of the journal, oldest first: the newest marker is complete. */
export const archiveMarker = (archives: readonly ArchiveFile[]): string =>
  JSON.stringify({ type: "journal_archived", archives });

/** The archives in a marker; empty for other entries and unreadable markers. */
export const archivesIn = (body: string): readonly ArchiveFile[] => {
  if (!body.startsWith(prefix)) return [];
  try {
    return markerSchema.parse(JSON.parse(body)).archives;
  } catch {
    return [];
  }
};

/**
 * Raised when an older program would misread an entry, so that it refuses the file. 1: written as 0. 2: the first entry
 * names the journal's owner. 3: entries are under a key. 4: closed years in archive files; entries about people,
 * repeated openings, the drawer's day and receipts.
 */
export const journalFormat = 4;

/** A journal of a newer program: this one could miss a hand-out in it. */
export class NewerJournal extends Error {
  readonly format: number;

  constructor(format: number) {
    super(`the journal has format ${format}, this program knows ${journalFormat}`);
    this.format = format;
  }
}

const formatOf = (database: JournalDatabase): number =>
  Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);

/** Whether a database has this table. */
export const hasTable = (database: JournalDatabase, name: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;

const hasEntries = (database: JournalDatabase): boolean =>
  hasTable(database, "journal") && database.prepare("SELECT 1 FROM journal LIMIT 1").get() !== undefined;

/** @throws NewerJournal before anything is written. */
const refuseNewer = (database: JournalDatabase): void => {
  const format = formatOf(database);
  if (format > journalFormat) throw new NewerJournal(format);
};

const copiesKept = 3;

/** @param made the format just copied: after a downgrade there may be copies of newer formats. */
const removeOldest = (path: string, made: number): void => {
  const formats = numbersBeside(`${path}.format-`).filter((format) => format !== made);
  for (const format of formats.slice(copiesKept - 1)) rmSync(`${path}.format-${format}`);
};

/** Dropped only inside the transaction that deletes archived rows. */
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
/** Where an archive's chain begins, so that the file can be verified by itself. */
export const archiveStart = {
  create: "CREATE TABLE archive_start (sequence INTEGER NOT NULL, hash TEXT NOT NULL, key TEXT) STRICT;",
  insert: "INSERT INTO archive_start (sequence, hash, key) VALUES (?, ?, nullif(?, ''))",
  select: "SELECT sequence, hash, key FROM archive_start",
} as const;
/** Has its own small index; the core writes the type first. */
export const isCheckpoint = `substr(body, 1, 20) = '{"type":"checkpoint"'`;
const indexes = `
  CREATE INDEX IF NOT EXISTS journal_checkpoints ON journal (sequence) WHERE ${isCheckpoint};
  CREATE INDEX IF NOT EXISTS journal_keys ON journal (sequence) WHERE ${isKeyMarker};
  CREATE INDEX IF NOT EXISTS journal_archives ON journal (sequence) WHERE ${isArchiveMarker};
`;
/** Short, because waiting blocks the whole program; a locked file is retried later. */
const busyTimeoutMs = 500;

/** Opens a file; `write` creates it if missing. Throws SQLite's errors. */
export type OpenDatabase = (path: string, mode: "write" | "read") => JournalDatabase;

/** Uses `node:sqlite`; waits up to `busyTimeoutMs` for another process's lock. */
export const openNodeDatabase: OpenDatabase = (path, mode) =>
  new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly: mode === "read" });

/** All columns of a row, in the order of `Row`; a WHERE can follow. */
export const columns = "SELECT sequence, at, body, previous, hash FROM journal";

/** Converts SQLite's row. */
export const toRow = (row: Record<string, unknown>): Row => ({
  sequence: Number(row.sequence),
  at: Number(row.at),
  body: String(row.body),
  previous: String(row.previous),
  hash: String(row.hash),
});

const sliceRows = 200;

/**
 * The rows of one file in order, row by row around a damaged page: a number is the sequence of a row that cannot be read. Null after
 * each slice: only then may the file be changed. Reads rows as arrays: with objects, garbage collection would dominate a check of
 * two million rows.
 * @param through null: the last one is not known.
 */
export const rowsIn = function* (
  file: JournalDatabase,
  first: number,
  through: number | null,
): Generator<Row | number | null, void> {
  const last = through ?? Number.MAX_SAFE_INTEGER;
  const slice = file.prepare(`${columns} WHERE sequence >= ? AND sequence <= ? ORDER BY sequence LIMIT ${sliceRows}`);
  slice.setReturnArrays(true);
  const one = file.prepare(`${columns} WHERE sequence = ?`);
  for (let from = first; from <= last; ) {
    let isOver = through === null;
    let left = sliceRows;
    try {
      for (const read of slice.iterate(from, last) as unknown as Iterable<readonly unknown[]>) {
        const [sequence, at, body, previous, hash] = read;
        const row = toRow({ sequence, at, body, previous, hash });
        from = row.sequence + 1;
        left -= 1;
        yield row;
      }
      isOver = left > 0;
    } catch {
      for (const until = Math.min(last, from + sliceRows); from <= until; from += 1) {
        const found = readOr(
          () => one.get(from),
          () => from,
        );
        if (found === undefined) continue;
        isOver = false;
        yield typeof found === "number" ? found : toRow(found);
      }
    }
    if (isOver) from = last + 1;
    yield null;
  }
};

/** What `read` gives, or `otherwise` if it throws. */
export const readOr = <T, Other>(read: () => T, otherwise: () => Other): T | Other => {
  try {
    return read();
  } catch {
    return otherwise();
  }
};

interface Closable {
  close(): void;
}

/** Runs `use` on what was opened and closes it if that throws. */
export const orClose = <Opened extends Closable, T>(opened: Opened, use: (opened: Opened) => T): T => {
  try {
    return use(opened);
  } catch (error) {
    opened.close();
    throw error;
  }
};

/** Runs `use` on what was opened and closes it. */
export const closing = <Opened extends Closable, T>(opened: Opened, use: (opened: Opened) => T): T => {
  try {
    return use(opened);
  } finally {
    opened.close();
  }
};

/** A commit is on the disk, not in its cache: macOS leaves it there without the second and the third. */
const synced = "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;";

/** @returns the format of an older journal that is to be copied first; null if it is ready. */
const upgrade = (database: JournalDatabase, isCopied: boolean): number | null => {
  refuseNewer(database);
  database.exec(`PRAGMA journal_mode = WAL; ${synced}`);
  const format = Math.max(1, formatOf(database));
  if (format !== journalFormat && !isCopied && hasEntries(database)) {
    if (Number(database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy) === 0) return format;
    throw new Error("the journal is being read, so that no copy of it would be whole");
  }
  if (format !== journalFormat) database.exec(`PRAGMA user_version = ${journalFormat}`);
  database.exec(schema + indexes);
  return null;
};

/**
 * Opens the journal for writing: WAL, every commit synced, older formats copied and upgraded, newer ones refused. An existing copy
 * of that format is replaced: after a downgrade it is out of date.
 */
export const prepareDatabase = (path: string, open: OpenDatabase, isCopied = false): JournalDatabase => {
  const database = open(path, "write");
  const older = orClose(database, () => upgrade(database, isCopied));
  if (older === null) return database;
  // Closed meanwhile: POSIX takes SQLite's lock on a file away from a program that reads and closes it otherwise.
  database.close();
  copyAtomically(path, `${path}.format-${older}`);
  removeOldest(path, older);
  return prepareDatabase(path, open, true);
};

/** A new archive file, without sidecar files. */
export const prepareArchive = (path: string, open: OpenDatabase): JournalDatabase =>
  orClose(open(path, "write"), (database) => {
    database.exec(`PRAGMA journal_mode = DELETE; ${synced}`);
    database.exec(`PRAGMA user_version = ${journalFormat}`);
    database.exec(schema + archiveStart.create + indexes);
    return database;
  });

/** Losses that repairs recorded in the journal; older journals have no such table. */
export const lostEntries = (database: JournalDatabase): readonly DamagedEntry[] => {
  if (!hasTable(database, "journal_lost")) return [];
  return database
    .prepare("SELECT sequence FROM journal_lost ORDER BY sequence")
    .all()
    .map((row) => ({ sequence: Number(row.sequence), why: "unreadable" }));
};

/** The five values of a `Row`, in its order. */
export const insertRow = "INSERT INTO journal (sequence, at, body, previous, hash) VALUES (?, ?, ?, ?, ?)";
