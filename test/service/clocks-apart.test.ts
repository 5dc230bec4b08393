/** Two processes of one service whose clocks are seconds apart: at the end of the customer's 40 s, and at midnight. */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { checkAudit } from "../../backend/operate/audit.ts";
import { manage } from "../../backend/operate/manage.ts";
import { closeDays } from "../../backend/operate/proof.ts";
import type { Clock } from "../../backend/ports.ts";
import { adhoc } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { type Place, stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { approve, bank, confirmIt, createWorld, placeOrder, testKeys, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const dayMs = 24 * 3_600_000;
const midnight = Date.UTC(2026, 10, 21);

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let clock: VirtualClock;
  let world: World;
  let others: World[] = [];
  worldPerTest(dialect, { options: { pollMs: 1e9 }, beginsAt: midnight - dayMs / 2 }, (stage) => {
    ({ place, clock, world } = stage);
  });
  /** A process on the same database. */
  const beside = async (aheadMs: number): Promise<World> => {
    const own: Clock = {
      now: () => clock.now() + aheadMs,
      after: (delayMs, run) => clock.after(delayMs, run),
      soon: (run) => clock.soon(run),
    };
    const other = await createWorld(world.service.store, { clock: own, options: { pollMs: 1e9 } });
    others.push(other);
    return other;
  };
  beforeEach(() => {
    others = [];
  });
  afterEach(async () => {
    for (const { service } of others) await service.stop();
  });
  const settles = () => [world, ...others].reduce((count, each) => count + each.bank.settles.length, 0);
  const statusAt = async ({ service }: World, id: string) =>
    (await getTransaction(service, till, id, { waitMs: 10_000, whileStatus: "settling" })).status;

  test.each([
    ["ahead takes an approval up to its own 40 s, and none after", 4_000, 35_999, "settled"],
    ["ahead takes none from its own 40 s on", 4_000, 36_000, "canceled"],
    ["behind takes one that late, as long as nobody has seen its end", -4_000, 43_999, "settled"],
    ["behind takes none after its own 40 s", -4_000, 44_000, "canceled"],
  ])("a process that is %s", async (_, aheadMs, afterMs, status) => {
    const other = await beside(aheadMs);
    const { transaction_id: id } = await confirmIt(world.service, await placeOrder(world.service));
    clock.jump(afterMs);
    await resolveSca(other.service, bank, id, "approved").catch(() => undefined);
    for (const each of [world, other]) expect(await statusAt(each, id)).toBe(status);
    expect(settles()).toBe(status === "settled" ? 1 : 0);
  });

  test("what one process has ended no other one pays whose 40 s go on", async () => {
    const [ahead, behind] = [await beside(4_000), await beside(-4_000)];
    const { transaction_id: id } = await confirmIt(world.service, await placeOrder(world.service));
    clock.jump(37_000);
    expect(await statusAt(ahead, id)).toBe("canceled");
    for (const { service } of [world, behind])
      await expect(resolveSca(service, bank, id, "approved")).rejects.toMatchObject({ code: "transaction_conflict" });
    for (const each of [world, behind]) expect(await statusAt(each, id)).toBe("canceled");
    expect(settles()).toBe(0);
  });

  test("around midnight no day takes more of a user or a shop than its limit, whichever process is asked", async () => {
    const command = (...words: string[]) => manage(parseCommandLine(words, { DATABASE_URL: place.url }));
    await command("partners", "set", bank.partnerId, "--user-day", "100.00", "--currency", "EUR");
    await command("merchants", "set", till.merchantId, "--shop-day", "150.00");
    const ahead = await beside(5_000);
    clock.jump(dayMs / 2 - 2_000);
    const ask = ({ service }: World, user_id: string) =>
      placeOrder(service, { user_id }).then(
        () => "taken",
        ({ extra }) => extra.limits.limit,
      );
    const asked = async () => [
      ...[await ask(world, "ann"), await ask(ahead, "ann"), await ask(world, "ann"), await ask(ahead, "ann")],
      ...[await ask(world, "ann"), await ask(ahead, "ann")],
      ...[await ask(world, "bob"), await ask(ahead, "bob"), await ask(world, "eve"), await ask(ahead, "eve")],
    ];
    expect(await asked()).toEqual([
      ...["taken", "taken", "taken", "taken", "user_day", "user_day"],
      ...["taken", "taken", "shop_day", "shop_day"],
    ]);
    clock.jump(2_000);
    expect(new Set(await asked())).toEqual(new Set(["user_day", "shop_day"]));
  });

  test("around midnight each withdrawal is a line of one day, and each day of the history gets its lines once", async () => {
    const ahead = await beside(5_000);
    await closeDays({ ...world.service, keys: testKeys });
    clock.jump(dayMs / 2 - 2_000);
    const ids: string[] = [];
    for (const [one, other] of [
      [world, ahead],
      [ahead, world],
    ] as const) {
      const placed = await placeOrder(one.service);
      await confirmIt(other.service, placed);
      await approve(one.service, placed);
      expect(await statusAt(one, placed.transaction_id)).toBe("settled");
      await linkTransaction(other.service, till, placed.transaction_id, null, undefined, "one");
      ids.push(placed.transaction_id);
      for (const { service } of [other, one, other]) await closeDays({ ...service, keys: testKeys });
    }
    for (const { service } of [world, ahead]) {
      const lines: string[] = [];
      for (const fromMs of [midnight - dayMs, midnight])
        for await (const page of reconcile(service, till, { fromMs, toMs: fromMs + dayMs }))
          for (const { transaction_id: id, finding } of page) lines.push(`${id} ${finding}`);
      expect(lines.toSorted()).toEqual(ids.map((id) => `${id} matched`).toSorted());
    }
    const verify = () => checkAudit({ store: world.service.store, clock, keys: testKeys }, {});
    expect(await verify()).toMatchObject({ history: "whole", rows: 12 });
    clock.jump(dayMs);
    for (const { service } of [ahead, world, ahead]) await closeDays({ ...service, keys: testKeys });
    expect(await verify()).toMatchObject({ history: "whole", rows: 12 });
    expect(await verify()).not.toHaveProperty("in_open_days");
    const days = adhoc((db) =>
      db.selectFrom("audit").select("object").where("event", "=", "history_day").orderBy("seq"),
    );
    expect(await world.service.store.read((tx) => tx.all(days))).toEqual([
      { object: "2026-11-20 2026-11" },
      { object: "2026-11-21 2026-11" },
    ]);
  });
});
