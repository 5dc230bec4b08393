/** The customer's pages in every language on a small phone: nothing is cut off, everything can be pressed and read. */
import { expect } from "@playwright/test";
import { languages } from "../../backend/websdk/texts/languages.ts";
import { showPhonePages } from "./gallery/open-phone-pages.ts";
import { phoneFaults } from "./gallery/phone-faults.ts";
import { faultsIn } from "./stage/accessibility.ts";
import { test } from "./stage/quiet-test.ts";

test.use({ viewport: { width: 390, height: 844 } });

test("every page fits, in every language, also on a narrow phone", async ({ page }) => {
  const found: unknown[] = [];
  for (const language of languages)
    await showPhonePages(page, language, async ({ name }) => {
      for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 844 });
        const faults = await page.evaluate(phoneFaults);
        if (faults.length > 0) found.push({ name, language, width, faults });
      }
    });
  expect(found).toEqual([]);
});

for (const scheme of ["light", "dark"] as const)
  test(`every page passes the accessibility rules, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    const found: unknown[] = [];
    await showPhonePages(page, "en", async ({ name }) => {
      for (const fault of await faultsIn(scheme)(page)) found.push({ name, ...fault });
    });
    expect(found).toEqual([]);
  });
