/** How units are gathered into batches: which go together, which one after the other, and how long one waits for its turn. */
import { expect, test } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import type { Clock } from "../../../backend/ports.ts";
import { createBatches, type Queued } from "../../../backend/store/postgres.ts";
import type { UnitOfWork } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const settings = { waitingMax: 100, connectTimeoutMs: 5_000 };

test.each([
  [7, 1],
  [8, 2],
])("%i units that come while a batch is under way make %i of them go at once", async (later, running) => {
  let [atOnce, most] = [0, 0];
  const release = Promise.withResolvers<void>();
  const writes = createBatches({
    clock: systemClock,
    settings,
    secondFrom: 8,
    async runBatch(batch) {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await release.promise;
      atOnce -= 1;
      for (const each of batch) each.resolve(null);
    },
  });
  const units = [writes.run(async () => null)];
  await expect.poll(() => most).toBe(1);
  for (let n = 0; n < later; n += 1) units.push(writes.run(async () => null));
  for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
  expect(atOnce).toBe(running);
  release.resolve();
  await Promise.all(units);
  await writes.close();
});

test("the first of a batch waits a moment for more; what came during the batch before goes at once", async () => {
  const clock = new VirtualClock();
  const batches: number[] = [];
  let release = Promise.withResolvers<void>();
  const writes = createBatches({
    clock,
    settings,
    ...{ secondFrom: 8, gatherMs: 4 },
    async runBatch(batch) {
      batches.push(batch.length);
      await release.promise;
      for (const each of batch) each.resolve(null);
    },
  });
  const write = () => writes.run(async () => null);
  const units = [write()];
  await clock.advance(3);
  units.push(write());
  expect(batches).toEqual([]);
  await clock.advance(1);
  expect(batches).toEqual([2]);
  units.push(write(), write());
  clock.jump(10);
  release.resolve();
  release = Promise.withResolvers();
  await expect.poll(() => batches).toEqual([2, 2]);
  release.resolve();
  await Promise.all(units);
  await writes.close();
});

test("the first waits for 31 more at the most, and those that come behind them for their own time", async () => {
  const clock = new VirtualClock();
  const batches: number[] = [];
  const writes = createBatches({
    clock,
    settings,
    ...{ secondFrom: 8, gatherMs: 4 },
    async runBatch(batch) {
      batches.push(batch.length);
      for (const each of batch) each.resolve(null);
    },
  });
  const write = () => writes.run(async () => null);
  const units = Array.from({ length: 31 }, write);
  await clock.advance(3);
  expect(batches).toEqual([]);
  units.push(write());
  await Promise.all(units);
  expect(batches).toEqual([32]);
  const next = write();
  await clock.advance(3);
  expect(batches).toEqual([32]);
  await clock.advance(1);
  expect(batches).toEqual([32, 1]);
  await next;
  await writes.close();
});

test("a batch goes by what its units are about, the same way in every process", async () => {
  const orders: unknown[][] = [];
  const writes = createBatches({
    clock: systemClock,
    settings,
    async runBatch(batch) {
      orders.push(await Promise.all(batch.map(({ unit }) => unit(null as never))));
      for (const each of batch) each.resolve(null);
    },
  });
  const run = (about: string | null) => writes.run(async () => about, about);
  await Promise.all(["3", "1", null, "2", null, "1"].map(run));
  // The second about the same waits for the first.
  expect(orders).toEqual([[null, null, "1", "2", "3"], ["1"]]);
  await writes.close();
});

/** Batches that end when they are told to, and by what their units are about. */
const heldBatches = (secondFrom: number) => {
  const clock = new VirtualClock();
  const batches: (string | null)[][] = [];
  const held: PromiseWithResolvers<void>[] = [];
  const abouts = new Map<UnitOfWork<unknown>, string | null>();
  const writes = createBatches({
    clock,
    settings: { waitingMax: 3, connectTimeoutMs: 5_000 },
    secondFrom,
    async runBatch(batch) {
      batches.push(batch.map(({ unit }) => abouts.get(unit) ?? null));
      const end = Promise.withResolvers<void>();
      held.push(end);
      await end.promise;
      for (const each of batch) each.resolve("done");
    },
  });
  const outcomes: unknown[] = [];
  const write = (about: string | null = null) => {
    const at = outcomes.push("waits") - 1;
    const unit: UnitOfWork<unknown> = async () => {};
    abouts.set(unit, about);
    writes.run(unit, about).then(
      (result) => {
        outcomes[at] = result;
      },
      (error) => {
        outcomes[at] = { code: error.code, after: error.extra.retryAfterSeconds, cause: error.cause?.message };
      },
    );
  };
  const turns = async () => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
  };
  const end = (at: number) => {
    held[at]?.resolve();
    return turns();
  };
  return { clock, batches, outcomes, write, turns, end, close: writes.close };
};

test("two batches go at once and no more, and one is closed when all are answered", async () => {
  const { batches, outcomes, write, turns, end, close } = heldBatches(1);
  for (const about of ["a", "b", "c"]) {
    write(about);
    await turns();
  }
  expect(batches).toEqual([["a"], ["b"]]);
  let isClosed = false;
  const closed = close().then(() => {
    isClosed = true;
  });
  await end(0);
  expect([batches, isClosed]).toEqual([[["a"], ["b"], ["c"]], false]);
  await end(1);
  expect([outcomes, isClosed]).toEqual([["done", "done", "waits"], false]);
  await end(2);
  await closed;
  expect(outcomes).toEqual(["done", "done", "done"]);
});

