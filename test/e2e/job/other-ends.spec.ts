/** Every way a withdrawal ends without cash: what the cashier reads, and what the books say afterwards. */
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };
import { expect, test } from "../stage/shop.ts";

test("cashier and customer change their minds, each where they can; paid but not handed out, for too little cash or a customer who left, is in the report", async ({
  openShop,
}) => {
  test.slow();
  const shop = await openShop();
  const till = await shop.openTill();
  const nextCustomer = async (): Promise<string> => {
    const { transaction_id: id } = await shop.bank.request("50.00");
    await till.scan(id);
    await till.shows("review");
    return id;
  };
  const dismissEnd = async (): Promise<void> => {
    await till.press(en.ended.nextCustomer);
    await till.shows("ready");
  };

  await test.step("the cashier rejects on sight", async () => {
    const id = await nextCustomer();
    await till.press(en.review.reject);
    await till.showsEnd("rejected");
    await till.tone("nothing");
    await expect.poll(async () => (await shop.bank.read(id)).status).toBe("rejected");
    await dismissEnd();
  });
  await test.step("the cashier rejects while the customer is asked", async () => {
    const id = await nextCustomer();
    await till.press(en.review.confirm);
    await till.shows("approval");
    await till.press(en.waiting.reject);
    await till.showsEnd("rejected");
    expect((await shop.bank.read(id)).status).toBe("rejected");
    expect(await shop.bank.decideSca(id, "approved")).toBe(409);
    await dismissEnd();
  });
  await test.step("the customer cancels while the cashier looks at the amount", async () => {
    const id = await nextCustomer();
    expect(await shop.bank.cancel(id)).toBe(201);
    await till.press(en.review.confirm);
    await till.showsEnd("user_canceled");
    await till.tone("nothing");
    await dismissEnd();
  });
  await test.step("the customer refuses in the bank app, on the phone", async () => {
    const phone = await shop.openPhone();
    const id = await phone.request(`${shop.serviceUrl}/sandbox`, "50.00");
    await till.scan(id);
    await till.press(en.review.confirm);
    await phone.shows("awaiting_sca");
    await phone.deny();
    await till.showsEnd("sca_denied");
    await till.tone("nothing");
    await phone.shows("canceled");
    expect((await shop.bank.report()).get(id)).toMatchObject({ finding: "closed", status: "canceled" });
    await dismissEnd();
  });
  expect(await shop.bank.payments()).toEqual([]);

  const paid: string[] = [];
  for (const reason of ["till_short", "customer_left"] as const)
    await test.step(`paid but not handed out: ${reason}`, async () => {
      const { transaction_id: id } = await shop.bank.request("50.08");
      paid.push(id);
      await till.scan(id);
      await till.press(en.review.confirm);
      await till.shows("payable");
      await till.press(en.payable.notHandedOut);
      await till.press(en.notHandedOut[reason]);
      await till.showsEnd("not_handed_out");
      await expect.poll(async () => (await shop.bank.report()).get(id)?.finding).toBe("undelivered");
      expect((await shop.bank.payments()).map(({ reference }) => reference).sort()).toEqual(paid.toSorted());
      await dismissEnd();
    });
});

test("the customer does not approve in time: the till says so, and nothing is paid", async ({ openShop }) => {
  // Long enough for a slow machine to draw the screen on which the customer is waited for.
  const shop = await openShop({ env: { SCA_TIMEOUT_SECONDS: "20" } });
  const { transaction_id: id } = await shop.bank.request("50.07");
  const till = await shop.openTill();
  await till.scan(id);
  await till.press(en.review.confirm);
  await till.shows("approval");
  await till.showsEnd("sca_timeout");
  await till.tone("nothing");
  await expect.poll(async () => (await shop.bank.read(id)).status).toMatch(/^(rejected|canceled)$/);
  expect(await shop.bank.payments()).toEqual([]);
});

test("the order has run out before it is scanned", async ({ openShop }) => {
  const shop = await openShop({ env: { ORDER_TTL_SECONDS: "1" } });
  const { transaction_id: id } = await shop.bank.request("50.00");
  await expect.poll(async () => (await shop.bank.read(id)).status).toBe("expired");
  const till = await shop.openTill();
  await till.scan(id);
  await till.showsEnd("order_expired");
  await till.tone("nothing");
});
