/** Closed years in files of their own: they verify by themselves and continue the chain, and no power cut loses an entry. */
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { inspectJournal } from "../../../main/journal-tool/inspect.ts";
import { yearBegan } from "../../../main/terminal/archiving.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { type FileJournal, openJournal } from "../../../main/terminal/journal/journal.ts";
import type { Archived, ArchivePlan, JournalEntry } from "../../../main/terminal/ports.ts";
import { byEffort } from "../../runner/effort.ts";
import { LossyDisk } from "../../service/lossy-disk.ts";
import { openOnFiles } from "../../simulation/lossy-till-disk.ts";
import { finish, keysOf, tamperWith } from "./journal-stage.ts";
import { createRig, idNumber } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "archive-"));
  path = join(folder, "journal.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const keys = keysOf();
const open = (): FileJournal => openJournal(path, 0, "write", openNodeDatabase, keys);

const lastYear = Date.UTC(2025, 5, 1);
const now = Date.UTC(2026, 1, 1);
const checkpoint = JSON.stringify({
  type: "checkpoint",
  format: 3,
  damagedEntries: 0,
  installation: null,
  open: [],
  cashGiven: [],
});
const sale = (number: number): string => {
  const of = {
    withdrawalId: `W${String(number).padStart(4, "0")}`,
    transactionId: "T",
    partnerId: "p",
    amount: "1.00",
    currency: "EUR",
    shop: "s",
  };
  return JSON.stringify({ type: "handed_out", of, by: "cashier" });
};
const plan: ArchivePlan = { now: () => now, beforeMs: yearBegan(now), held: [] };

/** Last year: 1 is the key's entry, 2–11 sales, 12 a checkpoint, 13–22 sales, 23 a checkpoint; then this year's ten. */
const fill = (journal = open()): FileJournal => {
  for (const [from, at] of [
    [1, lastYear],
    [11, lastYear],
    [21, now],
  ] as const) {
    const sales = Array.from({ length: 10 }, (_, number) => sale(from + number));
    journal.append(at, at === lastYear ? [...sales, checkpoint] : sales);
  }
  return journal;
};

const archive = (journal: FileJournal, wanted = plan): Archived => finish(journal.archiveSlices(wanted));
const entriesOf = (journal: FileJournal): readonly JournalEntry[] => {
  const found: JournalEntry[] = [];
  for (let from = 1; ; ) {
    const { entries, last, hasMore } = journal.readSlice(from, 7);
    found.push(...entries.filter(({ body }) => !body.includes("journal_archived")));
    if (!hasMore || last === null) return found;
    from = last.sequence + 1;
  }
};
const allBodies = (journal: FileJournal): readonly string[] => entriesOf(journal).map(({ body }) => body);
const archives = (): string[] => (existsSync(join(folder, "archive")) ? readdirSync(join(folder, "archive")) : []);
const liveFirst = (): number => {
  const database = new DatabaseSync(path);
  const { first } = database.prepare("SELECT min(sequence) AS first FROM journal").get() as { first: number };
  database.close();
  return first;
};

test("the journal is read forward in slices over the archived file and the live one, each entry once and checked", () => {
  const journal = fill();
  const whole = journal.readSlice(1, 99).entries;
  expect(whole).toHaveLength(33);
  expect(archive(journal).kind).toBe("archived");
  expect(entriesOf(journal)).toEqual(whole);
});

test("a closed year lies in a file of its own; every entry is still found, checked and linked", () => {
  const journal = fill();
  const links = Array.from({ length: 33 }, (_, at) => journal.linkOf(at + 1));
  const bodies = allBodies(journal);
  expect(archive(journal)).toMatchObject({ kind: "archived", entries: 22 });
  expect(archives()).toEqual([expect.stringMatching(/^journal-2025-[0-9a-f]{16}\.db$/)]);
  expect(allBodies(journal)).toEqual(bodies);
  expect(Array.from({ length: 33 }, (_, at) => journal.linkOf(at + 1))).toEqual(links);
  expect(journal.verify()).toEqual({ entries: 34, damaged: [], unchecked: 0 });
  expect([...journal.read(20).entries].map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 20 }, (_, at) => 15 + at),
  );
  journal.close();
  expect(liveFirst()).toBe(23);
  const again = open();
  expect([...again.read().entries][0]?.sequence).toBe(23);
  again.append(now, [sale(99)]);
  expect(again.verify()).toEqual({ entries: 35, damaged: [], unchecked: 0 });
  expect(archive(again)).toEqual({ kind: "nothing" });
  again.close();
});

