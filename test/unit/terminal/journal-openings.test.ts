/** What a journal opens it closes, also where something fails on the way, and what is archived it only reads. */
import { mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { JournalKeys } from "../../../main/terminal/journal/chain.ts";
import { columns, isNotCut, openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { type FileJournal, openJournal } from "../../../main/terminal/journal/journal.ts";
import { type InTheWay, watchOpenings } from "./journal-openings.ts";
import { finish, journalStage, keysOf, noise, overwritePages, setFormat } from "./journal-stage.ts";

const stage = journalStage();
const checkpoint = '{"type":"checkpoint"}';
const entry = (number: number): string => `{"type":"act","about":"W${number}."}`;

/** Entries 1 to 3 of last year, the last one a checkpoint, and one of this year. */
const fill = (journal: FileJournal): FileJournal => {
  journal.append(1, [entry(1), entry(2), checkpoint]);
  journal.append(9, [entry(4)]);
  return journal;
};
const archive = (journal: FileJournal): string =>
  finish(journal.archiveSlices({ now: () => 10, beforeMs: 5, held: [] })).kind;
const { inside } = stage;
const archived = (): string => readdirSync(inside("archive"))[0] ?? "";

test("a file that is opened to be read cannot be written", () => {
  stage.fill(1);
  const file = openNodeDatabase(stage.path, "read");
  expect(() => file.exec("CREATE TABLE more (x)")).toThrow("readonly");
  file.close();
});

test("an archived file is written once, under another name, and only read from then on", () => {
  const askedOne: string[] = [];
  const { open, opened, stillOpen } = watchOpenings({
    get: (sql) => void (sql.startsWith(`${columns} WHERE sequence = ?`) && askedOne.push(sql)),
  });
  const journal = fill(openJournal(stage.path, 0, "write", open));
  mkdirSync(inside("archive"));
  writeFileSync(inside("archive", `journal-1970-${journal.linkOf(2)?.slice(0, 16)}.db.part`), "left by a run before");
  expect(archive(journal)).toBe("archived");
  const file = archived();
  // Of a whole file no row is asked for by itself, but that before the cut.
  expect([journal.verify().damaged, askedOne.length]).toEqual([[], 1]);
  const read = `read ${file}`;
  expect(opened.slice(0, 4)).toEqual(["write journal.db", `write ${file}.part`, `read ${file}.part`, read]);
  journal.readSlice(1, 2);
  journal.linkOf(1);
  journal.read(9);
  journal.verify();
  expect(new Set(opened.slice(4))).toEqual(new Set([read]));
  // What lies behind it is read without it.
  const before = opened.length;
  expect([journal.readSlice(4, 9).entries.length, [...journal.read(2).entries].length]).toEqual([2, 2]);
  expect(opened).toHaveLength(before);
  expect(stillOpen).toEqual(["write journal.db"]);
  writeFileSync(inside("archive", file), "no database");
  expect([journal.linkOf(1), journal.verify().damaged.length]).toEqual([null, 1]);
  rmSync(inside("archive", file));
  expect([journal.linkOf(1), journal.verify().damaged.length]).toEqual([null, 1]);
  expect(stillOpen).toEqual(["write journal.db"]);
  // All is removed already: there is nothing that the file is needed for.
  expect(archive(journal)).toBe("nothing");
  journal.close();
  expect(stillOpen).toEqual([]);
});

const keys = keysOf();
const failing = (part: string) => (sql: string) => {
  if (sql.includes(part)) throw new Error("disk I/O error");
};
const onPart =
  (change: (values: (string | number | null)[]) => (string | number | null)[]): NonNullable<InTheWay["run"]> =>
  (sql, values, file) =>
    file.endsWith(".part") && sql.includes("INTO journal ") ? change(values) : values;

test.each<[string, InTheWay]>([
  ["whose table cannot be made", { exec: failing("CREATE TABLE archive_start") }],
  [
    "whose rows cannot be written",
    {
      run: onPart(() => {
        throw new Error("disk I/O error");
      }),
    },
  ],
])("an archived file %s is closed again and removed, and the next run makes it", (_, inTheWay) => {
  const { open, stillOpen } = watchOpenings(inTheWay);
  const journal = fill(openJournal(stage.path, 0, "write", open));
  expect(() => archive(journal)).toThrow("disk I/O error");
  expect(stillOpen).toEqual(["write journal.db"]);
  expect(readdirSync(inside("archive"))).toEqual([]);
  journal.close();
  const again = openJournal(stage.path, 0);
  expect(archive(again)).toBe("archived");
  expect(archived()).toMatch(/^journal-\d+-\w+\.db$/);
  expect(again.verify()).toMatchObject({ entries: 5, damaged: [] });
  again.close();
});

test.each<[string, InTheWay, JournalKeys | null]>([
  ["lacks its last entry", { run: onPart((values) => (values[0] === 2 ? [7, ...values.slice(1)] : values)) }, null],
  [
    "has another entry",
    { run: onPart(([sequence, at, body, ...links]) => [sequence, at, `${body} `, ...links] as never) },
    null,
  ],
  [
    "ends otherwise than the live one, under a key that only the other host has",
    { run: onPart((values) => (values[0] === 3 ? [...values.slice(0, 4), "0".repeat(64)] : values)) },
    { ...keys, known: new Map([["till", null]]) },
  ],
  [
    "holds nothing",
    {
      exec(sql, file, database) {
        if (sql === "COMMIT" && file.endsWith(".part")) database.exec(`${isNotCut.drop} DELETE FROM journal`);
      },
    },
    null,
  ],
])("a copy that %s is not taken, and is closed and removed", (_, inTheWay, own) => {
  const { open, stillOpen } = watchOpenings(inTheWay);
  const journal = fill(openJournal(stage.path, 0, "write", open, own));
  expect(archive(journal)).toBe("damaged");
  expect(stillOpen).toEqual(["write journal.db"]);
  expect(readdirSync(inside("archive"))).toEqual([]);
  journal.close();
});

const noPower: JournalKeys = {
  ...keys,
  isUpgrading: true,
  upgraded() {
    throw new Error("no power");
  },
};
test.each<[string, () => void, InTheWay, JournalKeys | null]>([
  ["a newer format", () => setFormat(stage.path, 99), {}, null],
  ["a table that cannot be made", () => undefined, { exec: failing("CREATE TABLE IF NOT EXISTS journal") }, null],
  ["a table that cannot be read", () => undefined, { get: failing("quick_check") }, null],
  ["a key that cannot be kept", () => undefined, {}, noPower],
  [
    "a book beside that cannot be brought under its key",
    () => openJournal(inside("journal.b.db"), 0).close(),
    {
      exec(_, file) {
        if (file === "journal.b.db") throw new Error("disk I/O error");
      },
    },
    { ...keys, isUpgrading: true },
  ],
])("a journal that is not opened for %s is closed again", (_, prepare, inTheWay, own) => {
  stage.fill(2);
  prepare();
  const { open, opened, stillOpen } = watchOpenings(inTheWay);
  const journal = openJournal(stage.path, 0, "write", open, own);
  expect(journal.open().kind).not.toBe("open");
  expect(opened.filter((name) => name === "write journal.db")).toHaveLength(2);
  expect(stillOpen).toEqual([]);
  journal.close();
});

test("books beside are closed once they were read, brought under a key, made or put aside", () => {
  const { open, opened, stillOpen } = watchOpenings();
  stage.fill(2);
  openJournal(inside("journal.b.db"), 0).close();
  const own = {
    ...keys,
    isUpgrading: true,
    upgraded() {
      own.isUpgrading = false;
    },
  };
  const journal = openJournal(stage.path, 0, undefined, open, own);
  expect(journal.open()).toEqual({ kind: "open" });
  expect([opened, stillOpen]).toEqual([["write journal.db", "write journal.b.db"], ["write journal.db"]]);
  journal.readOther("b");
  expect([opened.at(-1), stillOpen]).toEqual(["read journal.b.db", ["write journal.db"]]);
  journal.switchTo("c", "a");
  expect(opened.slice(3, 5)).toEqual(["write journal.c.db", "write journal.db"]);
  journal.switchTo("b", "c");
  // It is there, and needs not be made.
  expect(opened.filter((name) => name === "write journal.b.db")).toHaveLength(1);
  expect(stillOpen).toEqual(["write journal.db"]);
  journal.close();
});

test("another book that cannot be opened is told, and the next try finds it", () => {
  let isAway = false;
  const { open } = watchOpenings({
    exec(_, file) {
      if (isAway && file === "journal.db") throw new Error("disk I/O error");
    },
  });
  const journal = openJournal(stage.path, 0, "write", open);
  journal.append(1, [entry(1)]);
  isAway = true;
  const cause = expect.objectContaining({ message: "disk I/O error" });
  expect(() => journal.switchTo("b", "a")).toThrow(
    expect.objectContaining({ message: "the journal cannot be opened", cause }),
  );
  expect(() => journal.append(2, [entry(2)])).toThrow(
    expect.objectContaining({ cause: expect.objectContaining({ message: "disk I/O error" }) }),
  );
  isAway = false;
  expect([journal.open(), journal.head()]).toEqual([{ kind: "open" }, null]);
  journal.switchTo("a", null);
  expect(journal.head()?.sequence).toBe(1);
  journal.close();
});

test.each([
  [new Error("disk I/O error"), "throws"],
  [Object.assign(new Error("malformed"), { errcode: 11 }), null],
])("a link is none where its page is damaged, and not where the disk fails: %s", (error, link) => {
  let isFailing = false;
  const { open } = watchOpenings({
    get(sql) {
      if (isFailing && sql.startsWith("SELECT hash")) throw error;
    },
  });
  const journal = openJournal(stage.path, 0, "write", open);
  journal.append(1, [entry(1)]);
  isFailing = true;
  if (link === null) expect(journal.linkOf(1)).toBeNull();
  else expect(() => journal.linkOf(1)).toThrow(error);
  journal.close();
});

test("an append that SQLite has undone by itself says why", () => {
  const { open } = watchOpenings({
    run(sql, values, _, database) {
      if (sql !== "COMMIT") return values;
      database.exec("ROLLBACK");
      throw new Error("disk full");
    },
  });
  const journal = openJournal(stage.path, 0, "write", open);
  expect(() => journal.append(1, [entry(1)])).toThrow("disk full");
  journal.close();
});

test("a removal that SQLite has undone by itself says why, and the next run ends it", () => {
  let isFull = true;
  const { open } = watchOpenings({
    exec(sql, _, database) {
      if (!isFull || !sql.includes("TRIGGER") || !sql.endsWith("COMMIT")) return;
      database.exec("ROLLBACK");
      throw new Error("disk full");
    },
  });
  const journal = fill(openJournal(stage.path, 0, "write", open));
  expect(() => archive(journal)).toThrow("disk full");
  isFull = false;
  const live = () => {
    const file = openNodeDatabase(stage.path, "read");
    const rows = file.prepare("SELECT sequence FROM journal ORDER BY sequence").all();
    file.close();
    return rows.map(({ sequence }) => sequence);
  };
  expect(live()).toEqual([1, 2, 3, 4, 5]);
  expect(archive(journal)).toBe("nothing");
  expect(live()).toEqual([3, 4, 5]);
  expect(journal.verify()).toMatchObject({ entries: 5, damaged: [] });
  journal.close();
});

test.each([
  ["no database", () => writeFileSync(stage.path, noise)],
  ["a page that is none", () => overwritePages(stage.path, 2)],
  [
    "a page that is none in a file too large to be looked through",
    () => {
      overwritePages(stage.path, 8);
      truncateSync(stage.path, 33 * 1024 * 1024);
    },
  ],
])("a repair of %s closes what it reads from and what it copies into", (_, hurt) => {
  const before = openJournal(stage.path, 0);
  before.append(
    1,
    Array.from({ length: 100 }, (_, number) => entry(number).padEnd(300)),
  );
  before.close();
  hurt();
  const { open, opened, stillOpen } = watchOpenings();
  const journal = openJournal(stage.path, 77, "write", open);
  expect(opened).toEqual(["write journal.db", "write journal.db", "write journal.db.salvage", "write journal.db"]);
  expect(stillOpen).toEqual(["write journal.db"]);
  journal.close();
});
