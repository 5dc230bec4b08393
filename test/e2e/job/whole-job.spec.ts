/** The main job from the customer's wish to the reconciliation report, by every way a barcode can come in. */
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };
import { drawSymbol } from "../stage/camera-stream.ts";
import { expect, type Shop, test } from "../stage/shop.ts";
import type { TillPage } from "../stage/till-page.ts";

/** From the review screen to the next customer; the customer approves at the bank. */
const finish = async (shop: Shop, till: TillPage, id: string): Promise<void> => {
  await till.shows("review");
  await till.showsAmount("€50.00");
  await till.tone("notYet");
  await till.press(en.review.confirm);
  await till.shows("approval");
  await till.tone("notYet");
  expect(await shop.bank.decideSca(id, "approved")).toBe(201);
  await till.shows("payable");
  await till.tone("give");
  await till.showsAmount("€50.00");
  await till.press(en.payable.ok);
  await till.shows("counting");
  await till.showsAmount("€50.00");
  expect((await shop.bank.report()).get(id)?.finding).toBe("not_linked");
  await till.press(en.opening.handedOut);
  await till.shows("done");
  await till.shows("ready");
  await expect.poll(async () => (await shop.bank.report()).get(id)?.finding).toBe("matched");
  const payments = (await shop.bank.payments()).filter((payment) => payment.reference === id);
  expect(payments).toMatchObject([{ amount: "50.00" }]);
};

for (const symbology of ["code128", "qr"] as const)
  test(`the camera reads the ${symbology} on the customer's phone, and the customer approves there`, async ({
    openShop,
  }) => {
    const shop = await openShop();
    const phone = await shop.openPhone();
    const id = await phone.request(`${shop.serviceUrl}/sandbox`, "50.00");
    const till = await shop.openTill({
      picture: await phone.picture(symbology),
      options: { noise: 8, tiltDegrees: 4 },
    });
    await till.shows("review");
    await till.showsAmount("€50.00");
    await till.press(en.review.confirm);
    await till.shows("approval");
    await phone.shows("awaiting_sca");
    await phone.approve();
    await till.shows("payable");
    await till.handOver();
    await till.shows("done");
    await phone.shows("linked");
    await expect.poll(async () => (await shop.bank.report()).get(id)?.finding).toBe("matched");
  });

test("the camera reads a small tilted barcode in a noisy picture", async ({ openShop }) => {
  const shop = await openShop();
  const { transaction_id: id } = await shop.bank.request("50.00");
  const picture = drawSymbol("code128", id);
  const till = await shop.openTill({ picture, options: { noise: 14, tiltDegrees: -7, size: 0.55, seed: 3 } });
  await till.shows("review");
  await finish(shop, till, id);
});

test("a USB scanner, with nothing focused and in the field for typing; by hand, in lower case, with blanks and look-alikes; by keys alone", async ({
  openShop,
}) => {
  test.slow();
  const shop = await openShop();
  const till = await shop.openTill();
  const scans = (["Enter", "Tab"] as const).flatMap((end) => [
    { end, msPerKey: 5, inField: false },
    { end, msPerKey: 30, inField: false },
    { end, msPerKey: 5, inField: true },
  ]);
  for (const { inField, ...scan } of scans)
    await test.step(`${scan.msPerKey} ms a key, ${scan.end}${inField ? ", in the field" : ""}`, async () => {
      const { transaction_id: id } = await shop.bank.request("50.00");
      await till.shows("ready");
      if (inField) {
        await till.press(en.ready.type);
        await expect(till.page.getByLabel(en.entry.field)).toBeFocused();
      }
      await till.scanAnywhere(id, scan);
      await finish(shop, till, id);
    });

  await test.step("by hand", async () => {
    const { transaction_id: id } = await shop.bank.request("50.00");
    const asHeard = id
      .toLowerCase()
      .replaceAll("0", "o")
      .replaceAll("1", "l")
      .replace(/(.{4})/g, "$1 ");
    await till.typeCode(asHeard);
    await finish(shop, till, id);
  });

  await test.step("F9 confirms, opens the drawer, and says that the cash was handed over", async () => {
    const { transaction_id: id } = await shop.bank.request("50.08");
    await till.scan(id);
    await till.shows("review");
    await till.pressKey("F9", en.review.confirm);
    await till.shows("payable");
    await till.pressKey("F9", en.payable.ok);
    await till.shows("counting");
    await till.pressKey("F9", en.opening.handedOut);
    await till.shows("done");
    await till.shows("ready");
    await expect.poll(async () => (await shop.bank.report()).get(id)?.finding).toBe("matched");
  });
});
