/** A journal outlives the programs that write it: older ones are upgraded with a copy, newer ones are left alone. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { problems } from "./books-stage.ts";
import { executeIn, ownFolder } from "./journal-stage.ts";
import { createRig, idNumber, leadToPayable, MemoryJournal, type Rig } from "./rig.ts";

const id = idNumber(1);

const paid = async (): Promise<{ till: Rig; journal: MemoryJournal }> => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal });
  await leadToPayable(till, id);
  await till.terminal.close();
  return { till, journal };
};
const next = ({ till, journal }: { till: Rig; journal: MemoryJournal }): Promise<Rig> =>
  createRig({ clock: till.clock, service: till.service, journal, idsFrom: 500 });

describe("an entry that this version does not know", () => {
  test.each([
    ["about the payment", (of: unknown) => ({ type: "handed_out_by_robot", withdrawal: of })],
    ["in another form", (of: { withdrawalId: string }) => ({ type: "robot", about: [of.withdrawalId] })],
  ])("%s: the payment is not offered, a manager says what became of it", async (_, entry) => {
    const before = await paid();
    const settled = before.journal.entries.find(({ body }) => body.includes('"settled"'));
    const { of } = JSON.parse(settled?.body ?? "{}") as { of: { withdrawalId: string } };
    before.journal.append(before.till.clock.now(), [JSON.stringify(entry(of))]);
    const till = await next(before);
    await till.clock.advance(30 * 60_000);
    expect(till.screen().kind).toBe("unknown");
    expect(till.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
    await till.send({ type: "dismiss" });
    expect(await problems(till)).toMatchObject([
      { kind: "open", decisions: ["handed_out", "not_handed_out", "leave_to_books"] },
    ]);
  });

  test("leaves other payments as they are", async () => {
    const before = await paid();
    before.journal.append(before.till.clock.now(), [JSON.stringify({ type: "robot", about: ["W999999"] })]);
    const till = await next(before);
    await till.clock.advance(5_000);
    expect(till.screen().kind).toBe("payable");
  });
});

test.each(["hash", "unreadable"] as const)(
  "a damaged entry (%s) behind a payment may have been its hand-out",
  async (why) => {
    const before = await paid();
    const last = before.journal.entries.length;
    before.journal.damaged.push({ sequence: last + 1, why: why as "hash" });
    const till = await next(before);
    await till.clock.advance(5_000);
    expect(till.screen().kind).toBe("unknown");
    expect(till.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
    await till.terminal.close();
    before.journal.damaged.splice(0, 1, { sequence: 1, why: "hash" });
    const again = await next(before);
    await again.clock.advance(5_000);
    expect(again.screen().kind).toBe("payable");
  },
);

describe("the journal's file", () => {
  const here = ownFolder();
  const setVersion = (version: number): void =>
    executeIn(here.path, `PRAGMA user_version = ${version}; PRAGMA wal_checkpoint(TRUNCATE)`);
  const fill = (): void => {
    const journal = openJournal(here.path, 0);
    journal.append(1, ['{"type":"installed","tag":"0000aaaa"}']);
    journal.close();
  };

  test("of an earlier version again, after a way back to it: the copy is what the journal was then", () => {
    fill();
    setVersion(3);
    openJournal(here.path, 5).close();
    for (const format of [5, 6, 7]) writeFileSync(`${here.path}.format-${format}`, "");
    const further = openJournal(here.path, 6);
    further.append(2, ['{"type":"installed","tag":"0000bbbb"}']);
    further.close();
    setVersion(3);
    const second = readFileSync(here.path);
    openJournal(here.path, 7).close();
    expect(readFileSync(`${here.path}.format-3`)).toEqual(second);
  });

  test("is not upgraded while a reader keeps its last entries out of a copy", () => {
    fill();
    setVersion(3);
    const reader = new DatabaseSync(here.path);
    reader.exec("BEGIN; SELECT * FROM journal");
    const writer = new DatabaseSync(here.path);
    writer.exec("INSERT INTO journal VALUES (2, 1, '{}', '', '')");
    const journal = openJournal(here.path, 5);
    expect(journal.open()).toMatchObject({ kind: "unavailable", error: expect.stringMatching(/no copy/) });
    reader.exec("COMMIT");
    expect(journal.open()).toEqual({ kind: "open" });
    const copy = new DatabaseSync(`${here.path}.format-3`);
    expect(copy.prepare("SELECT count(*) AS entries FROM journal").get()).toEqual({ entries: 2 });
    for (const each of [reader, writer, copy, journal]) each.close();
  });

  test("of a new installation has nothing to copy", () => {
    fill();
    expect(existsSync(`${here.path}.format-1`)).toBe(false);
  });

  test("of a newer version is refused, untouched, and the terminal says so", async () => {
    fill();
    setVersion(99);
    const bytes = readFileSync(here.path);
    const till = await createRig({ journal: openJournal(here.path, 7) });
    await till.clock.advance(60_000);
    expect(till.screen()).toMatchObject({ kind: "blocked", why: "journal_newer" });
    expect(await till.scan(id)).toMatchObject({ ok: false });
    await till.terminal.close();
    expect(readFileSync(here.path)).toEqual(bytes);
    expect(existsSync(`${here.path}.damaged-7`)).toBe(false);
  });
});

test("settings that could not be read are shown until some are saved", async () => {
  const till = await createRig({ wrongSettings: ["camera.deviceId"] });
  expect(till.snapshot().header.wrongSettings).toEqual(["camera.deviceId"]);
  await till.terminal.dispatch({ type: "change_settings", settings: till.snapshot().settings });
  expect(till.snapshot().header.wrongSettings).toEqual([]);
});
