/** Processes killed with SIGKILL in the middle of their work: what was answered stays true, and every settlement ends, once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ensureBuilt } from "../runner/built.ts";
import { byEffort } from "../runner/effort.ts";
import { brokenPromise } from "./acknowledged.ts";
import { type BackendProcess, startBackend } from "./backend-process.ts";
import { type BankServer, bankSecret, startBank } from "./bank-server.ts";
import { createShoppers, type Fleet, type Shoppers } from "./shoppers.ts";
import { createPlace } from "./stores.ts";

const { withdrawals, postgresKills, sqliteKills } = byEffort({
  usual: { withdrawals: 500, postgresKills: 3, sqliteKills: 6 },
  torture: { withdrawals: 10_000, postgresKills: 25, sqliteKills: 100 },
});
const slowMs = 300_000 + withdrawals * 300;

beforeAll(ensureBuilt);

let bank: BankServer;
beforeEach(async () => {
  bank = await startBank();
});
afterEach(() => bank.close());

const environment = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  SANDBOX: "1",
  PARTNER_URL: bank.url,
  PARTNER_SECRET: bankSecret,
  TOKEN_SECRET: "a token secret that all processes share",
  // A wait for the next start is no reason to cancel.
  SCA_TIMEOUT_SECONDS: "600",
});

/** As many processes as the fleet has; all are killed at once and started again. */
class Processes implements Fleet {
  readonly #env: Record<string, string>;
  readonly #size: number;
  #alive: BackendProcess[] = [];
  #next = 0;

  constructor(env: Record<string, string>, size: number) {
    this.#env = env;
    this.#size = size;
  }

  /** Turn by turn: no sticky sessions. */
  url(): string {
    this.#next += 1;
    return this.#alive[this.#next % this.#size]?.url ?? "http://127.0.0.1:9";
  }

  async start(): Promise<void> {
    this.#alive = await Promise.all(Array.from({ length: this.#size }, () => startBackend(this.#env)));
  }

  async killAll(): Promise<void> {
    const alive = this.#alive;
    this.#alive = [];
    await Promise.all(alive.map((each) => each.kill()));
  }

  async stop(): Promise<(number | null)[]> {
    return Promise.all(this.#alive.splice(0).map((each) => each.stop()));
  }
}

/** Kills after random numbers of withdrawals, spread over the run. */
const killAlong = async (
  processes: Processes,
  shoppers: Shoppers,
  count: number,
  kills: number,
  isOver: () => boolean,
) => {
  let done = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const at = Math.floor(((kill + Math.random()) / kills) * count * 0.9);
    while (shoppers.linked.length < at && !isOver()) await new Promise((resolve) => setTimeout(resolve, 5));
    // Somewhere into whatever is going on.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
    await processes.killAll();
    await processes.start();
    done += 1;
  }
  return done;
};

const expectAllTrue = async (shoppers: Shoppers, count: number) => {
  expect(shoppers.linked).toHaveLength(count);
  const now = new Map(await Promise.all(shoppers.linked.map(async (id) => [id, await shoppers.get(id)] as const)));
  const declined = shoppers.told.filter(({ status }) => status === "declined");
  const broken = shoppers.told
    .filter(({ status }) => status !== "declined")
    .map((told) => brokenPromise(told, now.get(told.transaction_id)))
    .filter((each) => each !== null);
  expect(broken).toEqual([]);
  for (const { transaction_id } of declined) expect(bank.payments.has(`settle_${transaction_id}`)).toBe(false);
  expect([...bank.payments.keys()].sort()).toEqual(shoppers.linked.map((id) => `settle_${id}`).sort());
  for (const [id, payment] of bank.payments) {
    expect(payment).toMatchObject({
      userId: "ann",
      TransactionId: `pos-${payment.SvcTransactionReferenceId}`,
      SvcTransactionReferenceId: id.slice("settle_".length),
    });
  }
  expect(bank.badSignatures()).toBe(0);
};

const play = async (databaseUrl: string, size: number, count: number, kills: number, abreast: number) => {
  const processes = new Processes(environment(databaseUrl), size);
  await processes.start();
  try {
    const shoppers = await createShoppers(processes, count, abreast);
    let over = false;
    const shopping = shoppers.run().finally(() => {
      over = true;
    });
    const [killed] = await Promise.all([killAlong(processes, shoppers, count, kills, () => over), shopping]);
    expect(killed).toBe(kills);
    await expectAllTrue(shoppers, count);
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