test("the next year goes into the next file, which continues the first", () => {
  const journal = fill();
  archive(journal);
  const nextYear = Date.UTC(2027, 0, 2);
  journal.append(now, [checkpoint]);
  journal.append(nextYear, [sale(50)]);
  expect(archive(journal, { ...plan, now: () => nextYear, beforeMs: yearBegan(nextYear) })).toMatchObject({
    entries: 12,
  });
  expect(archives()).toHaveLength(2);
  expect(journal.verify()).toMatchObject({ entries: 37, damaged: [] });
  journal.close();
});

test("an archived file verifies by itself with the journal tool, and a changed one does not", () => {
  const journal = fill();
  archive(journal);
  journal.close();
  const file = join(folder, "archive", archives()[0] ?? "");
  expect(inspectJournal(file, keys)).toMatchObject({ damaged: [], unchecked: 0, entries: { length: 22 } });
  expect(inspectJournal(path, keys)).toMatchObject({ damaged: [], entries: { length: 34 } });
  tamperWith(file, "UPDATE journal SET body = replace(body, '1.00', '9.00') WHERE sequence = 5");
  expect(inspectJournal(file, keys).damaged).toEqual([{ sequence: 5, why: "hash" }]);
  expect(open().verify().damaged).toEqual([{ sequence: 5, why: "hash" }]);
});

test("an archived file that is gone or is none is named, and the till goes on", () => {
  const journal = fill();
  archive(journal);
  const file = join(folder, "archive", archives()[0] ?? "");
  writeFileSync(file, "no database");
  expect(journal.verify()).toMatchObject({ entries: 12, damaged: [{ sequence: 1, why: "unreadable" }] });
  expect(journal.readSlice(1, 5).entries[0]?.sequence).toBe(23);
  rmSync(file);
  expect(journal.verify()).toMatchObject({ entries: 12, damaged: [{ sequence: 1, why: "unreadable" }] });
  expect(journal.readSlice(1, 5).entries[0]?.sequence).toBe(23);
  expect([...journal.read().entries]).toHaveLength(12);
  expect(journal.read().damaged).toEqual([]);
  journal.close();
});

test("what is open or unresolved keeps its entries in the live file, and all behind them", () => {
  const journal = fill();
  expect(archive(journal, { ...plan, held: ["W0015"] })).toMatchObject({ kind: "archived", entries: 11 });
  expect(archive(journal, { ...plan, held: ["W0015"] })).toEqual({ kind: "nothing" });
  journal.close();
  expect(liveFirst()).toBe(12);
});

test("a stretch that does not check stays where it is", () => {
  const journal = fill();
  journal.close();
  tamperWith(path, "UPDATE journal SET body = replace(body, '1.00', '9.00') WHERE sequence = 5");
  const again = open();
  expect(archive(again)).toEqual({ kind: "damaged" });
  expect(archives()).toEqual([]);
  again.close();
  expect(liveFirst()).toBe(1);
});

test("a stretch in which a repair has found a loss is archived all the same, and the loss is still told once", () => {
  fill().close();
  tamperWith(
    path,
    "DELETE FROM journal WHERE sequence = 5; INSERT INTO journal_lost (sequence, why) VALUES (5, 'unreadable')",
  );
  const journal = open();
  expect(archive(journal)).toMatchObject({ kind: "archived", entries: 22 });
  expect(journal.verify()).toEqual({ entries: 33, damaged: [{ sequence: 5, why: "unreadable" }], unchecked: 0 });
  journal.close();
  expect(liveFirst()).toBe(23);
});

