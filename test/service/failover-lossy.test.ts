/** The database's primary dies, and a standby that lacked its last commits takes over: nothing is confirmed before an operator has said so. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { elapsedMs, systemClock } from "../../backend/adapters.ts";
import { createDatabaseClock } from "../../backend/store/database-clock.ts";
import { openStore } from "../../backend/store/open.ts";
import type { Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { applyRestore } from "../../backend/withdrawals/restored.ts";
import { type Cluster, startCluster } from "./postgres-cluster.ts";
import { createWay } from "./silent-way.ts";
import { eventually } from "./stores.ts";
import { confirmIt, createWorld, placeOrder, secondTill, testKeys, till, type World } from "./world.ts";

let cluster: Cluster;
beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(() => cluster.stop());

/** A process of a fleet, with the database's clock as `open-database.ts` has it. */
const start = async (plain: Store) => {
  const clock = await createDatabaseClock(plain, systemClock, elapsedMs, async () => true);
  const world = await createWorld(clock.checkedStore, { clock });
  return {
    ...world,
    async stop() {
      await world.service.stop();
      clock.stop();
    },
  };
};
const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "done",
    ({ message }: Error) => message,
  );

/** An address that leads to the primary, or to the standby once that is in its place. */
const movingAddress = async () => {
  const [primary, standby] = [...cluster.url.matchAll(/127\.0\.0\.1:\d+/g)].map(String);
  const target = new URL(`postgres://postgres@${primary}/postgres`);
  const way = await createWay(target);
  return {
    ...way,
    move() {
      target.host = standby as string;
    },
  };
};
const bothHosts = async () => ({ url: cluster.url, move() {}, async close() {} });

test.each([
  { by: "a list of hosts", addressOf: bothHosts, isRead: false, connectionsMax: 16 },
  {
    by: "an address that leads to the standby before it is promoted",
    addressOf: movingAddress,
    isRead: true,
    connectionsMax: 8,
  },
])(
  "a withdrawal that it has forgotten is not confirmed at another till, whichever process that asks, over $by",
  async ({ addressOf, isRead, connectionsMax }) => {
    const address = await addressOf();
    const plain = [
      await openStore(address.url, systemClock, { migrates: true, connectionsMax }),
      await openStore(address.url, systemClock, { connectionsMax }),
    ];
    const [one, other] = [await start(plain[0] as Store), await start(plain[1] as Store)];
    const settled = async ({ service }: World, id: string) =>
      (await getTransaction(service, till, id, { waitMs: 20_000, whileStatus: "settling" })).status;
    try {
      const order = await placeOrder(one.service, { sca_required: false });
      await cluster.cutOffStandby();
      const { transaction_id: id } = await confirmIt(one.service, order);
      expect(await settled(one, id)).toBe("settled");
      await linkTransaction(one.service, till, id);
      await cluster.killPrimary();
      address.move();
      const statusAt = ({ service }: World) => getTransaction(service, secondTill, id).then((row) => row.status);
      const isReadyAgain = async () => {
        for (const each of [one, other]) expect(await eventually(() => statusAt(each))).toBe("ready");
      };
      if (isRead) await isReadyAgain();
      await cluster.promoteStandby();
      await isReadyAgain();
      for (const { service } of [other, one])
        await expect
          .poll(async () => {
            const said = await codeOf(confirmIt(service, order, secondTill));
            expect(said).not.toBe("done");
            return said;
          })
          .toMatch(/has lost commits/);
      expect(one.counted.lost).toBe(1);

      await Promise.all([one.stop(), other.stop()]);
      const on = { store: plain[1] as Store, clock: systemClock, keys: testKeys };
      await applyRestore(on, { forgotSince: systemClock.now() - 60_000 });
      const again = await start(plain[1] as Store);
      try {
        const next = await confirmIt(again.service, await placeOrder(again.service, { sca_required: false }));
        expect(await settled(again, next.transaction_id)).toBe("settled");
      } finally {
        await again.stop();
      }
    } finally {
      await Promise.all([one.stop(), other.stop()]);
      for (const store of plain) await store.close();
      await address.close();
    }
  },
);
