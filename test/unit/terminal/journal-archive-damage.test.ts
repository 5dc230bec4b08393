import { expect, test } from "vitest";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { executeIn, finish, keysOf, overwritePages, ownFolder, pageWith } from "./journal-stage.ts";

const here = ownFolder();
const keys = keysOf();
/** Overwrites the pages that hold these texts. */
const spoil = (...texts: readonly string[]): void => {
  // What was deleted stands in free pages still, which nobody reads.
  executeIn(here.path, "VACUUM");
  for (const page of texts.map((text) => pageWith(here.path, text))) overwritePages(here.path, page);
};
/** More than a repair looks on for behind the last entry that it found. */
const archived = 11_000;
const checkpoint = '{"type":"checkpoint"}';
const entry = (number: number): string => JSON.stringify({ type: "act", act: `a${number}`, about: "x".repeat(200) });

/** Archived up to a checkpoint, and 300 entries behind it. */
const archivedJournal = (): void => {
  const journal = openJournal(here.path, 0);
  journal.append(1, [...Array.from({ length: archived }, (_, at) => entry(at)), checkpoint]);
  journal.append(
    5,
    Array.from({ length: 300 }, (_, at) => entry(archived + at)),
  );
  finish(journal.archiveSlices({ now: () => 6, beforeMs: 5, held: [] }));
  journal.append(
    7,
    Array.from({ length: 100 }, (_, at) => entry(archived + 300 + at)),
  );
  journal.close();
};

test.each([
  ["the last page", [entry(archived + 399)], 0, 0],
  ["the first and the last page", [checkpoint, entry(archived + 399)], 2, 20],
  ["each of the first pages and the last", [0, 8, 16, 24, 399].map((at) => entry(archived + at)), 20, 50],
])("%s is damaged: all that the others hold is kept", (_, texts, least, most) => {
  archivedJournal();
  spoil(...texts);
  const journal = openJournal(here.path, 8);
  const { entries, last } = journal.readSlice(archived + 100, 200);
  expect(entries).toHaveLength(200);
  expect(last?.sequence).toBe(archived + 299);
  // Of the live file's first pages each is named; one stands for the last page, which holds as few as one.
  const lost = journal.verify().damaged.map(({ sequence }) => sequence);
  expect(lost.pop()).toBeGreaterThan(archived + 380);
  expect(lost).toEqual(lost.map((_, at) => archived + 1 + at));
  expect(lost.length).toBeGreaterThanOrEqual(least);
  expect(lost.length).toBeLessThanOrEqual(most);
  journal.close();
});

test.each([
  ["journal_keyed", 1],
  ["journal_archived", 0],
])("with the entry %s the rest of a journal is not lost", (named, unsureOfKey) => {
  const open = () => openJournal(here.path, 0, "write", openNodeDatabase, keys);
  const journal = open();
  journal.append(1, [...Array.from({ length: 100 }, (_, at) => entry(at)), checkpoint]);
  journal.append(
    5,
    Array.from({ length: 100 }, (_, at) => entry(100 + at)),
  );
  if (named === "journal_archived") finish(journal.archiveSlices({ now: () => 6, beforeMs: 5, held: [] }));
  journal.append(
    7,
    Array.from({ length: 100 }, (_, at) => entry(200 + at)),
  );
  journal.close();
  spoil(`{"type":"${named}"`);

  const again = open();
  const { entries, damaged } = again.read();
  expect([...entries].length).toBeGreaterThan(180);
  expect(damaged.filter(({ why }) => why === "key")).toHaveLength(unsureOfKey);
  // Another one than ours is believed in nothing where its marker is lost, and named elsewhere.
  again.close();
  const other = Buffer.alloc(32, 6);
  const stranger = { ...keys, current: { id: "other", secret: other }, known: new Map([["other", other]]) };
  const elsewhere = openJournal(here.path, 0, "read", openNodeDatabase, stranger);
  const seen = elsewhere.read();
  const believed = [...seen.entries].length;
  if (named === "journal_keyed") expect(believed).toBe(0);
  else expect(believed).toBeGreaterThan(180);
  expect(seen.damaged.filter(({ why }) => why === "key")).toHaveLength(1);
  elsewhere.close();

  const later = open();
  later.append(8, [checkpoint, entry(999)]);
  expect([...later.read().entries]).toHaveLength(2);
  expect(later.read().damaged.filter(({ sequence }) => sequence > 300)).toEqual([]);
  later.close();
});

