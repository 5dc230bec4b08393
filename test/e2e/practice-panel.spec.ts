/** The customer's phone beside the terminal: the terminal is drawn smaller then, and still pressed with a finger. */
import { expect, test } from "@playwright/test";
import { en } from "../../renderer/locales/en.ts";
import { openTill } from "./gallery/fake-till.ts";
import { layoutFaults } from "./gallery/layout-faults.ts";
import { calmHeader, screenOf, settings } from "./gallery/snapshots.ts";

const header = { ...calmHeader, training: true, sandboxUrl: "http://127.0.0.1:8787/sandbox" };
const ready = { ...screenOf("ready"), header, settings: settings({ camera: { enabled: false, deviceId: null } }) };

for (const [width, height] of [
  [800, 600],
  [1024, 600],
  [1024, 768],
  [1920, 1080],
  [768, 1024],
] as const)
  test(`everything can be pressed and read beside the phone at ${width}×${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const till = await openTill(page, ready);
    await page.getByRole("button", { name: en.phone.tourStart }).click();
    await expect(page.getByRole("complementary", { name: en.phone.title })).toBeVisible();
    const found: unknown[] = [];
    for (const name of ["ready", "review", "waiting-approval", "payable", "counting", "done"]) {
      const step = `${name}.beside`;
      await till.push({ ...ready, screen: { ...screenOf(name).screen, step } });
      await expect(page.locator(`[data-step="${step}"]`)).toBeAttached();
      for (const fault of await page.evaluate(layoutFaults)) found.push([name, fault]);
    }
    expect(found).toEqual([]);
  });
