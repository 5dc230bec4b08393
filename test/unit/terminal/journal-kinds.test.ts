/** A journal that is not open, one in memory, one that is only read, and which key each goes on under. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { JournalKeys } from "../../../main/terminal/journal/chain.ts";
import { lostEntries, openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { journalStage, keysOf, noise } from "./journal-stage.ts";

const stage = journalStage();
const plan = { now: () => 10, beforeMs: 5, held: [] };
const year = ['{"type":"act"}', '{"type":"checkpoint"}'];

test("what is not open gives nothing, and says so", () => {
  const journal = openJournal(stage.path, 0);
  journal.append(1, year);
  expect(journal.head()).toEqual({ sequence: 2, at: 1, hash: journal.linkOf(2) });
  journal.close();
  journal.close();
  const unread = [{ sequence: 0, why: "unreadable" }];
  expect([journal.head(), journal.linkOf(2)]).toEqual([null, null]);
  expect(journal.readSlice(1, 9)).toEqual({ entries: [], last: null, hasMore: false });
  expect(journal.read()).toEqual({ entries: [], damaged: unread });
  expect(journal.verify()).toEqual({ entries: 0, damaged: unread, unchecked: 0 });
  expect(journal.archiveSlices(plan).next()).toEqual({ done: true, value: { kind: "nothing" } });
  expect(() => journal.append(2, year)).toThrow("cannot be written");
  journal.switchTo("b", "a");
  expect([journal.head(), journal.others()]).toEqual([null, ["a"]]);
  journal.close();
});

test("one in memory has no archive and no other books", () => {
  const journal = openJournal(":memory:", 0);
  expect(journal.head()).toBeNull();
  expect(journal.read(5)).toEqual({ entries: [], damaged: [] });
  journal.append(1, year);
  journal.append(9, year);
  expect(journal.archiveSlices(plan).next()).toEqual({ done: true, value: { kind: "nothing" } });
  expect([journal.readSlice(1, 9).entries.length, journal.linkOf(5)]).toEqual([4, null]);
  const sliceOf = ({ entries, last, hasMore }: ReturnType<typeof journal.readSlice>) => [
    entries.length,
    last?.sequence,
    hasMore,
  ];
  expect([3, 4].map((limit) => sliceOf(journal.readSlice(1, limit)))).toEqual([
    [3, 3, true],
    [4, 4, false],
  ]);
  expect(journal.others()).toEqual([]);
  journal.switchTo("b", "a");
  expect([journal.head(), journal.others()]).toEqual([null, []]);
  journal.close();
});

const under = (keys: JournalKeys | null, path = stage.path) => openJournal(path, 0, "write", openNodeDatabase, keys);

describe("which key entries go on under", () => {
  const append = (keys: JournalKeys | null): string[] => {
    const journal = under(keys);
    journal.append(1, ['{"a":1}']);
    journal.append(2, ['{"a":2}']);
    const all = [...journal.read().entries].map(({ body }) => JSON.parse(body) as { key?: string; after?: string });
    journal.close();
    return all.map(({ key, after }) => (key === undefined ? "entry" : `${key} after ${after}`));
  };
  const two = ["entry", "entry"];

  test.each<[string, (JournalKeys | null)[], readonly string[]]>([
    ["a new one", [keysOf(["one", "two"])], ["one after nothing", ...two]],
    ["the same", [keysOf(["one", "two"]), keysOf(["one", "two"])], ["one after nothing", ...two, ...two]],
    [
      "another",
      [keysOf(["one", "two"]), keysOf(["two", "one"])],
      ["one after nothing", ...two, "two after key", ...two],
    ],
    [
      "an earlier version's",
      [null, keysOf(["one", "two"], { isUpgrading: true })],
      [...two, "one after upgrade", ...two],
    ],
    ["nobody knows whose", [null, keysOf(["one", "two"])], [...two, "one after unknown", ...two]],
  ])("%s", (_, starts, entries) => {
    const found = starts.map(append);
    expect(found.at(-1)).toEqual(entries);
  });

  test("a program without keys does not go on behind one, and leaves the journal as it is", () => {
    append(keysOf(["one", "two"]));
    const journal = under(null);
    expect(() => journal.append(1, ["{}"])).toThrow("the journal is under a key");
    expect(journal.head()?.sequence).toBe(3);
    journal.close();
  });

  test("an empty journal is under none before its first entry", () => {
    const journal = under(keysOf(["one", "two"], { isUpgrading: true }));
    expect(journal.head()).toBeNull();
    journal.close();
  });
});

test("an entry of another program that came since this one has read is followed by none of this one", () => {
  const [one, other] = [openJournal(stage.path, 0), openJournal(stage.path, 0)];
  one.read();
  other.append(1, year);
  expect(() => one.append(2, year)).toThrow("another program writes this journal");
  one.read();
  one.append(2, year);
  expect(() => other.append(3, year)).toThrow("another program writes this journal");
  expect(one.head()).toMatchObject({ sequence: 4, at: 2 });
  for (const each of [one, other]) each.close();
});

describe("one that is only read", () => {
  test("is not made, not repaired and not brought under a key", () => {
    const read = (keys: JournalKeys | null = null) => openJournal(stage.path, 7, "read", openNodeDatabase, keys);
    expect(read().open().kind).toBe("unavailable");
    expect(existsSync(stage.path)).toBe(false);
    stage.fill(2);
    const before = readFileSync(stage.path);
    const journal = read(keysOf(["one", "two"], { isUpgrading: true }));
    expect([journal.open().kind, journal.head()?.sequence]).toEqual(["open", 2]);
    journal.close();
    expect(readFileSync(stage.path)).toEqual(before);
    writeFileSync(stage.path, noise);
    const lies = readdirSync(stage.inside());
    expect(read().open().kind).toBe("unavailable");
    expect([readFileSync(stage.path, "utf8"), readdirSync(stage.inside())]).toEqual([noise, lies]);
  });
});

test("what a repair noted as lost is named once, though its place shows too; an older file has no such list", () => {
  stage.fill(4);
  stage.tamper("DELETE FROM journal WHERE sequence = 2; INSERT INTO journal_lost VALUES (2, 'unreadable')");
  const journal = openJournal(stage.path, 0);
  for (const damaged of [journal.read().damaged, journal.read(9).damaged, journal.verify().damaged])
    expect(damaged).toEqual([{ sequence: 2, why: "unreadable" }]);
  expect(journal.read(1).damaged).toEqual([]);
  journal.close();
  const older = new DatabaseSync(":memory:");
  expect(lostEntries(older)).toEqual([]);
  older.close();
});
