/** The customer's pages in every language on a small phone: nothing is cut off, everything can be pressed and read. */
import { expect } from "@playwright/test";
import { languages } from "../../backend/websdk/texts/languages.ts";
import { showPhonePages } from "./gallery/open-phone-pages.ts";
import { phoneFaults } from "./gallery/phone-faults.ts";
import { faultsIn } from "./stage/accessibility.ts";
import { test } from "./stage/quiet-test.ts";

test.use({ viewport: { width: 390, height: 844 } });

test("every page fits, in every language, also on a narrow phone; in English it passes the accessibility rules, in both schemes", async ({
  page,
}) => {
  const found: unknown[] = [];
  for (const language of languages)
    await showPhonePages(page, language, async ({ name }) => {
      if (language === "en")
        for (const scheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme: scheme });
          for (const fault of await faultsIn(scheme)(page)) found.push({ name, scheme, ...fault });
        }
      for (const width of [320, 390]) {
        await page.setViewportSize({ width, height: 844 });
        const faults = await page.evaluate(phoneFaults);
        if (faults.length > 0) found.push({ name, language, width, faults });
      }
    });
  expect(found).toEqual([]);
});