test("the years before are found again where the entry that names them is lost", () => {
  const journal = openJournal(here.path, 0, "write", openNodeDatabase, keys);
  for (const year of [1, 2, 3]) {
    journal.append(year * 10, [...Array.from({ length: 50 }, (_, at) => entry(year * 100 + at)), checkpoint]);
    journal.append(year * 10 + 2, [...Array.from({ length: 30 }, (_, at) => entry(year * 100 + 50 + at))]);
    finish(journal.archiveSlices({ now: () => year * 10 + 5, beforeMs: year * 10 + 1, held: [] }));
  }
  journal.append(
    40,
    Array.from({ length: 50 }, (_, at) => entry(400 + at)),
  );
  const whole = journal.readSlice(1, 1_000).entries.length;
  journal.close();
  spoil('{"type":"journal_archived"');

  for (const at of [50, 51]) {
    const again = openJournal(here.path, at, "write", openNodeDatabase, keys);
    const { entries } = again.readSlice(1, 1_000);
    expect(entries.length).toBeGreaterThan(whole - 20);
    expect(entries.slice(0, 150).map(({ sequence }) => sequence)).toEqual(Array.from({ length: 150 }, (_, n) => n + 1));
    expect(again.verify().damaged.filter(({ sequence }) => sequence <= 150)).toEqual([]);
    again.close();
  }
});

/** A disk on which the removal of what is archived fails at its first step. */
const failingRemoval = () => {
  const disk = { fails: false };
  const open: typeof openNodeDatabase = (file, mode) => {
    const database = openNodeDatabase(file, mode);
    return {
      ...database,
      prepare: (sql) => database.prepare(sql),
      close: () => database.close(),
      get isTransaction() {
        return database.isTransaction;
      },
      exec(sql) {
        if (!disk.fails || !sql.includes("DROP TRIGGER")) return database.exec(sql);
        database.exec(sql.slice(0, sql.indexOf("DROP TRIGGER")));
        throw new Error("disk I/O error");
      },
    };
  };
  return { disk, open };
};

test("a removal that fails at its first step leaves a journal that takes entries", () => {
  const { disk, open } = failingRemoval();
  const journal = openJournal(here.path, 0, "write", open);
  journal.append(1, [entry(1), checkpoint]);
  journal.append(5, [entry(2)]);
  disk.fails = true;
  const steps = journal.archiveSlices({ now: () => 6, beforeMs: 5, held: [] });
  expect(() => finish(steps)).toThrow("disk I/O error");
  journal.append(7, [entry(3)]);
  expect([...journal.read().entries].at(-1)?.body).toBe(entry(3));
  expect(journal.verify().damaged).toEqual([]);
  journal.close();
});

test.each([
  [40, false],
  [98, true],
])("what is damaged in the live file and still in its archive is not lost: around entry %i", (number, isMore) => {
  const { disk, open } = failingRemoval();
  const journal = openJournal(here.path, 0, "write", open);
  journal.append(1, [...Array.from({ length: 100 }, (_, at) => entry(at)), checkpoint]);
  journal.append(
    5,
    Array.from({ length: 100 }, (_, at) => entry(100 + at)),
  );
  disk.fails = true;
  expect(() => finish(journal.archiveSlices({ now: () => 6, beforeMs: 5, held: [] }))).toThrow("disk I/O error");
  journal.close();
  spoil(entry(number));

  const again = openJournal(here.path, 8);
  const { entries } = again.readSlice(1, 1_000);
  expect(entries.slice(0, 100).map(({ body }) => body)).toEqual(Array.from({ length: 100 }, (_, at) => entry(at)));
  const lost = again.verify().damaged.map(({ sequence }) => sequence);
  expect([lost.length > 0, lost.filter((sequence) => sequence <= 100)]).toEqual([isMore, []]);
  expect(finish(again.archiveSlices({ now: () => 9, beforeMs: 5, held: [] }))).toEqual({ kind: "nothing" });
  expect(again.verify().damaged.map(({ sequence }) => sequence)).toEqual(lost);
  again.close();
});
