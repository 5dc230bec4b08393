/** Processes killed with SIGKILL in the middle of their work: what was answered stays true, and every settlement ends, once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ensureBuilt } from "../runner/built.ts";
import { byEffort } from "../runner/effort.ts";
import { type BankServer, startBank } from "./bank-server.ts";
import { environment, expectAllTrue, Processes } from "./fleet-processes.ts";
import { createShoppers, type Shoppers } from "./shoppers.ts";
import { createPlace } from "./stores.ts";

const { withdrawals, postgresKills, sqliteKills } = byEffort({
  usual: { withdrawals: 120, postgresKills: 1, sqliteKills: 3 },
  torture: { withdrawals: 10_000, postgresKills: 25, sqliteKills: 100 },
});
const slowMs = 900_000 + withdrawals * 300;

beforeAll(ensureBuilt);

let bank: BankServer;
beforeEach(async () => {
  bank = await startBank();
});
afterEach(() => bank.close());

/** So many are left at the last kill at least: more than end while it is waited for. */
const leftMin = 40;

/** Kills after random numbers of withdrawals, spread over the run. @returns how many came in the middle of the work. */
const killAlong = async (
  processes: Processes,
  shoppers: Shoppers,
  count: number,
  kills: number,
  isOver: () => boolean,
) => {
  let inWork = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const at = Math.floor(((kill + Math.random()) / kills) * (count - leftMin));
    while (shoppers.linked.length < at && !isOver()) await new Promise((resolve) => setTimeout(resolve, 5));
    // Somewhere into whatever is going on.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
    if (!isOver()) inWork += 1;
    await processes.killAll();
    await processes.start();
  }
  return inWork;
};

const play = async (databaseUrl: string, size: number, count: number, kills: number, atOnce: number) => {
  const processes = new Processes(environment(databaseUrl, bank), size);
  await processes.start();
  try {
    const shoppers = await createShoppers(processes, count, atOnce);
    let over = false;
    const shopping = shoppers.run().finally(() => {
      over = true;
    });
    const [killed] = await Promise.all([killAlong(processes, shoppers, count, kills, () => over), shopping]);
    expect(killed).toBe(kills);
    await expectAllTrue(shoppers, bank, count);
    expect(await processes.stop()).toEqual(Array.from({ length: size }, () => 0));
  } finally {
    await processes.killAll();
  }
};

test(
  `two processes on one PostgreSQL, ${withdrawals} withdrawals, both killed ${postgresKills} times`,
  async () => {
    const place = await createPlace("postgres");
    try {
      await play(place.url, 2, withdrawals, postgresKills, 32);
    } finally {
      await place.dispose();
    }
  },
  slowMs,
);

test(
  `one process on SQLite, ${withdrawals} withdrawals, killed ${sqliteKills} times`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tillcash-kill-"));
    try {
      await play(`sqlite:${join(folder, "service.db")}`, 1, withdrawals, sqliteKills, 16);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  slowMs,
);
