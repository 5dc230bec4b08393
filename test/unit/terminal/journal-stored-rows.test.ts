/** Rows by sequence, wherever they lie: two archived years and the live file read as the one chain they were. */
import { copyFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import {
  createStoredRows,
  readSlice,
  type StoredRows,
  startInArchive,
  unnamedArchives,
} from "../../../main/terminal/journal/archive.ts";
import { chainBegin, markedKey, type Row } from "../../../main/terminal/journal/chain.ts";
import { columns, openNodeDatabase, toRow } from "../../../main/terminal/journal/database.ts";
import { type FileJournal, openJournal } from "../../../main/terminal/journal/journal.ts";
import { executeIn, finish, journalStage, keysOf, noise } from "./journal-stage.ts";

const stage = journalStage();
const under = (id: string): FileJournal => {
  const keys = keysOf([id, "one", "two", "three"], { isUpgrading: id === "one" });
  return openJournal(stage.path, 0, "write", openNodeDatabase, keys);
};
const archive = (journal: FileJournal, beforeMs: number) =>
  finish(journal.archiveSlices({ now: () => beforeMs, beforeMs, held: [] }));
const act = '{"type":"act"}';
const checkpoint = '{"type":"checkpoint"}';

/** The whole chain, as it lay in one file. */
let chain: readonly Row[] = [];
let copy = "";
/** Years: 1 under no key and then `one`, 2 under `two` and then `three`, 3 the live one. Each is cut behind its last entry but one. */
beforeEach(() => {
  const first = openJournal(stage.path, 0);
  first.append(1, [act, act]);
  first.close();
  const one = under("one");
  one.append(1, [act, checkpoint]);
  archive(one, 5);
  one.close();
  const two = under("two");
  two.append(11, [act]);
  two.close();
  const three = under("three");
  three.append(11, [act, checkpoint]);
  copy = `${stage.path}.copy`;
  three.close();
  copyFileSync(stage.path, copy);
  const again = under("three");
  archive(again, 15);
  again.append(21, [act]);
  again.close();
  const files = archived().map((name) => stage.inside("archive", name));
  chain = [...files, stage.path]
    .flatMap((file) => {
      const database = new DatabaseSync(file, { readOnly: true });
      const rows = database.prepare(columns).all().map(toRow);
      database.close();
      return rows;
    })
    .toSorted((a, b) => a.sequence - b.sequence);
});

const live = () => {
  const database = openNodeDatabase(stage.path, "read");
  onTestFinished(() => database.close());
  return database;
};
const rowsOf = (open = openNodeDatabase): StoredRows =>
  createStoredRows(live(), { path: stage.path, open, freeBytes: () => 0 });
const keyBefore = (sequence: number): string | null =>
  chain
    .filter((row) => row.sequence < sequence)
    .reduce<string | null>((id, { body }) => markedKey(body)?.id ?? id, null);
const archived = (): readonly string[] => readdirSync(stage.inside("archive"));

const readable = (rows: StoredRows, sequence: number): readonly unknown[] =>
  [...rows.onwards(sequence)].filter((found) => found !== null);

const readsAsOne = (rows: StoredRows): void => {
  const last = chain.length;
  expect(chain.map(({ sequence }) => sequence)).toEqual(Array.from({ length: last }, (_, at) => at + 1));
  for (let sequence = 0; sequence <= last + 2; sequence += 1) {
    const behind = chain.filter((row) => row.sequence >= sequence);
    const before = chain.findLast((row) => row.sequence < sequence);
    expect(rows.from(sequence)).toEqual(behind);
    expect(readable(rows, sequence)).toEqual(behind);
    expect(rows.linkOf(sequence)).toBe(chain.find((row) => row.sequence === sequence)?.hash ?? null);
    expect(rows.startOf(sequence)).toEqual(
      before === undefined ? chainBegin : { sequence: before.sequence, hash: before.hash, keyId: keyBefore(sequence) },
    );
  }
};

test("each sequence has its row, its link and what stands before it", () => {
  const rows = rowsOf();
  expect(rows.archives.map(({ first, key }) => [first, key])).toEqual([
    [1, "one"],
    [5, "three"],
  ]);
  expect(rows.through).toBe(rows.archives[1]?.through);
  readsAsOne(rows);
});

test("so it is while rows that are archived lie in the live file too, as a removal that was cut off leaves them", () => {
  stage.tamper(`ATTACH '${copy}' AS copy;
    INSERT OR IGNORE INTO journal SELECT * FROM copy.journal WHERE sequence NOT IN (SELECT sequence FROM journal)`);
  readsAsOne(rowsOf());
});

test.each([
  ["the last of them are gone", "DELETE FROM journal WHERE sequence IN (9, 10)"],
  ["the last of them is another one", "UPDATE journal SET hash = 'x' WHERE sequence = 10"],
])("so it is where of those rows %s: what is archived counts", (_, change) => {
  stage.tamper(`ATTACH '${copy}' AS copy;
    INSERT OR IGNORE INTO journal SELECT * FROM copy.journal WHERE sequence NOT IN (SELECT sequence FROM journal);
    ${change}`);
  readsAsOne(rowsOf());
});

test("what stands before a file is known without opening it", () => {
  let opens = 0;
  const rows = rowsOf((path, mode) => {
    opens += 1;
    return openNodeDatabase(path, mode);
  });
  for (const sequence of [0, 1, 5]) rows.startOf(sequence);
  expect(opens).toBe(0);
  rows.startOf(6);
  expect(opens).toBe(1);
  // Nor is a file opened behind those that a slice is of.
  expect(readSlice(rows, null, 1, 2).hasMore).toBe(true);
  expect(opens).toBe(2);
});

const unnamed = () => unnamedArchives(live(), { path: stage.path, open: openNodeDatabase, freeBytes: () => 0 });
const withoutMarker = (): void => stage.tamper(`DELETE FROM journal WHERE body LIKE '{"type":"journal_archived"%'`);
const changeStart = (file: string, change: string): void =>
  executeIn(stage.inside("archive", file), `UPDATE archive_start SET ${change}`);

test("archives that no entry names any more are found by the chain, each with its key", () => {
  const { archives } = rowsOf();
  expect(unnamed()).toEqual([]);
  withoutMarker();
  expect(unnamed()).toEqual(archives);
  // What lies beside them is none of theirs.
  copyFileSync(stage.path, stage.inside("archive", "a-journal.db"));
  openNodeDatabase(stage.inside("archive", "empty.db"), "write").close();
  writeFileSync(stage.inside("archive", "noise.db"), noise);
  copyFileSync(stage.inside("archive", archives[0]?.file ?? ""), stage.inside("archive", "x.db.part"));
  expect(unnamed()).toEqual(archives);
});

test.each<[string, (first: string, second: string) => void]>([
  ["the first file is gone", (first) => rmSync(stage.inside("archive", first))],
  ["the second file is gone", (_, second) => rmSync(stage.inside("archive", second))],
  ["the folder is gone", () => rmSync(stage.inside("archive"), { recursive: true })],
  [
    "the first row of the journal follows none of them",
    () => executeIn(stage.path, "UPDATE journal SET previous = 'x'"),
  ],
  ["the journal is empty", () => executeIn(stage.path, "DELETE FROM journal")],
  ["a file says that it follows itself", (_, second) => changeStart(second, `hash = '${chain[9]?.hash}'`)],
])("and none is where %s", (_, change) => {
  const [first, second] = rowsOf().archives;
  withoutMarker();
  change(first?.file ?? "", second?.file ?? "");
  expect(unnamed()).toEqual([]);
});

test("each archived file says where it begins", () => {
  const starts = archived().map((name) => {
    const file = openNodeDatabase(stage.inside("archive", name), "read");
    onTestFinished(() => file.close());
    return startInArchive(file);
  });
  const [, second] = rowsOf().archives;
  expect(starts.toSorted((a, b) => (a?.sequence ?? 0) - (b?.sequence ?? 0))).toEqual([
    chainBegin,
    { sequence: 4, hash: chain[3]?.hash, keyId: "one" },
  ]);
  expect(second).toMatchObject({ first: 5, through: 10 });
});

test("what an archived file does not give is left out, and where it begins is known all the same", () => {
  const [first, second] = rowsOf().archives;
  rmSync(stage.inside("archive", first?.file ?? ""));
  const rows = rowsOf();
  expect(rows.from(1)).toEqual(chain.slice(4));
  expect(readable(rows, 1)).toEqual(chain.slice(4));
  expect([rows.linkOf(3), rows.linkOf(5)]).toEqual([null, chain[4]?.hash]);
  expect(rows.startOf(3)).toEqual(chainBegin);
  expect(rows.startOf(second?.first ?? 0)).toEqual({ sequence: 4, hash: chain[3]?.hash, keyId: "one" });
});
