/** A journal's file by its version and its size: what is copied before it is upgraded, and what is looked through at a start. */
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { archiveMarker, archivesIn, prepareDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import type { JournalDatabase } from "../../../main/terminal/ports.ts";
import { watchOpenings } from "./journal-openings.ts";
import { journalStage, setFormat } from "./journal-stage.ts";

const stage = journalStage();
const lies = (): readonly string[] => readdirSync(stage.inside()).toSorted();

test("one of a newer format is named as such, and left as it is", () => {
  stage.fill(1);
  setFormat(stage.path, 99);
  const before = readFileSync(stage.path);
  const journal = openJournal(stage.path, 0);
  expect(journal.open()).toEqual({ kind: "newer", format: 99 });
  expect([readFileSync(stage.path), lies()]).toEqual([before, ["journal.db"]]);
});

describe("before an upgrade", () => {
  test("it is copied once, the newest copies stay, and what only looks like one is left alone", () => {
    stage.fill(2);
    const others = ["journal.db.format-9x", "journal.db.format-x9", "other.db.format-1", "123"];
    for (const name of [...others, "journal.db.format-1", "journal.db.format-7", "journal.db.format-10"])
      writeFileSync(stage.inside(name), "");
    setFormat(stage.path, 2);
    for (const _ of ["upgraded", "of this version"]) {
      const journal = openJournal(stage.path, 0);
      expect(journal.open().kind).toBe("open");
      journal.close();
    }
    const copies = ["journal.db.format-2", "journal.db.format-7", "journal.db.format-10"];
    expect(lies()).toEqual(["journal.db", ...copies, ...others].toSorted());
  });

  test("one of this version is opened without another word about its format", () => {
    stage.fill(1);
    const executed: string[] = [];
    const { open } = watchOpenings({ exec: (sql) => void executed.push(sql) });
    openJournal(stage.path, 0, "write", open).close();
    expect(executed.join()).not.toContain("user_version");
  });

  test("an empty journal is not copied", () => {
    stage.fill(0);
    setFormat(stage.path, 2);
    openJournal(stage.path, 0).close();
    expect(lies()).toEqual(["journal.db"]);
  });

  test("one that is being read is not upgraded: no copy of it would be whole", () => {
    const executed: string[] = [];
    const get = (sql: string) => (sql.includes("wal_checkpoint") ? { busy: 1 } : { user_version: 2, 1: 1 });
    const exec = (sql: string) => executed.push(sql);
    const database = {
      prepare: (sql: string) => ({ get: () => get(sql) }),
      exec,
      close: () => executed.push("closed"),
    };
    expect(() => prepareDatabase(stage.path, () => database as unknown as JournalDatabase)).toThrow("no copy");
    expect(executed).toEqual([expect.stringMatching(/^PRAGMA journal_mode/), "closed"]);
  });
});

const largeBytes = 32 * 1024 * 1024;
test.each([
  ["is looked through at its start", largeBytes, 1],
  ["of a larger size is opened at once: a check of it all is the manager's", largeBytes + 1, 0],
])("a journal %s", (_, bytes, checks) => {
  stage.fill(1);
  // Behind the pages that the file knows of: a size without a content.
  truncateSync(stage.path, bytes);
  let checked = 0;
  const { open } = watchOpenings({
    get(sql) {
      if (sql.includes("quick_check")) checked += 1;
    },
  });
  const journal = openJournal(stage.path, 77, "write", open);
  expect([journal.open().kind, checked]).toEqual(["open", checks]);
  journal.close();
});

describe("a start that finds a damaged file set aside, and nothing in its place", () => {
  const aside = (at: number | string): string => `${stage.path}.damaged-${at}`;
  test("takes the newest one, and none whose name says no time", () => {
    stage.fill(3);
    renameSync(stage.path, aside(88));
    for (const other of ["7", "100x", "x100"]) writeFileSync(aside(other), "no database");
    expect(stage.bodies(openJournal(stage.path, 99))).toHaveLength(3);
    expect(lies()).toContain("journal.db.damaged-88");
  });

  test("reads with it what lies in its log, which was to be moved next", () => {
    const journal = openJournal(stage.path, 0);
    journal.append(1, ['{"number":1}', '{"number":2}']);
    copyFileSync(stage.path, aside(88));
    copyFileSync(`${stage.path}-wal`, `${stage.path}.log`);
    journal.close();
    rmSync(stage.path);
    renameSync(`${stage.path}.log`, `${stage.path}-wal`);
    expect(stage.bodies(openJournal(stage.path, 99))).toEqual(['{"number":1}', '{"number":2}']);
  });

  test("puts a copy that was made in its place, with the log beside the file that it was made from", () => {
    stage.fill(2);
    renameSync(stage.path, `${stage.path}.new`);
    writeFileSync(aside(88), "damaged");
    writeFileSync(`${stage.path}-wal`, "its log");
    expect(stage.bodies(openJournal(stage.path, 99))).toHaveLength(2);
    expect(readFileSync(`${aside(88)}-wal`, "utf8")).toBe("its log");
  });
});

test("archives are named by the entry about them alone, and never lie elsewhere", () => {
  const archive = { file: "journal-2025-0123.db", first: 1, through: 9, hash: "h", key: null };
  const marker = archiveMarker([archive]);
  expect(archivesIn(marker)).toEqual([archive]);
  const others = ["", marker.slice(0, -1), marker.replace('"journal_archived"', '"act"')];
  const elsewhere = archiveMarker([{ ...archive, file: "../journal.db" }]);
  for (const body of [...others, elsewhere]) expect(archivesIn(body)).toEqual([]);
});
