/**
 * The journal on disk: SQLite in WAL with synchronous=FULL, append-only, hash-chained. Opening never throws: what cannot
 * be read is set aside and told, and a journal that cannot be written refuses every append, so that nothing is sent.
 */
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Checked, checkRows, firstLink, makeRow, type Row } from "./chain.ts";
import type { DamagedEntry, Journal } from "./ports.ts";

const schema = `
  CREATE TABLE IF NOT EXISTS journal (
    sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER IF NOT EXISTS journal_is_not_changed BEFORE UPDATE ON journal BEGIN SELECT RAISE(ABORT, 'append-only'); END;
  CREATE TRIGGER IF NOT EXISTS journal_is_not_cut BEFORE DELETE ON journal BEGIN SELECT RAISE(ABORT, 'append-only'); END;
`;
/** Found by its own small index; the core writes the type first. */
const isCheckpoint = `substr(body, 1, 20) = '{"type":"checkpoint"'`;
const checkpointIndex = `CREATE INDEX IF NOT EXISTS journal_checkpoints ON journal (sequence) WHERE ${isCheckpoint};`;
const busyTimeoutMs = 2_000;

/** The sidecar files that belong to a database; they move with it. */
const suffixes = ["", "-wal", "-shm"];

type Column = number | string;

/** What the journal asks of SQLite, so that a test can put one on a disk that loses power. */
export interface JournalDatabase {
  exec(sql: string): void;
  prepare(sql: string): {
    all(...values: Column[]): Record<string, unknown>[];
    get(...values: Column[]): Record<string, unknown> | undefined;
    run(...values: Column[]): unknown;
  };
  readonly isTransaction: boolean;
  close(): void;
}
type OpenDatabase = (path: string, mode: "write" | "read") => JournalDatabase;

const openNodeDatabase: OpenDatabase = (path, mode) =>
  new DatabaseSync(path, { timeout: busyTimeoutMs, readOnly: mode === "read" });

export interface FileJournal extends Journal {
  /** Checks the whole chain, also what lies before the last checkpoint. */
  verify(): { readonly entries: number; readonly damaged: readonly DamagedEntry[] };
  readonly path: string;
}

const columns = "SELECT sequence, at, body, previous, hash FROM journal";

const toRow = (row: Record<string, unknown>): Row => ({
  sequence: Number(row.sequence),
  at: Number(row.at),
  body: String(row.body),
  previous: String(row.previous),
  hash: String(row.hash),
});

const rowsFrom = (database: JournalDatabase, sequence: number): Row[] =>
  database.prepare(`${columns} WHERE sequence >= ? ORDER BY sequence`).all(sequence).map(toRow);

/** So many sequences in a row without an entry: behind the last one, when the file does not say which is the last. */
const emptyMost = 10_000;

const lastSequence = (database: JournalDatabase): number | null => {
  try {
    return Number(database.prepare("SELECT max(sequence) AS last FROM journal").get()?.last ?? 0);
  } catch {
    return null;
  }
};

/** Row by row, for a file whose pages are damaged: what one page hides does not hide the others. */
const salvage = (database: JournalDatabase): { rows: Row[]; unreadable: number[] } => {
  const rows: Row[] = [];
  const unreadable: number[] = [];
  const last = lastSequence(database);
  const bySequence = database.prepare(`${columns} WHERE sequence = ?`);
  const ends = (sequence: number) => sequence > (last ?? (rows.at(-1)?.sequence ?? 0) + emptyMost);
  for (let sequence = 1; !ends(sequence); sequence++) {
    try {
      const row = bySequence.get(sequence);
      if (row !== undefined) rows.push(toRow(row));
    } catch {
      unreadable.push(sequence);
    }
  }
  const known = last ?? rows.at(-1)?.sequence ?? 0;
  return { rows, unreadable: last === null ? [...unreadable.filter((at) => at < known), known + 1] : unreadable };
};

