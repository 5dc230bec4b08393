/** A journal file looked at from outside, also a damaged one: nothing is changed, and nothing is left out in silence. */
import { createStoredRows, startInArchive } from "../terminal/journal/archive.ts";
import { chainBegin, checkRows, type JournalKeys, type Row } from "../terminal/journal/chain.ts";
import { openNodeDatabase } from "../terminal/journal/database.ts";
import { freeBytes } from "../terminal/journal/files.ts";
import { earlierLosses, salvage } from "../terminal/journal/repair.ts";
import type { DamagedEntry, JournalDatabase, JournalEntry } from "../terminal/ports.ts";

/** All that a journal file holds, what cannot be read included. */
export interface Inspected {
  readonly entries: readonly JournalEntry[];
  /** Sequence 0 stands for the whole file. */
  readonly damaged: readonly DamagedEntry[];
  /** The hash of every entry as it is kept, by sequence. */
  readonly links: ReadonlyMap<number, string>;
  /** Entries under a key that is not available here. */
  readonly unchecked: number;
}

/** SQLITE_ERROR (no such table), SQLITE_CORRUPT and SQLITE_NOTADB: the file itself. A locked or forbidden one is reported as such. */
const damageCodes: readonly number[] = [1, 11, 26];

const isOfTheFile = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  "errcode" in error &&
  damageCodes.includes(Number(error.errcode) & 0xff);

const rowsOf = (
  path: string,
  database: JournalDatabase,
): { readonly rows: readonly Row[]; readonly lost: readonly number[] } => {
  try {
    const rows = createStoredRows(database, { path, open: openNodeDatabase, freeBytes }).from(1);
    return { rows, lost: earlierLosses(database) };
  } catch (error) {
    if (!isOfTheFile(error)) throw error;
    const { rows, unreadable } = salvage(database);
    return { rows, lost: [...earlierLosses(database), ...unreadable] };
  }
};

/**
 * Reads every entry of the journal at `path` beside a running terminal and checks the chain.
 * @throws when the file cannot be opened at all (locked, no permission).
 */
export const inspectJournal = (path: string, keys: JournalKeys | null): Inspected => {
  try {
    const database = openNodeDatabase(path, "read");
    try {
      const { rows, lost } = rowsOf(path, database);
      const checked = checkRows(rows, startInArchive(database) ?? chainBegin, keys);
      const unreadable = [...new Set(lost)].map((sequence) => ({ sequence, why: "unreadable" as const }));
      return {
        entries: checked.entries,
        damaged: [...unreadable, ...checked.damaged.filter(({ sequence }) => !lost.includes(sequence))],
        links: new Map(rows.map(({ sequence, hash }) => [sequence, hash])),
        unchecked: checked.unchecked,
      };
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isOfTheFile(error)) throw error;
    return { entries: [], damaged: [{ sequence: 0, why: "unreadable" }], links: new Map(), unchecked: 0 };
  }
};
