/** A repair after a repair: what an earlier one has lost stays told, what it left is in nobody's way, and nothing set aside goes. */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { journalStage, noise, overwritePages, pageAt } from "./journal-stage.ts";

const stage = journalStage();
const aside = () =>
  readdirSync(dirname(stage.path))
    .filter((name) => name.includes("damaged"))
    .toSorted();

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
  overwritePages(stage.path, pageAt(stage.path, 0.4));
  const first = opened(77);
  expect(first.lost.length).toBeGreaterThan(0);
  overwritePages(stage.path, pageAt(stage.path, 0.7));
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
  overwritePages(stage.path, pageAt(stage.path, 0.5));
  const { there, lost } = opened(77);
  expect(there.length + lost.length).toBe(400);
  expect(there.length).toBeGreaterThan(370);
});

test("a file that is set aside at the same time as an earlier one leaves that as it is", () => {
  stage.fill(3);
  writeFileSync(`${stage.path}.damaged-77`, "the earlier one");
  writeFileSync(stage.path, noise);
  expect(opened(77)).toEqual({ there: [], lost: [0] });
  expect(aside()).toEqual(["journal.db.damaged-77", "journal.db.damaged-77.again"]);
  expect(readFileSync(`${stage.path}.damaged-77`, "utf8")).toBe("the earlier one");
});
