/** The database's primary dies under load and its synchronous standby takes over (README, "A fleet on PostgreSQL"). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { openStore } from "../../backend/store/open.ts";
import { adhoc } from "../../backend/store/store.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { ensureBuilt } from "../runner/built.ts";
import { byEffort } from "../runner/effort.ts";
import { createPresence } from "../runner/presence.ts";
import { type BankServer, startBank } from "./bank-server.ts";
import { environment, expectAllTrue, Processes } from "./fleet-processes.ts";
import { type Cluster, startCluster } from "./postgres-cluster.ts";
import { createShoppers } from "./shoppers.ts";
import { approve, confirmIt, createWorld, placeOrder, bank as theBank, till } from "./world.ts";

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
    const sincePromotion = createPresence();
    await until(() => shoppers.answers.length > answersBefore + atOnce);
    expect(sincePromotion.now()).toBeLessThan(backWithinMs);
    sincePromotion.stop();
    await shopping;
    await expectAllTrue(shoppers, bank, withdrawals);
    expect(await processes.stop()).toEqual([0, 0]);
  } finally {
    await processes.killAll();
  }
});

/** Only the promoted server is left: told to wait for a standby, it waits for one that never comes. */
const setStandbys = async (names: string) => {
  await cluster.querySurvivor(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
  await cluster.querySurvivor("SELECT pg_reload_conf()");
  const isSet = async () => (await cluster.querySurvivor("SHOW synchronous_standby_names"))[0];
  await expect.poll(isSet).toEqual({ synchronous_standby_names: names });
};

/** Whoever waits for the standby is answered with a warning; what it has committed is there, and may be lost. */
const cancelWaits = () =>
  cluster.querySurvivor("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");

test("a commit that the standby has not confirmed is not called done", async () => {
  const store = await openStore(cluster.url, systemClock, { statementTimeoutMs: 2_000, migrates: true });
  const patient = await openStore(cluster.url, systemClock, { statementTimeoutMs: 60_000 });
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
    const canceling = async () => {
      await cancelWaits();
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

test("nor is what repeats such a commit: a terminal and a bank go on asking until the standby has it", async () => {
  const store = await openStore(cluster.url, systemClock, { statementTimeoutMs: 2_000, migrates: true });
  const { service } = await createWorld(store, { options: { pollMs: 1e9 } });
  const paid = async () => {
    const { transaction_id: id } = await confirmIt(service, await placeOrder(service, { sca_required: false }));
    await getTransaction(service, till, id, { waitMs: 20_000, whileStatus: "settling" });
    return id;
  };
  try {
    const [handedOut, kept] = [await paid(), await paid()];
    const [confirmed, rejected, revoked] = await Promise.all([1, 2, 3].map(() => placeOrder(service)));
    const approved = await confirmIt(service, await placeOrder(service));
    const calls = [
      () => linkTransaction(service, till, handedOut),
      () => declareUndelivered(service, till, kept, "till_short"),
      () => confirmIt(service, confirmed as Transaction, till, "pos"),
      () => rejectTransaction(service, till, rejected?.transaction_id ?? ""),
      () => cancelWithdrawal(service, theBank, revoked?.transaction_id ?? ""),
      () => approve(service, approved),
    ];
    const answers = () =>
      Promise.all(
        calls.map((call) =>
          call().then(
            ({ status }) => status,
            ({ code }) => code,
          ),
        ),
      );
    await setStandbys("nobody");
    let isAnswered = false;
    const canceled = answers().finally(() => {
      isAnswered = true;
    });
    const canceling = async () => {
      await cancelWaits();
      return isAnswered;
    };
    await expect.poll(canceling).toBe(true);
    const unavailable = calls.map(() => "unavailable");
    expect([await canceled, await answers()]).toEqual([unavailable, unavailable]);
    await setStandbys("");
    expect(await answers()).toEqual(["linked", "undelivered", "awaiting_sca", "rejected", "canceled", "settling"]);
  } finally {
    await setStandbys("");
    await service.stop();
    await store.close();
  }
});
