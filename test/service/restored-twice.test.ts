/** Copies of an SQLite database that are put back one after the other: what each has told a bank is set right by the last one. */
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { dayMs } from "../../backend/contract/times.ts";
import type { StatusEvent } from "../../backend/contract/webhook-events.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { restore } from "../../backend/operate/restore.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import { backUp } from "../../backend/store/copy.ts";
import type { Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { createPlace, type Place } from "./stores.ts";
import { expectWholeHistory } from "./whole-history.ts";
import { accepted, approve, bank, confirmIt, createWorld, placeOrder, till, type World } from "./world.ts";

let place: Place;
let store: Store;
let world: World;
const events: StatusEvent[] = [];
/** How far the clock of the service and of its copies is ahead. */
let aheadMs = 0;
const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };

const open = async () => {
  store = await place.open(clock);
  world = await createWorld(store, { clock });
  world.bank.onEvent = (event) => {
    events.push(event);
    return accepted;
  };
  await store.write((tx) => tx.first(updatePartner(bank.partnerId, { events_url: "http://bank/events" })));
};
const close = async () => {
  await world.service.stop();
  await store.close();
};
beforeEach(async () => {
  events.length = 0;
  aheadMs = 0;
  place = await createPlace("sqlite");
  await open();
});
afterEach(async () => {
  await close();
  await place.dispose();
});

/** What a bank believes: events come in any order, their numbers put them in theirs. */
const lastOf = (id: string) =>
  events
    .filter(({ transaction }) => transaction.transaction_id === id)
    .toSorted((one, other) => one.sequence - other.sequence)
    .at(-1)?.type;

const report = async () => {
  const lines = [];
  for await (const page of reconcile(world.service, till, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }))
    lines.push(...page);
  return lines;
};

/** Puts a file in the database's place, and starts the service on it. @returns where the database is that was there. */
const putBack = async (file: string) => {
  await close();
  const [said] = await restoreFrom(file);
  await open();
  return String(said?.before);
};
const restoreFrom = (file: string) => {
  const environment = { DATABASE_URL: place.url, SERVICE_KEY: "a service key of the tests" };
  return manage(parseCommandLine(["restore", file], environment), clock);
};
const databaseFile = () => place.url.slice("sqlite:".length);
const copyNow = async () => {
  const file = databaseFile();
  return (await backUp(file, { folder: join(file, "..", "copies"), kept: 7 }, clock.now())).file;
};
/** Copies the database as it is now. @returns how to put it back. */
const takeCopy = async () => {
  const copy = await copyNow();
  return () => putBack(copy);
};

/** The customer approves and the bank answers. */
const settle = async (id: string) => {
  await confirmIt(world.service, await getTransaction(world.service, till, id));
  await approve(world.service, await getTransaction(world.service, till, id));
  await getTransaction(world.service, till, id, { waitMs: 10_000, whileStatus: "settling" });
};

test.each([
  ["an older copy", []],
  ["an older copy, then one that is older still", ["oldest"]],
  ["an older copy twice", ["older"]],
  ["an older copy, one that is older still, and the older one again", ["oldest", "older"]],
] as const)("a newest copy after %s: the bank hears what it has paid, and it is a line", async (_, then) => {
  const oldest = await takeCopy();
  const { transaction_id: id } = await placeOrder(world.service);
  const older = await takeCopy();
  await settle(id);
  const newest = await takeCopy();
  const last = () => lastOf(id);
  await older();
  await expect.poll(() => last()).toBe("withdrawal.canceled");
  for (const each of then) await (each === "older" ? older : oldest)();
  await newest();
  await expect.poll(() => last()).toBe("withdrawal.settled");
  expect(await report()).toMatchObject([{ transaction_id: id, finding: "disputed" }]);
  await expectWholeHistory(store);
});

