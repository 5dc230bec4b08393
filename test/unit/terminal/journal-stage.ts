/** A journal file in a folder of its own, and what a hand with a database tool, a damaged disk or no key could do to it. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect } from "vitest";
import type { JournalKeys } from "../../../main/terminal/journal/chain.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";

/** Registers the hooks of a file: a folder for each test, with the place of a journal in it. */
export const ownFolder = () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "journal-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const inside = (...names: readonly string[]): string => join(folder, ...names);
  return {
    get folder() {
      return folder;
    },
    get path() {
      return inside("journal.db");
    },
    inside,
  };
};

/** Registers the hooks of a file; the journal's folder is not there yet. */
export const journalStage = () => {
  const own = ownFolder();
  const inside = (...names: readonly string[]): string => own.inside("deep", ...names);
  return {
    get folder() {
      return own.folder;
    },
    get path() {
      return inside("journal.db");
    },
    inside,
    fill: (count: number): void => fillJournal(inside("journal.db"), count),
    bodies(from = openJournal(inside("journal.db"), 0)): string[] {
      const all = [...from.read().entries].map(({ body }) => body);
      from.close();
      return all;
    },
    tamper: (sql: string): void => tamperWith(inside("journal.db"), sql),
  };
};

/** So many entries, numbered from 1. */
export const fillJournal = (path: string, count: number): void => {
  const journal = openJournal(path, 0);
  for (let number = 1; number <= count; number++) journal.append(1_000 + number, [JSON.stringify({ number })]);
  journal.close();
};

/** What a database tool does to a file. */
export const executeIn = (path: string, sql: string): void => {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
};
/** The same with the rows that nothing may change. */
export const tamperWith = (path: string, sql: string): void =>
  executeIn(path, `DROP TRIGGER journal_is_not_changed; DROP TRIGGER journal_is_not_cut; ${sql}`);
/** As a program of this format leaves it. */
export const setFormat = (path: string, format: number): void => executeIn(path, `PRAGMA user_version = ${format}`);

/** A file that is no journal any more. */
export const noise = "this is no database, it never was one, and it is longer than a header";

const pageBytes = 4_096;
/** The page at this part of the file. */
export const pageAt = (path: string, part: number): number => Math.floor((statSync(path).size / pageBytes) * part);
/** The page that holds this text; not the first, which every reading needs. */
export const pageWith = (path: string, text: string): number => {
  const page = Math.floor(readFileSync(path).lastIndexOf(text) / pageBytes);
  expect(page).toBeGreaterThan(0);
  return page;
};
/** Overwrites pages, from this one on. */
export const overwritePages = (path: string, first: number, count = 1): void => {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(count * pageBytes, 0xa5), 0, count * pageBytes, first * pageBytes);
  closeSync(file);
};

/** The keys of a host that has these, all of the same secret; the first one is in use. */
export const keysOf = (
  ids: readonly [string, ...string[]] = ["till"],
  more: Partial<JournalKeys> = {},
): JournalKeys => {
  const secret = Buffer.alloc(32, 5);
  const [id] = ids;
  const known = new Map(ids.map((one) => [one, secret]));
  return { current: { id, secret }, known, isUpgrading: false, keep() {}, upgraded() {}, ...more };
};

/** Goes through all of a piece of work that comes in steps. @returns what it came to. */
export const finish = <Result>(steps: Iterator<unknown, Result>): Result => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value as Result;
  }
};
