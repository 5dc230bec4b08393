/** The database's primary dies under load and its synchronous standby takes over (README, "A fleet on PostgreSQL"). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { openStore } from "../../backend/store/open.ts";
import { adhoc } from "../../backend/store/store.ts";
import { ensureBuilt } from "../runner/built.ts";
import { byEffort } from "../runner/effort.ts";
import { type BankServer, startBank } from "./bank-server.ts";
import { environment, expectAllTrue, Processes } from "./fleet-processes.ts";
import { type Cluster, startCluster } from "./postgres-cluster.ts";
import { createShoppers } from "./shoppers.ts";

const { withdrawals } = byEffort({ usual: { withdrawals: 150 }, torture: { withdrawals: 5_000 } });
const backWithinMs = 10_000;
const atOnce = 24;

let cluster: Cluster;
let bank: BankServer;
beforeAll(async () => {
  await ensureBuilt();
  [cluster, bank] = await Promise.all([startCluster(), startBank()]);
});
afterAll(async () => {
  await bank.close();
  await cluster.stop();
});

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (holds: () => boolean) => {
  while (!holds()) await sleep(10);
};

test("nothing acknowledged is lost, nothing is paid twice, and the service is back within 10 s of the promotion", async () => {
  const processes = new Processes(environment(cluster.url, bank), 2);
  await processes.start();
  try {
    const shoppers = await createShoppers(processes, withdrawals, atOnce);
    const shopping = shoppers.run();
    await until(() => shoppers.linked.length > withdrawals / 5);
    await cluster.killPrimary();
    await sleep(500);
    const answersBefore = shoppers.answers.length;
    await cluster.promoteStandby();
    const promotedAt = performance.now();
    await until(() => shoppers.answers.length > answersBefore + atOnce);
    expect(performance.now() - promotedAt).toBeLessThan(backWithinMs);
    await shopping;
    await expectAllTrue(shoppers, bank, withdrawals);
    expect(await processes.stop()).toEqual([0, 0]);
  } finally {
    await processes.killAll();
  }
});

test("a commit that the standby has not confirmed is not called done", async () => {
  // Only the promoted server is left: told to wait for a standby, it waits for one that never comes.
  const store = await openStore(cluster.url, systemClock, { statementTimeoutMs: 2_000, migrates: true });
  const patient = await openStore(cluster.url, systemClock, { statementTimeoutMs: 60_000 });
  const setStandbys = async (names: string) => {
    await cluster.querySurvivor(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await cluster.querySurvivor("SELECT pg_reload_conf()");
    const isSet = async () => (await cluster.querySurvivor("SHOW synchronous_standby_names"))[0];
    await expect.poll(isSet).toEqual({ synchronous_standby_names: names });
  };
  const add = (id: string, to = store) =>
    to.write((tx) =>
      tx.run(adhoc((db) => db.insertInto("partners").values({ id, url: null, secret: null, created_at: 0 }))),
    );
  try {
    await setStandbys("nobody");
    // Without an answer, and with the yes that a canceled wait gives.
    await expect(add("unconfirmed")).rejects.toMatchObject({ code: "unavailable" });
    let ended = "waits";
    const end = (how: string): void => {
      ended = how;
    };
    add("canceled", patient).then(
      () => end("done"),
      ({ code }: { code: string }) => end(code),
    );
    const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    const canceling = async () => {
      await cluster.querySurvivor(cancel);
      return ended;
    };
    await expect.poll(canceling).toBe("unavailable");
    await setStandbys("");
    await expect(add("confirmed")).resolves.toBe(1);
  } finally {
    await store.close();
    await patient.close();
  }
});
