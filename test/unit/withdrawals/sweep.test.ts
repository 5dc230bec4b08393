/** The sweep of deadlines: it looks before it writes, goes on while there is more, and rests after a failure. */

import { expect, test } from "vitest";
import { createWatermark } from "../../../backend/background.ts";
import { defaultOptions, type Service } from "../../../backend/context.ts";
import { adhoc, type Query } from "../../../backend/store/store.ts";
import { oneOrArchived } from "../../../backend/withdrawals/closed.ts";
import { dueWithdrawals, futureExpiries, type Row } from "../../../backend/withdrawals/store.ts";
import { startSweeper, sweep } from "../../../backend/withdrawals/sweep.ts";
import { scriptedTx } from "../../service/test-tx.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { Counted } from "../../service/world.ts";
import { id, nowMs, secondId, withdrawalStage } from "./stage.ts";

const turns = async (): Promise<void> => {
  for (let n = 0; n < 8; n += 1) await new Promise((resolve) => setImmediate(resolve));
};
const expired = rowWith({ status: "expired", reason: "order_expired" });
const pageMax = 500;

/** A store that has so many rows due: of each write the next number, and nothing when they are used up. */
const stage = (...counts: readonly number[]) => {
  const clock = new VirtualClock();
  const counted = new Counted();
  const asked = { reads: 0, writes: 0, from: 0, dueBefore: 0, isAway: false, isHeld: false, owns: true, errors: 0 };
  const left = [...counts];
  const store = {
    async read(unit: Parameters<Service["store"]["read"]>[0]) {
      asked.reads += 1;
      if (asked.isAway) throw new Error("away");
      const look = (query: Query<unknown>) => {
        const values = query.sql("sqlite").values.map(Number);
        // As of what was asked for: then its deadline is 15 s later.
        [asked.from, asked.dueBefore] =
          query.name === "expire_all" ? [0, values[0] ?? 0] : [(values[0] ?? 0) + 15_000, values[2] ?? 0];
        return [];
      };
      await unit(scriptedTx(look));
      const [next] = left;
      return Array.from({ length: next === undefined ? 0 : Math.max(1, next) }, () => ({ id: expired.id }));
    },
    async write() {
      asked.writes += 1;
      const count = left.shift() ?? 0;
      return Array.from({ length: asked.isHeld ? 0 : count }, () => expired);
    },
  };
  const fail = (): void => {
    asked.errors += 1;
  };
  const service = {
    ...{ store, clock, telemetry: counted, statusEvents: { wake() {} }, options: { pollMs: 250 } },
    ...{ owns: (work: string) => work !== "sweep" || asked.owns, log: { error: fail } },
  } as unknown as Service;
  return { clock, counted, asked, service };
};

test.each([
  [[], 0, false],
  [[0], 1, false],
  [[3], 1, false],
  [[pageMax, 0], 2, false],
  [[pageMax, pageMax, 1], 3, false],
  [Array.from({ length: 30 }, () => pageMax), 20, true],
])("with %j due it writes %d times, and says whether there may be more: %s", async (counts, writes, more) => {
  const { service, asked, counted } = stage(...counts);
  expect([await sweep(service), asked.writes]).toEqual([more, writes]);
  const written = counts.slice(0, writes).reduce((sum, count) => sum + count, 0);
  expect(counted.transitions).toEqual(Array.from({ length: written }, () => "ready>expired"));
});

test("what another process holds is left to the next sweep, however much it is", async () => {
  const { service, asked } = stage(pageMax, pageMax);
  asked.isHeld = true;
  expect([await sweep(service), asked.writes]).toEqual([false, 1]);
});

test("what another process of the fleet sweeps is left to it for five seconds", async () => {
  const { service, asked, clock } = stage();
  await sweep(service);
  expect(asked.dueBefore).toBe(clock.now());
  asked.owns = false;
  await sweep(service);
  expect(asked.dueBefore).toBe(clock.now() - 5_000);
});

test("what was left to it is looked at again by whoever takes its place", async () => {
  const { service, asked, clock } = stage();
  const looks = createWatermark(100);
  asked.owns = false;
  await sweep(service, looks);
  asked.owns = true;
  clock.jump(250);
  await sweep(service, looks);
  expect(asked.from).toBe(clock.now() - 250 - 5_000 - 100);
});

test("whoever has no sweep of its own looks every five seconds, after a failure too", async () => {
  const { service, asked, clock } = stage();
  asked.owns = false;
  const sweeper = startSweeper(service);
  await turns();
  for (const reads of [1, 2, 3]) {
    expect(asked.reads).toBe(reads);
    asked.isAway = reads === 1;
    await clock.advance(4_999, turns);
    expect(asked.reads).toBe(reads);
    await clock.advance(1, turns);
  }
  expect([asked.reads, asked.errors]).toEqual([4, 1]);
  await sweeper.stop();
});

test("time that ran back is read from the beginning, however little, and on from there", () => {
  const looks = createWatermark(1_000);
  const look = (now: number): number => {
    const from = looks.from(now);
    looks.passed(now);
    return from;
  };
  expect([10_000, 10_250, 10_249, 10_499, 5_000, 5_250].map(look)).toEqual([0, 9_000, 0, 9_249, 0, 4_000]);
  // A clock that was an hour ahead and is right again.
  expect([3_600_000, 3_600_250, 6_000, 6_250].map(look)).toEqual([0, 3_599_000, 0, 5_000]);
});

