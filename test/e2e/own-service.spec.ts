/** A terminal that runs the service itself, from the first start to the manager's page about it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "@playwright/test";
import { en } from "../../renderer/texts/en.ts";
import { layoutFaults } from "./gallery/layout-faults.ts";
import { button } from "./gallery/overlays.ts";
import { accessibilityFaults } from "./stage/accessibility.ts";
import { startTillHost } from "./stage/programs.ts";
import { managerPin, setManagerPin } from "./stage/set-up.ts";

const { ownService: texts } = en;

test("this terminal runs the service itself: set up, and looked at by its manager", async ({ page }) => {
  const data = mkdtempSync(path.join(tmpdir(), "tillcash-own-e2e-"));
  const host = await startTillHost({ data, live: true });
  const field = (name: keyof typeof texts.fields) => page.getByLabel(texts.fields[name], { exact: true });
  const sound = async () => {
    expect(await page.evaluate(layoutFaults)).toEqual([]);
    expect(await accessibilityFaults(page)).toEqual([]);
  };
  try {
    await page.setViewportSize({ width: 800, height: 600 });
    await page.goto(host.entry);
    await button(page, en.setup.go).click();
    await setManagerPin(page);
    await button(page, texts.myself).click();
    await expect(page.getByRole("heading", { name: texts.shopTitle })).toBeVisible();
    await button(page, en.setup.go).click();
    await expect(page.getByText(texts.rules.shopName)).toBeVisible();
    await sound();
    await field("shopId").fill("corner-shop");
    await field("shopName").fill("Corner shop");
    await button(page, en.setup.go).click();
    await field("bankId").fill("my-bank");
    await field("bankUrl").fill("http://bank.example");
    await button(page, texts.start).click();
    // In the open the service talks to no bank, and says so at the field.
    await expect(page.getByText(texts.rules.bankUrl)).toBeVisible();
    await sound();
    await field("bankUrl").fill("http://127.0.0.1:9");
    await button(page, texts.start).click();
    await button(page, en.setup.later).click();
    await expect(page.getByRole("heading", { level: 1, name: en.ready.title })).toBeVisible();

    await page.addLocatorHandler(page.getByLabel(en.people.pin, { exact: true }), async (pin) => {
      await pin.fill(managerPin);
      await button(page, en.people.ok).click();
    });
    await button(page, en.header.manager).click();
    await expect(page.getByRole("heading", { level: 1, name: en.manager.title })).toBeVisible();
    const part = button(page, texts.tab);
    await expect(async () => {
      await page.getByRole("tab", { name: en.manager.tabs.support }).click();
      await part.click({ timeout: 1_000 });
      await expect(part).toHaveAttribute("aria-pressed", "true", { timeout: 1_000 });
    }).toPass();
    await expect(page.getByRole("heading", { name: texts.states.running })).toBeVisible();
    await expect(page.getByText(texts.outboxEmpty)).toBeVisible();
    await button(page, texts.backUp).click();
    await expect(page.getByText(/service-\d{8}T\d{9}Z\.db/)).toBeVisible();
    await sound();
    await button(page, texts.open).click();
    await expect(page.getByText(texts.rules.certFile)).toBeVisible();
    await button(page, texts.discard).click();
    await expect(page.getByText(texts.bankFileGone)).toBeVisible();
  } finally {
    await host.child.stop();
    rmSync(data, { recursive: true, force: true });
  }
});
