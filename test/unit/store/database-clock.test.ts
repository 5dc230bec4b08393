/** The database's time as one process knows it: by its quickest readings, and by its own monotonic clock in between. */

import { expect, test } from "vitest";
import type { Clock, Log } from "../../../backend/ports.ts";
import { createDatabaseClock } from "../../../backend/store/database-clock.ts";
import type { Query, Store, Tx } from "../../../backend/store/store.ts";
import { scriptedTx } from "../../service/test-tx.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const turns = async (): Promise<void> => {
  for (let n = 0; n < 4; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A database whose answer takes `tripsMs`, all of it on the way back: the middle of the way is as wrong as it can be. */
const stage = (tripsMs: readonly number[]) => {
  const machine = new VirtualClock(1_000_000);
  const database = {
    aheadMs: 0,
    isAway: false,
    reads: 0,
    statement: "",
    /** The row in which the latest time and the number of steps back are kept; null before it is there. */
    row: null as { latest: number; steps: number } | null,
    refusals: 0,
    checked: [] as readonly unknown[],
    isShared: false,
    ended: [] as number[],
    /** How often there is more to end. */
    more: 0,
    locks: 0,
    onLock: () => {},
    warned: [] as object[],
  };
  const next = { tripMs: tripsMs.at(-1) ?? 0 };
  /** Answers every question for the time, and lets a check of it pass. */
  const check = (query: Query<unknown>): Promise<number> => {
    database.checked = query.sql("postgres").values;
    database.isShared = query.isShared === true;
    if (database.refusals === 0) return Promise.resolve(1);
    database.refusals -= 1;
    throw Object.assign(new Error("division by zero"), { code: "22012" });
  };
  const answer = (query: Query<unknown>): readonly unknown[] => {
    const { text, values } = query.sql("postgres");
    const [first, second] = values.map(Number) as [number, number];
    if (text.startsWith("insert")) {
      const [latest = 0, steps = Number.NaN] = String(values[1]).split(" ").map(Number);
      database.row = { latest, steps };
    } else if (text.includes("+ 1")) database.row = { latest: first, steps: (database.row?.steps ?? 0) + 1 };
    if (!/as "now"/.test(text)) return [];
    database.reads += 1;
    if (database.isAway) throw new Error("away");
    database.statement = text;
    if (text.endsWith("for update")) {
      database.locks += 1;
      database.onLock();
    }
    const now = machine.now() + database.aheadMs;
    const { row } = database;
    if (row !== null && text.includes("greatest"))
      row.latest = Math.max(row.latest, now, first === row.steps ? second : 0);
    machine.jump(tripsMs[database.reads - 1] ?? next.tripMs);
    return [{ now, ...row }];
  };
  const drive: Store["write"] = (unit) => unit({ ...scriptedTx(answer), runUnawaited: check });
  const store = { read: drive, write: drive };
  // The monotonic clock began long before the calendar.
  const elapsedMs = () => machine.now() + 1_000_000;
  const endUncertain = async (tx: Tx, now: number) => {
    database.ended.push(now);
    tx.changed("one");
    database.more -= 1;
    return database.more < 0;
  };
  const log = { warn: (fields: object) => void database.warned.push(fields) } as unknown as Log;
  const open = () => createDatabaseClock(store as Store, machine, elapsedMs, endUncertain, log);
  return { machine, database, next, open };
};

const now =
  (clock: Clock) =>
  async (tx: Tx): Promise<number> => {
    tx.changed("one");
    return clock.now();
  };

test("the quickest of five readings counts, by the middle of its way", async () => {
  const { machine, database, open } = stage([400, 2, 300, 200, 100]);
  database.aheadMs = 60_000;
  const clock = await open();
  expect([database.reads, clock.calendar() - machine.now()]).toEqual([6, 60_000 - 1]);
  expect(database.statement).toMatch(/clock_timestamp\(\)\) \* 1000 as bigint\) as "now"/);
  machine.jump(70);
  expect(clock.calendar() - machine.now()).toBe(59_999);
  expect(clock.now()).toBe(clock.calendar());
  clock.stop();
});

test("it is read again every two seconds, and followed, until it is stopped", async () => {
  const { machine, database, open } = stage([2]);
  const clock = await open();
  await machine.advance(1_999, turns);
  expect([database.reads, machine.timers]).toEqual([6, 1]);
  database.aheadMs = 700;
  await machine.advance(1, turns);
  expect([database.reads, clock.calendar() - machine.now()]).toEqual([7, 699]);
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
  // Not by chance: no way back explains it.
  [next.tripMs, database.aheadMs] = [3_000, 10_000];
  await machine.advance(5_000, turns);
  expect(clock.calendar() - machine.now()).toBe(8_500);
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
  await machine.advance(2_000, turns);
  expect([database.reads, clock.calendar() - machine.now()]).toEqual([7, -1]);
  database.isAway = false;
  await machine.advance(2_000, turns);
  expect(database.reads).toBe(8);
  clock.stop();
  database.isAway = true;
  await expect(open()).rejects.toThrow("away");
});

test("timers are the machine's, and time runs back with the database's", async () => {
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
  database.aheadMs = -600;
  await machine.advance(2_000, turns);
  const before = clock.now();
  expect(clock.calendar()).toBeLessThanOrEqual(before);
  database.aheadMs = -1_500;
  await machine.advance(2_000, turns);
  database.aheadMs = -61_500;
  const late = clock.now();
  await machine.advance(2_000, turns);
  expect([clock.calendar(), clock.now()]).toEqual([machine.now() - 61_501, machine.now() - 61_501]);
  expect(clock.now()).toBeLessThan(late);
  clock.stop();
});

