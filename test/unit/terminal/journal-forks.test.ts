/** What no key can tell of a journal, the service can: a tail that was cut off, a copy put back, two that went on from one. */
import { copyFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openJournalKeys } from "../../../main/host/secrets.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import { flipKeyStore } from "../hosts/flip-key-store.ts";
import { problems } from "./books-stage.ts";
import { journalFolder } from "./journal-folder.ts";
import { tamperWith } from "./journal-stage.ts";
import { createRig, handOver, idNumber, leadToPayable, type Rig } from "./rig.ts";

const here = journalFolder();
const copy = (): string => join(here.folder, "copy.db");
const putAside = (): void => copyFileSync(here.path, copy());
const putBack = (): void => {
  copyFileSync(copy(), here.path);
  rmSync(`${here.path}-wal`, { force: true });
};

const sell = async (till: Rig, number: number): Promise<void> => {
  await leadToPayable(till, idNumber(number));
  await handOver(till);
  await till.clock.advance(10_000);
};

const life = async (before: Rig | null): Promise<Rig> => {
  const rest = before === null ? {} : { clock: before.clock, service: before.service, idsFrom: 500 };
  const till = await createRig({ journal: await here.open(), ...rest });
  await till.clock.advance(1_000);
  return till;
};

/** A life that sells what is numbered so, and ends. */
const sold = async (before: Rig, ...numbers: readonly number[]): Promise<Rig> => {
  const till = await life(before);
  for (const number of numbers) await sell(till, number);
  await till.terminal.close();
  return till;
};

/** A first life, and a copy of its journal. */
const begun = async (): Promise<Rig> => {
  const first = await life(null);
  await first.terminal.close();
  putAside();
  return first;
};

const reportsOfHeads = (till: Rig): number =>
  till.service.calls("journal-heads").filter(({ method }) => method === "POST").length;

/** The newest head is of the entry that says what became of the cash; behind it follows the answer's own. */
const expectReportedBeside = (till: Rig): void => {
  const { seq, head } = till.service.heads.at(-1) ?? { seq: 0, head: "" };
  expect(till.journal.readSlice(seq, 1).last?.hash).toBe(head);
  expect(seq).toBe((till.journal.head()?.sequence ?? 0) - 1);
};

test("a service that keeps no head beside a report is given it by a call of its own", async () => {
  const till = await life(null);
  till.service.keepsHeadsBeside = false;
  await sell(till, 1);
  expect(till.service.heads.at(-1)?.head).toBe(till.journal.head()?.hash);
  expect(reportsOfHeads(till)).toBe(2);
  await till.terminal.close();
});

const acknowledge = (till: Rig) =>
  till.terminal.dispatch({ type: "acknowledge_problem", withdrawalId: "journal", note: "support knows" });

test("the newest link goes to it at the start, with every report, and at least daily", async () => {
  const till = await life(null);
  expect(till.service.heads).toHaveLength(1);
  await sell(till, 1);
  expect(till.service.heads.length).toBe(2);
  expectReportedBeside(till);
  await leadToPayable(till, idNumber(2));
  await till.send({ type: "not_handed_out", reason: "customer_left" } as never);
  await till.clock.advance(10_000);
  expect(till.service.heads.length).toBe(3);
  expectReportedBeside(till);
  expect(reportsOfHeads(till)).toBe(1);
  for (let days = 1; days <= 3; days += 1) {
    const before = reportsOfHeads(till);
    await till.clock.advance(24 * 3_600_000);
    expect(reportsOfHeads(till)).toBeGreaterThan(before);
  }
  await till.terminal.close();
});

test.each<[string, () => void]>([
  ["an older copy put back", putBack],
  [
    "a tail that was cut off",
    () => {
      tamperWith(here.path, "DELETE FROM journal WHERE sequence > 6");
      rmSync(`${here.path}-wal`, { force: true });
    },
  ],
])("%s: sound by its key, another by the service; the manager sees it until it is acknowledged", async (_, change) => {
  const second = await sold(await begun(), 1, 2);
  change();
  const journal = await here.open();
  expect(journal.verify().damaged).toEqual([]);
  journal.close();

  const till = await life(second);
  await till.clock.advance(2_000);
  expect((await problems(till))[0]).toMatchObject({ kind: "journal", about: "journal_forked" });
  const health = await till.terminal.dispatch({ type: "check_journal" });
  expect(health).toMatchObject({ ok: true, data: { damaged: [], anchors: { compared: 3 } } });
  const { anchors } = (health as { data: { anchors: { missing: number[]; different: number[] } } }).data;
  expect(anchors.missing.length + anchors.different.length).toBeGreaterThan(0);
  await till.terminal.close();

  const later = await life(till);
  expect((await problems(later))[0]).toMatchObject({ kind: "journal" });
  expect(await acknowledge(later)).toEqual({ ok: true });
  await later.clock.advance(48 * 3_600_000);
  expect((await problems(later)).filter(({ kind }) => kind === "journal")).toEqual([]);
  await later.terminal.close();
});

