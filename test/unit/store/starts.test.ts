/** An older file that somebody has put in a database's place: noticed by how often the service was started on it. */
import fs, {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { openStore } from "../../../backend/store/open.ts";
import { openSqliteFile } from "../../../backend/store/sqlite.ts";
import { closeCounted, countStart, isOlderFile, markOlderFile } from "../../../backend/store/starts.ts";
import type { Store } from "../../../backend/store/store.ts";

let made: string;
let folder: string;
let file: string;
beforeAll(() => {
  made = mkdtempSync(path.join(tmpdir(), "tillcash-starts-"));
  openSqliteFile({ path: path.join(made, "service.db") }).close();
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-starts-"));
  file = path.join(folder, "service.db");
  copyFileSync(path.join(made, "service.db"), file);
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(() => rmSync(made, { recursive: true }));

/** @param starts null: of a release that did not count them. */
const put = (starts: number | null, mark: string | null = null): void => {
  const db = new DatabaseSync(file);
  const add = db.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)");
  if (starts !== null) add.run("starts", String(starts));
  if (mark !== null) add.run("restored_from", mark);
  db.close();
};
const beside = "-starts";
const putBeside = (text: string | null): void => {
  if (text !== null) writeFileSync(`${file}${beside}`, text);
};
const inFile = (name: string): unknown => {
  const db = new DatabaseSync(file);
  const row = db.prepare("SELECT value FROM settings WHERE name = ?").get(name);
  db.close();
  return row?.value;
};
const start = async (part: Partial<Store> = {}): Promise<void> => {
  const store = await openStore(`sqlite:${file}`, systemClock);
  await markOlderFile(store, file);
  await countStart({ ...store, ...part }, file);
  await store.close();
};

test.each<[string, number | null, string | null, number, boolean]>([
  ["a new one is started for the first time", null, null, 1, false],
  ["one that is as it was left", 3, "3\n", 4, false],
  ["one that knows of fewer is a copy", 3, "5\n", 6, true],
  ["so is one that knows of one less", 4, "5\n", 6, true],
  ["one that knows of more has come from elsewhere", 5, "3\n", 6, false],
  ["one of a release that did not count says nothing", null, "5\n", 6, false],
  ["beside one that was moved alone nothing is known", 5, null, 6, false],
  ["what cannot be read says nothing", 5, "many", 6, false],
  ["nor does what is no number of starts", 5, "7.5", 6, false],
])("%s", async (_, known, text, next, isCopy) => {
  put(known);
  putBeside(text);
  await start();
  expect([inFile("starts"), readFileSync(`${file}${beside}`, "utf8")]).toEqual([String(next), `${next}\n`]);
  expect(inFile("restored_from")).toBe(isCopy ? JSON.stringify({ copy: file }) : undefined);
  expect(readdirSync(folder).toSorted()).toEqual(["service.db", `service.db${beside}`]);
});

test("what was put back by a command keeps what that has said of it", async () => {
  put(3, "by ann");
  putBeside("5");
  await start();
  expect(inFile("restored_from")).toBe("by ann");
});

test("the number is on the disk, and its owner's alone, before it has its name", async () => {
  const { fsyncSync } = fs;
  const synced: string[][] = [];
  fs.fsyncSync = (open) => {
    synced.push(readdirSync(folder).filter((name) => name.includes(beside)));
    fsyncSync(open);
  };
  syncBuiltinESMExports();
  try {
    await start();
  } finally {
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  }
  expect(synced).toEqual([[`service.db${beside}.partial`]]);
  if (process.platform !== "win32") expect(statSync(`${file}${beside}`).mode & 0o777).toBe(0o600);
});

test("a start whose writes are still in the log is not known of beside the file, and is counted in it", async () => {
  put(3);
  putBeside("3\n");
  await start({ emptyLog: async () => false });
  expect([inFile("starts"), readFileSync(`${file}${beside}`, "utf8")]).toEqual(["4", "3\n"]);
});

test("where the number cannot be noted beside it, it is served all the same", async () => {
  mkdirSync(`${file}${beside}`);
  await start();
  expect(inFile("starts")).toBe("1");
});

test.each<[string, boolean, boolean, string, string]>([
  ["a stop counts as a start, and is known of beside the file", false, false, "4", "4\n"],
  ["but not while another program has the file open: its log may hold it alone", true, false, "4", "3\n"],
  ["nor where the database takes no write; it is closed all the same", false, true, "3", "3\n"],
])("%s", async (_, isShared, isFull, known, text) => {
  put(3);
  putBeside("3\n");
  const store = await openStore(`sqlite:${file}`, systemClock);
  const other = isShared ? new DatabaseSync(file) : null;
  other?.prepare("SELECT count(*) FROM settings").get();
  const write = () => Promise.reject(new Error("full"));
  await closeCounted({ ...store, ...(isFull && { write }) }, file);
  await expect(store.read(async () => 1)).rejects.toMatchObject({ code: "unavailable" });
  expect(readFileSync(`${file}${beside}`, "utf8")).toBe(text);
  other?.close();
  expect(inFile("starts")).toBe(known);
});

test.each<[string, number | null, string | null, boolean]>([
  ["fewer", 4, "5\n", true],
  ["as many", 5, "5\n", false],
  ["more", 6, "5\n", false],
  ["none, as of a release that did not count,", null, "5\n", false],
  ["some, and beside it none", 5, null, false],
])("a file with %s starts is an older one: %s", (_, known, text, isOlder) => {
  put(known);
  putBeside(text);
  expect(isOlderFile(file)).toBe(isOlder);
});

test("what a log says of an older file is not the file's own", () => {
  put(3);
  putBeside("5\n");
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = WAL; UPDATE settings SET value = '5' WHERE name = 'starts'");
  expect(isOlderFile(file)).toBe(true);
  db.close();
});

/** Open files of this process below the folder; none where the system does not say. */
const held = (): number =>
  existsSync("/proc/self/fd")
    ? readdirSync("/proc/self/fd").filter((name) => {
        const link = `/proc/self/fd/${name}`;
        return existsSync(link) && fs.readlinkSync(link).startsWith(folder);
      }).length
    : 0;

test("what is no database, and what is not there, is no older file; nothing is made, and nothing stays open", () => {
  expect([isOlderFile(file), held()]).toEqual([false, 0]);
  writeFileSync(file, "a shopping list");
  expect(isOlderFile(file)).toBe(false);
  rmSync(file);
  expect([isOlderFile(file), readdirSync(folder), held()]).toEqual([false, [], 0]);
});

test("one that is older is not served while another program reads it: what is written next could come into the newer one's log", async () => {
  put(3);
  putBeside("5\n");
  const store = await openStore(`sqlite:${file}`, systemClock);
  await expect(markOlderFile({ ...store, emptyLog: async () => false }, file)).rejects.toMatchObject({
    name: "StoreRefused",
    message: expect.stringMatching(/another program reads it/),
  });
  await store.close();
  expect([inFile("starts"), inFile("restored_from")]).toEqual(["5", JSON.stringify({ copy: file })]);
});

test("one that another command has marked meanwhile, and started, counts on from there", async () => {
  put(3);
  putBeside("5\n");
  const store = await openStore(`sqlite:${file}`, systemClock);
  const read: Store["read"] = async (unit) => {
    const isOlder = await store.read(unit);
    put(6);
    return isOlder;
  };
  await markOlderFile({ ...store, read }, file);
  await store.close();
  expect([inFile("starts"), inFile("restored_from")]).toEqual(["6", undefined]);
});

test("one that is as it was left is not written to before it is served", async () => {
  const refuse = () => Promise.reject(new Error("written"));
  const store = await openStore(`sqlite:${file}`, systemClock);
  await markOlderFile({ ...store, write: refuse, emptyLog: refuse }, file);
  await store.close();
});