const prepareDatabase = (path: string, open: OpenDatabase): JournalDatabase => {
  const database = open(path, "write");
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
    database.exec(schema + checkpointIndex);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Moves a damaged file aside, under a name that says when, and keeps it for those who must look into it. */
const setAside = (path: string, at: number): void => {
  for (const suffix of suffixes)
    if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.damaged-${at}${suffix}`);
};

const usable = (database: JournalDatabase): boolean =>
  database.prepare("PRAGMA quick_check(1)").get()?.quick_check === "ok";

/** A journal that holds nothing and takes nothing: the till starts and shows, and confirms nothing. */
const brokenJournal = (path: string, error: unknown): FileJournal => {
  const damaged: readonly DamagedEntry[] = [{ sequence: 0, why: "unreadable" }];
  return {
    path,
    append() {
      throw new Error("the journal cannot be written", { cause: error });
    },
    read: () => ({ entries: [], damaged }),
    verify: () => ({ entries: 0, damaged }),
    close() {},
  };
};

const overDatabase = (database: JournalDatabase, path: string, lost: readonly DamagedEntry[]): FileJournal => {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const insert = database.prepare("INSERT INTO journal (sequence, at, body, previous, hash) VALUES (?, ?, ?, ?, ?)");
  const lastRow = database.prepare("SELECT sequence, hash FROM journal ORDER BY sequence DESC LIMIT 1");
  const lastCheckpoint = database.prepare(`SELECT max(sequence) AS sequence FROM journal WHERE ${isCheckpoint}`);
  const rowBefore = database.prepare(
    "SELECT sequence, hash FROM journal WHERE sequence < ? ORDER BY sequence DESC LIMIT 1",
  );

  const end = (row: Record<string, unknown> | undefined) => ({
    sequence: Number(row?.sequence ?? 0),
    hash: String(row?.hash ?? firstLink),
  });

  const check = (from: number): Checked => checkRows(rowsFrom(database, from), end(rowBefore.get(from)));

  return {
    path,
    append(at, bodies) {
      begin.run();
      try {
        let last = end(lastRow.get());
        for (const body of bodies) {
          const row = makeRow(last.hash, { sequence: last.sequence + 1, at: Math.trunc(at), body });
          insert.run(row.sequence, row.at, row.body, row.previous, row.hash);
          last = row;
        }
        commit.run();
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    read(latest) {
      if (latest !== undefined) return check(Math.max(0, end(lastRow.get()).sequence - latest + 1));
      const checkpoint = Number(lastCheckpoint.get()?.sequence ?? 0);
      const { entries, damaged } = check(checkpoint);
      const sound = checkpoint === 0 || entries[0]?.sequence === checkpoint;
      const whole = sound ? { entries, damaged } : check(0);
      return { entries: whole.entries, damaged: [...lost, ...whole.damaged] };
    },
    verify() {
      const { entries, damaged } = check(0);
      return { entries: entries.length, damaged: [...lost, ...damaged] };
    },
    close() {
      database.close();
    },
  };
};

/** Copies what can be read of a damaged file into a fresh one. */
const replace = (path: string, at: number, open: OpenDatabase): FileJournal => {
  let rows: Row[] = [];
  let lost: DamagedEntry[] = [{ sequence: 0, why: "unreadable" }];
  try {
    const damaged = open(path, "write");
    try {
      const saved = salvage(damaged);
      rows = saved.rows;
      lost = saved.unreadable.map((sequence) => ({ sequence, why: "unreadable" as const }));
    } finally {
      damaged.close();
    }
  } catch {
    // Not a database any more: nothing to save but the file itself.
  }
  setAside(path, at);
  const fresh = prepareDatabase(path, open);
  const insert = fresh.prepare("INSERT INTO journal (sequence, at, body, previous, hash) VALUES (?, ?, ?, ?, ?)");
  fresh.exec("BEGIN IMMEDIATE");
  for (const row of rows) insert.run(row.sequence, row.at, row.body, row.previous, row.hash);
  fresh.exec("COMMIT");
  return overDatabase(fresh, path, lost);
};

/**
 * Opens or makes the journal at `path` (`:memory:` for none); `now` names a damaged file that is set aside. `read` opens
 * it beside a running till and changes nothing.
 */
export const openJournal = (
  path: string,
  now: number,
  mode: "write" | "read" = "write",
  open: OpenDatabase = openNodeDatabase,
): FileJournal => {
  try {
    if (mode === "read") return overDatabase(open(path, mode), path, []);
    if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
    try {
      const database = prepareDatabase(path, open);
      if (usable(database)) return overDatabase(database, path, []);
      database.close();
    } catch (error) {
      if (!existsSync(path) || !isDamage(error)) throw error;
    }
    return replace(path, now, open);
  } catch (error) {
    return brokenJournal(path, error);
  }
};

/** SQLITE_CORRUPT and SQLITE_NOTADB; a locked, read-only or full disk is no reason to set a file aside. */
const isDamage = (error: unknown): boolean => {
  const code = typeof error === "object" && error !== null && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  return code === 11 || code === 26;
};