test("a batch takes two hundred units, and those behind them go beside it", async () => {
  const clock = new VirtualClock();
  const batches: number[] = [];
  const release = Promise.withResolvers<void>();
  const reads = createBatches({
    clock,
    settings: { waitingMax: 1_000, connectTimeoutMs: 5_000 },
    async runBatch(batch) {
      batches.push(batch.length);
      await release.promise;
      for (const each of batch) each.resolve(null);
    },
  });
  const units = Array.from({ length: 201 }, () => reads.run(async () => null));
  await expect.poll(() => batches).toEqual([200, 1]);
  release.resolve();
  await Promise.all(units);
  // Nobody waits any more, so nobody looks who waits too long.
  await clock.advance(5_000);
  expect(clock.timers).toBe(0);
  await reads.close();
});

test("a unit that ends after its batch, as it had to run alone, lets the next about the same withdrawal go", async () => {
  const taken: Queued[] = [];
  const writes = createBatches({
    clock: new VirtualClock(),
    settings,
    runBatch: async (batch) => void taken.push(...batch),
  });
  const [first, second] = [1, 2].map(() => writes.run(async () => null, "a"));
  await expect.poll(() => taken.length).toBe(1);
  taken[0]?.resolve("first");
  expect(await first).toBe("first");
  await expect.poll(() => taken.length).toBe(2);
  taken[1]?.resolve("second");
  expect(await second).toBe("second");
  await writes.close();
});

/** Batches whose first unit waits 4 ms, and what they ask of the clock. */
const gatheredBatches = () => {
  const clock = new VirtualClock();
  const asked: string[] = [];
  const batches: number[] = [];
  const release = Promise.withResolvers<void>();
  const seen: Clock = {
    now: () => clock.now(),
    after(ms, run) {
      if (ms < 5_000) asked.push(`after ${ms}`);
      return clock.after(ms, run);
    },
    soon(run) {
      asked.push("soon");
      clock.soon(run);
    },
  };
  const writes = createBatches({
    clock: seen,
    settings,
    gatherMs: 4,
    async runBatch(batch) {
      batches.push(batch.length);
      await release.promise;
      for (const each of batch) each.resolve(null);
    },
  });
  const write = () => writes.run(async () => null);
  return { clock, asked, batches, release, write, close: writes.close };
};

test("however many units come, one turn is planned for them", async () => {
  const { clock, asked, batches, release, write, close } = gatheredBatches();
  const units = [write(), write(), write()];
  expect(asked).toEqual(["after 4"]);
  units.push(...Array.from({ length: 31 }, write));
  expect(asked).toEqual(["after 4", "soon"]);
  await expect.poll(() => batches).toEqual([34]);
  expect(clock.timers).toBe(1);
  release.resolve();
  await Promise.all(units);
  await close();
});

test.each([
  ["has waited for a part of its time waits for the rest", 1, ["after 3"]],
  ["has waited for all of it goes at once", 4, ["soon"]],
  ["came at what was a later time by the clock goes at once", -3_600_000, ["soon"]],
])("behind two batches a unit that %s", async (_, passedMs, planned) => {
  const { clock, asked, batches, release, write, close } = gatheredBatches();
  const units: Promise<unknown>[] = [];
  for (const count of [1, 2]) {
    units.push(write());
    await clock.advance(4);
    expect(batches).toHaveLength(count);
  }
  units.push(write());
  asked.length = 0;
  clock.jump(passedMs);
  release.resolve();
  await Promise.all(units.slice(0, 2));
  expect(asked).toEqual(planned);
  await clock.advance(3);
  await Promise.all(units);
  await close();
});
const waitedTooLong = { code: "unavailable", cause: "waited too long for its turn" };

test("behind a batch that does not end a unit waits for five to ten seconds, and is unavailable", async () => {
  const { clock, outcomes, write, turns, end, close } = heldBatches(8);
  write();
  await turns();
  await clock.advance(1);
  write();
  await clock.advance(3_000);
  write();
  // Looked at every five seconds, since the first.
  await clock.advance(6_998);
  expect(outcomes).toEqual(["waits", "waits", "waits"]);
  await clock.advance(1);
  expect(outcomes).toEqual(["waits", waitedTooLong, waitedTooLong]);
  await end(0);
  expect(outcomes[0]).toBe("done");
  write();
  await turns();
  await end(1);
  await close();
  expect([outcomes[3], clock.timers]).toEqual(["done", 0]);
});

test("one that waited too long lets no other about the same withdrawal go beside the one under way", async () => {
  const { clock, batches, outcomes, write, turns, end, close } = heldBatches(1);
  write("a");
  await turns();
  write("a");
  await clock.advance(5_000);
  expect(outcomes).toEqual(["waits", waitedTooLong]);
  write("a");
  await turns();
  expect(batches).toEqual([["a"]]);
  await end(0);
  expect(batches).toEqual([["a"], ["a"]]);
  await end(1);
  await close();
});

test("more than may wait are refused at once, to come back in a second", async () => {
  const { outcomes, write, turns, end, close } = heldBatches(8);
  for (let n = 0; n < 4; n += 1) write();
  await turns();
  expect(outcomes).toEqual(["waits", "waits", "waits", { code: "unavailable", after: 1 }]);
  await end(0);
  await close();
  expect(outcomes.slice(0, 3)).toEqual(["done", "done", "done"]);
});
