/** Reads a journal file, even a damaged one, from outside of the terminal. Changes nothing and reports all that it cannot read. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { csvLine } from "../../backend/contract/csv.ts";
import { archivesOf, startInArchive } from "../terminal/journal/archive.ts";
import { type Checked, chainBegin, checkRows, type JournalKeys } from "../terminal/journal/chain.ts";
import { closing, openNodeDatabase } from "../terminal/journal/database.ts";
import { hasSqliteCode } from "../terminal/journal/files.ts";
import { earlierLosses, isNoNumber, salvage } from "../terminal/journal/repair.ts";
import type { JournalDatabase, JournalEntry } from "../terminal/ports.ts";

/** Content of a journal file, unreadable entries included; sequence 0 stands for the whole file. */
export interface Inspected extends Checked {
  readonly links: ReadonlyMap<number, string>;
}

/**
 * SQLITE_ERROR (no such table), SQLITE_CORRUPT, SQLITE_NOTADB and numbers out of range: the file is damaged. Locks and missing permissions
 * are reported as such.
 */
const isOfTheFile = (error: unknown): boolean => hasSqliteCode(error, 1, 11, 26) || isNoNumber(error);

/** Empty where the file's damage prevents it: the chain then shows a gap. */
const orNone = <T>(read: () => readonly T[]): readonly T[] => {
  try {
    return read();
  } catch (error) {
    if (!isOfTheFile(error)) throw error;
    return [];
  }
};

/** What can be read of each archived year and of the file itself, row by row. */
const salvageAll = (path: string, database: JournalDatabase): ReturnType<typeof salvage> => {
  const years = orNone(() => archivesOf(database))
    .map(({ file }) => join(dirname(path), "archive", file))
    .filter((file) => existsSync(file))
    .flatMap((file) => closing(openNodeDatabase(file, "read"), (year) => orNone(() => [salvage(year)])));
  const parts = [...years, salvage(database)];
  // Rows that a removal was to take out of the live file are in both.
  const rows = new Map(parts.flatMap((part) => part.rows).map((row) => [row.sequence, row]));
  return {
    rows: [...rows.values()].sort((one, other) => one.sequence - other.sequence),
    unreadable: parts.flatMap((part) => part.unreadable).filter((sequence) => !rows.has(sequence)),
  };
};

/** Reads and checks every entry; the terminal may be running. @throws if the file cannot be opened at all. */
export const inspectJournal = (path: string, keys: JournalKeys | null): Inspected => {
  try {
    return closing(openNodeDatabase(path, "read"), (database) => {
      const { rows, unreadable: hidden } = salvageAll(path, database);
      const lost = [...earlierLosses(database), ...hidden];
      const checked = checkRows(rows, startInArchive(database) ?? chainBegin, keys);
      const unreadable = [...new Set(lost)].map((sequence) => ({ sequence, why: "unreadable" as const }));
      return {
        entries: checked.entries,
        damaged: [...unreadable, ...checked.damaged.filter(({ sequence }) => !lost.includes(sequence))],
        links: new Map(rows.map(({ sequence, hash }) => [sequence, hash])),
        unchecked: checked.unchecked,
      };
    });
  } catch (error) {
    if (!isOfTheFile(error)) throw error;
    return { entries: [], damaged: [{ sequence: 0, why: "unreadable" }], links: new Map(), unchecked: 0 };
  }
};

const columns = ["sequence", "at", "type", "withdrawal", "transaction", "partner_id", "amount", "currency", "detail"];

const text = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

const parse = (body: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return { type: "damaged", detail: body };
  }
};

/** Under a key that is not to be had here an entry may have any number. */
const timeText = (at: number): string => {
  const time = new Date(at);
  return Number.isNaN(time.getTime()) ? String(at) : time.toISOString();
};

/** In the order of `columns`; reads the names that are on disk (`namesOnDisk`). */
const cellsOf = (entry: JournalEntry): readonly string[] => {
  const { type, of, ...rest } = parse(entry.body);
  const facts = typeof of === "object" && of !== null ? (of as Record<string, unknown>) : {};
  const detail = type === "checkpoint" || Object.keys(rest).length === 0 ? "" : JSON.stringify(rest);
  const { withdrawalId, transactionId, partnerId, amount, currency } = facts;
  const said = [type, withdrawalId, transactionId, partnerId, amount, currency].map(text);
  return [String(entry.sequence), timeText(entry.at), ...said, detail];
};

/** RFC 4180 lines with a header; a cell that a spreadsheet would take for a formula gets an apostrophe. */
export const toCsv = function* (entries: Iterable<JournalEntry>): Generator<string> {
  yield csvLine(columns);
  for (const entry of entries) yield csvLine(cellsOf(entry));
};

/** One JSON array, an entry per line; bodies as they were written. */
export const toJson = function* (entries: Iterable<JournalEntry>): Generator<string> {
  let separator = "[\n";
  for (const { sequence, at, body } of entries) {
    const line = { sequence, at: timeText(at), entry: parse(body) };
    yield separator + JSON.stringify(line);
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
};
