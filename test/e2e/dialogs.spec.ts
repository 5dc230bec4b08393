/** A dialog over a screen takes its keys with it: closing it answers nothing of what lies behind, and Enter is the main action again. */
import type { Page } from "@playwright/test";
import type { Snapshot } from "../../preload/contract.ts";
import { en } from "../../renderer/texts/en.ts";
import { answerManager } from "./gallery/answers.ts";
import { type FakeTill, openTill } from "./gallery/fake-till.ts";
import { button, overlays, troubled } from "./gallery/overlays.ts";
import { busyHeader, gallery, screenOf } from "./gallery/snapshots.ts";
import { expect, test } from "./stage/shop.ts";

const dialog = (page: Page) => page.getByRole("dialog");

/** Every screen that takes Esc for itself. */
const escapable = ["looking-up", "review", "waiting-approval"];
const shown = (name: string): Snapshot => {
  const one = gallery.find((it) => it.name === name);
  if (!one) throw new Error(`no such screen: ${name}`);
  return { ...one.snapshot, header: busyHeader };
};

/** Until it takes presses: before that nothing could be sent anyway. */
const openArmed = async (page: Page, first: Snapshot): Promise<FakeTill> => {
  const till = await openTill(page, first);
  await expect(page.locator('main [aria-disabled="true"]:not([data-off])')).toHaveCount(0);
  return till;
};

/** As quickly as a key bounces, however busy the machine is: the second comes when the first has closed the dialog. */
const pressEscapeTwice = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let press = 0; press < 2; press += 1) {
      const key = new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
      (document.activeElement ?? document.body).dispatchEvent(key);
      await new Promise((resolve) => setTimeout(resolve));
    }
  });

for (const name of escapable)
  for (const overlay of ["warnings", "open list"] as const)
    test(`Esc on the ${overlay} over ${name} closes the dialog alone`, async ({ page }) => {
      const till = await openArmed(page, shown(name));
      await overlays[overlay]?.(page);
      await expect(dialog(page)).toBeVisible();
      await pressEscapeTwice(page);
      await expect(dialog(page)).toHaveCount(0);
      expect(till.commands).toEqual([]);
      // The screen has its keys back once the dialog's are over.
      await expect(async () => {
        await page.keyboard.press("Escape");
        expect(till.commands).toHaveLength(1);
      }).toPass();
    });

test("Esc on the question why no cash was handed out answers nothing", async ({ page }) => {
  const till = await openArmed(page, screenOf("payable"));
  await button(page, en.payable.notHandedOut).click();
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toHaveCount(0);
  expect(till.commands).toEqual([]);
});

test("Esc on a dialog over the manager's area closes the dialog, the next Esc the area", async ({ page }) => {
  const till = await openArmed(page, troubled);
  till.answer(answerManager);
  await overlays.history?.(page);
  await overlays.warnings?.(page);
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toHaveCount(0);
  const area = page.getByRole("heading", { name: en.manager.title });
  await expect(area).toBeVisible();
  await expect(async () => {
    await page.keyboard.press("Escape");
    await expect(area).toHaveCount(0, { timeout: 100 });
  }).toPass();
});

const review = { ...screenOf("review"), header: busyHeader };
const confirmsOnEnter = async (page: Page, till: FakeTill): Promise<void> => {
  await expect(button(page, en.review.confirm)).toBeEnabled();
  // Again after a pause, as a person does: a press that comes too soon keeps the screen closed a little longer.
  await expect(async () => {
    await page.keyboard.press("Enter");
    await expect(button(page, en.review.confirm)).toHaveAttribute("aria-busy", "true", { timeout: 100 });
  }).toPass({ intervals: [400] });
  expect(till.commands).toEqual([{ type: "confirm", step: "1.review" }]);
};

test("Enter confirms after a scan came while a list of the header was open", async ({ page }) => {
  const till = await openArmed(page, troubled);
  await overlays["open list"]?.(page);
  await expect(dialog(page)).toBeVisible();
  await till.push(review);
  await confirmsOnEnter(page, till);
});

test("Enter confirms after a look at the header's warnings", async ({ page }) => {
  const till = await openArmed(page, review);
  await overlays.warnings?.(page);
  await page.keyboard.press("Escape");
  await expect(page.locator("main")).toBeFocused();
  await confirmsOnEnter(page, till);
});

test("Enter confirms after a press on Reject that came too soon", async ({ page }) => {
  const till = await openTill(page, screenOf("looking-up"));
  await till.push(review);
  await button(page, en.review.reject).click({ force: true, noWaitAfter: true });
  expect(till.commands).toEqual([]);
  await confirmsOnEnter(page, till);
});

test("closing a dialog over the manager's area leaves the focus in it", async ({ page }) => {
  const till = await openArmed(page, troubled);
  till.answer(answerManager);
  await overlays.history?.(page);
  await overlays.warnings?.(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("heading", { name: en.manager.title })).toBeFocused();
});
