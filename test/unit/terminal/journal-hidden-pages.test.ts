/** A damaged page in a file that is only read, or in an archived one: what it hides is named, and all else is read and checked. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import { createReadModel, memoryIndex } from "../../../main/terminal/history/read-model.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { type FileJournal, openJournal } from "../../../main/terminal/journal/journal.ts";
import { confirmIntended } from "./entries.ts";
import { of } from "./flow-stage.ts";
import { finish, journalStage, keysOf, overwritePages, pageWith, tamperWith } from "./journal-stage.ts";
import { VirtualClock } from "./virtual-clock.ts";

const stage = journalStage();
const count = 520;
const entry = (number: number): string => `{"type":"act","about":"W${number}.","more":"${"x".repeat(150)}"}`;
const bodies = Array.from({ length: count - 1 }, (_, at) => entry(at + 1));

beforeEach(() => {
  mkdirSync(dirname(stage.path), { recursive: true });
  const journal = openJournal(stage.path, 0);
  journal.append(1, [...bodies, '{"type":"checkpoint"}']);
  journal.append(9, [entry(count + 1)]);
  journal.close();
});

/** Overwrites the page that holds this entry. @returns the sequences that it hides. */
const spoil = (path: string, number: number): readonly number[] => {
  overwritePages(path, pageWith(path, `W${number}.`));
  const database = new DatabaseSync(path, { readOnly: true });
  const one = database.prepare("SELECT body FROM journal WHERE sequence = ?");
  const hidden = Array.from({ length: count - 1 }, (_, index) => index + 1).filter((sequence) => {
    try {
      return one.get(sequence) === undefined;
    } catch {
      return true;
    }
  });
  database.close();
  expect(hidden.length).toBeGreaterThan(5);
  expect(hidden.length).toBeLessThan(40);
  return hidden;
};
const readAll = (journal: FileJournal, limit: number): number[] => {
  const found: number[] = [];
  for (let from = 1; ; ) {
    const { entries, last, hasMore } = journal.readSlice(from, limit);
    found.push(...entries.map(({ sequence }) => sequence));
    if (!hasMore) return found;
    from = last === null ? from + limit : last.sequence + 1;
  }
};
const verified = (journal: FileJournal) => {
  const steps = journal.verifySlices();
  const checked: number[] = [];
  for (;;) {
    const step = steps.next();
    if (step.done) return { ...step.value, checked };
    checked.push(step.value.checked);
  }
};
const without = (hidden: readonly number[], last: number): number[] =>
  Array.from({ length: last }, (_, at) => at + 1).filter((sequence) => !hidden.includes(sequence));

test.each([250, 5, 505])("in a journal that is only read, around entry %i", (number) => {
  const hidden = spoil(stage.path, number);
  const journal = openJournal(stage.path, 0, "read");
  const { entries, damaged, checked } = verified(journal);
  expect(damaged).toEqual(hidden.map((sequence) => ({ sequence, why: "unreadable" })));
  expect(entries).toBe(count + 1 - hidden.length);
  expect(checked.at(-1)).toBe(count + 1);
  expect(checked).toEqual(checked.toSorted((a, b) => a - b));
  for (const limit of [5, 50, 1_000]) expect(readAll(journal, limit)).toEqual(without(hidden, count + 1));
  const [first = 0] = hidden;
  expect(journal.readSlice(first, 1)).toEqual({ entries: [], last: null, hasMore: true });
  expect(journal.linkOf(first)).toBeNull();
  expect(journal.linkOf(count + 1)).toBe(journal.head()?.hash);
  const before = journal.readSlice(first - 1, 1);
  expect(before.entries.map(({ sequence }) => sequence)).toEqual(first === 1 ? [] : [first - 1]);
  journal.close();
});

test("the last page, without which nobody knows where the file ends: all before it is read, and then it is over", () => {
  overwritePages(stage.path, pageWith(stage.path, `W${count + 1}.`));
  const journal = openJournal(stage.path, 0, "read");
  const found = journal.readSlice(1, 1_000).entries.length;
  expect(found).toBeGreaterThan(count - 40);
  expect(journal.readSlice(found + 1, 5)).toEqual({ entries: [], last: null, hasMore: false });
  journal.close();
});

