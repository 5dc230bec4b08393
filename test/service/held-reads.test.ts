/** Held reads of a fleet: many of them cost the database little, also when notices are lost. */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transaction } from "../../backend/contract/transaction.ts";
import type { Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { createPlace, type Place } from "./stores.ts";
import { confirmIt, createWorld, placeOrder, till, type World } from "./world.ts";

const readers = 600;
const readersAtOnce = 50;
/** Longer than a test may last: no wait comes to its own end. */
const waitMs = 3_600_000;
let place: Place;
let admin: pg.Client;
let world: World;
let other: World;
let reads = 0;

beforeAll(async () => {
  place = await createPlace("postgres");
  admin = new pg.Client({ connectionString: place.url });
  await admin.connect();
  const store = await place.open();
  const counting: Store = {
    ...store,
    read(unit) {
      reads += 1;
      return store.read(unit);
    },
  };
  world = await createWorld(counting, { options: { pollMs: 1e9 } });
  other = await createWorld(await place.open(), { options: { pollMs: 1e9 } });
});
afterAll(async () => {
  await world.service.stop();
  await other.service.stop();
  await admin.end();
  await place.dispose();
});

const cutListeners = () =>
  admin.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tillcash listener'",
  );
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Holds reads of some withdrawals that nobody changes. */
const hold = async (
  leaving: AbortController,
): Promise<{ readonly held: Promise<unknown>; readonly asked: Transaction[] }> => {
  const asked = await Promise.all(Array.from({ length: 30 }, () => placeOrder(world.service)));
  const wait = { waitMs, signal: leaving.signal };
  const held: Promise<Transaction>[] = [];
  reads = 0;
  while (held.length < readers) {
    for (let n = 0; n < readersAtOnce; n += 1)
      held.push(getTransaction(world.service, till, asked[held.length % asked.length]?.transaction_id ?? "", wait));
    // So many at once that none waits long for a connection; each looks before it waits and when it begins to.
    while (reads < 2 * held.length) await sleep(5);
  }
  return { held: Promise.all(held), asked };
};

/** A read that has looked twice, before it waited and when it began to. It ends by a change alone. */
const readHeld = async ({ transaction_id: id }: Transaction): Promise<{ readonly answer: Promise<Transaction> }> => {
  const looks = reads + 2;
  const answer = getTransaction(world.service, till, id, { waitMs });
  while (reads < looks) await sleep(5);
  return { answer };
};

test("a cut connection wakes no reader whose withdrawal did not change, and loses no change", async () => {
  const leaving = new AbortController();
  const { held } = await hold(leaving);
  const changing = await placeOrder(world.service);
  const reader = await readHeld(changing);
  reads = 0;
  await cutListeners();
  await confirmIt(other.service, changing);
  expect((await reader.answer).status).toBe("awaiting_sca");
  await sleep(1_500);
  expect(reads).toBeLessThan(readers / 10);
  leaving.abort();
  await held;
});

test("where LISTEN is not to be had, changes are seen all the same, and reads stay few", async () => {
  const leaving = new AbortController();
  reads = 0;
  const { held } = await hold(leaving);
  let isReconnecting = true;
  const cutting = (async () => {
    while (isReconnecting) {
      await cutListeners();
      await sleep(30);
    }
  })();
  await sleep(300);
  reads = 0;
  for (let round = 0; round < 3; round += 1) {
    const changing = await placeOrder(world.service);
    const reader = await readHeld(changing);
    await confirmIt(other.service, changing);
    expect((await reader.answer).status).toBe("awaiting_sca");
  }
  expect(reads).toBeLessThan(readers / 10);
  isReconnecting = false;
  await cutting;
  leaving.abort();
  await held;
});
