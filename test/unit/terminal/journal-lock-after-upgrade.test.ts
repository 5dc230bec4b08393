/**
 * SQLite's lock on an open journal keeps other programs from ending its log under it: `sqlite3 journal.db .tables`, closed, deletes the
 * `-wal` of a journal that nobody holds, and whatever the terminal writes from then on is gone with its process.
 */
import { readFileSync, statSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { ownFolder, setFormat } from "./journal-stage.ts";

const here = ownFolder();
const isHeld = (path: string): boolean =>
  readFileSync("/proc/locks", "utf8")
    .split("\n")
    .some((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(path).ino} `));

test.skipIf(process.platform !== "linux").each([
  ["of this format", 4],
  ["that was just upgraded", 3],
])("a journal %s is held by the terminal that has it open", (_, format) => {
  const { path } = here;
  const first = openJournal(path, 0);
  first.append(1, ['{"type":"act","act":"one","about":null}']);
  first.close();
  setFormat(path, format);
  const journal = openJournal(path, 0);
  onTestFinished(() => journal.close());
  journal.append(2, ['{"type":"act","act":"two","about":null}']);
  expect(isHeld(path)).toBe(true);
});
