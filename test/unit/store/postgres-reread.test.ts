/** How soon a change is found that no notice told of, and how few statements that takes. */
import type pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createReread } from "../../../backend/store/postgres-changes.ts";
import type { Pool } from "../../../backend/store/postgres-connect.ts";
import { type Changes, createChanges } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

let clock: VirtualClock;
let changes: Changes;
let reread: ReturnType<typeof createReread>;
/** The ids of each statement since the last look at it. */
let statements: string[][];
/** For how many ids each has room. */
let rooms: number[];
/** What is done before a statement is answered. */
let meanwhile: () => Promise<void> | void;
/** In [0, 1): a half is no jitter. */
let fraction: number;
let isDown: boolean;
let changed: Set<string>;
/** Those that are no longer among the open ones. */
let ended: Set<string>;
let woken: string[];

beforeEach(() => {
  clock = new VirtualClock();
  changes = createChanges();
  [statements, rooms] = [[], []];
  [meanwhile, fraction] = [() => {}, 0.5];
  isDown = false;
  [changed, ended] = [new Set(), new Set()];
  woken = [];
  const query = async ({ values }: { readonly values: readonly string[] }) => {
    const ids = [...new Set(values)];
    statements.push(ids);
    rooms.push(values.length);
    await meanwhile();
    if (isDown) throw new Error("no database");
    const open = ids.filter((id) => !ended.has(id));
    return { rows: open.map((id) => ({ id, status: changed.has(id) ? "settled" : "ready" })) };
  };
  const pool: Pool = { use: (work) => work({ query } as unknown as pg.PoolClient), close: () => Promise.resolve() };
  reread = createReread(pool, clock, changes, () => fraction);
});
afterEach(() => reread.close());

const hold = (count: number) =>
  Array.from({ length: count }, (_, n) => changes.on(`w${n}`, () => void woken.push(`w${n}`), "ready"));
const turn = async () => {
  await clock.advance(500);
  return statements.splice(0).map((ids) => ids.length);
};

test("while nothing is heard, all are looked at in each turn, at most 500 with a statement", async () => {
  hold(1_200);
  expect([await turn(), await turn()]).toEqual([
    [500, 500, 200],
    [500, 500, 200],
  ]);
});

test("while it listens, ten turns look at each once", async () => {
  hold(1_200);
  reread.setListening(true);
  await turn();
  const looks: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    await clock.advance(500);
    const seen = statements.splice(0).flat();
    expect(seen).toHaveLength(120);
    looks.push(...seen);
  }
  expect(new Set(looks).size).toBe(1_200);
});

test("while it listens, the few that wait are looked at once in ten turns too, and a turn without any asks nothing", async () => {
  hold(3);
  reread.setListening(true);
  expect(await turn()).toEqual([3]);
  const looks: string[] = [];
  const turns: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    await clock.advance(500);
    const seen = statements.splice(0).flat();
    turns.push(seen.length);
    looks.push(...seen);
  }
  expect(turns.filter((seen) => seen > 0)).toEqual([1, 1, 1, 1, 1, 1]);
  expect(looks.toSorted()).toEqual(["w0", "w0", "w1", "w1", "w2", "w2"]);
});

test("what changed while nobody listened is found by the first look afterwards", async () => {
  hold(1_200);
  reread.setListening(true);
  expect([await turn(), await turn()]).toEqual([[500, 500, 200], [120]]);
  reread.setListening(false);
  reread.setListening(true);
  changed.add("w7");
  expect([await turn(), woken, await turn()]).toEqual([[500, 500, 200], ["w7"], [120]]);
});

test("who waits for one that has ended is woken, as it is found elsewhere", async () => {
  hold(3);
  ended.add("w1");
  await turn();
  expect(woken).toEqual(["w1"]);
});

test("a look that failed is made up for by one at all", async () => {
  hold(1_200);
  reread.setListening(true);
  await turn();
  isDown = true;
  expect(await turn()).toEqual([120]);
  isDown = false;
  expect([await turn(), await turn()]).toEqual([[500, 500, 200], [120]]);
});

test("where nobody waits the database is not asked; closed, it is not asked any more", async () => {
  expect(await turn()).toEqual([]);
  hold(3);
  expect(await turn()).toEqual([3]);
  reread.close();
  reread.setListening(true);
  expect([await turn(), clock.timers]).toEqual([[], 0]);
});

test.each([
  [8, 8],
  [9, 500],
])("%d ids are asked for by a statement for %d", async (count, room) => {
  hold(count);
  await turn();
  expect(rooms).toEqual([room]);
});

test("who goes while others are looked at is not asked for", async () => {
  const cancels = hold(600);
  meanwhile = () => {
    for (const cancel of cancels) cancel();
  };
  expect(await turn()).toEqual([500]);
});

test("one look is waited for before the next, also where notices begin to arrive meanwhile", async () => {
  hold(3);
  const answered = Promise.withResolvers<void>();
  meanwhile = () => answered.promise;
  await clock.advance(500);
  reread.setListening(true);
  await clock.advance(5_000);
  expect([statements.length, clock.timers]).toEqual([1, 0]);
  meanwhile = () => {};
  answered.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect([await turn(), statements]).toEqual([[3, 3], []]);
});

test("what is heard again while it is heard already is no reason to look at all", async () => {
  hold(1_200);
  reread.setListening(true);
  await turn();
  reread.setListening(true);
  expect(await turn()).toEqual([120]);
});

test("a turn comes a whole pause after notices begin to arrive", async () => {
  hold(3);
  await clock.advance(300);
  reread.setListening(true);
  await clock.advance(499);
  expect(statements).toEqual([]);
  await clock.advance(1);
  expect(statements).toHaveLength(1);
});

test.each([
  [0, 375],
  [0.9, 600],
])("with a jitter of %d a turn comes after %d ms", async (drawn, afterMs) => {
  hold(3);
  await clock.advance(500);
  statements.splice(0);
  fraction = drawn;
  reread.setListening(true);
  await clock.advance(afterMs - 1);
  expect(statements).toEqual([]);
  await clock.advance(1);
  expect(statements).toHaveLength(1);
});
