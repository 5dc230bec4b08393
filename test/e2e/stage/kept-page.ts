/**
 * For tests that play the terminal's program to the built screens: a page that all tests of a worker have, one after the other. A context, a
 * page and a program of its own for each takes twice as long as such a test itself, and compiles the screens anew.
 */
import { test as base, inBareWindow } from "./shop.ts";

/** What outlives a page's document is put back. A test that moves the page's clock, answers its requests or adds a script takes `shop.ts`'s. */
export const test = base.extend({
  page: async ({ isDesktop, keptPage, viewport }, use, testInfo) => {
    if (isDesktop) return inBareWindow(use, testInfo);
    const page = await keptPage();
    await use(page);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await page.goto("about:blank");
    await page.mouse.move(-1, -1);
    if (viewport) await page.setViewportSize(viewport);
  },
});
export { expect } from "@playwright/test";
