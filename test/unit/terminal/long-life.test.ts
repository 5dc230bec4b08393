/** What only a terminal that runs for months meets: drivers that throw, amounts that change, sleep, disks that come back. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { spoil } from "./journal-folder.ts";
import { createRig, handOver, idNumber, leadToPayable, MemoryJournal, type Rig, type RigOptions } from "./rig.ts";

const id = idNumber(1);

const orderOf = (till: Rig) => {
  const order = till.service.orders.get(id);
  if (order === undefined) throw new Error("no order");
  return order;
};

const settled = async (options: RigOptions = {}): Promise<Rig & { journal: MemoryJournal }> => {
  const journal = new MemoryJournal();
  const till = await createRig({ ...options, journal });
  till.service.order({ transaction_id: id });
  await till.scan(id);
  await till.send({ type: "confirm" });
  orderOf(till).status = "settled";
  await till.clock.advance(1_500);
  expect(till.screen().kind).toBe("payable");
  return { ...till, journal };
};

describe("a drawer's driver", () => {
  test("that throws at once is one that may have opened: the cashier is asked", async () => {
    const till = await settled();
    till.drawer.open = () => {
      till.drawer.opens += 1;
      throw new Error("the driver is gone");
    };
    await till.send({ type: "hand_out" });
    await till.clock.advance(60_000);
    expect(till.screen()).toMatchObject({ kind: "opening", drawer: "unknown" });
    expect(till.drawer.opens).toBe(1);
  });

  test("that never answers is one that may have opened", async () => {
    const till = await settled();
    till.drawer.open = () => new Promise(() => {});
    await till.send({ type: "hand_out" });
    await till.clock.advance(60_000);
    expect(till.screen()).toMatchObject({ kind: "opening", drawer: "unknown" });
  });
});

describe("the amount after a restart", () => {
  test("is compared again: what the service changed is not handed out", async () => {
    const till = await settled();
    orderOf(till).amount = "5.00";
    const again = await createRig({ clock: till.clock, service: till.service, journal: till.journal, idsFrom: 100 });
    await again.clock.advance(5_000);
    expect(again.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
    expect(till.journal.entries.some(({ body }) => body.includes('"amount_changed"'))).toBe(true);
  });

  test("and where cash may have gone already, nothing is declared for the cashier", async () => {
    const till = await settled();
    till.drawer.open = () => new Promise(() => {});
    await till.send({ type: "hand_out" });
    orderOf(till).amount = "5.00";
    const again = await createRig({ clock: till.clock, service: till.service, journal: till.journal, idsFrom: 100 });
    await again.clock.advance(5_000);
    expect(again.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
    expect(till.journal.types()).not.toContain("not_handed_out");
    expect(till.journal.entries.some(({ body }) => body.includes('"amount_changed"'))).toBe(true);
  });
});

describe("a machine that slept", () => {
  test("asks about the payment on the screen before it is offered again", async () => {
    const till = await settled();
    // Another terminal with a copy of this journal has handed it out meanwhile.
    orderOf(till).status = "linked";
    const before = till.snapshots.length;
    await till.clock.sleep(8 * 3_600_000);
    await till.clock.advance(5_000);
    expect(till.snapshots.slice(before).some(({ screen }) => screen.kind === "payable")).toBe(false);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "handed_out_before" });
  });

  test("refuses the press that wakes it, and offers the cash once the service has said so again", async () => {
    const till = await settled();
    const step = till.screen().step;
    till.service.fault = () => "hang";
    const pressed = till.clock.sleep(8 * 3_600_000);
    expect(await till.terminal.dispatch({ type: "hand_out", step })).toEqual({ ok: false, code: "stale" });
    await pressed;
    expect(till.screen().kind).toBe("unknown");
    till.service.fault = () => null;
    await till.clock.advance(60_000);
    expect(till.screen().kind).toBe("payable");
  });

  test("takes the cash offer off the screen as soon as the host says that the machine woke", async () => {
    const till = await settled();
    till.service.fault = () => "hang";
    const slept = till.clock.sleep(8 * 3_600_000);
    expect(till.screen().kind).toBe("payable");
    till.terminal.wake();
    expect(till.screen().kind).toBe("unknown");
    await slept;
  });

  test("asks the service at once when the host says that it woke, before any timer fires", async () => {
    const till = await createRig();
    await till.clock.advance(1_000);
    const before = till.service.calls("").length;
    const slept = till.clock.sleep(3_600_000);
    till.terminal.wake();
    // Before the clock, whose timers are late by now, gets its turn.
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    expect(till.service.calls("").length).toBeGreaterThan(before);
    await slept;
  });

  test("looks an order that was being reviewed up again", async () => {
    const till = await createRig();
    till.service.order({ transaction_id: id, expires_at: null });
    await till.scan(id);
    expect(till.screen().kind).toBe("review");
    orderOf(till).status = "canceled";
    await till.clock.sleep(3_600_000);
    await till.clock.advance(1_000);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "canceled" });
  });

  test("counts the time asleep for the customer's approval", async () => {
    const till = await createRig();
    till.service.order({ transaction_id: id });
    await till.scan(id);
    await till.send({ type: "confirm" });
    await till.clock.sleep(120_000);
    await till.clock.advance(1_000);
    expect(orderOf(till).status).toBe("rejected");
  });
});

describe("a disk that is not there at the start, or not all of it", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "disk-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const large = 33 * 1024 * 1024;

  test.each([
    ["of a small size", 0],
    ["of a size that no start looks through", large],
  ])("a damaged page in a journal %s hides its own entries, and no payment that is open", async (_, bytes) => {
    const path = join(folder, "journal.db");
    const journal = openJournal(path, 0);
    const before = await createRig({ journal });
    const acts = Array.from({ length: 200 }, (_, number) => ({ type: "act", act: `${number}.act`, about: null }));
    journal.append(
      1,
      acts.map((act) => JSON.stringify(act)),
    );
    await leadToPayable(before, id);
    await before.terminal.close();
    spoil(path, "100.act", bytes);
    const { clock, service } = before;
    for (const start of [100, 200]) {
      const till = await createRig({ journal: openJournal(path, start), clock, service, idsFrom: start });
      await clock.advance(5_000);
      expect(till.screen()).toMatchObject({ kind: "payable", transactionId: id });
      expect(till.snapshot().header.damagedEntries).toBeGreaterThan(5);
      expect(till.snapshot().header.damagedEntries).toBeLessThan(40);
      await till.terminal.close();
    }
    expect(existsSync(`${path}.damaged-100`)).toBe(true);
  });

  test("a damaged page from before the last checkpoint is named by the manager's check, also where the service has a link of it", async () => {
    const path = join(folder, "journal.db");
    const journal = openJournal(path, 0);
    const before = await createRig({ journal });
    await leadToPayable(before, id);
    await handOver(before);
    await before.clock.advance(60_000);
    const reported = before.service.heads.map(({ seq }) => seq);
    journal.append(
      1,
      Array.from({ length: 200 }, () => JSON.stringify({ type: "act", act: "a", about: "x".repeat(50) })),
    );
    await before.terminal.close();
    const { clock, service } = before;
    const next = await createRig({ journal: openJournal(path, 0), clock, service, idsFrom: 100, checkpointEvery: 1 });
    await next.terminal.close();
    spoil(path, "confirm_intended", large);
    const till = await createRig({ journal: openJournal(path, 0), clock, service, idsFrom: 200 });
    expect(till.snapshot().header.damagedEntries).toBe(0);
    const check = till.terminal.dispatch({ type: "check_journal" });
    await clock.advance(1_000);
    const health = (await check) as { data: { damaged: { sequence: number }[]; anchors: object } };
    const hidden = health.data.damaged.map(({ sequence }) => sequence);
    expect(hidden.slice(0, 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(hidden.length).toBeLessThan(40);
    expect(health.data.anchors).toMatchObject({ missing: reported, different: [] });
    await till.terminal.close();
  });

  test("a journal that another program has locked is tried again until it opens, with all that is in it", async () => {
    const path = join(folder, "journal.db");
    const before = await createRig({ journal: openJournal(path, 0) });
    before.service.order({ transaction_id: id });
    await before.scan(id);
    await before.send({ type: "confirm" });
    await before.terminal.close();
    const lock = new DatabaseSync(path);
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    const till = await createRig({
      clock: before.clock,
      service: before.service,
      journal: openJournal(path, 0),
      idsFrom: 100,
    });
    expect(till.snapshot().header.journalFailing).toBe(true);
    expect(await till.scan(idNumber(2))).toMatchObject({ ok: false });
    lock.exec("ROLLBACK");
    lock.close();
    orderOf(before).status = "settled";
    await till.clock.advance(30_000);
    expect(till.snapshot().header.journalFailing).toBe(false);
    expect(till.screen().kind).toBe("payable");
    await till.terminal.close();
  });
});
