/** What belongs to one shop, one device or one bank is out of reach of every other, also where their names are the same. */
import { describe, expect, test } from "vitest";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { stores } from "./stores.ts";
import { bank, confirmIt, freshKey, otherShop, placeOrder, secondTill, till, type World } from "./world.ts";
import { oneWorld } from "./world-stage.ts";

describe.each(stores)("on %s", (dialect) => {
  let world: World;
  oneWorld(dialect, { inRealTime: true }, (stage) => {
    ({ world } = stage);
  });

  const settled = async () => {
    const { transaction_id: id } = await confirmIt(
      world.service,
      await placeOrder(world.service, { sca_required: false }),
    );
    const wait = { waitMs: 10_000, whileStatus: "settling" } as const;
    expect(await getTransaction(world.service, till, id, wait)).toMatchObject({ status: "settled" });
    return id;
  };
  const unknown = { code: "transaction_not_found" };

  test("a terminal of the same name in another shop neither links nor declares", async () => {
    expect(otherShop.deviceId).toBe(till.deviceId);
    const id = await settled();
    await expect(linkTransaction(world.service, otherShop, id)).rejects.toMatchObject(unknown);
    await expect(declareUndelivered(world.service, otherShop, id, "not ours")).rejects.toMatchObject(unknown);
    expect((await getTransaction(world.service, till, id)).status).toBe("settled");
  });

  test("a confirm that another terminal repeats with the same POS id is no repeat", async () => {
    const ready = await placeOrder(world.service);
    const posId = freshKey();
    await confirmIt(world.service, ready, till, posId);
    await expect(confirmIt(world.service, ready, secondTill, posId)).rejects.toMatchObject({
      code: "transaction_conflict",
    });
    expect((await confirmIt(world.service, ready, till, posId)).status).toBe("awaiting_sca");
  });

  test("two shops whose terminals have the same name may use the same POS id", async () => {
    const posId = freshKey();
    const there = await requestWithdrawal(
      world.service,
      bank,
      { user_id: "ann", amount: "50.00", currency: "EUR", store: otherShop.merchantId },
      freshKey(),
    );
    await confirmIt(world.service, await placeOrder(world.service), till, posId);
    expect((await confirmIt(world.service, there, otherShop, posId)).status).toBe("awaiting_sca");
    await expect(confirmIt(world.service, await placeOrder(world.service), till, posId)).rejects.toMatchObject({
      code: "transaction_conflict",
    });
  });
});
