/**
 * Hard pictures of a withdrawal that was just asked for: read by the camera up to its amount. The other ways in which a picture is
 * hard are in a table, with the same frames and decoders and no browser (`test/unit/scan/pipeline.test.ts`).
 */

import { setTimeout as sleep } from "node:timers/promises";
import en from "../../../renderer/texts/en/screens.json" with { type: "json" };
import type { FrameWish } from "../../scan-frames/view-of.ts";
import { drawSymbol } from "../stage/camera-stream.ts";
import { expect, test } from "../stage/shop.ts";

// Seeds whose symbols are in the picture whole and of a usual size; the code itself is another one each time.
const pictures: readonly Pick<FrameWish, "condition" | "severity" | "symbology" | "seed">[] = [
  { condition: "noise", severity: 0.5, symbology: "qr", seed: 4 },
  { condition: "perspective", severity: 0.8, symbology: "code128", seed: 2 },
];

for (const { condition, symbology, ...rest } of pictures)
  test(`the camera reads a ${symbology} in a picture with ${condition}`, async ({ openShop }) => {
    const shop = await openShop();
    const { transaction_id: id } = await shop.bank.request("50.00");
    const till = await shop.openTill({ hard: { text: id, condition, symbology, ...rest } });
    await till.shows("review");
    await till.showsAmount("€50.00");
    expect((await shop.bank.read(id)).status).toBe("ready");
  });

test("on a slow machine the camera says what to do until it can read", async ({ openShop }) => {
  const shop = await openShop();
  const { page } = await shop.openTill({ picture: drawSymbol("qr", "https://example.com") });
  const says = page.locator(".scan-hint");
  await expect(says).toHaveText(en.scan.sight.foreign);
  await page.route("**/*.wasm", async (route) => {
    await sleep(5000);
    await route.continue();
  });
  await page.reload();
  await expect(says).toHaveText(en.scan.sight.starting);
  await expect(says).toHaveText(en.scan.sight.foreign);
});
