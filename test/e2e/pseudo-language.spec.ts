/** Each screen in a language a quarter longer than English: nothing is cut off, and every word comes from the text files. */

import { openTill } from "./gallery/fake-till.ts";
import { layoutFaults } from "./gallery/layout-faults.ts";
import { marks, servePseudoTexts } from "./gallery/pseudo-texts.ts";
import { gallery, screenOf } from "./gallery/snapshots.ts";
import { expect, test } from "./stage/shop.ts";

/** Runs in the page: words that no text file has, but for names, amounts, codes and keys. */
const unmarked = ([begin, end]: readonly [string, string]): string[] => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.nodeValue?.trim() ?? "";
    const element = node.parentElement;
    const isData = element?.closest(
      "[aria-hidden], dd, script, style, svg, option, [lang]:not(html), header > div:first-of-type, [data-amount]",
    );
    const isAmount = /^[A-Z]{3}\s[\d.,]+$/.test(text);
    if (!/\p{L}{3,}/u.test(text) || isData || isAmount || text.includes(begin) || text.includes(end)) continue;
    found.push(text);
  }
  return found;
};

test("every screen holds a quarter more text, and says nothing that cannot be translated", async ({ page }) => {
  const found: unknown[] = [];
  const till = await (async () => {
    const opened = await openTill(page, screenOf("starting"));
    await servePseudoTexts(page);
    await page.reload();
    return opened;
  })();
  for (const [width, height] of [
    [1024, 768],
    [1920, 1080],
    [768, 1024],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const [index, { name, snapshot }] of gallery.entries()) {
      await till.show(snapshot, `${width}.${index}.${name}`);
      const names = new Set(snapshot.people.list.map((person) => person.name));
      const faults = [
        ...(await page.evaluate(layoutFaults)),
        ...(await page.evaluate(unmarked, [marks.begin, marks.end] as const))
          .filter((text) => !names.has(text))
          .map((text) => `not translated: ${text}`),
      ];
      if (faults.length > 0) found.push({ name, width, faults });
    }
  }
  expect(found).toEqual([]);
});

for (const contrast of ["more", "forced"] as const)
  test(`on seven screens buttons and banner have an edge with ${contrast} contrast, and nothing is cut off`, async ({
    page,
  }) => {
    await page.emulateMedia(contrast === "more" ? { contrast: "more" } : { forcedColors: "active" });
    const till = await openTill(page, screenOf("starting"));
    const found: unknown[] = [];
    for (const name of [
      "ready-offline",
      "review",
      "waiting-approval",
      "payable",
      "counting",
      "setup-devices",
      "unknown",
    ]) {
      await till.show(screenOf(name), `contrast.${name}`);
      const bordered = await page.evaluate(() =>
        [...document.querySelectorAll("[data-region=actions] button, [data-region=banner]")].every(
          (element) => Number.parseFloat(getComputedStyle(element).borderBottomWidth) > 0,
        ),
      );
      const faults = await page.evaluate(layoutFaults);
      if (faults.length > 0 || !bordered) found.push({ name, faults, bordered });
    }
    expect(found).toEqual([]);
  });
