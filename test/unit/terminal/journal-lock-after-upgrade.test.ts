/**
 * SQLite's lock on an open journal keeps other programs from ending its log under it: `sqlite3 journal.db .tables`, closed, deletes the
 * `-wal` of a journal that nobody holds, and whatever the terminal writes from then on is gone with its process.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../../main/terminal/journal/journal.ts";

const isHeld = (path: string): boolean =>
  readFileSync("/proc/locks", "utf8")
    .split("\n")
    .some((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(path).ino} `));

test.skipIf(process.platform !== "linux").each([
  ["of this format", 4],
  ["that was just upgraded", 3],
])("a journal %s is held by the terminal that has it open", (_, format) => {
  const folder = mkdtempSync(join(tmpdir(), "held-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "journal.db");
  const first = openJournal(path, 0);
  first.append(1, ['{"type":"act","act":"one","about":null}']);
  first.close();
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA user_version = ${format}`);
  database.close();
  const journal = openJournal(path, 0);
  onTestFinished(() => journal.close());
  journal.append(2, ['{"type":"act","act":"two","about":null}']);
  expect(isHeld(path)).toBe(true);
});
