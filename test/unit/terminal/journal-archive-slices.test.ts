/** A year of more entries than one slice: where it is cut, how far each step has come, and what the file of its own holds. */
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { startInArchive } from "../../../main/terminal/journal/archive.ts";
import { journalFormat, openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import type { ArchivePlan } from "../../../main/terminal/ports.ts";
import { ownFolder, tamperWith } from "./journal-stage.ts";

const here = ownFolder();
const lastYear = Date.UTC(2025, 5, 1);
const now = Date.UTC(2026, 1, 1);
const checkpoint = JSON.stringify({ type: "checkpoint" });
const entry = (number: number): string => `{"type":"act","about":"W${number}."}`;
const plan: ArchivePlan = { now: () => now, beforeMs: Date.UTC(2026, 0, 1), held: [] };

/** Entries 1 to 1,200 of last year, the 100th, the 700th and the last a checkpoint; ten of this year behind them. */
const journalOf1200 = () => {
  const journal = openJournal(here.path, 0);
  const isCheckpoint = (number: number): boolean => number === 100 || number === 700 || number === 1_200;
  const bodies = Array.from({ length: 1_200 }, (_, at) => (isCheckpoint(at + 1) ? checkpoint : entry(at + 1)));
  journal.append(lastYear, bodies);
  journal.append(
    now,
    Array.from({ length: 10 }, (_, at) => entry(1_201 + at)),
  );
  return journal;
};
const archive = (journal: ReturnType<typeof journalOf1200>, wanted: Partial<ArchivePlan> = {}) => {
  const steps: string[] = [];
  const slices = journal.archiveSlices({ ...plan, ...wanted });
  for (;;) {
    const step = slices.next();
    if (step.done) return { result: step.value, steps };
    steps.push(`${step.value.checked} of ${step.value.total}`);
  }
};

test("it is copied, checked and removed in slices, each entry once", () => {
  const journal = journalOf1200();
  const { result, steps } = archive(journal);
  expect(result).toMatchObject({ kind: "archived", entries: 1_199 });
  const checks = Array.from({ length: 5 }, (_, at) => `${(at + 1) * 200} of 1199`);
  const slices = [1, 501, 1_001].map((from) => `${from} of 1199`);
  expect(steps).toEqual([...slices, ...checks, "1199 of 1199", ...slices]);
  expect(journal.verify()).toEqual({ entries: 1_211, damaged: [], unchecked: 0 });
  expect(archive(journal)).toEqual({ result: { kind: "nothing" }, steps: [] });
  journal.close();
  const [file] = readdirSync(here.inside("archive"));
  const archived = openNodeDatabase(here.inside("archive", file ?? ""), "read");
  expect(startInArchive(archived)).toEqual({ sequence: 0, hash: "0".repeat(64), keyId: null });
  expect(archived.prepare("SELECT min(sequence) AS first, count(*) AS count FROM journal").get()).toEqual({
    first: 1,
    count: 1_199,
  });
  expect(archived.prepare("PRAGMA user_version").get()).toEqual({ user_version: journalFormat });
  archived.close();
  const live = openNodeDatabase(here.path, "read");
  expect(startInArchive(live)).toBeNull();
  expect(live.prepare("SELECT min(sequence) AS first FROM journal").get()).toEqual({ first: 1_200 });
  live.close();
});

test.each<[string, readonly string[], number | null]>([
  ["behind the first slice", ["W650."], 99],
  ["the last of a slice", ["W500."], 99],
  ["the first of the next slice", ["W501."], 99],
  ["behind another checkpoint", ["W900."], 699],
  ["one of them is there, the others are not", ["W9999.", "W900.", "W8888."], 699],
  ["the first of two", ["W900.", "W650."], 99],
  ["of this year", ["W1205."], 1_199],
  ["before any checkpoint", ["W50."], null],
])("what is held back stays in the live file, with all behind the checkpoint before it: %s", (_, held, entries) => {
  const journal = journalOf1200();
  const { result } = archive(journal, { held });
  expect(result).toMatchObject(entries === null ? { kind: "nothing" } : { kind: "archived", entries });
  journal.close();
});

test("what was written as the year began is this year's", () => {
  const journal = journalOf1200();
  expect(archive(journal, { beforeMs: lastYear }).result).toEqual({ kind: "nothing" });
  expect(archive(journal, { beforeMs: lastYear + 1 }).result).toMatchObject({ kind: "archived" });
  journal.close();
});

test("the next run begins behind the first, looks for what is held back there, and says how far it is in it", () => {
  const journal = journalOf1200();
  archive(journal, { held: ["W900."] });
  // 700 to 1,199: the entry about the archive is behind them.
  expect(archive(journal, { held: ["W1205."] })).toEqual({
    result: { kind: "archived", entries: 500, file: expect.stringMatching(/^journal-2025-/) },
    steps: ["0 of 500", "1 of 500", "200 of 500", "400 of 500", "500 of 500", "700 of 1199"],
  });
  expect(journal.verify()).toEqual({ entries: 1_212, damaged: [], unchecked: 0 });
  journal.close();
});

test("an entry that is lost before the checkpoint keeps its year in the live file", () => {
  journalOf1200().close();
  tamperWith(here.path, "DELETE FROM journal WHERE sequence = 1199");
  const journal = openJournal(here.path, 0);
  expect(archive(journal)).toEqual({ result: { kind: "nothing" }, steps: [] });
  journal.close();
});

test("a check says how far it has come through an archived file and the live one", () => {
  const journal = journalOf1200();
  archive(journal, { held: ["W900."] });
  const steps = [...journal.verifySlices()].map(({ checked, total }) => `${checked} of ${total}`);
  const checked = [200, 400, 600, 699, 899, 1_099, 1_211];
  expect(steps).toEqual(checked.map((at) => `${at} of 1211`));
  const [file = ""] = readdirSync(here.inside("archive"));
  tamperWith(here.inside("archive", file), "DELETE FROM journal");
  const [begun] = [...journal.verifySlices()];
  expect(begun).toEqual({ checked: 0, total: 1_211 });
  journal.close();
});

test("a journal of one checkpoint alone has nothing to archive", () => {
  const journal = openJournal(here.path, 0);
  expect(archive(journal)).toEqual({ result: { kind: "nothing" }, steps: [] });
  journal.append(lastYear, [checkpoint, entry(2)]);
  expect(archive(journal)).toEqual({ result: { kind: "nothing" }, steps: [] });
  journal.close();
});
