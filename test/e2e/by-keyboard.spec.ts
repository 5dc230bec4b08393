/** The story that installed programs are tried with (`npm run smoke:desktop`), here in the browser host. */
import { playTraining } from "./stage/play-by-keyboard.ts";
import { expect, test } from "./stage/shop.ts";

test("a withdrawal in training by a scanner's keys and the one key that goes on", async ({ openShop }) => {
  const shop = await openShop();
  const till = await shop.openTill();
  await till.shows("ready");
  const id = await playTraining(shop.serviceUrl, {
    scan: (text) => till.scanAnywhere(text),
    pressMain: () => till.page.keyboard.press("F9"),
  });
  await expect.poll(async () => (await shop.bank.report()).get(id)?.finding).toBe("matched");
  await till.shows("ready");
});
