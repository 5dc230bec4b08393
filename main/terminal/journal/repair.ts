/**
 * A damaged journal's repair, which a power cut may interrupt anywhere: what can be read is copied and synced first
 * (`.salvage`, then `.new`, which is whole by its name), only then the damaged file is set aside and the copy takes its place.
 */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { JournalDatabase } from "../ports.ts";
import { archivesOf } from "./archive.ts";
import type { Row } from "./chain.ts";
import { columns, insertRow, lostEntries, type OpenDatabase, prepareDatabase, toRow } from "./database.ts";
import { siblingNames, suffixes, syncFolder } from "./files.ts";

/** So many sequences in a row without an entry: behind the last one, when the file does not say which is the last. */
const emptyMax = 10_000;

const readOr = <T>(read: () => T, otherwise: () => T): T => {
  try {
    return read();
  } catch {
    return otherwise();
  }
};

const endIn = (database: JournalDatabase, end: "first" | "last", none: number): number => {
  const sql = `SELECT ${end === "first" ? "min" : "max"}(sequence) AS ${end} FROM journal`;
  return Number(database.prepare(sql).get()?.[end] ?? none);
};

/** Behind the archived years, which lie elsewhere, where the first entry itself cannot be found: by what the entry about them says. */
const firstSequence = (database: JournalDatabase): number =>
  readOr(
    () => endIn(database, "first", 1),
    () =>
      readOr(
        () => (archivesOf(database).at(-1)?.through ?? 0) + 1,
        () => 1,
      ),
  );

/** Row by row, for a file whose pages are damaged: what one page hides does not hide the others. */
export const salvage = (database: JournalDatabase): { rows: Row[]; unreadable: number[] } => {
  const rows: Row[] = [];
  const unreadable: number[] = [];
  const first = firstSequence(database);
  const last = readOr<number | null>(
    () => endIn(database, "last", 0),
    () => null,
  );
  const lastFound = (): number => rows.at(-1)?.sequence ?? first - 1;
  const bySequence = database.prepare(`${columns} WHERE sequence = ?`);
  const ends = (sequence: number) => sequence > (last ?? lastFound() + emptyMax);
  for (let sequence = first; !ends(sequence); sequence++) {
    try {
      const row = bySequence.get(sequence);
      if (row !== undefined) rows.push(toRow(row));
    } catch {
      unreadable.push(sequence);
    }
  }
  const known = last ?? lastFound();
  return { rows, unreadable: last === null ? [...unreadable.filter((at) => at < known), known + 1] : unreadable };
};

/** All that a damaged file still gives, and the sequences that it does not; 0 stands for the whole file. */
const readDamaged = (path: string, open: OpenDatabase): { rows: Row[]; lost: number[] } => {
  try {
    const damaged = open(path, "write");
    try {
      const { rows, unreadable } = salvage(damaged);
      return { rows, lost: [...earlierLosses(damaged), ...unreadable] };
    } finally {
      damaged.close();
    }
  } catch {
    // Not a database any more: nothing to save but the file itself.
    return { rows: [], lost: [0] };
  }
};

/** Sequences that an earlier repair had to leave out; none when the list itself cannot be read. */
export const earlierLosses = (database: JournalDatabase): readonly number[] =>
  readOr(
    () => lostEntries(database).map(({ sequence }) => sequence),
    () => [],
  );

/** The damaged file that was set aside last; null when there is none. */
const latestAside = (path: string): { readonly path: string; readonly at: number } | null => {
  const start = `${basename(path)}.damaged-`;
  const times = readdirSync(dirname(path))
    .filter((name) => name.startsWith(start) && /^\d+$/.test(name.slice(start.length)))
    .map((name) => Number(name.slice(start.length)));
  if (times.length === 0) return null;
  const at = Math.max(...times);
  return { path: join(dirname(path), start + at), at };
};

/** Moves a damaged file aside, under a name that says when, and keeps it for those who must look into it. */
const setAside = (path: string, at: number): void => {
  for (const suffix of suffixes) {
    if (!existsSync(path + suffix)) continue;
    const aside = `${path}.damaged-${at}`;
    renameSync(path + suffix, existsSync(aside + suffix) ? `${aside}.again${suffix}` : aside + suffix);
  }
};

/** Copies what `from` still gives to `.new` beside `path`: whole and on disk when it has that name. */
const copyReadable = (from: string, path: string, open: OpenDatabase): void => {
  const { rows, lost } = readDamaged(from, open);
  const salvagePath = `${path}.salvage`;
  for (const suffix of suffixes) rmSync(salvagePath + suffix, { force: true });
  const fresh = prepareDatabase(salvagePath, open);
  try {
    fresh.exec("BEGIN IMMEDIATE");
    const insert = fresh.prepare(insertRow);
    for (const row of rows) insert.run(row.sequence, row.at, row.body, row.previous, row.hash);
    const note = fresh.prepare("INSERT INTO journal_lost (sequence, why) VALUES (?, 'unreadable')");
    for (const sequence of new Set(lost)) note.run(sequence);
    fresh.exec("COMMIT");
    // One file alone: no sidecar has to follow it to its new name.
    fresh.exec("PRAGMA journal_mode = DELETE");
  } finally {
    fresh.close();
  }
  renameSync(salvagePath, `${path}.new`);
  syncFolder(path);
};

/** Puts the copy into the damaged journal's place; again after a power cut, for what was left of it. */
const takePlace = (path: string, at: number): void => {
  const asideAt = existsSync(path) ? at : (latestAside(path)?.at ?? at);
  setAside(path, asideAt);
  renameSync(`${path}.new`, path);
  syncFolder(path);
};

/** Replaces a damaged journal by what can still be read of it. */
export const repair = (path: string, at: number, open: OpenDatabase): void => {
  copyReadable(path, path, open);
  takePlace(path, at);
};

/** At a start: ends a repair that a power cut interrupted, and never takes a journal that was set aside for one that never was. */
export const endRepair = (path: string, at: number, open: OpenDatabase): void => {
  if (existsSync(`${path}.new`)) takePlace(path, at);
  // Where books lie beside, the place is empty because they were being exchanged: a damaged file would be another book's.
  if (existsSync(path) || siblingNames(path).length > 0) return;
  const aside = latestAside(path);
  if (aside === null) return;
  setAside(path, aside.at);
  copyReadable(aside.path, path, open);
  takePlace(path, aside.at);
};

/** False also for a file so damaged that looking through it fails. */
export const isUsable = (database: JournalDatabase): boolean => {
  try {
    return database.prepare("PRAGMA quick_check(1)").get()?.quick_check === "ok";
  } catch (error) {
    if (isDamage(error)) return false;
    database.close();
    throw error;
  }
};

/** SQLITE_CORRUPT and SQLITE_NOTADB; a locked, read-only or full disk is no reason to set a file aside. */
export const isDamage = (error: unknown): boolean => {
  const code = typeof error === "object" && error !== null && "errcode" in error ? Number(error.errcode) & 0xff : 0;
  return code === 11 || code === 26;
};
