/** A journal's files as they are moved, exchanged, copied and named: all of them or none, and never over another one. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  copyAtomically,
  exchangeDatabase,
  freeSiblingPath,
  moveDatabase,
  removeDatabase,
  siblingNames,
  siblingPath,
} from "../../../main/terminal/journal/files.ts";
import { ownFolder } from "./journal-stage.ts";

const here = ownFolder();
const at = (name: string): string => here.inside(name);
const write = (...names: readonly string[]): void => {
  for (const name of names) writeFileSync(at(name), name);
};
/** What lies in the folder, each name with what is in it. */
const lies = (): Record<string, string> =>
  Object.fromEntries(readdirSync(here.folder).map((name) => [name, readFileSync(at(name), "utf8")]));

describe("a move", () => {
  test("takes the sidecars along", () => {
    write("a.db", "a.db-wal", "b.txt");
    moveDatabase(at("a.db"), at("c.db"));
    expect(lies()).toEqual({ "b.txt": "b.txt", "c.db": "a.db", "c.db-wal": "a.db-wal" });
  });

  test("of nothing, or over anything of another one, moves nothing", () => {
    write("a.db", "c.db-shm");
    const before = lies();
    expect(() => moveDatabase(at("z.db"), at("y.db"))).toThrow("no database to move");
    expect(() => moveDatabase(at("a.db"), at("c.db"))).toThrow("written over");
    expect(lies()).toEqual(before);
  });

  test("that fails leaves all where it was", () => {
    write("a.db", "a.db-wal", "a.db-shm");
    const before = lies();
    expect(() => moveDatabase(at("a.db"), at("none/c.db"))).toThrow();
    expect(lies()).toEqual(before);
  });
});

describe("an exchange", () => {
  test("puts the next one in place, and keeps the one there aside or removes it", () => {
    write("a.db", "a.db-wal", "next.db");
    exchangeDatabase(at("a.db"), at("next.db"), at("aside.db"));
    expect(lies()).toEqual({ "a.db": "next.db", "aside.db": "a.db", "aside.db-wal": "a.db-wal" });
    exchangeDatabase(at("a.db"), at("aside.db"), null);
    expect(lies()).toEqual({ "a.db": "a.db", "a.db-wal": "a.db-wal" });
  });

  test("that fails leaves the one there in its place", () => {
    write("a.db", "a.db-wal");
    const before = lies();
    expect(() => exchangeDatabase(at("a.db"), at("none.db"), at("aside.db"))).toThrow("no database to move");
    expect(lies()).toEqual(before);
  });
});

test("a removal takes the sidecars, and what is not there counts as removed", () => {
  write("a.db", "a.db-wal", "a.db-shm", "a.db.format-3");
  removeDatabase(at("a.db"));
  removeDatabase(at("a.db"));
  expect(Object.keys(lies())).toEqual(["a.db.format-3"]);
});

test("a copy replaces what had its name, and leaves nothing half done", () => {
  write("a.db", "copy");
  copyAtomically(at("a.db"), at("copy"));
  expect(lies()).toEqual({ "a.db": "a.db", copy: "a.db" });
});

test("a copy that fails leaves what had its name, and nothing half done", () => {
  write("copy", "copy.part");
  expect(() => copyAtomically(at("none.db"), at("copy"))).toThrow(/ENOENT/);
  expect(lies()).toEqual({ copy: "copy" });
});

test("a book is kept beside under its name, or under one with the time where that is taken", () => {
  const path = at("journal.db");
  expect(siblingPath(path, "live-1")).toBe(at("journal.live-1.db"));
  expect(siblingPath(at("my.dbs.db"), "x")).toBe(at("my.dbs.x.db"));
  expect(freeSiblingPath(path, "live-1", 7)).toBe(at("journal.live-1.db"));
  write("journal.live-1.db-wal");
  expect(freeSiblingPath(path, "live-1", 7)).toBe(at("journal.live-1-7.db"));
  write("journal.live-1-7.db");
  expect(freeSiblingPath(path, "live-1", 7)).toBe(at("journal.live-1-7-7.db"));
});

test("the books beside, the one that changed last first", () => {
  write(
    "journal.db",
    "journal.old.db",
    "journal.new.db",
    "journal.mid.db",
    "journal.new.db-wal",
    "other.x.db",
    "journal.txt",
  );
  for (const [name, time] of [
    ["old", 1_000],
    ["new", 3_000],
    ["mid", 2_000],
  ] as const)
    utimesSync(at(`journal.${name}.db`), time, time);
  expect(siblingNames(at("journal.db"))).toEqual(["new", "mid", "old"]);
});
