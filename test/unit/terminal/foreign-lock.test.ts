import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { claimOrHandOver, takenText, waitingText } from "../../../main/host/instance.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { ownFolder } from "./journal-stage.ts";
import { createRig, handOver, idNumber, leadToPayable } from "./rig.ts";

const here = ownFolder();

test("a reader of the folder's lock is named while it is waited for, and the start goes on when it lets go", async () => {
  const file = here.inside("till-host.lock");
  const first = await claimOrHandOver(here.folder);
  if (first.kind !== "claimed") throw new Error("taken");
  first.instance.release();
  const reader = new DatabaseSync(file);
  reader.exec("CREATE TABLE IF NOT EXISTS x (y); BEGIN; SELECT * FROM x;");
  let waits = 0;
  const claim = await claimOrHandOver(here.folder, () => {
    waits += 1;
    reader.close();
  });
  expect(waits).toBe(1);
  expect(claim).toMatchObject({ kind: "claimed" });
  if (claim.kind === "claimed") claim.instance.release();
  for (const text of [waitingText(here.folder), takenText(here.folder, false)]) {
    expect(text).toMatch(/^Another program holds the terminal's data/);
    expect(text).toContain(here.folder);
  }
});

test("a reader of the journal keeps nothing from starting", async () => {
  const { path: file } = here;
  openJournal(file, 0).close();
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM journal").get();
  const journal = openJournal(file, 0);
  expect(journal.open()).toEqual({ kind: "open" });
  journal.append(0, ['{"n":1}']);
  journal.close();
  reader.close();
});

test("whoever locks the journal whole: it is not waited for, the screen says so, and the terminal goes on when it is free", async () => {
  const { path: file } = here;
  openJournal(file, 0).close();
  const holder = new DatabaseSync(file);
  holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE held (x);");
  const waits: unknown[] = [];
  const journal = openJournal(file, 0, "write", (name, mode) => {
    const database = openNodeDatabase(name, mode);
    waits.push(database.prepare("PRAGMA busy_timeout").get());
    return database;
  });
  // All of the program stands still for as long as SQLite waits.
  expect(new Set(waits.map((wait) => JSON.stringify(wait)))).toEqual(new Set(['{"timeout":500}']));
  expect(journal.open()).toMatchObject({ kind: "unavailable", error: expect.stringMatching(/locked/) });
  const till = await createRig({ journal });
  expect(till.screen()).toMatchObject({ kind: "blocked", why: "journal_unavailable" });
  const day = { from: "2026-11-20", to: "2026-11-20" };
  for (const command of [{ type: "get_books", ...day }, { type: "list_days" }] as const)
    expect(await till.terminal.dispatch(command)).toEqual({ ok: false, code: "failed" });
  holder.exec("ROLLBACK");
  holder.close();
  await till.clock.advance(60_000);
  expect(till.screen()).toMatchObject({ kind: "ready" });
});

test("two programs on one journal, as where somebody has removed the lock's file, do not both hand out, whatever answers", async () => {
  const { path: file } = here;
  const one = await createRig({ journal: openJournal(file, 0) });
  await leadToPayable(one, idNumber(1));
  const shared = { clock: one.clock, service: one.service, idsFrom: 500 };
  const two = await createRig({ ...shared, journal: openJournal(file, 0) });
  expect(two.screen().kind).toBe("payable");
  two.service.fault = () => "hang";
  for (const till of [two, one]) {
    await handOver(till);
    await one.clock.advance(10_000);
    await handOver(till);
  }
  expect([two.drawer.opens, one.drawer.opens]).toEqual([1, 0]);
  expect(one.snapshot().header.journalFailing).toBe(true);
  await one.terminal.close();
  await two.terminal.close();
  // The one that is left, or the next start, goes on where the other one was.
  const next = await createRig({ ...shared, journal: openJournal(file, 0) });
  expect([next.snapshot().header.journalFailing, next.snapshot().header.unfinished]).toEqual([false, 1]);
  await next.terminal.close();
});
