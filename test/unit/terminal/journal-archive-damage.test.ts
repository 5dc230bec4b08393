/** A live file that begins far behind its first entry, since closed years were moved out of it, is repaired as any other. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openJournal } from "../../../main/terminal/journal/journal.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "archive-damage-"));
  path = join(folder, "journal.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const pageBytes = 4_096;
/** More than a repair looks on for behind the last entry that it found. */
const archived = 11_000;
const checkpoint = '{"type":"checkpoint"}';
const entry = (number: number): string => JSON.stringify({ type: "act", act: `a${number}`, about: "x".repeat(200) });

/** Overwrites the page that holds this text. */
const spoil = (text: string): void => {
  const at = readFileSync(path).lastIndexOf(text);
  expect(at).toBeGreaterThan(pageBytes);
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(pageBytes, 0xaa), 0, pageBytes, at - (at % pageBytes));
  closeSync(file);
};

/** Archived up to a checkpoint, and 300 entries behind it. */
const archivedJournal = (): void => {
  const journal = openJournal(path, 0);
  journal.append(1, [...Array.from({ length: archived }, (_, at) => entry(at)), checkpoint]);
  journal.append(5, Array.from({ length: 300 }, (_, at) => entry(archived + at)));
  for (const _ of journal.archiveSlices({ nowMs: 6, beforeMs: 5, held: [] }));
  journal.append(7, Array.from({ length: 100 }, (_, at) => entry(archived + 300 + at)));
  journal.close();
};

test.each([
  ["the last page", [entry(archived + 399)]],
  ["the first and the last page", [checkpoint, entry(archived + 399)]],
])("%s is damaged: all that the others hold is kept", (_, texts) => {
  archivedJournal();
  for (const text of texts) spoil(text);
  const journal = openJournal(path, 8);
  const { entries, last } = journal.readSlice(archived + 100, 200);
  expect(entries).toHaveLength(200);
  expect(last?.sequence).toBe(archived + 299);
  expect(journal.verify().damaged.length).toBeLessThan(50);
  journal.close();
});
