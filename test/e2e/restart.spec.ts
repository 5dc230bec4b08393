/** The page reloaded, the program killed: the cashier comes back to where a customer may still be standing. */
import { mkdirSync } from "node:fs";
import { writeEntryFile } from "../../main/host/instance.ts";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { expect, type Shop, test } from "./stage/shop.ts";
import type { TillPage } from "./stage/till-page.ts";

type Way = (shop: Shop, till: TillPage) => Promise<TillPage>;

const reload: Way = async (_, till) => {
  await till.page.reload();
  return till;
};

const ways: readonly { readonly what: string; readonly isKill: boolean; readonly back: Way }[] = [
  { what: "reloading the page", isKill: false, back: reload },
  { what: "killing the program and starting it again", isKill: true, back: (shop, till) => shop.killAndComeIn(till) },
];

/** Each of them was confirmed by one set of ids and paid once, and nobody else; the last one is linked by now. */
const linkedOnce = async (shop: Shop, ...served: readonly string[]): Promise<void> => {
  await expect.poll(async () => (await shop.bank.report()).get(served.at(-1) ?? "")?.finding).toBe("matched");
  const confirms = new Set(shop.proxy.posts("/transaction/confirm").map(({ body }) => body));
  const confirmed = [...confirms].map((body) => (JSON.parse(body) as { transaction_id: string }).transaction_id);
  expect(confirmed.sort()).toEqual(served.toSorted());
  // No second copy before the service was asked.
  for (const id of served) expect(shop.proxy.callsAbout(id).join(" ")).not.toContain("confirm confirm");
  expect((await shop.bank.payments()).map(({ reference }) => reference).sort()).toEqual(served.toSorted());
};

for (const { what, isKill, back } of ways)
  test(`${what} at each place of a withdrawal`, async ({ openShop }) => {
    test.slow();
    const shop = await openShop({ throughProxy: true });
    let till = await shop.openTill();
    const served: string[] = [];
    const nextCustomer = async (amount: string): Promise<string> => {
      const { transaction_id: id } = await shop.bank.request(amount);
      served.push(id);
      await till.scan(id);
      await till.shows("review");
      return id;
    };

    await test.step("on Ready", async () => {
      await till.shows("ready");
      till = await back(shop, till);
      await till.shows("ready");
    });

    await test.step("while the amount is reviewed, then while the customer is asked", async () => {
      const id = await nextCustomer("50.00");
      till = await back(shop, till);
      if (isKill) {
        // Nothing was promised yet: the customer shows the code again.
        await till.shows("ready");
        await till.scan(id);
      }
      await till.shows("review");
      await till.showsAmount("€50.00");
      expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(0);

      await till.press(en.review.confirm);
      await till.shows("approval");
      till = await back(shop, till);
      await till.shows("approval");
      await till.showsAmount("€50.00");
      expect(await shop.bank.decideSca(id, "approved")).toBe(201);
      await till.handOver();
      await till.shows("done");
      await linkedOnce(shop, ...served);
    });

    await test.step("while cash may be handed out", async () => {
      await nextCustomer("50.08");
      await till.press(en.review.confirm);
      await till.shows("payable");
      till = await back(shop, till);
      await till.shows(isKill ? "recovered" : "payable");
      await till.showsAmount("€50.08");
      await till.handOver();
      await till.shows("done");
      await linkedOnce(shop, ...served);
    });

    await test.step("right after the hand-out", async () => {
      await nextCustomer("60.08");
      shop.proxy.breakWith((request) => (request.path === "/transaction/link" ? "nothing" : null));
      await till.press(en.review.confirm);
      await till.handOver();
      await till.shows("done");
      till = await back(shop, till);
      shop.proxy.heal();
      await till.shows("ready");
      await linkedOnce(shop, ...served);
    });

    if (!isKill) return;
    await test.step("with the confirm on its way: the till asks, and the customer is served", async () => {
      await nextCustomer("70.08");
      const before = shop.proxy.posts("/transaction/confirm").length;
      shop.proxy.breakWith((request) => (request.path === "/transaction/confirm" ? "answer_lost" : null));
      await till.press(en.review.confirm);
      await expect.poll(() => shop.proxy.posts("/transaction/confirm").length).toBeGreaterThan(before);
      till = await back(shop, till);
      shop.proxy.heal();
      await till.shows("recovered");
      await till.handOver();
      await till.shows("done");
      await linkedOnce(shop, ...served);
    });
  });

test(
  "the same start a second time hands over to the running till, by its address and by the file of one",
  {
    tag: "@browser",
  },
  async ({ openShop }, testInfo) => {
    const shop = await openShop();
    const till = await shop.openTill();
    await till.shows("ready");
    const page = await till.page.context().newPage();
    const showsReady = () =>
      expect(page.getByRole("heading", { level: 1, name: en.ready.title, exact: true })).toBeVisible();
    await page.goto(await shop.startAgain());
    await showsReady();
    expect(await page.context().cookies()).toEqual([]);
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await expect(page.getByText(/^Each address works once/)).toBeVisible();
    mkdirSync(testInfo.outputDir, { recursive: true });
    await page.goto(writeEntryFile(testInfo.outputDir, await shop.startAgain()));
    await showsReady();
  },
);