test.each([
  ["under no key", null],
  ["under a key", keysOf()],
])("what somebody has written behind a page that hides the entry before it is no entry, %s", (_, keys) => {
  const path = join(dirname(stage.path), "keyed.db");
  const journal = openJournal(path, 0, "write", openNodeDatabase, keys);
  journal.append(1, bodies);
  journal.close();
  const hidden = spoil(path, 250);
  const behind = (hidden.at(-1) ?? 0) + 1;
  tamperWith(path, `UPDATE journal SET body = '{}' WHERE sequence = ${behind + 2}`);
  const read = openJournal(path, 0, "read", openNodeDatabase, keys);
  expect(read.readSlice(behind, 4).entries.map(({ sequence }) => sequence)).toEqual([0, 1, 3].map((at) => behind + at));
  read.close();
});

test("an entry at the end whose time is beyond all that can be read is the end", () => {
  stage.tamper(`UPDATE journal SET at = ${2n ** 60n} WHERE sequence = ${count + 1}`);
  const journal = openJournal(stage.path, 0, "read");
  expect(journal.readSlice(count + 1, 1)).toEqual({ entries: [], last: null, hasMore: false });
  journal.close();
});

test("in an archived file: the live one and all beside the page stay sound", () => {
  const journal = openJournal(stage.path, 0);
  finish(journal.archiveSlices({ now: () => 10, beforeMs: 5, held: [] }));
  journal.close();
  const folder = join(dirname(stage.path), "archive");
  const hidden = spoil(join(folder, readdirSync(folder)[0] ?? ""), 250);
  const again = openJournal(stage.path, 0);
  const { entries, damaged, checked } = verified(again);
  expect(damaged).toEqual(hidden.map((sequence) => ({ sequence, why: "unreadable" })));
  // With the entry that names the archive.
  expect(entries).toBe(count + 2 - hidden.length);
  expect(checked.at(-1)).toBe(count + 2);
  for (const limit of [5, 50, 1_000]) expect(readAll(again, limit)).toEqual(without(hidden, count + 2));
  again.close();
});

test("in an archived file, and the last checkpoint is hit, too: the start reads the other files", () => {
  const journal = openJournal(stage.path, 0);
  const archive = (beforeMs: number) => finish(journal.archiveSlices({ now: () => 10, beforeMs, held: [] }));
  archive(5);
  journal.append(19, [entry(900), '{"type":"checkpoint"}']);
  journal.append(29, [entry(901)]);
  archive(20);
  journal.close();
  const folder = join(dirname(stage.path), "archive");
  const files = readdirSync(folder).map((file) => join(folder, file));
  spoil(files.find((file) => readFileSync(file).includes("W250.")) ?? "", 250);
  stage.tamper(`UPDATE journal SET body = '{"type":"checkpoint","x":1}' WHERE body = '{"type":"checkpoint"}'`);
  const again = openJournal(stage.path, 0);
  expect([...again.read().entries].map(({ sequence }) => sequence)).toEqual([520, 521, 522, 523, 525, 526]);
  again.close();
});

test("pages that hide more than a slice keep nothing behind them from the history", async () => {
  const journal = openJournal(stage.path, 0);
  journal.append(9, [JSON.stringify(confirmIntended)]);
  journal.close();
  overwritePages(stage.path, 10, 30);
  const damaged = openJournal(stage.path, 0, "read");
  const found = verified(damaged);
  expect(found.damaged.length).toBeGreaterThan(200);
  expect([found.checked.map(Number.isInteger), found.checked.at(-1)]).toEqual([[true, true, true], count + 2]);
  const [clock, log] = [new VirtualClock(), () => undefined];
  const model = createReadModel({ journal: damaged, clock, store: memoryIndex(), log });
  const reading = model.upToDate();
  await clock.advance(0);
  expect((await reading).find(of.withdrawalId)).not.toBeNull();
  damaged.close();
});

test.each([3, 200, 201])(
  "an entry of which only the hash was hit (%i) is vouched for by the next one, in another slice too",
  (sequence) => {
    stage.tamper(`UPDATE journal SET hash = 'x' WHERE sequence = ${sequence}`);
    const journal = openJournal(stage.path, 0);
    expect(journal.verify()).toEqual({ entries: count + 1, damaged: [{ sequence, why: "hash" }], unchecked: 0 });
    journal.close();
  },
);

test("more than a thousand damaged entries are not listed one by one", () => {
  const journal = openJournal(stage.path, 0);
  journal.append(
    9,
    Array.from({ length: 600 }, () => "{}"),
  );
  journal.close();
  stage.tamper(`UPDATE journal SET body = '{"x":1}'`);
  const again = openJournal(stage.path, 0);
  expect(again.verify().damaged).toHaveLength(1_000);
  again.close();
});