test.each<[string, (file: string) => void]>([
  ["that is gone", (file) => rmSync(file)],
  ["that is none", (file) => writeFileSync(file, "no database")],
  ["that lacks its last entry", (file) => tamperWith(file, "DELETE FROM journal WHERE sequence = 22")],
  ["that ends otherwise", (file) => tamperWith(file, "UPDATE journal SET hash = 'x' WHERE sequence = 22")],
])("a file %s, which is not what the entry says, keeps the live rows", (_, change) => {
  fill().close();
  const copy = join(folder, "copy.db");
  copyFileSync(path, copy);
  const first = open();
  archive(first);
  const [marker] = first.read(1).entries;
  first.close();
  rmSync(path);
  change(join(folder, "archive", archives()[0] ?? ""));
  copyFileSync(copy, path);
  const again = open();
  again.append(now, [marker?.body ?? ""]);
  again.close();
  const later = open();
  expect(() => archive(later)).toThrow("nothing is removed");
  later.close();
  expect(liveFirst()).toBe(1);
});

test("given up between any two steps, nothing is lost, and the next run ends it", () => {
  for (let stop = 1; ; stop++) {
    rmSync(folder, { recursive: true, force: true });
    const journal = fill();
    const bodies = allBodies(journal);
    const steps = journal.archiveSlices(plan);
    let isOver = false;
    for (let step = 0; step < stop && !isOver; step++) isOver = steps.next().done === true;
    journal.close();
    const again = open();
    expect(allBodies(again)).toEqual(bodies);
    expect(again.verify().damaged).toEqual([]);
    archive(again);
    expect(again.verify()).toMatchObject({ entries: 34, damaged: [] });
    again.close();
    expect(liveFirst()).toBe(23);
    if (!isOver) continue;
    // The copy, its check, the removal, and the end.
    expect(stop).toBeGreaterThanOrEqual(4);
    break;
  }
});

/** All of them take long on a slow disk. The usual ones meet the rename before its folder is synced, which is where carelessness loses most. */
const everySync = byEffort({ usual: { first: 3, step: 5 }, torture: { first: 1, step: 1 } });

describe("power loss", () => {
  test("at any sync: what was in the journal is in it, and the next run ends the archive", () => {
    let losses = 0;
    for (let sync = everySync.first; ; sync += everySync.step) {
      rmSync(folder, { recursive: true, force: true });
      const home = mkdtempSync(join(tmpdir(), "archive-"));
      path = join(home, "journal.db");
      const disk = new LossyDisk(home);
      const remove = disk.install();
      const boot = (): FileJournal => openJournal(path, 0, "write", (file) => openOnFiles(file, "FULL"), keys);
      try {
        const journal = fill(boot());
        const bodies = allBodies(journal);
        disk.loseAtSync(sync);
        let isOver = false;
        try {
          archive(journal);
          isOver = true;
        } catch {
          losses += 1;
        }
        if (isOver) {
          journal.close();
          break;
        }
        disk.restart(sync % 2 === 0 ? null : () => sync % 3 === 0);
        const again = boot();
        expect(allBodies(again), `sync ${sync}`).toEqual(bodies);
        expect(again.verify().damaged).toEqual([]);
        expect(archive(again).kind).not.toBe("damaged");
        expect(again.verify()).toMatchObject({ entries: 34, damaged: [] });
        again.close();
      } finally {
        remove();
        rmSync(home, { recursive: true, force: true });
      }
    }
    expect(losses).toBeGreaterThan(2);
  });
});

test("the terminal archives by itself at a quiet time", async () => {
  const clock = new VirtualClock();
  const journal = open();
  const till = await createRig({ journal, clock });
  const year = yearBegan(clock.now());
  for (let number = 1; number <= 5; number++) journal.append(year - 1, [sale(number)]);
  journal.append(year - 1, [JSON.stringify({ ...JSON.parse(checkpoint), book: null })]);
  journal.append(clock.now(), [sale(9)]);
  till.service.order({ transaction_id: idNumber(1) });
  await till.scan(idNumber(1));
  await till.clock.advance(11 * 60_000);
  expect([till.screen().kind, archives()]).toEqual(["review", []]);
  await till.send({ type: "reject" });
  await till.send({ type: "dismiss" });
  await till.clock.advance(60_000);
  expect(archives()).toHaveLength(1);
  expect(journal.verify().damaged).toEqual([]);
  await till.terminal.close();
});
