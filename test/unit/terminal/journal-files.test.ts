/** A journal's files as they are moved, exchanged, copied and named: all of them or none, and never over another one. */
import fs, { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  copyAtomically,
  exchangeDatabase,
  freeSiblingPath,
  giveReserveBack,
  holdReserve,
  holdRest,
  isWithoutRoom,
  moveDatabase,
  removeDatabase,
  roomLeftBytes,
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

describe("the reserve", () => {
  const room = (free: number, reserveBytes = 100) => ({ freeBytes: () => free, reserveBytes });
  const size = () => statSync(at("a.db.reserve"), { throwIfNoEntry: false })?.size;
  /** A disk on which so many bytes of the reserve fit. */
  const fits = (bytes: number): void => {
    const { writeFileSync: write } = fs;
    onTestFinished(() => {
      Object.assign(fs, { writeFileSync: write });
      syncBuiltinESMExports();
    });
    Object.assign(fs, {
      writeFileSync(name: string, data: Uint8Array, options: object) {
        const left = bytes - (size() ?? 0);
        write(name, data.subarray(0, left), options);
        if (data.length > left) throw Object.assign(new Error("full"), { code: "ENOSPC" });
      },
    });
    syncBuiltinESMExports();
  };

  test("is held where there is room, filled up, and given back once", () => {
    expect([holdReserve(at("a.db"), room(roomLeftBytes - 1)), size()]).toEqual([false, undefined]);
    expect([holdReserve(at("a.db"), room(roomLeftBytes)), size()]).toEqual([true, 100]);
    expect([holdReserve(at("a.db"), room(0)), size()]).toEqual([true, 100]);
    expect([holdReserve(at("a.db"), room(roomLeftBytes, 150)), size()]).toEqual([true, 150]);
    expect([giveReserveBack(at("a.db")), giveReserveBack(at("a.db")), size()]).toEqual([true, false, undefined]);
  });

  test("that does not fit leaves what was there, and nothing where nothing was", () => {
    fits(120);
    expect([holdReserve(at("a.db"), room(roomLeftBytes, 150)), size()]).toEqual([false, undefined]);
    expect([holdReserve(at("a.db"), room(roomLeftBytes, 100)), size()]).toEqual([true, 100]);
    expect([holdReserve(at("a.db"), room(roomLeftBytes, 150)), size()]).toEqual([false, 100]);
  });

  test.each([
    [300_000, 262_144],
    [100_000, 65_536],
    [32_768, 32_768],
    [32_767, undefined],
  ])("of %i bytes that are left is the largest half that fits: %s", (bytes, held) => {
    fits(bytes);
    holdRest(at("a.db"), 1_048_576);
    expect(size()).toBe(held);
  });

  test.each<[string, unknown, boolean]>([
    ["a full disk", { errcode: 13 }, true],
    ["a quota, as SQLite says it", { errcode: 10 + (3 << 8) }, true],
    ["a full disk, as the system says it", { code: "ENOSPC" }, true],
    ["a quota", { code: "EDQUOT" }, true],
    ["a lock", { errcode: 5 }, false],
    ["no right", { code: "EACCES" }, false],
    ["an error without a code", new Error("full"), false],
    ["nothing", null, false],
  ])("is for what has no room: %s", (_, error, isOne) => {
    expect(isWithoutRoom(error)).toBe(isOne);
  });
});
