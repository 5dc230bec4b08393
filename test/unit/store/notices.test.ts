/** How changes are gathered into notices for the other processes: few, soon, and none lost. */
import { beforeEach, expect, test } from "vitest";
import { createNotices } from "../../../backend/store/postgres-changes.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

let clock: VirtualClock;
/** Each notice with the time since the start. */
let sent: { readonly atMs: number; readonly ids: readonly string[] }[];
/** Until it resolves no notice is answered. */
let answered: Promise<void>;
let notices: ReturnType<typeof createNotices>;

beforeEach(() => {
  clock = new VirtualClock();
  const startedAt = clock.now();
  sent = [];
  answered = Promise.resolve();
  notices = createNotices(clock, (payload) => {
    sent.push({ atMs: clock.now() - startedAt, ids: payload.split(",") });
    return answered;
  });
});

/** Lets what was answered take its course. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));
const ids = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `w${from + n}`);

test("the first change goes out at once, those of the next 100 ms together", async () => {
  notices.add(["a"]);
  await clock.advance(30);
  notices.add(["b", "c"]);
  await clock.advance(69);
  notices.add(["b", "d"]);
  expect(sent).toEqual([{ atMs: 0, ids: ["a"] }]);
  await clock.advance(1_000);
  notices.add(["e"]);
  expect(sent.slice(1)).toEqual([
    { atMs: 100, ids: ["b", "c", "d"] },
    { atMs: 1_099, ids: ["e"] },
  ]);
});

test("a process that changes much sends ten notices a second, and each change in one of them", async () => {
  for (let n = 0; n < 1_000; n += 1) {
    notices.add(ids(1, n));
    await clock.advance(5);
  }
  await clock.advance(100);
  expect(sent.length).toBeLessThanOrEqual(51);
  expect(sent.flatMap((notice) => notice.ids)).toEqual(ids(1_000));
});

test("what changes while a notice is under way goes into the next", async () => {
  const slow = Promise.withResolvers<void>();
  answered = slow.promise;
  notices.add(["a"]);
  await clock.advance(250);
  notices.add(["a", "b"]);
  await clock.advance(250);
  expect(sent).toHaveLength(1);
  slow.resolve();
  await turn();
  expect(sent.slice(1)).toEqual([{ atMs: 500, ids: ["a", "b"] }]);
});

test("no payload is longer than PostgreSQL takes", async () => {
  const many = Array.from({ length: 1_000 }, (_, n) => `7F3K9Q2MX4T8${n + 1_000}`);
  notices.add(many);
  await turn();
  expect(Math.max(...sent.map((notice) => notice.ids.join(",").length))).toBeLessThan(8_000);
  expect(sent.flatMap((notice) => notice.ids)).toEqual(many);
});

test("a clock that was set back delays none", async () => {
  notices.add(["a"]);
  await turn();
  clock.jump(-3_600_000);
  notices.add(["b"]);
  expect(sent.map((notice) => notice.ids)).toEqual([["a"], ["b"]]);
});

test("a process that stops sends what is left first, and nothing later", async () => {
  notices.add(["a"]);
  await turn();
  notices.add(["b"]);
  await notices.close();
  expect(sent.map((notice) => notice.ids)).toEqual([["a"], ["b"]]);
  expect(clock.timers).toBe(0);
});
