/**
 * Two processes with withdrawals under way on a cluster that Patroni runs, asked to switch over and then robbed of its leader. Only
 * where there is such a cluster: `PATRONI_URL`, an empty database by the addresses of all its members, and the shell
 * commands `PATRONI_SWITCHOVER` and `PATRONI_KILL`.
 */
import { execSync } from "node:child_process";
import { expect, test } from "vitest";
import { ensureBuilt } from "../runner/built.ts";
import { startBank } from "./bank-server.ts";
import { environment, expectAllTrue, Processes } from "./fleet-processes.ts";
import { createShoppers } from "./shoppers.ts";

const { PATRONI_URL: url, PATRONI_SWITCHOVER: switchOver = "", PATRONI_KILL: kill = "" } = process.env;
const withdrawals = 400;
const atOnce = 24;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (holds: () => boolean) => {
  while (!holds()) await sleep(10);
};

test.runIf(url !== undefined)("Patroni's switch-over and the death of its leader lose and repeat nothing", async () => {
  await ensureBuilt();
  const bank = await startBank();
  const processes = new Processes(environment(url ?? "", bank), 2);
  await processes.start();
  try {
    const shoppers = await createShoppers(processes, withdrawals, atOnce);
    const shopping = shoppers.run();
    for (const [share, command] of [
      [0.25, switchOver],
      [0.5, kill],
    ] as const) {
      await until(() => shoppers.linked.length > withdrawals * share);
      const at = performance.now();
      execSync(command, { stdio: "inherit" });
      // What the old leader still answered has arrived by then.
      await sleep(500);
      const before = shoppers.answers.length;
      await until(() => shoppers.answers.length > before + atOnce);
      console.log(`${command}: answers again after ${((performance.now() - at) / 1_000).toFixed(1)} s`);
    }
    await shopping;
    await expectAllTrue(shoppers, bank, withdrawals);
    expect(await processes.stop()).toEqual([0, 0]);
  } finally {
    await processes.killAll();
    await bank.close();
  }
});