test.each([
  ["less than a second is waited out", 999, 0],
  ["a second is followed", 1_000, 1_000],
])("a step back of %s", async (_, backMs, byMs) => {
  const { database, open } = stage([0]);
  const clock = await open();
  const before = clock.now();
  database.aheadMs = -backMs;
  database.refusals = 1;
  await clock.checkedStore.write(now(clock));
  expect([before - clock.calendar(), before - clock.now()]).toEqual([backMs, byMs]);
  clock.stop();
});

test("a write whose time is wrong is run again once the time is right, and given up after five", async () => {
  const { database, open } = stage([2]);
  const clock = await open();
  database.aheadMs = 70_000;
  database.refusals = 1;
  expect(await clock.checkedStore.write(now(clock))).toBe(clock.now());
  expect(Math.abs(clock.now() - (database.row?.latest ?? 0))).toBeLessThan(100);
  database.refusals = 5;
  await expect(clock.checkedStore.write(now(clock))).rejects.toMatchObject({ code: "22012" });
  expect(database.refusals).toBe(0);
  clock.stop();
});

test("a write's time may be five seconds behind the database's and one before it, which may be one behind its latest", async () => {
  const { database, open } = stage([2]);
  const clock = await open();
  const at = await clock.checkedStore.write(now(clock));
  expect(database.checked.filter((value) => typeof value === "number")).toEqual([at, 5_000, 1_000, 1_000]);
  // Asked once for all that share a commit.
  expect(database.isShared).toBe(true);
  clock.stop();
});

test("a step back is seen by whoever reads or writes next, and ends once what is uncertain", async () => {
  const { machine, database, open } = stage([2]);
  const clock = await open();
  database.aheadMs = -60_000;
  await machine.advance(2_000, turns);
  expect(database.ended).toHaveLength(1);
  await machine.advance(4_000, turns);
  expect(database.ended).toHaveLength(1);
  database.aheadMs = -65_000;
  database.refusals = 1;
  await clock.checkedStore.write(now(clock));
  expect(database.ended).toHaveLength(2);
  clock.stop();
});

test.each<[string, number, number, (database: ReturnType<typeof stage>["database"]) => void]>([
  ["a second ends nothing", 1_000, 0, () => {}],
  ["more ends what is uncertain", 1_001, 1, () => {}],
  [
    "more, by a commit at a time, ends it in as many as it takes",
    60_000,
    3,
    (database) => {
      database.more = 2;
    },
  ],
  [
    "more ends nothing where it is a second by the time of the lock",
    1_001,
    0,
    (database) => {
      database.onLock = () => {
        database.aheadMs += 1;
      };
    },
  ],
  [
    "more ends nothing where another process was faster",
    60_000,
    0,
    (database) => {
      database.onLock = () => {
        database.row = { latest: 0, steps: 1 };
      };
    },
  ],
])("a step back of %s", async (_, backMs, times, before) => {
  const { database, open } = stage([0]);
  const clock = await open();
  before(database);
  database.aheadMs = -backMs;
  database.refusals = 1;
  await clock.checkedStore.write(now(clock));
  expect([database.ended.length, database.more < 0 || times === 0]).toEqual([times, true]);
  const looks = backMs > 1_000 ? Math.max(1, times) : 0;
  expect([database.locks, database.warned]).toEqual([looks, looks === 0 ? [] : [{ back_ms: backMs }]]);
  clock.stop();
});

test.each<[string, readonly number[], number]>([
  ["by a second and what two machines may differ by is none", [1_020], 0],
  ["by more is a step back", [1_021], 1],
  ["a little twice is a step back of both", [600, 600], 1],
  ["after a step back, once that has passed, is another one", [60_000, 0, 1_021], 2],
  ["by as much as two machines may differ is none, however long", Array(120).fill(20), 0],
])("a clock that falls behind in two seconds %s", async (_, losses, times) => {
  const { machine, database, open } = stage([0]);
  const clock = await open();
  for (const lostMs of losses) {
    database.aheadMs -= lostMs;
    await machine.advance(2_000, turns);
  }
  expect(database.ended).toHaveLength(times);
  clock.stop();
});

test("what one process has seen pass before another's step back says nothing of the time after it", async () => {
  const { machine, database, open } = stage([0]);
  const clock = await open();
  await machine.advance(4_000, turns);
  database.aheadMs = -60_000;
  database.row = { latest: machine.now() - 60_000, steps: 1 };
  await machine.advance(2_000, turns);
  expect(database.ended).toEqual([]);
  clock.stop();
});

test.each([
  [950, -50],
  [951, 651],
])(
  "a slow reading that is %d ms ahead leaves it at %d: the ways explain no more than both take",
  async (aheadMs, at) => {
    const { machine, database, next, open } = stage([100]);
    const clock = await open();
    [next.tripMs, database.aheadMs] = [600, aheadMs];
    await machine.advance(2_000, turns);
    expect(clock.calendar() - machine.now()).toBe(at);
    clock.stop();
  },
);

test("each time that is found wrong is corrected anew", async () => {
  const { machine, database, open } = stage([0]);
  const clock = await open();
  for (const aheadMs of [70_000, 150_000]) {
    [database.aheadMs, database.refusals] = [aheadMs, 1];
    expect(await clock.checkedStore.write(now(clock))).toBe(machine.now() + aheadMs);
  }
  clock.stop();
});

test.each([new Error("no"), Object.assign(new Error("no"), { code: "22000" }), { code: "22012" }])(
  "what the unit throws itself, as %j, is no wrong time",
  async (thrown) => {
    const { open } = stage([0]);
    const clock = await open();
    let tried = 0;
    const unit = clock.checkedStore.write(async () => {
      tried += 1;
      throw thrown;
    });
    await expect(unit).rejects.toBe(thrown);
    expect(tried).toBe(1);
    clock.stop();
  },
);
