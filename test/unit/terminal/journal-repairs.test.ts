/** A repair after a repair: what an earlier one has lost stays told, what it left is in nobody's way, and nothing set aside goes. */
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { journalStage } from "./journal-stage.ts";

const stage = journalStage();
const noise = "this is no database, it never was one, and it is longer than a header";
const aside = () =>
  readdirSync(dirname(stage.path))
    .filter((name) => name.includes("damaged"))
    .toSorted();

/** Overwrites the page at this part of the file. */
const hurtPage = (part: number): void => {
  const bytes = 4_096;
  const page = Math.floor((statSync(stage.path).size / bytes) * part);
  const file = openSync(stage.path, "r+");
  writeSync(file, Buffer.alloc(bytes, 0xa5), 0, bytes, page * bytes);
  closeSync(file);
};
/** Opens it at this time. @returns the sequences that are there, and those that are told as damaged. */
const opened = (at: number) => {
  const journal = openJournal(stage.path, at);
  const { entries, damaged } = journal.read();
  const found = { there: [...entries].map(({ sequence }) => sequence), lost: damaged.map(({ sequence }) => sequence) };
  journal.append(5, ['{"after":true}']);
  journal.close();
  return found;
};

test("what an earlier repair has lost is still told after the next one, each once", () => {
  stage.fill(400);
  hurtPage(0.4);
  const first = opened(77);
  expect(first.lost.length).toBeGreaterThan(0);
  hurtPage(0.7);
  const { there, lost } = opened(88);
  expect(lost).toEqual(expect.arrayContaining(first.lost));
  expect(lost.length).toBeGreaterThan(first.lost.length);
  expect([...there, ...lost].toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 401 }, (_, at) => at + 1),
  );
});

test("a copy that an earlier repair has not finished is in no way of the next one", () => {
  stage.fill(400);
  copyFileSync(stage.path, `${stage.path}.salvage`);
  hurtPage(0.5);
  const { there, lost } = opened(77);
  expect(there.length + lost.length).toBe(400);
  expect(there.length).toBeGreaterThan(370);
});

test("of several files that were set aside the newest is taken up where a repair was cut off", () => {
  stage.fill(3);
  copyFileSync(stage.path, `${stage.path}.damaged-50`);
  stage.fill(37);
  renameSync(stage.path, `${stage.path}.damaged-77`);
  expect(opened(99)).toEqual({ there: Array.from({ length: 40 }, (_, at) => at + 1), lost: [] });
  expect(aside()).toEqual(["journal.db.damaged-50", "journal.db.damaged-77"]);
});

test("a file that is set aside at the same time as an earlier one leaves that as it is", () => {
  stage.fill(3);
  writeFileSync(`${stage.path}.damaged-77`, "the earlier one");
  writeFileSync(stage.path, noise);
  expect(opened(77)).toEqual({ there: [], lost: [0] });
  expect(aside()).toEqual(["journal.db.damaged-77", "journal.db.damaged-77.again"]);
  expect(readFileSync(`${stage.path}.damaged-77`, "utf8")).toBe("the earlier one");
});

test("what a damaged file had not taken over yet goes with it, and is read with it", () => {
  const journal = openJournal(stage.path, 0);
  journal.append(1, ['{"a":1}', '{"a":2}']);
  copyFileSync(stage.path, `${stage.path}.damaged-77`);
  copyFileSync(`${stage.path}-wal`, `${stage.path}.kept`);
  journal.close();
  rmSync(stage.path);
  renameSync(`${stage.path}.kept`, `${stage.path}-wal`);
  expect(opened(88)).toEqual({ there: [1, 2], lost: [] });
  expect(aside()[0]).toBe("journal.db.damaged-77");
});

test("behind a copy that is whole, what is left of the damaged file is kept beside it", () => {
  stage.fill(3);
  renameSync(stage.path, `${stage.path}.new`);
  writeFileSync(`${stage.path}.damaged-77`, noise);
  writeFileSync(`${stage.path}-wal`, "what it had not taken over yet");
  expect(opened(88)).toEqual({ there: [1, 2, 3], lost: [] });
  expect(aside()).toEqual(["journal.db.damaged-77", "journal.db.damaged-77-wal"]);
});
