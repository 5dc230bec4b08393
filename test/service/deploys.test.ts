/**
 * Deploys and crashes in turn while withdrawals go on and the bank is slow: SIGTERM and a start, then SIGKILL and a start.
 * What was answered stays true, and every payment of the bank has its cash.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../runner/built.ts";
import { byEffort } from "../runner/effort.ts";
import { startBank } from "./bank-server.ts";
import { environment, expectAllTrue, Processes } from "./fleet-processes.ts";
import { createShoppers } from "./shoppers.ts";
import { createPlace } from "./stores.ts";

const rounds = Number(process.env.DEPLOYS ?? byEffort({ usual: 2, torture: 1_000 }));
const slowMs = 900_000 + rounds * 30_000;
const atOnce = 12;

beforeAll(ensureBuilt);

/** A third is answered at once, a third within the 5 s that a call has, a third within a second. */
const slowly = () => [0, 4_500 * Math.random(), 1_000 * Math.random()][Math.floor(Math.random() * 3)] ?? 0;

const play = async (databaseUrl: string, size: number) => {
  const bank = await startBank(slowly);
  const processes = new Processes(environment(databaseUrl, bank), size);
  try {
    await processes.start();
    const shoppers = await createShoppers(processes, Number.POSITIVE_INFINITY, atOnce);
    const shopping = shoppers.run();
    let failed: unknown = null;
    shopping.catch((error: unknown) => {
      failed = error;
    });
    const codes: (number | null)[] = [];
    for (let round = 0; round < rounds && failed === null; round += 1) {
      if (round % 2 === 0) codes.push(await processes.deployFirst());
      else await processes.killFirst();
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
    }
    shoppers.stop();
    await shopping;
    expect(new Set(codes)).toEqual(new Set([0]));
    expect(shoppers.linked.length).toBeGreaterThan(rounds / 2);
    await expectAllTrue(shoppers, bank, shoppers.linked.length);
    expect(await processes.stop()).toEqual(Array.from({ length: size }, () => 0));
    console.log(
      `${rounds} deploys and kills, ${shoppers.linked.length} withdrawals, ${bank.settleCalls()} Settle calls`,
    );
  } finally {
    await processes.killAll();
    await bank.close();
  }
};

test(
  `one process on SQLite, ${rounds} deploys and kills in turn`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tillcash-deploys-"));
    try {
      await play(`sqlite:${join(folder, "service.db")}`, 1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  slowMs,
);

test(
  `two processes on one PostgreSQL, ${rounds} deploys and kills in turn`,
  async () => {
    const place = await createPlace("postgres");
    try {
      await play(place.url, 2);
    } finally {
      await place.dispose();
    }
  },
  slowMs,
);
