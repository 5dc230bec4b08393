/** Pictures that are hard in five ways, of a withdrawal that was just asked for: read by the camera up to its amount. */
import type { FrameWish } from "../../scan-frames/view-of.ts";
import { expect, test } from "../stage/shop.ts";

// Seeds whose symbols are in the picture whole and of a usual size; the code itself is another one each time.
const pictures: readonly Pick<FrameWish, "condition" | "severity" | "symbology" | "seed">[] = [
  { condition: "blur", severity: 0.5, symbology: "code128", seed: 3 },
  { condition: "noise", severity: 0.5, symbology: "qr", seed: 4 },
  { condition: "low_contrast", severity: 0.7, symbology: "qr", seed: 2 },
  { condition: "perspective", severity: 0.8, symbology: "code128", seed: 2 },
  { condition: "moire", severity: 0.7, symbology: "code128", seed: 3 },
];

for (const { condition, symbology, ...rest } of pictures)
  test(`the camera reads a ${symbology} in a picture with ${condition}`, async ({ openShop }) => {
    const shop = await openShop();
    const { transaction_id: id } = await shop.bank.request("50.00");
    const till = await shop.openTill({ hard: { text: id, condition, symbology, ...rest } });
    await till.shows("review", 40_000);
    await till.showsAmount("€50.00");
    expect((await shop.bank.read(id)).status).toBe("ready");
  });
