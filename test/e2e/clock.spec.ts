/** Clocks that are set right in the middle of a withdrawal: countdowns run on. */
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { expect, test } from "./stage/shop.ts";

const hourMs = 3_600_000;

for (const [what, byMs] of [
  ["forward", hourMs],
  ["back", -hourMs],
] as const) {
  test(`the till's clock jumps an hour ${what} while the customer is asked`, async ({ openShop }) => {
    const shop = await openShop({ throughProxy: true, clockJumpMs: byMs });
    const { transaction_id: id } = await shop.bank.request("50.00");
    const till = await shop.openTill();
    await till.scan(id);
    await till.press(en.review.confirm);
    await till.shows("approval");
    await shop.jumpClock();
    await till.shows("approval");
    expect(await shop.bank.decideSca(id, "approved")).toBe(201);
    await till.handOver();
    await till.shows("done");
    await expect.poll(async () => (await shop.bank.report()).get(id)?.finding).toBe("matched");
    expect(shop.proxy.posts("/transaction/confirm")).toHaveLength(1);
    await till.shows("ready");
    await till.scan((await shop.bank.request("60.00")).transaction_id);
    await till.shows("review");
    await expect(till.page.getByText(/^Clock wrong by/)).toBeVisible();
  });

  test(`the page's clock jumps an hour ${what} while the customer is asked`, async ({ openShop }) => {
    const shop = await openShop({ throughProxy: true });
    const { transaction_id: id } = await shop.bank.request("50.00");
    const till = await shop.openTill();
    await till.scan(id);
    await till.press(en.review.confirm);
    await till.shows("approval");
    const [before, after] = await till.page.evaluate((shift) => {
      const seconds = () => Number(document.querySelector("[role=timer] p")?.textContent ?? Number.NaN);
      const shown = seconds();
      const real = Date.now.bind(Date);
      Date.now = () => real() + shift;
      // What is shown next, and not what was shown before the jump.
      return new Promise<readonly [number, number]>((resolve) => {
        const observer = new MutationObserver(() => {
          if (seconds() === shown) return;
          observer.disconnect();
          resolve([shown, seconds()]);
        });
        observer.observe(document, { subtree: true, childList: true, characterData: true });
      });
    }, byMs);
    // One second, or some on a machine that stalls.
    expect(after).toBeLessThan(before);
    expect(after).toBeGreaterThan(0);
    await till.shows("approval");
    expect(await shop.bank.decideSca(id, "approved")).toBe(201);
    await till.shows("payable");
    expect(shop.proxy.posts("/transaction/reject")).toHaveLength(0);
  });
}