test("a look from the beginning that failed stops none of those that go on, and is tried again in a minute", () => {
  const looks = createWatermark(1_000);
  expect(looks.from(10_000)).toBe(0);
  looks.passed(10_000);
  expect(looks.from(70_000)).toBe(0);
  expect(looks.from(72_000)).toBe(9_000);
  looks.passed(72_000);
  expect(looks.from(72_250)).toBe(71_000);
  expect(looks.from(130_000)).toBe(0);
  // The first one is tried until it succeeds: nothing is known to have been dealt with.
  const fresh = createWatermark(1_000);
  expect([10_000, 10_250, 12_000].map(fresh.from)).toEqual([0, 0, 0]);
});

test("it goes on from where it stopped, and from the beginning every minute", async () => {
  const { service, asked, clock } = stage();
  const sweeper = startSweeper(service);
  const fromAfter = async (ms: number) => {
    await clock.advance(ms, turns);
    return asked.from === 0 ? 0 : clock.now() - asked.from;
  };
  await turns();
  expect(await fromAfter(0)).toBe(0);
  expect(await fromAfter(250)).toBe(350);
  await clock.advance(59_500, turns);
  expect(await fromAfter(250)).toBe(0);
  expect(await fromAfter(250)).toBe(350);
  // What a look that failed should have read, the next one reads.
  asked.isAway = true;
  await clock.advance(250, turns);
  asked.isAway = false;
  expect(await fromAfter(2_000)).toBe(2_350);
  await sweeper.stop();
});

test("it looks every quarter of a second, at once while there is more, and two seconds after a failure", async () => {
  const { service, asked, clock } = stage(...Array.from({ length: 25 }, () => pageMax));
  const sweeper = startSweeper(service);
  await turns();
  expect([asked.reads, asked.writes]).toEqual([20, 20]);
  await clock.advance(0, turns);
  expect([asked.reads, asked.writes]).toEqual([26, 25]);
  await clock.advance(249, turns);
  expect(asked.reads).toBe(26);
  asked.isAway = true;
  await clock.advance(1, turns);
  await clock.advance(1_999, turns);
  expect([asked.reads, asked.errors]).toEqual([27, 1]);
  asked.isAway = false;
  await clock.advance(1, turns);
  await clock.advance(250, turns);
  expect(asked.reads).toBe(29);
  await sweeper.stop();
  expect(clock.timers).toBe(0);
});

test("stopped while it sweeps, it ends after that sweep and begins no other", async () => {
  const { service, asked, clock } = stage(1, 1);
  const sweeper = startSweeper(service);
  await sweeper.stop();
  await clock.advance(10_000, turns);
  expect([asked.reads, asked.writes, clock.timers]).toEqual([1, 1, 0]);
});

const real = withdrawalStage();
test("a look from the beginning finds what was written with another time to live, and later ones leave it", async () => {
  const looks = createWatermark(100);
  const of = { status: "ready", created_at: nowMs, confirmed_at: null, settled_at: null } as const;
  await real.put({ ...of, id, deadline_at: nowMs });
  await sweep(real.service, looks);
  await real.put({ ...of, id: secondId, deadline_at: nowMs });
  await sweep(real.service, looks);
  expect(real.counted.transitions).toEqual(["ready>expired"]);
  expect(await real.rows("withdrawals")).toMatchObject([{ id: secondId, status: "ready" }]);
});

test("where nothing is due any more when it is held, nothing is written: PostgreSQL takes no empty list", async () => {
  await real.put({ status: "ready", deadline_at: nowMs + 1 });
  const names = await real.namesOf(async (service) => {
    const read = async () => [{ id }];
    expect(await sweep({ ...service, store: { ...service.store, read } as unknown as Service["store"] })).toBe(false);
  });
  // The one that looks which of them are due.
  expect([names, real.counted.transitions]).toEqual([[null], []]);
});

test("what its bank has secured between the look and the write is not ended", async () => {
  const [late, secured] = [{ status: "requested", deadline_at: nowMs, confirmed_at: null, settled_at: null }, secondId];
  await real.put({ ...late, id } as Partial<Row>, { ...late, id: secured } as Partial<Row>);
  const read = async (unit: Parameters<Service["store"]["read"]>[0]): Promise<unknown> => {
    const found = await real.store.read(unit);
    const values = { status: "ready", deadline_at: nowMs + 1 } as const;
    await real.store.write((tx) =>
      tx.run(adhoc((db) => db.updateTable("withdrawals").set(values).where("id", "=", secured))),
    );
    return found;
  };
  expect(await sweep({ ...real.service, store: { ...real.store, read } as Service["store"] })).toBe(false);
  const statuses = await Promise.all(
    [id, secured].map(async (of) => (await real.store.read((tx) => oneOrArchived(tx, of, 1_000)))?.status),
  );
  expect(statuses).toEqual(["declined", "ready"]);
});

test.each([
  ["from the beginning", () => dueWithdrawals(defaultOptions, { from: 0, now: nowMs }, 2)],
  ["later", () => dueWithdrawals(defaultOptions, { from: 1, now: nowMs }, 2)],
  ["for a clock that was ahead", () => futureExpiries({ now: 0, createdAfter: 0, confirmedAfter: 0, limit: 2 })],
])("of many a look %s finds no more than asked for", async (_, look) => {
  const due = { status: "requested", created_at: nowMs - 15_000, deadline_at: nowMs } as const;
  await real.put({ ...due, id: "A" }, { ...due, id: "B" }, { ...due, id: "C" });
  expect(await real.store.read((tx) => tx.all(look()))).toHaveLength(2);
});
