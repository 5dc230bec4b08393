/** How changes are gathered into notices for the other processes: few, soon, and none lost. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { beforeEach, expect, test } from "vitest";
import { createNotices, createNotifier } from "../../../backend/store/postgres-changes.ts";
import { createHosts, type Pool } from "../../../backend/store/postgres-connect.ts";
import { createChanges } from "../../../backend/store/store.ts";
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

test("four hundred changes are one notice, and none is no notice", async () => {
  notices.add(ids(400));
  await turn();
  await notices.close();
  expect(sent.map((notice) => notice.ids.length)).toEqual([400]);
});

test("a change a tenth of a second after a notice goes out at once, and those before it wait with one timer", async () => {
  notices.add(["a"]);
  await turn();
  for (const id of ["b", "c"]) notices.add([id]);
  expect(clock.timers).toBe(1);
  await clock.advance(100);
  clock.jump(100);
  notices.add(["d"]);
  expect(sent.map((notice) => notice.ids)).toEqual([["a"], ["b", "c"], ["d"]]);
});

test("who stops waits for the notice under way before the last one goes", async () => {
  const slow = Promise.withResolvers<void>();
  answered = slow.promise;
  notices.add(["a"]);
  notices.add(["b"]);
  const closed = notices.close();
  await turn();
  expect(sent.map((notice) => notice.ids)).toEqual([["a"]]);
  slow.resolve();
  await closed;
  expect(sent.map((notice) => notice.ids)).toEqual([["a"], ["b"]]);
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

/** A server that ends every connection, at once or when it is told to. */
const refusingServer = async () => {
  const held = new Set<Socket>();
  const seen = { tries: 0, isHeld: false };
  const server = createServer((socket) => {
    seen.tries += 1;
    socket.on("error", () => {});
    if (seen.isHeld) held.add(socket);
    else socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const endAll = () => {
    for (const socket of held) socket.destroy();
  };
  return { seen, endAll, url: `postgres://127.0.0.1:${port}/none`, close: () => void server.close() };
};
const noPool: Pool = { use: () => Promise.reject(new Error("no database")), close: async () => {} };
const listenTo = (url: string, fraction: number, changes = createChanges()) => {
  const hosts = createHosts({ kind: "postgres", hosts: [url], writableOnly: false }, clock, () => 0.5);
  return createNotifier({ hosts, pool: noPool, clock, changes, connectTimeoutMs: 1e9, fraction: () => fraction });
};

test.each([
  [0.5, [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]],
  [0, [250, 500]],
])(
  "with a jitter of %d a server that is away is tried again after %j ms, and no more once it is closed",
  async (fraction, pauses) => {
    const server = await refusingServer();
    const notifier = await listenTo(server.url, fraction);
    let tries = 1;
    for (const pauseMs of pauses) {
      // The next try, and the next look at what others have changed.
      await expect.poll(() => clock.timers, { interval: 1 }).toBe(2);
      await clock.advance(pauseMs - 1);
      expect(server.seen.tries).toBe(tries);
      await clock.advance(1);
      tries += 1;
      await expect.poll(() => server.seen.tries, { interval: 1 }).toBe(tries);
    }
    await expect.poll(() => clock.timers, { interval: 1 }).toBe(2);
    await notifier.close();
    expect(clock.timers).toBe(0);
    server.close();
  },
);

test("a server that is away delays no look at what others have changed", async () => {
  const server = await refusingServer();
  const changes = createChanges();
  let looks = 0;
  const inTurn = () => {
    looks += 1;
    return [];
  };
  const notifier = await listenTo(server.url, 0, { ...changes, inTurn, size: 1 });
  await expect.poll(() => clock.timers, { interval: 1 }).toBe(2);
  await clock.advance(250);
  await expect.poll(() => server.seen.tries, { interval: 1 }).toBe(2);
  await expect.poll(() => clock.timers, { interval: 1 }).toBe(2);
  expect(looks).toBe(0);
  await clock.advance(125);
  expect(looks).toBe(1);
  await notifier.close();
  server.close();
});

test("who is closed while it tries does not try again", async () => {
  const server = await refusingServer();
  const notifier = await listenTo(server.url, 0.5);
  server.seen.isHeld = true;
  await clock.advance(500);
  await expect.poll(() => server.seen.tries, { interval: 1 }).toBe(2);
  await notifier.close();
  server.endAll();
  server.close();
  for (let n = 0; n < 20; n += 1) await turn();
  expect(clock.timers).toBe(0);
});
