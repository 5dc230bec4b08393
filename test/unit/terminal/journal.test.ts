/** The journal on disk: chained, append-only, never in the way of a start, and honest about what is damaged. */
import { readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { inspectJournal, toCsv, toJson } from "../../../main/journal-tool/inspect.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { replay } from "../../../main/terminal/journal-start.ts";
import { initialState } from "../../../main/terminal/withdrawal/state.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { journalStage, noise, overwritePages, pageAt } from "./journal-stage.ts";

const stage = journalStage();

test("what was appended is there after a restart, in order", () => {
  const journal = openJournal(stage.path, 0);
  journal.append(1, ['{"a":1}', '{"a":2}']);
  journal.append(2, ['{"a":3}']);
  journal.close();
  expect(stage.bodies()).toEqual(['{"a":1}', '{"a":2}', '{"a":3}']);
});

test("keeps a write-ahead log", () => {
  openJournal(stage.path, 0).close();
  const database = new DatabaseSync(stage.path);
  expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
  database.close();
});

test("refuses to change or cut what was written", () => {
  stage.fill(2);
  const database = new DatabaseSync(stage.path);
  expect(() => database.exec("UPDATE journal SET body = '{}'")).toThrow("append-only");
  expect(() => database.exec("DELETE FROM journal")).toThrow("append-only");
  database.close();
});

describe("damage is quarantined and told", () => {
  test.each([
    ["a changed body", "UPDATE journal SET body = '{\"number\":99}' WHERE sequence = 3", [3], [1, 2, 4, 5]],
    ["a changed time", "UPDATE journal SET at = 7 WHERE sequence = 3", [3], [1, 2, 4, 5]],
    ["a changed last entry", "UPDATE journal SET body = '{}' WHERE sequence = 5", [5], [1, 2, 3, 4]],
    [
      "a changed hash, its content vouched for by the next",
      "UPDATE journal SET hash = 'x' WHERE sequence = 3",
      [3],
      [1, 2, 3, 4, 5],
    ],
    ["a missing entry", "DELETE FROM journal WHERE sequence = 3", [3], [1, 2, 4, 5]],
    ["a missing first entry", "DELETE FROM journal WHERE sequence = 1", [1], [2, 3, 4, 5]],
  ])("%s", (_, sql, damaged, sound) => {
    stage.fill(5);
    stage.tamper(sql);
    const journal = openJournal(stage.path, 0);
    const read = journal.read();
    expect(read.damaged.map(({ sequence }) => sequence)).toEqual(damaged);
    expect([...read.entries].map(({ sequence }) => sequence)).toEqual(sound);
    expect(journal.verify().damaged).toEqual(read.damaged);
    journal.append(9, ['{"after":true}']);
    expect([...journal.read().entries].at(-1)?.body).toBe('{"after":true}');
    journal.close();
  });

  test("a forged entry with its own hash right does not fit behind the one before", () => {
    stage.fill(3);
    const forged = openJournal(join(stage.folder, "other.db"), 0);
    forged.append(1, ["{}", "{}", '{"number":"forged"}']);
    forged.close();
    stage.tamper(`ATTACH '${join(stage.folder, "other.db")}' AS other; DELETE FROM journal WHERE sequence = 3;
      INSERT INTO journal SELECT * FROM other.journal WHERE sequence = 3`);
    const journal = openJournal(stage.path, 0);
    expect(journal.verify().damaged).toEqual([{ sequence: 3, why: "hash" }]);
    journal.close();
  });
});

describe("a file that is no journal any more does not keep the till from starting", () => {
  test.each([
    ["noise", () => writeFileSync(stage.path, noise)],
    ["cut off", () => truncateSync(stage.path, Math.floor(statSync(stage.path).size / 2))],
    ["a hole at its beginning", () => overwritePages(stage.path, 0, 2)],
    ["a hole in the middle", () => overwritePages(stage.path, pageAt(stage.path, 0.5), 2)],
  ])("%s", (_, hurt) => {
    stage.fill(400);
    hurt();
    const journal = openJournal(stage.path, 77);
    expect(journal.read().damaged.length).toBeGreaterThan(0);
    journal.append(5, ['{"after":true}']);
    expect([...journal.read().entries].at(-1)?.body).toBe('{"after":true}');
    journal.close();
    expect(readdirSync(stage.inside()).some((name) => name.includes("damaged-77"))).toBe(true);
  });

  test.each([
    ["in the middle", 0.5, 400],
    // Behind the last that can be read nobody knows how many there were.
    ["at the end", 0.999, 370],
  ])("a damaged page %s hides only its own entries", (_, place, last) => {
    stage.fill(400);
    overwritePages(stage.path, pageAt(stage.path, place));
    const journal = openJournal(stage.path, 77);
    const read = journal.read();
    const sequences = [...read.entries].map(({ sequence }) => sequence);
    const hidden = read.damaged.map(({ sequence }) => sequence);
    expect(hidden.length).toBeGreaterThan(0);
    expect(hidden.length).toBeLessThan(30);
    const all = [...sequences, ...hidden].sort((one, other) => one - other);
    expect(all).toEqual(all.map((_, at) => at + 1));
    expect(sequences.at(-1)).toBeGreaterThanOrEqual(last);
    journal.close();
  });

  /** What a start finds after the power went at the n-th time that the repair opened a file. */
  const cutAtOpen = (nth: number): void => {
    let opens = 0;
    const journal = openJournal(stage.path, 77, "write", (file, mode) => {
      if (++opens >= nth) throw new Error("no power");
      return new DatabaseSync(file, { readOnly: mode === "read" });
    });
    expect(() => journal.append(1, ["{}"])).toThrow("cannot be written");
  };

  const aside = () => readdirSync(stage.inside()).find((name) => /damaged-\d+$/.test(name)) ?? "";

  test.each<[string, () => void]>([
    ["before it began", () => cutAtOpen(1)],
    ["while the damaged file was read", () => cutAtOpen(2)],
    ["before the copy was made", () => cutAtOpen(3)],
    ["when all was in its place", () => cutAtOpen(4)],
    [
      "between the damaged file's move and the copy's",
      () => {
        openJournal(stage.path, 77).close();
        renameSync(stage.path, `${stage.path}.new`);
        rmSync(`${stage.path}.damaged-77`);
        writeFileSync(`${stage.path}-wal`, "what the damaged file had not taken over yet");
      },
    ],
    [
      "as an older version did it: set aside, and no copy made",
      () => {
        rmSync(`${stage.path}-wal`, { force: true });
        renameSync(stage.path, `${stage.path}.damaged-77`);
      },
    ],
  ])("a power cut during the repair loses nothing that could be read: %s", (_, cut) => {
    stage.fill(400);
    overwritePages(stage.path, pageAt(stage.path, 0.5));
    cut();
    for (const [appended, start] of [88, 99].entries()) {
      const journal = openJournal(stage.path, start);
      const read = journal.read();
      expect([...read.entries]).toHaveLength(400 + appended - read.damaged.length);
      expect(read.damaged.length).toBeGreaterThan(0);
      expect(read.damaged.length).toBeLessThan(30);
      journal.append(5, ['{"after":true}']);
      expect([...journal.read().entries].at(-1)?.body).toBe('{"after":true}');
      journal.close();
    }
    expect(readdirSync(stage.inside()).filter((name) => /\.(new|salvage)/.test(name))).toEqual([]);
  });

  test("what a repair found lost is told at every start, until a checkpoint counts it", () => {
    stage.fill(400);
    writeFileSync(stage.path, noise);
    rmSync(`${stage.path}-wal`, { force: true });
    openJournal(stage.path, 77).close();
    expect(aside()).toBe("journal.db.damaged-77");
    const journal = openJournal(stage.path, 88);
    expect(journal.read().damaged).toEqual([{ sequence: 0, why: "unreadable" }]);
    expect(journal.verify().damaged).toEqual([{ sequence: 0, why: "unreadable" }]);
    journal.append(9, ['{"type":"checkpoint","damagedEntries":1}']);
    expect(journal.read().damaged).toEqual([]);
    expect(journal.verify().damaged).toEqual([{ sequence: 0, why: "unreadable" }]);
    journal.close();
  });

  test("what a repair found lost is told by every reading of the entries it lay among", () => {
    stage.fill(400);
    writeFileSync(stage.path, noise);
    rmSync(`${stage.path}-wal`, { force: true });
    const journal = openJournal(stage.path, 77);
    journal.append(9, ['{"type":"checkpoint","format":99}', '{"type":"a"}']);
    expect(journal.read(Number.MAX_SAFE_INTEGER).damaged).toEqual([{ sequence: 0, why: "unreadable" }]);
    // A newer program's checkpoint stands for nothing here: what was lost before it counts.
    const state = initialState(settingsSchema.parse({}), null, false);
    expect(replay(state, journal, { wallMs: 10, monotonicMs: 0 }).damaged).toContainEqual({
      sequence: 0,
      why: "unreadable",
    });
    journal.close();
  });

  test("a place that cannot be written opens, reads as damaged and refuses every append", () => {
    writeFileSync(stage.inside(), "a file where the folder should be");
    const journal = openJournal(stage.path, 0);
    expect(journal.read()).toEqual({ entries: [], damaged: [{ sequence: 0, why: "unreadable" }] });
    expect(() => journal.append(1, ["{}"])).toThrow("cannot be written");
    journal.close();
  });
});

const farAway = 2n ** 60n;

test.each([
  ["the time of an entry", `UPDATE journal SET at = ${farAway} WHERE sequence = 2`, [1, 3]],
  ["the number of an entry", `INSERT INTO journal VALUES (${farAway}, 1, '{}', 'a', 'b')`, [1, 2, 3]],
])("%s beyond all that can be read is damage like any other: it is named, and the rest goes on", (_, sql, whole) => {
  stage.fill(3);
  stage.tamper(sql);
  const told = inspectJournal(stage.path, null);
  expect(told.entries.map(({ sequence }) => sequence)).toEqual(whole);
  expect(told.damaged).not.toEqual([]);
  for (const at of [1, 2]) {
    const journal = openJournal(stage.path, at);
    const { entries, damaged } = journal.read();
    expect([...entries].map(({ sequence }) => sequence).slice(0, whole.length)).toEqual(whole);
    expect(damaged).toMatchObject([{ why: "unreadable" }]);
    journal.append(9, ["{}"]);
    journal.close();
  }
});

test("an export goes on past a time that is none", () => {
  const entry = { sequence: 1, at: 9e15, body: '{"type":"a"}' };
  expect([...toCsv([entry])][1]).toBe("1,9000000000000000,a,,,,,,\r\n");
  expect([...toJson([entry])].join("")).toContain('"at":"9000000000000000"');
});

test("a check goes in slices, says how far it has come, and finds the same as all at once", () => {
  const journal = openJournal(stage.path, 0);
  for (let batch = 0; batch < 10; batch++)
    journal.append(
      1,
      Array.from({ length: 500 }, (_, at) => JSON.stringify({ number: batch * 500 + at })),
    );
  journal.close();
  stage.tamper(
    "UPDATE journal SET body = '{}' WHERE sequence IN (2000, 2001, 4500); DELETE FROM journal WHERE sequence = 3000",
  );
  const again = openJournal(stage.path, 0);
  const steps = again.verifySlices();
  const progress: number[] = [];
  for (;;) {
    const step = steps.next();
    if (step.done) {
      expect(step.value.entries).toBe(4_996);
      expect(step.value.damaged).toEqual([
        { sequence: 2000, why: "hash" },
        { sequence: 2001, why: "hash" },
        { sequence: 3000, why: "gap" },
        { sequence: 4500, why: "hash" },
      ]);
      break;
    }
    expect(step.value.total).toBe(5_000);
    progress.push(step.value.checked);
  }
  expect(progress.length).toBeGreaterThan(2);
  expect(progress.at(-1)).toBe(5_000);
  again.close();
});

test("an append that fails leaves nothing behind, and the next one fits", () => {
  const journal = openJournal(stage.path, 0);
  journal.append(1, ['{"a":1}']);
  // A body that SQLite refuses stands for a full disk in the middle of a batch.
  expect(() => journal.append(2, ['{"a":2}', null as unknown as string])).toThrow();
  journal.append(3, ['{"a":3}']);
  expect(journal.verify()).toEqual({ entries: 2, damaged: [], unchecked: 0 });
  expect([...journal.read().entries].map(({ body }) => body)).toEqual(['{"a":1}', '{"a":3}']);
  journal.close();
});

test("a start reads from the last checkpoint; a damaged checkpoint makes it read everything", () => {
  const journal = openJournal(stage.path, 0);
  journal.append(1, ['{"type":"a"}', '{"type":"checkpoint","n":1}', '{"type":"b"}']);
  expect([...journal.read().entries].map(({ sequence }) => sequence)).toEqual([2, 3]);
  expect([...journal.read(1).entries].map(({ sequence }) => sequence)).toEqual([3]);
  expect(journal.verify().entries).toBe(3);
  journal.close();
  stage.tamper(`UPDATE journal SET body = '{"type":"checkpoint","n":2}' WHERE sequence = 2`);
  const again = openJournal(stage.path, 0);
  expect([...again.read().entries].map(({ sequence }) => sequence)).toEqual([1, 3]);
  again.close();
});

test("with a damaged checkpoint a start reads from the one before it, since all years may be more than the memory holds", () => {
  const journal = openJournal(stage.path, 0);
  journal.append(1, ['{"type":"a"}', '{"type":"checkpoint","n":1}', '{"type":"b"}', '{"type":"checkpoint","n":2}']);
  journal.append(2, ['{"type":"c"}']);
  journal.close();
  stage.tamper(`UPDATE journal SET body = '{"type":"checkpoint","n":3}' WHERE sequence = 4`);
  const again = openJournal(stage.path, 0);
  const { entries, damaged } = again.read();
  expect([...entries].map(({ sequence }) => sequence)).toEqual([2, 3, 5]);
  expect(damaged).toEqual([{ sequence: 4, why: "hash" }]);
  again.close();
});

test("an index that takes another entry for a checkpoint hides nothing of what was before it", () => {
  const journal = openJournal(stage.path, 0);
  journal.append(1, ['{"type":"installed","tag":"a"}', '{"type":"act","act":"x","about":null}']);
  journal.close();
  const file = new DatabaseSync(stage.path);
  file.exec("DROP INDEX journal_checkpoints");
  file.exec(
    `CREATE INDEX journal_checkpoints ON journal (sequence) WHERE substr(body, 1, 20) = '{"type":"act","act":'`,
  );
  file.close();
  // Its rows are those of acts, and its text says that they are checkpoints.
  const bytes = readFileSync(stage.path, "latin1");
  writeFileSync(stage.path, bytes.replace(`= '{"type":"act","act":'`, `= '{"type":"checkpoint"'`), "latin1");
  const again = openJournal(stage.path, 0);
  const state = initialState(settingsSchema.parse({}), null, false);
  expect(replay(state, again, { wallMs: 10, monotonicMs: 0 })).toMatchObject({
    entries: 2,
    state: { installation: { tag: "a" } },
  });
  again.close();
});

test("an export cannot run in a spreadsheet", () => {
  const of = { withdrawalId: "=1+1", transactionId: 'a"b,c', partnerId: "@x", amount: "-5", currency: "\tEUR" };
  const entry = { sequence: 1, at: 0, body: JSON.stringify({ type: "settled", of }) };
  expect([...toCsv([entry])][1]).toBe("1,1970-01-01T00:00:00.000Z,settled,'=1+1,\"a\"\"b,c\",'@x,'-5,'\tEUR,\r\n");
  const behind = { sequence: 2, at: 0, body: JSON.stringify({ type: "settled", of: { partnerId: "x;=1+1" } }) };
  expect([...toCsv([behind])][1]).toContain(",x;'=1+1,");
  expect([...toJson([])].join("")).toBe("[]\n");
});
