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

/** Runs in the page: buttons whose line, or fill where they have none, does not stand out from what is around them. */
const faintButtons = (): string[] => {
  const numbersOf = (colour: string) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const luminanceOf = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = numbersOf(colour).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const region = document.querySelector("[data-region=actions]");
  const around = luminanceOf(region ? getComputedStyle(region).backgroundColor : "");
  return [...(region?.querySelectorAll("button") ?? [])]
    .filter((button) => {
      const { borderBottomColor, backgroundColor } = getComputedStyle(button);
      const edge = luminanceOf(numbersOf(borderBottomColor)[3] === 0 ? backgroundColor : borderBottomColor);
      return (Math.max(edge, around) + 0.05) / (Math.min(edge, around) + 0.05) < 4.5;
    })
    .map((button) => `${button.textContent} is faint`);
};

/** Runs in the page: what has no line that can be seen on one of its sides, where the system's colours leave no fill. */
const openSides = (): string[] =>
  [...document.querySelectorAll("[data-region=actions] button, [data-region=banner]")]
    .filter((element) => {
      const { borderTopWidth, borderRightWidth, borderBottomWidth, borderLeftWidth } = getComputedStyle(element);
      const widths = [borderTopWidth, borderRightWidth, borderBottomWidth, borderLeftWidth].map(Number.parseFloat);
      return Math.min(...widths) < 2;
    })
    .map((element) => `${element.textContent} has an open side`);

for (const [what, media, look] of [
  ["buttons stand out with more contrast", { contrast: "more" }, faintButtons],
  ["buttons and banner have a line on each side with forced colours", { forcedColors: "active" }, openSides],
] as const)
  test(`on seven screens ${what}, and nothing is cut off`, async ({ page }) => {
    await page.emulateMedia(media);
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
      await expect(page.locator("[data-region=actions] button").first()).toBeAttached();
      const faults = [...(await page.evaluate(look)), ...(await page.evaluate(layoutFaults))];
      if (faults.length > 0) found.push({ name, faults });
    }
    expect(found).toEqual([]);
  });
