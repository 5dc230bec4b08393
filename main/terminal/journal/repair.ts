/**
 * Repairs a damaged journal, safely against power cuts: copies what is readable to `.salvage`, syncs and renames it to
 * `.new` (so `.new` is always complete), then sets the damaged file aside and puts the copy in its place.
 */
import { existsSync, renameSync } from "node:fs";
import type { JournalDatabase } from "../ports.ts";
import { archivesOf } from "./archive.ts";
import type { Row } from "./chain.ts";
import { closing, insertRow, lostEntries, type OpenDatabase, prepareDatabase, readOr, rowsIn } from "./database.ts";
import { hasSqliteCode, numbersBeside, removeDatabase, siblingNames, suffixes, syncFolder } from "./files.ts";

/** If the file does not give the last sequence: the end is assumed after this many unreadable entries in a row. */
const emptyMax = 10_000;

const endIn = (database: JournalDatabase, end: "first" | "last", none: number): number => {
  const sql = `SELECT ${end === "first" ? "min" : "max"}(sequence) AS ${end} FROM journal`;
  return Number(database.prepare(sql).get()?.[end] ?? none);
};

/** The last sequence in the archives that the file's marker names; 0 if it names none, or cannot be read. */
const archivedThrough = (database: JournalDatabase): number =>
  readOr(
    () => archivesOf(database).at(-1)?.through ?? 0,
    () => 0,
  );

/** First sequence of the live file; if unreadable, the one after the archives named by its marker. */
const firstSequence = (database: JournalDatabase): number =>
  readOr(
    () => endIn(database, "first", 1),
    () => archivedThrough(database) + 1,
  );

/** What can be read of a file with damaged pages, and the sequences of what cannot. */
export const salvage = (database: JournalDatabase): { rows: Row[]; unreadable: number[] } => {
  const rows: Row[] = [];
  const unreadable: number[] = [];
  const first = firstSequence(database);
  const last = readOr(
    () => endIn(database, "last", 0),
    () => null,
  );
  const lastFound = (): number => rows.at(-1)?.sequence ?? first - 1;
  for (const found of rowsIn(database, first, last)) {
    if (typeof found === "number") unreadable.push(found);
    else if (found !== null) rows.push(found);
    if (last === null && (unreadable.at(-1) ?? 0) >= lastFound() + emptyMax) break;
  }
  if (last !== null) return { rows, unreadable };
  const known = lastFound();
  return { rows, unreadable: [...unreadable.filter((at) => at < known), known + 1] };
};

/** All readable rows of a damaged file, and the lost sequences; 0 stands for the whole file. */
const readDamaged = (path: string, open: OpenDatabase): { rows: Row[]; lost: number[] } => {
  try {
    return closing(open(path, "write"), (damaged) => {
      const { rows, unreadable } = salvage(damaged);
      const through = archivedThrough(damaged);
      // A removal that was cut off leaves rows here that are read from their archive.
      return { rows, lost: [...earlierLosses(damaged), ...unreadable.filter((sequence) => sequence > through)] };
    });
  } catch {
    // Not a database any more: nothing to save.
    return { rows: [], lost: [0] };
  }
};

/** Sequences that earlier repairs lost; empty if the list is unreadable. */
export const earlierLosses = (database: JournalDatabase): readonly number[] =>
  readOr(
    () => lostEntries(database).map(({ sequence }) => sequence),
    () => [],
  );

const asidePath = (path: string, at: number | "" = ""): string => `${path}.damaged-${at}`;

/** When the last damaged file was set aside, if one was. */
const lastAside = (path: string): number | undefined => numbersBeside(asidePath(path))[0];

/** Sets a damaged file aside under a name with the time, for later examination. */
const setAside = (path: string, at: number): void => {
  for (const suffix of suffixes) {
    if (!existsSync(path + suffix)) continue;
    const aside = asidePath(path, at);
    renameSync(path + suffix, existsSync(aside + suffix) ? `${aside}.again${suffix}` : aside + suffix);
  }
};

/** Copies the readable part of `from` to `.new` beside `path`, which is complete and on disk as soon as it has that name. */
const copyReadable = (from: string, path: string, open: OpenDatabase): void => {
  const { rows, lost } = readDamaged(from, open);
  const salvagePath = `${path}.salvage`;
  removeDatabase(salvagePath);
  closing(prepareDatabase(salvagePath, open), (fresh) => {
    fresh.exec("BEGIN IMMEDIATE");
    const insert = fresh.prepare(insertRow);
    for (const row of rows) insert.run(row.sequence, row.at, row.body, row.previous, row.hash);
    const note = fresh.prepare("INSERT INTO journal_lost (sequence, why) VALUES (?, 'unreadable')");
    for (const sequence of new Set(lost)) note.run(sequence);
    fresh.exec("COMMIT");
    // Without WAL there are no sidecar files to rename.
    fresh.exec("PRAGMA journal_mode = DELETE");
  });
  renameSync(salvagePath, `${path}.new`);
  syncFolder(path);
};

/** Puts the copy in the damaged journal's place; can be repeated after a power cut. */
const takePlace = (path: string, at: number): void => {
  setAside(path, existsSync(path) ? at : (lastAside(path) ?? at));
  renameSync(`${path}.new`, path);
  syncFolder(path);
};

/** Replaces a damaged journal by its readable part. */
export const repair = (path: string, at: number, open: OpenDatabase): void => {
  copyReadable(path, path, open);
  takePlace(path, at);
};

/** Finishes a repair that a power cut interrupted, at a start, so that no journal that was set aside is forgotten. */
export const endRepair = (path: string, at: number, open: OpenDatabase): void => {
  if (existsSync(`${path}.new`)) takePlace(path, at);
  // With sibling books, the path is empty because they were being exchanged; a damaged file could be another book's.
  if (existsSync(path) || siblingNames(path).length > 0) return;
  const aside = lastAside(path);
  if (aside === undefined) return;
  setAside(path, aside);
  copyReadable(asidePath(path, aside), path, open);
  takePlace(path, aside);
};

/** Also false if the check itself fails because of damage. */
export const isUsable = (database: JournalDatabase): boolean => {
  try {
    return database.prepare("PRAGMA quick_check(1)").get()?.quick_check === "ok";
  } catch (error) {
    if (isDamage(error)) return false;
    database.close();
    throw error;
  }
};

/** A number that nobody has written: Node reads none beyond its safe integers. SQLite's own check does not find it. */
export const isNoNumber = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException | null)?.code === "ERR_OUT_OF_RANGE";

/** SQLITE_CORRUPT, SQLITE_NOTADB, or a number out of range. Locked, read-only and full disks are no damage. */
export const isDamage = (error: unknown): boolean => hasSqliteCode(error, 11, 26) || isNoNumber(error);
