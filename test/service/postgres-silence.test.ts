/** A way to PostgreSQL that swallows everything and closes nothing, as a firewall does that forgot a connection. */
import { connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { openStore } from "../../backend/store/open.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { createPlace, type Place } from "./stores.ts";

const queryTimeoutMs = 1_500;

/** Passes bytes on until it is told to swallow those of the connections it has; new ones pass. */
const createWay = async (target: URL) => {
  const sockets = new Set<Socket>();
  const pairs: [Socket, Socket][] = [];
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far);
    far.pipe(near);
    pairs.push([near, far]);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(target);
  url.port = typeof address === "object" && address ? String(address.port) : "";
  return {
    url: url.href,
    swallow() {
      for (const [near, far] of pairs.splice(0)) {
        near.unpipe(far).resume();
        far.unpipe(near).resume();
      }
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

let place: Place;
let way: Awaited<ReturnType<typeof createWay>>;
let store: Store;
beforeAll(async () => {
  place = await createPlace("postgres");
  way = await createWay(new URL(place.url));
  store = await openStore(way.url, systemClock, { connectionsMax: 2, queryTimeoutMs });
});
afterAll(async () => {
  await way.close();
  await store.close();
  await place.dispose();
});

const add = (id: string) =>
  store.write((tx) =>
    tx.run(adhoc((db) => db.insertInto("partners").values({ id, url: null, secret: null, created_at: 0 }))),
  );
const ids = () => store.read((tx) => tx.all(adhoc((db) => db.selectFrom("partners").select("id").orderBy("id"))));

test("is given up: what was asked is unavailable, what is asked next goes another way", async () => {
  await Promise.all([add("a"), add("b")]);
  way.swallow();
  const unavailable = { status: "rejected", reason: { code: "unavailable" } };
  expect(await Promise.allSettled([add("c"), ids()])).toMatchObject([unavailable, unavailable]);
  await add("d");
  expect(await ids()).toEqual([{ id: "a" }, { id: "b" }, { id: "d" }]);
});