test("a copy put back that goes on past what the service was told is no continuation: both sides say so", async () => {
  const second = await sold(await begun(), 1);
  const { service } = second;
  const told = service.heads.at(-1)?.seq ?? 0;
  putBack();

  service.fault = ({ path }) => (path.includes("journal-heads") ? "drop" : null);
  const till = await life(second);
  for (const number of [2, 3]) await sell(till, number);
  expect(till.journal.head()?.sequence).toBeGreaterThan(told);
  service.fault = () => null;
  await till.clock.advance(11 * 60_000);
  expect(await problems(till)).toMatchObject([{ kind: "journal", about: "journal_forked" }]);
  expect(service.forks).toEqual([{ seq: told, head: till.journal.linkOf(told) }]);
  await acknowledge(till);
  await sell(till, 4);
  expectReportedBeside(till);
  await till.terminal.close();

  const later = await life(till);
  await later.clock.advance(48 * 3_600_000);
  expect(await problems(later)).toEqual([]);
  expect(service.forks).toHaveLength(1);
  await later.terminal.close();
});

test("a copy put back after an earlier fork was acknowledged is a fork of its own", async () => {
  const second = await sold(await begun(), 1);
  const told = second.service.heads.at(-1)?.seq ?? 0;
  putBack();
  const third = await life(second);
  await acknowledge(third);
  await third.terminal.close();
  // Behind the service still, and said once.
  const fourth = await life(third);
  expect(await problems(fourth)).toEqual([]);
  await fourth.terminal.close();
  putAside();
  const fifth = await sold(fourth, 2, 3);
  expect(fifth.service.heads.at(-1)?.seq).toBeGreaterThan(told);
  putBack();
  const sixth = await life(fifth);
  expect(await problems(sixth)).toMatchObject([{ kind: "journal" }]);
  await sixth.terminal.close();
});

test("each change of who may do what is told at once, also one that comes while the head before it is under way", async () => {
  const till = await life(null);
  let left = 2;
  till.service.fault = ({ path, method }) => {
    if (path.includes("journal-heads") && method === "POST" && left-- > 0)
      till.terminal.record("person_removed", "C2", counterActor);
    return null;
  };
  till.terminal.record("person_added", "C2", counterActor);
  await till.clock.advance(1_000);
  expect(till.service.heads.at(-1)?.head).toBe(till.journal.head()?.hash);
  expect(till.service.heads).toHaveLength(4);
  await till.terminal.close();
});

test("a service that was put back is told the newest link again: a folder put back after it would pass for a continuation", async () => {
  const till = await life(null);
  await sell(till, 1);
  const { heads } = till.service;
  const told = heads.at(-1)?.seq ?? 0;
  heads.length = 0;
  const at = (ms: number): string => new Date(till.clock.now() - ms).toISOString();
  till.service.shop = { store_name: "Corner", restored_at: at(0), forgot_since: at(3_600_000), kept_head: null };
  await till.clock.advance(10 * 60_000);
  expect(heads.at(-1)?.seq).toBeGreaterThan(told);
  await till.terminal.close();
});

test("a head that a newer one of the same journal has overtaken on its way is no fork", async () => {
  const till = await life(null);
  const { heads } = till.service;
  let overtaken = false;
  till.service.fault = ({ path, method }) => {
    if (overtaken || method !== "POST" || !path.includes("journal-heads")) return null;
    overtaken = true;
    // What a report of cash takes along is there first.
    till.terminal.record("day_reprinted", "1", counterActor);
    const { sequence: seq = 0, hash: head = "" } = till.journal.head() ?? {};
    heads.push({ seq, head });
    return null;
  };
  till.terminal.record("manager_pin_set", "M1", counterActor);
  await till.clock.advance(60_000);
  expect(overtaken).toBe(true);
  expect(await problems(till)).toEqual([]);
  expect(heads.at(-1)?.head).toBe(till.journal.head()?.hash);
  await till.terminal.close();
});

test("two journals that go on from one copy beside each other: the one whose link is not the newest is told at its next start", async () => {
  const { clock, service } = await begun();
  const twin = mkdtempSync(join(tmpdir(), "journal-twin-"));
  onTestFinished(() => rmSync(twin, { recursive: true, force: true }));
  cpSync(here.folder, twin, { recursive: true });
  const keys = await openJournalKeys(twin, flipKeyStore);
  const journal = openJournal(join(twin, "journal.db"), 0, "write", openNodeDatabase, keys);
  const one = await createRig({ journal: await here.open(), clock, service, idsFrom: 500 });
  const other = await createRig({ journal, clock, service, idsFrom: 900 });
  await sell(one, 1);
  await sell(other, 2);
  const newest = service.heads.at(-1);
  expect([one, other].map((till) => till.journal.linkOf(newest?.seq ?? 0) === newest?.head)).toEqual([false, true]);
  await one.terminal.close();
  const again = await life(one);
  expect(await problems(again)).toMatchObject([{ kind: "journal", about: "journal_forked" }]);
  expect([await problems(other), service.forks.length]).toEqual([[], 1]);
  await Promise.all([again, other].map((till) => till.terminal.close()));
});

test("a service without the call is asked once a day, and nothing is said", async () => {
  const till = await createRig({ journal: await here.open() });
  till.service.extended = false;
  const before = till.service.calls("journal-heads").length;
  await till.clock.advance(72 * 3_600_000);
  expect(till.service.calls("journal-heads").length - before).toBe(3);
  expect(till.snapshot().header.problems).toBe(0);
  await till.terminal.close();
});
