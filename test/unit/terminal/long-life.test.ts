/** What only a terminal that runs for months meets: drivers that throw, amounts that change, sleep, disks that come back. */
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { customerViewOf } from "../../../main/customer-display/customer-view.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { spoil } from "./journal-folder.ts";
import { ownFolder } from "./journal-stage.ts";
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

  test.each<[string, (till: Rig) => Promise<void>, string]>([
    ["before the hand-out", async () => undefined, "payable"],
    [
      "while the drawer did not open",
      async (till) => {
        till.drawer.open = async () => "failed";
        await till.send({ type: "hand_out" });
      },
      "opening",
    ],
    ["while the cash was counted", async (till) => void (await till.send({ type: "hand_out" })), "counting"],
  ])("asks who stands there now, and shows the customer's display no cash: %s", async (_, before, kind) => {
    const till = await settled();
    await before(till);
    await till.clock.advance(1_000);
    expect(till.screen()).toMatchObject({ kind, recovered: false });
    expect(customerViewOf(till.snapshot()).moment.kind).toBe("cash");
    await till.clock.sleep(8 * 3_600_000);
    await till.clock.advance(60_000);
    expect(till.screen()).toMatchObject({ kind, recovered: true });
    expect(customerViewOf(till.snapshot()).moment).toEqual({ kind: "cashier_asks" });
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
});

test.each<[string, "before" | "after", boolean, string]>([
  ["is paid like any other when it is confirmed once the disk has room", "before", false, "cash"],
  ["is asked about when its payment could not be written down in time", "after", true, "cashier_asks"],
])("a withdrawal with a full disk %s", async (_, when, recovered, shown) => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal });
  till.service.order({ transaction_id: id, sca_required: false });
  await till.scan(id);
  const waitForRoom = async (): Promise<void> => {
    await till.clock.advance(60_000);
    journal.full = false;
    await till.clock.advance(10_000);
  };
  journal.full = when === "before";
  expect((await till.send({ type: "confirm" })).ok).toBe(when === "after");
  if (when === "before") {
    await waitForRoom();
    await till.send({ type: "confirm" });
  }
  journal.full = when === "after";
  orderOf(till).status = "settled";
  await waitForRoom();
  expect(till.screen()).toMatchObject({ kind: "payable", recovered });
  expect(customerViewOf(till.snapshot()).moment.kind).toBe(shown);
});

describe("a disk that is not there at the start, or not all of it", () => {
  const here = ownFolder();
  const large = 33 * 1024 * 1024;

  test.each([
    ["of a small size", 0],
    ["of a size that no start looks through", large],
  ])("a damaged page in a journal %s hides its own entries, and no payment that is open", async (_, bytes) => {
    const { path } = here;
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
    const { path } = here;
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
});
