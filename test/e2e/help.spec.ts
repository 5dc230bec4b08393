/** F1 on every screen: the section for it, and nothing is sent, answered, lost or covered meanwhile. */

import { sectionAt } from "../../renderer/help/sections.ts";
import guide from "../../renderer/texts/en/guide.json" with { type: "json" };
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { answerManager } from "./gallery/answers.ts";
import { openTill } from "./gallery/fake-till.ts";
import { button, overlays, troubled } from "./gallery/overlays.ts";
import { gallery, screenOf } from "./gallery/snapshots.ts";
import { expect, test } from "./stage/kept-page.ts";
import { test as testAlone } from "./stage/shop.ts";
import { scanWithUsb } from "./stage/usb-scanner.ts";

const code = "7F3K9Q2M4XJ8A1WC";

test("F1 opens the section of every screen, closes it again, and sends nothing", async ({ page }) => {
  const till = await openTill(page, screenOf("starting"));
  for (const [index, { name, snapshot }] of gallery.entries()) {
    const step = `${index}.${name}`;
    await till.show(snapshot, step);
    await page.keyboard.press("F1");
    const place = snapshot.people.locked
      ? "locked"
      : snapshot.settings.setUp !== "done"
        ? "parts"
        : snapshot.screen.kind === "ready" && snapshot.header.day?.kind === "closed"
          ? "drawer_day"
          : snapshot.screen.kind;
    const dialog = page.getByRole("dialog", { name: guide[sectionAt[place]].title });
    await expect(dialog, name).toBeVisible();
    await page.keyboard.press("F1");
    await expect(dialog, name).toHaveCount(0);
  }
  // The set-up looks for printers and begins its practice by itself.
  const own = ["still_here", "find_printers", "switch_purpose"];
  expect(till.commands.filter(({ type }) => !own.includes(type))).toEqual([]);
});

test("before the day is opened, F1 tells of the drawer's day and not of a barcode", async ({ page }) => {
  await openTill(page, screenOf("ready-no-day"));
  await page.keyboard.press("F1");
  await expect(page.getByRole("dialog", { name: guide.day.title })).toBeVisible();
});

test("a tab of the manager's area has a section of its own, and what was typed is still there", async ({ page }) => {
  await openTill(page, troubled);
  await overlays.people?.(page);
  await page.keyboard.press("F1");
  await expect(page.getByRole("dialog", { name: guide.people.title })).toBeVisible();
  await button(page, guide.devices.title).click();
  await expect(page.getByRole("dialog", { name: guide.devices.title })).toContainText(en.manager.scanner);
  await page.keyboard.press("Escape");
  await expect(page.getByLabel(en.people.name)).toHaveValue("Ida Berg");
});

test("About tells what this computer gives the program, to be read to support or copied", async ({ page }) => {
  const till = await openTill(page, troubled);
  till.answer(answerManager);
  await overlays.machine?.(page);
  await expect(page.locator("[role=dialog] :focus")).toBeAttached();
  await page.evaluate(() =>
    document.addEventListener("copy", () => {
      document.title = String(document.getSelection());
    }),
  );
  await button(page, en.help.copy).click();
  await expect(page.getByText(en.help.copied, { exact: true })).toBeVisible();
  expect(await page.title()).toMatch(/^yes program: .* no key store: /);
});

test("About leads to the licences: this program's, those of its parts, and the words of one", async ({ page }) => {
  await openTill(page, troubled);
  await overlays.licences?.(page);
  const dialog = page.getByRole("dialog", { name: en.help.licences });
  for (const name of ["tillcash", "electron", "zod", "react", "zxing-wasm", "@point-of-sale/receipt-printer-encoder"])
    await expect(dialog.getByText(new RegExp(`^${name} \\d`))).toBeVisible();
  await expect(dialog.getByText("Copyright (c) Electron contributors")).toBeVisible();
});

testAlone("a list of licences that cannot be read says so, and is read again", async ({ page }) => {
  await openTill(page, troubled);
  await page.route("**/licences.json", (route) => route.fulfill({ status: 404 }), { times: 1 });
  await overlays.about?.(page);
  await button(page, en.help.licences).click();
  await expect(page.getByText(en.manager.failed)).toBeVisible();
  await button(page, en.manager.again).click();
  await expect(page.getByRole("dialog").getByText(/^zod \d/)).toBeVisible();
});

test("a scan counts under help, and the screen that follows is not covered", async ({ page }) => {
  const till = await openTill(page, screenOf("ready-camera-off"));
  await overlays.help?.(page);
  await scanWithUsb(page, code, { msPerKey: 5, end: "Enter" });
  await expect.poll(() => till.commands).toMatchObject([{ type: "scan", text: code }]);
  await till.push(screenOf("payable"));
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("heading", { name: en.payable.title })).toBeVisible();
});

test("a key that closes help answers nothing of the screen behind it, not even where cash is given", async ({
  page,
}) => {
  const till = await openTill(page, screenOf("payable"));
  await expect(page.locator('main [aria-disabled="true"]:not([data-off])')).toHaveCount(0);
  for (const key of ["Escape", "Enter"]) {
    await page.keyboard.press("F1");
    await expect(page.getByRole("dialog").locator(":focus")).toBeAttached();
    await page.keyboard.press(key);
    await expect(page.getByRole("dialog")).toHaveCount(0);
  }
  expect(till.commands).toEqual([]);
});