test.each([
  ["", { order: 0, older: 0, link: 0, newer: 0, served: 0 }],
  [", made while the clock was far ahead,", { order: 0, older: 500 * dayMs, link: 500 * dayMs, newer: 0, served: 0 }],
  [
    ", made with its order while the clock was far ahead,",
    { order: 500 * dayMs, older: 500 * dayMs, link: 500 * dayMs, newer: 0, served: 0 },
  ],
  [
    ", when the newer one was made while the clock was behind,",
    { order: 0, older: 0, link: 0, newer: -2 * dayMs, served: 0 },
  ],
  [
    ", when the cash was given while the clock was behind,",
    { order: 0, older: 0, link: -2 * dayMs, newer: 0, served: 0 },
  ],
  [", made while the clock was behind,", { order: 0, older: -2 * dayMs, link: 0, newer: 0, served: 0 }],
  [", put back while the clock was behind,", { order: 0, older: 0, link: 0, newer: 0, served: -dayMs }],
] as const)(
  "a newer copy with cash that an older one%s had as not handed out: the bank hears of the cash, and it is a line",
  async (_, ahead) => {
    aheadMs = ahead.order;
    const { transaction_id: id } = await placeOrder(world.service);
    await settle(id);
    aheadMs = ahead.older;
    const older = await takeCopy();
    aheadMs = ahead.link;
    await linkTransaction(world.service, till, id);
    aheadMs = ahead.newer;
    const newer = await takeCopy();
    aheadMs = ahead.served;
    const last = () => lastOf(id);
    await older();
    await declareUndelivered(world.service, till, id, "till_short");
    await expect.poll(last).toBe("withdrawal.undelivered");
    aheadMs = 0;
    await newer();
    await expect.poll(last).toBe("withdrawal.linked");
    expect(await report()).toMatchObject([{ transaction_id: id, finding: "disputed" }]);
    await expectWholeHistory(store);
  },
);

test("the database that made way for an older copy, put back itself: the bank hears what it has paid, and it is a line", async () => {
  const { transaction_id: id } = await placeOrder(world.service);
  const older = await takeCopy();
  await settle(id);
  await linkTransaction(world.service, till, id);
  const last = () => lastOf(id);
  const before = await older();
  await expect.poll(last).toBe("withdrawal.canceled");
  await putBack(before);
  await expect.poll(last).toBe("withdrawal.linked");
  expect(await report()).toMatchObject([{ transaction_id: id, finding: "disputed" }]);
  await expectWholeHistory(store);
});

test("a newest copy after an older one, given once more after a power cut between the restore's two names: the bank hears what it has paid", async () => {
  const { transaction_id: id } = await placeOrder(world.service);
  const older = await takeCopy();
  await settle(id);
  const newest = await copyNow();
  const last = () => lastOf(id);
  await older();
  await expect.poll(last).toBe("withdrawal.canceled");
  await close();
  await restore(newest, databaseFile(), "operator ada", { keyIds: [], isForced: false });
  renameSync(databaseFile(), `${databaseFile()}.restoring`);
  await restoreFrom(newest);
  await open();
  await expect.poll(last).toBe("withdrawal.settled");
  expect(await report()).toMatchObject([{ transaction_id: id, finding: "disputed" }]);
});

test("a newest copy after two older ones and a move to an empty machine: the bank hears what it has paid", async () => {
  const oldest = await takeCopy();
  const { transaction_id: id } = await placeOrder(world.service);
  const older = await takeCopy();
  await settle(id);
  const newest = await copyNow();
  const last = () => lastOf(id);
  await older();
  await expect.poll(last).toBe("withdrawal.canceled");
  await oldest();
  const moved = await copyNow();
  await close();
  for (const part of ["", "-wal", "-shm"]) rmSync(`${databaseFile()}${part}`, { force: true });
  await restoreFrom(moved);
  await open();
  await putBack(newest);
  await expect.poll(last).toBe("withdrawal.settled");
  expect(await report()).toMatchObject([{ transaction_id: id, finding: "disputed" }]);
});
