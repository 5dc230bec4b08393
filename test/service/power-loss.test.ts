/**
 * Power loss, which SIGKILL cannot show: the kernel keeps what a killed process wrote. Here SQLite's file calls go to a
 * disk that keeps only what was synced; the power goes at a random sync, time after time, and nothing that was acknowledged
 * may be lost. What runs is our store with its pragmas and its batches on SQLite's own WAL code, compiled to WebAssembly;
 * what is not shown is how Node's build of it and a real disk honour fsync.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { openNodeSqlite, openSqliteStore, type SqliteEngine } from "../../backend/store/sqlite.ts";
import type { Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { byEffort } from "../runner/effort.ts";
import { brokenPromise } from "./acknowledged.ts";
import { LossyDisk } from "./lossy-disk.ts";
import { openWasmSqlite } from "./wasm-sqlite.ts";
import { approve, Bank, confirmIt, createWorld, placeOrder, bank as theBank, till, type World } from "./world.ts";

const losses = byEffort({ usual: 8, torture: 300 });
const acknowledgedPerLossMin = 5;
/** A disk that forgets shows it in one of these lives of a few losses; nearly always in the first. */
const forgetfulLives = 10;
const lossesInALife = 4;
const slowMs = 900_000 + losses * 2_000;
const customers = 6;
const syncsBeforeLossMax = 60;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tillcash-power-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const never = new Error("the power went");

interface Story {
  readonly disk: LossyDisk;
  readonly bank: Bank;
  readonly acknowledged: Transaction[];
  readonly synchronous: "FULL" | "NORMAL";
}

const openWorld = async (story: Story): Promise<{ store: Store; world: World }> => {
  const { disk, synchronous } = story;
  const path = join(disk.folder, "service.db");
  const store = await openSqliteStore({ path, clock: systemClock, synchronous, open: openWasmSqlite });
  return { store, world: await createWorld(store, { transport: story.bank }) };
};

/** Withdrawals one after another until the power goes; notes what was answered while it was there. */
const serve = async ({ disk, acknowledged }: Story, { service }: World): Promise<void> => {
  const noted = async (answer: Promise<Transaction>): Promise<Transaction> => {
    const transaction = await answer;
    if (disk.lost) throw never;
    acknowledged.push(transaction);
    return transaction;
  };
  while (!disk.lost) {
    const ready = await noted(placeOrder(service));
    const { transaction_id: id } = await noted(confirmIt(service, ready));
    await noted(approve(service, ready));
    const settled = await noted(getTransaction(service, till, id, { waitMs: 5_000, whileStatus: "settling" }));
    if (settled.status === "settled") await noted(linkTransaction(service, till, id));
  }
};

/** Runs until the power goes, at a random sync; also while the database is opened and brought up. */
const liveUntilPowerLoss = async (story: Story): Promise<void> => {
  story.disk.loseAtSync(1 + Math.floor(Math.random() * syncsBeforeLossMax));
  const opened = await openWorld(story).catch(() => null);
  if (!opened) return;
  await Promise.allSettled(Array.from({ length: customers }, () => serve(story, opened.world)));
  await opened.world.service.stop();
  await opened.store.close().catch(() => {});
};

/** After the last restart: settles what is open, then holds everything that was acknowledged against what is there. */
const findBroken = async (story: Story): Promise<string[]> => {
  const { store, world } = await openWorld(story);
  const { service } = world;
  const broken = new Set<string>();
  const now = new Map<string, Transaction | undefined>();
  const ids = new Set([
    ...story.acknowledged.map((each) => each.transaction_id),
    ...story.bank.settles.map((each) => each.SvcTransactionReferenceId),
  ]);
  const readBack = async (id: string) => {
    now.set(
      id,
      await getTransaction(service, theBank, id, { waitMs: 20_000, whileStatus: "settling" }).catch(() => undefined),
    );
  };
  await Promise.all([...ids].map(readBack));
  for (const transaction of story.acknowledged) {
    const promise = brokenPromise(transaction, now.get(transaction.transaction_id));
    if (promise) broken.add(promise);
  }
  const paid = new Set(story.bank.settles.map((order) => order.SvcTransactionReferenceId));
  for (const id of ids) {
    const status = now.get(id)?.status;
    const isPaidHere = status === "settled" || status === "linked";
    if (isPaidHere !== paid.has(id))
      broken.add(`${id} is ${status} and the bank has ${paid.has(id) ? "paid" : "not paid"}`);
  }
  await service.stop();
  await store.close();
  return [...broken];
};

const play = async (synchronous: "FULL" | "NORMAL", rounds: number) => {
  const home = mkdtempSync(join(folder, "disk-"));
  const story: Story = { disk: new LossyDisk(home), bank: new Bank(), acknowledged: [], synchronous };
  const remove = story.disk.install();
  try {
    for (let round = 0; round < rounds; round += 1) {
      await liveUntilPowerLoss(story);
      // Every other time, some of what was not synced has reached the disk all the same.
      story.disk.restart(round % 2 === 0 ? null : () => Math.random() < 0.5);
    }
    return { acknowledged: story.acknowledged.length, syncs: story.disk.syncs, broken: await findBroken(story) };
  } finally {
    remove();
  }
};

test(`synchronous=FULL: ${losses} power losses, and all that was acknowledged is still true`, {
  timeout: slowMs,
}, async () => {
  const { acknowledged, broken } = await play("FULL", losses);
  expect(broken).toEqual([]);
  expect(acknowledged).toBeGreaterThan(losses * acknowledgedPerLossMin);
});

test("synchronous=NORMAL loses what was acknowledged: the disk of this test does lose something", {
  timeout: slowMs,
}, async () => {
  const broken: string[] = [];
  for (let life = 0; life < forgetfulLives && broken.length === 0; life += 1)
    broken.push(...(await play("NORMAL", lossesInALife)).broken);
  expect(broken.length).toBeGreaterThan(0);
});

test("a store syncs every commit unless it is told otherwise", async () => {
  const engines: SqliteEngine[] = [];
  const open = (path: string, busyTimeoutMs: number) => {
    const engine = openNodeSqlite(path, busyTimeoutMs);
    engines.push(engine);
    return engine;
  };
  const folder = mkdtempSync(join(tmpdir(), "tillcash-synchronous-"));
  const store = await openSqliteStore({ path: join(folder, "service.db"), clock: systemClock, open });
  // 2 is FULL; 1, NORMAL, syncs a WAL only at its checkpoints.
  expect(engines.map((engine) => engine.query("PRAGMA synchronous", [], false).rows)).toEqual([[{ synchronous: 2 }]]);
  await store.close();
  rmSync(folder, { recursive: true });
});
