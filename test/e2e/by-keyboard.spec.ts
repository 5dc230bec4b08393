/** The stories that installed programs are tried with (`npm run smoke:desktop`), here in the browser host. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "@playwright/test";
import { enrolByKeyboard, type Keyboard, playWithdrawal, trainingBank } from "./stage/play-by-keyboard.ts";
import { startTillHost } from "./stage/programs.ts";
import { openRealShop } from "./stage/real-shop.ts";
import { expect, test } from "./stage/shop.ts";
import { scanWithUsb } from "./stage/usb-scanner.ts";

const keyboardOf = (page: Page): Keyboard => ({
  scan: (text) => scanWithUsb(page, text, { msPerKey: 5, end: "Enter" }),
  type: (text) => page.keyboard.type(text, { delay: 120 }),
  press: (key) => page.keyboard.press(key),
  pressMain: () => page.keyboard.press("F9"),
});

test("a withdrawal in training by a scanner's keys and the one key that goes on", async ({ openShop }) => {
  const shop = await openShop();
  const till = await shop.openTill();
  await till.shows("ready");
  const id = await playWithdrawal(await trainingBank(shop.serviceUrl), keyboardOf(till.page));
  await expect.poll(async () => (await shop.bank.report()).get(id)?.finding).toBe("matched");
  await till.shows("ready");
});

test("real money from the box by keys alone: enrolled at a service with the example bank, paid out, and again after a restart", {
  tag: "@browser",
}, async ({ page }) => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-real-"));
  const data = path.join(folder, "till");
  const shop = await openRealShop(folder);
  const start = async () => {
    const { child, entry } = await startTillHost({ data, live: true, env: shop.env });
    await page.goto("about:blank");
    await page.goto(entry);
    // Keys that come before the first screen are lost, and are typed anew only after a minute.
    await expect(page.getByRole("heading").first()).toBeVisible();
    return child;
  };
  let host = await start();
  try {
    await enrolByKeyboard(shop.link, keyboardOf(page), () => existsSync(path.join(data, "credential.json")));
    await playWithdrawal(shop.bank, keyboardOf(page));
    await host.stop();
    host = await start();
    await playWithdrawal(shop.bank, keyboardOf(page));
  } finally {
    await host.kill();
    await shop.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
