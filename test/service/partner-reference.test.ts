/** The bank's own reference: taken with the request, echoed in every answer, sent along with every order. */
import { describe, expect, test } from "vitest";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { stores } from "./stores.ts";
import { approve, bank, confirmIt, freshKey, shop, till, type World } from "./world.ts";
import { oneWorld } from "./world-stage.ts";

describe.each(stores)("on %s", (dialect) => {
  let world: World;
  oneWorld(dialect, { inRealTime: true }, (stage) => {
    ({ world } = stage);
  });

  const body = { user_id: "ann", amount: "50.00", currency: "EUR", store: shop };
  const headerOf = (path: string, id: string) =>
    world.bank.requests.find((sent) => sent.url.endsWith(path) && sent.body.includes(id))?.headers["partner-reference"];

  test("comes back in answers and goes along with Start and Settle order", async () => {
    const made = await requestWithdrawal(world.service, bank, { ...body, partner_reference: "wd-117" }, freshKey());
    expect(made.partner_reference).toBe("wd-117");
    await confirmIt(world.service, made);
    const approved = await approve(world.service, made);
    expect(approved.partner_reference).toBe("wd-117");
    await getTransaction(world.service, till, made.transaction_id, { waitMs: 5_000, whileStatus: "settling" });
    expect(headerOf("/startwithdrawal", made.transaction_id)).toBe("wd-117");
    expect(headerOf("/settlewithdrawal", made.transaction_id)).toBe("wd-117");
  });

  test("without one nothing is sent", async () => {
    const made = await requestWithdrawal(world.service, bank, body, freshKey());
    expect(made.partner_reference).toBeNull();
    expect(headerOf("/startwithdrawal", made.transaction_id)).toBeUndefined();
  });

  test("belongs to the body of the idempotency key", async () => {
    const key = freshKey();
    await requestWithdrawal(world.service, bank, { ...body, partner_reference: "one" }, key);
    await expect(
      requestWithdrawal(world.service, bank, { ...body, partner_reference: "two" }, key),
    ).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
  });
});
