/** The accessibility rules of axe, all of them or those of some standards. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import type { AxeResults, RunOptions } from "axe-core";

/** A rule of axe that is broken, and the elements that break it. */
interface AccessibilityFault {
  readonly id: string;
  readonly where: readonly string[];
}

// The builder of @axe-core/playwright sends the rules anew and opens a second page for each look: twelve times slower.
const rules = readFileSync(
  createRequire(createRequire(import.meta.url).resolve("@axe-core/playwright")).resolve("axe-core/axe.min.js"),
  "utf8",
);

type Axe = { run(options: RunOptions): Promise<AxeResults> };

const look = async (page: Page, runOnly: RunOptions["runOnly"]): Promise<readonly AccessibilityFault[]> => {
  const isThere = await page.evaluate(() => "axe" in window);
  if (!isThere) await page.evaluate(rules);
  return page.evaluate(
    async (options) => {
      const { axe } = window as unknown as { axe: Axe };
      const { violations } = await axe.run(options);
      return violations.map(({ id, nodes }) => ({ id, where: nodes.map((node) => node.html) }));
    },
    { resultTypes: ["violations"], ...(runOnly && { runOnly }) } satisfies RunOptions,
  );
};

/** What is against the rules on the page as it is shown; empty when all is well. `standards` are axe's tags, such as `wcag2aa`. */
export const accessibilityFaults = (page: Page, standards: readonly string[] = []) =>
  look(page, standards.length > 0 ? { type: "tag", values: [...standards] } : undefined);

/** Of a page whose other scheme keeps all rules: those that ask for its colours. */
const colourFaults = (page: Page) => look(page, { type: "rule", values: ["color-contrast", "link-in-text-block"] });

/** All rules in the light scheme; the dark one changes colours alone. */
export const faultsIn = (scheme: "light" | "dark") => (scheme === "light" ? accessibilityFaults : colourFaults);

/** Waits until a page that was light is drawn with the colours of the dark scheme. */
export const isDark = async (page: Page): Promise<void> => {
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((one) => one instanceof CSSTransition)
        .map(({ finished }) => finished),
    ),
  );
};
