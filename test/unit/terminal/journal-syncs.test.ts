/** Names are on disk before anything relies on them, in the order that a power cut between any two steps forgives. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { copyAtomically, exchangeDatabase, moveDatabase, syncFolder } from "../../../main/terminal/journal/files.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { watchDisk } from "../../disk-calls.ts";
import { finish, journalStage, noise } from "./journal-stage.ts";

const stage = journalStage();
const home = (): string => stage.inside();
const at = (name: string): string => stage.inside(name);
const write = (...names: readonly string[]): void => {
  mkdirSync(home(), { recursive: true });
  for (const name of names) writeFileSync(at(name), name);
};
const lies = (): Record<string, string> =>
  Object.fromEntries(readdirSync(home()).map((name) => [name, readFileSync(at(name), "utf8")]));

test("a copy is on disk before it has its name, and its name before the call ends", () => {
  write("a");
  expect(watchDisk(home(), () => copyAtomically(at("a"), at("b")))).toEqual({
    calls: ["sync b.part", "rename b.part b", "sync ."],
    stillOpen: 0,
  });
  const failing = () => expect(() => copyAtomically(at("a"), at("c"))).toThrow("disk: sync c.part");
  expect(watchDisk(home(), failing, (call) => call === "sync c.part").stillOpen).toBe(0);
});

test("a copy of nothing says so, and one that was begun earlier is not in its way", () => {
  write("b.part", "a");
  expect(() => copyAtomically(at("none"), at("b"))).toThrow(expect.objectContaining({ syscall: "copyfile" }));
  write("b.part");
  copyAtomically(at("a"), at("b"), 0o400);
  expect(lies()).toEqual({ a: "a", b: "a" });
  // Other systems know only whether a file may be written.
  expect(statSync(at("b")).mode & 0o200).toBe(0);
  chmodSync(at("b"), 0o600);
});

test.each(["open .", "sync ."])("a folder that cannot be synced (%s) stands in nobody's way", (call) => {
  write("a");
  expect(
    watchDisk(
      home(),
      () => syncFolder(at("a")),
      (one) => one === call,
    ).stillOpen,
  ).toBe(0);
});

test("an archived year has its name before the entry that names it, and its folder before that", () => {
  const journal = openJournal(stage.path, 0);
  journal.append(1, ['{"type":"act"}', '{"type":"checkpoint"}']);
  journal.append(9, ['{"type":"act"}']);
  const { calls, stillOpen } = watchDisk(home(), () => {
    finish(journal.archiveSlices({ now: () => 10, beforeMs: 5, held: [] }));
  });
  const [file] = readdirSync(at("archive"));
  expect(calls).toEqual(["sync .", `rename archive/${file}.part archive/${file}`, "sync archive"]);
  expect(stillOpen).toBe(0);
  journal.close();
});

test("a damaged journal is set aside only once its copy is on disk", () => {
  stage.fill(3);
  writeFileSync(stage.path, noise);
  rmSync(`${stage.path}-wal`, { force: true });
  const { calls } = watchDisk(home(), () => openJournal(stage.path, 77).close());
  expect(calls).toEqual([
    "rename journal.db.salvage journal.db.new",
    "sync .",
    "rename journal.db journal.db.damaged-77",
    "rename journal.db.new journal.db",
    "sync .",
  ]);
});

test("another book is in its place for good when the call ends", () => {
  const journal = openJournal(stage.path, 0);
  const { calls } = watchDisk(home(), () => journal.switchTo("b", "a"));
  expect(calls.filter((call) => !/-(wal|shm)/.test(call))).toEqual([
    "rename journal.db journal.a.db",
    "rename journal.b.db journal.db",
    "sync .",
  ]);
  journal.close();
});

test("a move that fails half way puts back what it has moved", () => {
  write("a.db", "a.db-wal", "a.db-shm");
  const before = lies();
  const failing = () => expect(() => moveDatabase(at("a.db"), at("c.db"))).toThrow("disk: rename a.db c.db");
  const { calls } = watchDisk(home(), failing, (call) => call === "rename a.db c.db");
  expect(calls.slice(-2).toSorted()).toEqual(["rename c.db-shm a.db-shm", "rename c.db-wal a.db-wal"]);
  expect(lies()).toEqual(before);
});

test("an exchange for one that is not there names it, whether the one there is kept or not", () => {
  write("a.db");
  for (const aside of [at("aside.db"), null]) {
    expect(lies()).toEqual({ "a.db": "a.db" });
    expect(() => exchangeDatabase(at("a.db"), at("none.db"), aside)).toThrow("none.db");
  }
});
