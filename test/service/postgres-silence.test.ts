/** A PostgreSQL behind a way that has become silent. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { openStore } from "../../backend/store/open.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { createWay } from "./silent-way.ts";
import { createPlace, type Place } from "./stores.ts";

const queryTimeoutMs = 1_500;

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
