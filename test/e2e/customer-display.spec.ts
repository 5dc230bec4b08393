/** The customer's display, from a small pole display to a large screen: legible, whole, and nothing to press. */

import { languages } from "../../preload/choices.ts";
import { customerTexts } from "../../renderer/customer-display/texts.ts";
import { customerPictures, displayFaults, displaySizes, openCustomerDisplay } from "./gallery/customer-display.ts";
import { faultsIn } from "./stage/accessibility.ts";
import { expect, test } from "./stage/shop.ts";

test("every view is whole in every language and size", async ({ page }) => {
  const display = await openCustomerDisplay(page);
  const found: string[] = [];
  for (const size of displaySizes) {
    await page.setViewportSize(size);
    for (const language of languages)
      for (const { name, view } of customerPictures(language, "light")) {
        await display.push(view);
        for (const fault of await page.evaluate(displayFaults))
          found.push(`${name} ${size.width}x${size.height} ${language}: ${fault}`);
      }
  }
  expect(found).toEqual([]);
});

for (const scheme of ["light", "dark"] as const)
  test(`every kind of view passes the accessibility rules, ${scheme}`, async ({ page }) => {
    const display = await openCustomerDisplay(page);
    const found: unknown[] = [];
    for (const { name, view } of customerPictures("en", scheme)) {
      // The other ends are this view with other words.
      if (name.startsWith("customer-ended-") && !name.endsWith("unclear")) continue;
      await display.push(view);
      await expect(page.locator(`[data-moment=${view.moment.kind}]`)).toBeVisible();
      for (const fault of await faultsIn(scheme)(page)) found.push([name, fault]);
    }
    expect(found).toEqual([]);
  });

test("the time runs here, and what is over is not claimed to be known", async ({ page }) => {
  await page.clock.install({ time: 0 });
  const display = await openCustomerDisplay(page);
  // From here on the page's time moves when the test says so, however slow the machine is.
  await page.clock.pauseAt(600_000);
  const approve = customerPictures("en", "light").find(({ name }) => name === "customer-approve");
  if (!approve) throw new Error("no view of an approval");
  await display.push(approve.view);
  await expect(page.getByRole("timer")).toContainText("28 seconds");
  await page.clock.runFor(27_500);
  await expect(page.getByRole("timer")).toContainText("1 second");
  // Begun seconds count whole: the ring is at none only when the time is over.
  await expect(page.getByRole("timer").locator("[data-ring]")).toHaveText("1");
  await page.clock.runFor(1_000);
  await expect(page.getByRole("heading")).toHaveText(customerTexts.en.timeOver.title);
  await expect(page.getByRole("timer")).toHaveCount(0);
});

test("a service that does not answer is said beside what is going on, and once where nothing is", async ({ page }) => {
  const display = await openCustomerDisplay(page);
  const approve = customerPictures("en", "light").find(({ name }) => name === "customer-approve");
  if (!approve) throw new Error("no view of an approval");
  await display.push({ ...approve.view, offline: true });
  await expect(page.getByRole("status")).toHaveText(customerTexts.en.noConnection);
  await display.push({ ...approve.view, offline: true, moment: { kind: "offline" } });
  await expect(page.getByRole("status")).toHaveText("");
  await display.push({ ...approve.view, offline: false });
  await expect(page.getByRole("timer")).toBeVisible();
  await expect(page.getByRole("status")).toHaveText("");
});

test("a display that hears nothing shows no amount, in the language that it had", async ({ page }) => {
  const display = await openCustomerDisplay(page, "events");
  const review = customerPictures("de", "light").find(({ name }) => name === "customer-review");
  if (!review) throw new Error("no view of a review");
  await display.push(review.view);
  await expect(page.locator("[data-amount]")).toContainText("150,00");
  await display.cut();
  await expect(page.getByText(customerTexts.de.disconnected.next)).toBeVisible();
  await expect(page.locator("[data-amount]")).toHaveCount(0);
  await expect(page.getByText(review.view.shop)).toHaveCount(0);
});
