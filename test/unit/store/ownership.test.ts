/** Work that one process of a fleet does: by who lives, and only as long as it does. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openStore } from "../../../backend/store/open.ts";
import {
  createOwnership,
  everyWorker,
  livingProcesses,
  ownerOf,
  workerBefore,
} from "../../../backend/store/ownership.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const beatMs = 2_000;
const works = Array.from({ length: 30 }, (_, n) => `orders of bank-${n}`);

let clock: VirtualClock;
let file: Store;
let fleet: Store;
beforeAll(async () => {
  file = await openStore("sqlite::memory:", new VirtualClock());
  fleet = { ...file, dialect: "postgres" };
});
beforeEach(async () => {
  clock = new VirtualClock();
  await file.write((tx) => tx.run(adhoc((db) => db.deleteFrom("workers"))));
});
afterAll(() => file.close());

const settled = async (): Promise<void> => {
  for (let n = 0; n < 4; n += 1) await new Promise((resolve) => setImmediate(resolve));
};
const join = async (id: string, on = fleet) => {
  const ownership = createOwnership(on, clock, id, beatMs);
  ownership.start();
  await settled();
  return ownership;
};
const beat = () => clock.advance(beatMs, settled);
const known = async () =>
  (await file.read((tx) => tx.all(adhoc((db) => db.selectFrom("workers").selectAll().orderBy("id"))))).map(
    ({ id, seen_at }) => [id, seen_at],
  );
const ownedBy = (...owners: readonly { owns(work: string): boolean }[]) =>
  works.map((work) => owners.map((each) => each.owns(work)).filter(Boolean).length);

test("on SQLite, and before the first look, all work is one's own", async () => {
  const alone = await join("a", file);
  expect([works.every(alone.owns), await known(), clock.timers]).toEqual([true, [], 0]);
  const early = createOwnership(fleet, clock, "b", beatMs);
  expect(works.every(early.owns)).toBe(true);
  await file.write((tx) => tx.run(adhoc((db) => db.insertInto("workers").values({ id: "b", seen_at: 1 }))));
  // Its store may have made it known before its first beat.
  await early.stop();
  expect(await known()).toEqual([]);
});

test("each work has one owner of those who live, and the same one at every look", async () => {
  const [a, b] = [await join("a"), await join("b")];
  await beat();
  const first = works.map(a.owns);
  expect(ownedBy(a, b)).toEqual(works.map(() => 1));
  expect(new Set(first)).toEqual(new Set([true, false]));
  expect(works.map(a.owns)).toEqual(first);
  expect(works.map((work) => ownerOf(["a", "b"], work) === "a")).toEqual(first);
});

test("who stops leaves its work at once, and is looked for no more", async () => {
  const [a, b] = [await join("a"), await join("b")];
  await beat();
  await b.stop();
  await b.stop();
  expect((await known()).map(([id]) => id)).toEqual(["a"]);
  await beat();
  expect([works.every(a.owns), clock.timers]).toEqual([true, 1]);
  await beat();
  expect((await known()).map(([id]) => id)).toEqual(["a"]);
});

test("who is stopped while it says that it lives says so no more", async () => {
  const a = await join("a");
  clock.jump(beatMs);
  const beating = beat();
  await a.stop();
  await beating;
  await beat();
  expect([await known(), clock.timers]).toEqual([[], 0]);
});

test("who has missed five beats is dead; its row stays for an hour", async () => {
  const start = clock.now();
  await file.write((tx) => tx.run(adhoc((db) => db.insertInto("workers").values({ id: "b", seen_at: start + 1 }))));
  const a = await join("a");
  clock.jump(4 * beatMs);
  await beat();
  expect(works.every(a.owns)).toBe(false);
  await beat();
  expect(works.every(a.owns)).toBe(true);
  expect((await known()).map(([id]) => id)).toEqual(["a", "b"]);
  clock.jump(3_600_000);
  await beat();
  expect((await known()).map(([id]) => id)).toEqual(["a"]);
});

test("a beat more than a period ahead is left from before the clock went back: it is nobody's, also once its time has come", async () => {
  const start = clock.now();
  const add = (id: string, seen_at: number) =>
    file.write((tx) => tx.run(adhoc((db) => db.insertInto("workers").values({ id, seen_at }))));
  await add("b", start + beatMs + 1);
  await add("c", start + 3_600_001);
  const a = await join("a");
  expect(works.every(a.owns)).toBe(true);
  expect((await known()).map(([id]) => id)).toEqual(["a"]);
  await beat();
  expect(works.every(a.owns)).toBe(true);
});

test("for a command those live who were seen within ten seconds, before or after now", async () => {
  const now = clock.now();
  const seen = { a: now - 10_000, b: now - 9_999, c: now + 10_000, d: now + 10_001 };
  const rows = Object.entries(seen).map(([id, seen_at]) => ({ id, seen_at, service_keys: `keys of ${id}` }));
  await file.write((tx) => tx.run(adhoc((db) => db.insertInto("workers").values(rows))));
  const living = ["b", "c"].map((id) => ({ id, service_keys: `keys of ${id}` }));
  expect(await file.read((tx) => livingProcesses(tx, now))).toEqual(living);
});

test("who has stopped may begin again", async () => {
  const a = await join("a");
  await a.stop();
  a.start();
  await settled();
  expect([await known(), clock.timers]).toEqual([[["a", clock.now()]], 1]);
  await a.stop();
});

test("a beat says when, and begins one timer however often it is started", async () => {
  const a = await join("a");
  a.start();
  await settled();
  expect(await known()).toEqual([["a", clock.now()]]);
  await beat();
  expect([await known(), clock.timers]).toEqual([[["a", clock.now()]], 1]);
});

test("a database that cannot be reached leaves everything as it was, and is looked at again", async () => {
  let isAway = false;
  const away: Store = { ...fleet, write: (unit) => (isAway ? Promise.reject(new Error("away")) : fleet.write(unit)) };
  const [a] = [await join("a", away), await join("b")];
  await beat();
  const before = works.map(a.owns);
  isAway = true;
  await beat();
  expect(works.map(a.owns)).toEqual(before);
  isAway = false;
  await beat();
  expect(await known()).toContainEqual(["a", clock.now()]);
  isAway = true;
  await a.stop();
});

test("nobody owns anything where nobody lives", () => {
  expect(ownerOf([], "x")).toBeNull();
  expect(ownerOf(["only"], "x")).toBe("only");
  // As every release has it: processes of two releases share a fleet.
  expect(["a", "b", "c", "d", "e", "f"].map((work) => ownerOf(["one", "two", "three"], work))).toEqual([
    "two",
    "three",
    "three",
    "one",
    "three",
    "one",
  ]);
});

test.each([
  [null, true],
  [13, true],
  [14, false],
  [15, false],
])("a process of release %s is one from before 14: %s", async (release, isBefore) => {
  const worker = { id: "w", seen_at: 1, release };
  await file.write((tx) => tx.run(adhoc((db) => db.insertInto("workers").values(worker))));
  const found = await file.read((tx) => tx.first(workerBefore({ release: 14 })));
  expect(found).toEqual(isBefore ? { id: "w" } : undefined);
  expect(await file.read((tx) => tx.all(everyWorker({})))).toEqual([{ id: "w" }]);
});
