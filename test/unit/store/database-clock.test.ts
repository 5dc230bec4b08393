/** The database's time as one process knows it: by its quickest readings, and by its own monotonic clock in between. */
import { expect, test } from "vitest";
import { createDatabaseClock } from "../../../backend/store/database-clock.ts";
import type { Store } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const turns = async (): Promise<void> => {
  for (let n = 0; n < 4; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A database whose answer takes `tripsMs`, all of it on the way back: the middle of the way is as wrong as it can be. */
const stage = (tripsMs: readonly number[]) => {
  const machine = new VirtualClock(0);
  const database = { aheadMs: 0, isAway: false, reads: 0, statement: "" };
  const next = { tripMs: tripsMs.at(-1) ?? 0 };
  const reading: Pick<Store, "read"> = {
    async read(unit) {
      database.reads += 1;
      if (database.isAway) throw new Error("away");
      const steps = unit();
      const asked = steps.next();
      if (!asked.done && asked.value.kind === "query") database.statement = asked.value.sql("postgres").text;
      const now = machine.now() + database.aheadMs;
      machine.jump(tripsMs[database.reads - 1] ?? next.tripMs);
      const answered = steps.next({ rows: [{ now }], changes: 0 });
      if (!answered.done) throw new Error("one statement was expected");
      return answered.value;
    },
  };
  // The monotonic clock began long before the calendar.
  const elapsedMs = () => machine.now() + 1_000_000;
  const open = () => createDatabaseClock(reading as Store, machine, elapsedMs);
  return { machine, database, next, open };
};

test("the quickest of five readings counts, by the middle of its way", async () => {
  const { machine, database, open } = stage([400, 2, 300, 200, 100]);
  database.aheadMs = 60_000;
  const clock = await open();
  expect([database.reads, clock.calendar() - machine.now()]).toEqual([5, 60_000 - 1]);
  expect(database.statement).toMatch(/clock_timestamp\(\)\) \* 1000 as bigint\) as "now"$/);
  machine.jump(70);
  expect(clock.calendar() - machine.now()).toBe(59_999);
  expect(clock.now()).toBe(clock.calendar());
  clock.stop();
});

test("it is read again every five seconds, and followed, until it is stopped", async () => {
  const { machine, database, open } = stage([2]);
  const clock = await open();
  await machine.advance(4_999, turns);
  expect([database.reads, machine.timers]).toEqual([5, 1]);
  database.aheadMs = 700;
  await machine.advance(1, turns);
  expect([database.reads, clock.calendar() - machine.now()]).toEqual([6, 699]);
  clock.stop();
  expect(machine.timers).toBe(0);
});

test("a stop while it is read sets no other timer", async () => {
  const { machine, open } = stage([2]);
  const clock = await open();
  await machine.advance(5_000, async () => clock.stop());
  await turns();
  expect(machine.timers).toBe(0);
});

test("a reading of more than half a second does not move it, one of half a second does", async () => {
  const { machine, database, next, open } = stage([2, 2, 2, 2, 2]);
  const clock = await open();
  [next.tripMs, database.aheadMs] = [501, 700];
  await machine.advance(5_000, turns);
  expect(clock.calendar() - machine.now()).toBe(-1);
  next.tripMs = 500;
  await machine.advance(5_000, turns);
  expect(clock.calendar() - machine.now()).toBe(450);
  clock.stop();
});

test("one that began with slow readings takes one that is no slower", async () => {
  const { machine, database, next, open } = stage([4_000]);
  const clock = await open();
  expect(clock.calendar() - machine.now()).toBe(-2_000);
  [next.tripMs, database.aheadMs] = [4_000, 5_000];
  await machine.advance(5_000, turns);
  expect(clock.calendar() - machine.now()).toBe(3_000);
  clock.stop();
});

test("a database that does not answer leaves it going on, and is asked again; one that is away at the start is an error", async () => {
  const { machine, database, open } = stage([2]);
  const clock = await open();
  database.isAway = true;
  await machine.advance(5_000, turns);
  expect([database.reads, clock.calendar() - machine.now()]).toEqual([6, -1]);
  database.isAway = false;
  await machine.advance(5_000, turns);
  expect(database.reads).toBe(7);
  clock.stop();
  database.isAway = true;
  await expect(open()).rejects.toThrow("away");
});

test("timers are the machine's, and a database's time that is set back stops this one's, and no more", async () => {
  const { machine, database, open } = stage([2]);
  const clock = await open();
  let ran = 0;
  const count = () => {
    ran += 1;
  };
  clock.after(10, count)();
  clock.after(10, count);
  clock.soon(count);
  await machine.advance(10, turns);
  expect(ran).toBe(2);
  const before = clock.now();
  database.aheadMs = -60_000;
  await machine.advance(5_000, turns);
  expect(clock.calendar()).toBeLessThan(before);
  expect(clock.now()).toBeGreaterThanOrEqual(before);
  clock.stop();
});
