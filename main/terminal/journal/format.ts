/** The version of the journal's file. A newer one is left alone; an older one is upgraded, with a copy beside it. */
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { JournalDatabase } from "../database-port.ts";
import { copyAtomically } from "./files.ts";

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
export const refuseNewer = (database: JournalDatabase): void => {
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
