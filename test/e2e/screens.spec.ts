/** Every screen, in every language, both schemes and the terminals' usual sizes: accessible, complete, and nothing moves. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "@playwright/test";
import { languages } from "../../preload/choices.ts";
import { textsOf } from "../../renderer/texts/index.ts";
import { outcomeHoldMs } from "../../renderer/ui/step-guard.ts";
import { byEffort } from "../runner/effort.ts";
import { builtRenderer, type FakeTill, openTill } from "./gallery/fake-till.ts";
import { layoutFaults } from "./gallery/layout-faults.ts";
import { dressed, type GalleryScreen, gallery, screenOf } from "./gallery/snapshots.ts";
import { faultsIn, isDark } from "./stage/accessibility.ts";
import { expect, test } from "./stage/kept-page.ts";
import { test as testAlone } from "./stage/shop.ts";

const terminalSizes = [
  { width: 800, height: 600 },
  { width: 1024, height: 600 },
  { width: 1024, height: 768 },
  { width: 1280, height: 720 },
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
  { width: 768, height: 1024 },
] as const;

/** Shows each screen in turn, as a screen of its own. */
const showEach = async (
  till: FakeTill,
  dress: (one: GalleryScreen) => GalleryScreen["snapshot"],
  check: (name: string) => Promise<void>,
): Promise<void> => {
  for (const [index, one] of gallery.entries()) {
    await till.show(dress(one), `${index}.${one.name}`);
    await check(one.name);
  }
};

testAlone("every screen passes the accessibility rules, in the light and in the dark", async ({ page }) => {
  await page.clock.install();
  const till = await openTill(page, screenOf("starting"));
  const found: unknown[] = [];
  for (const [index, { name, snapshot }] of gallery.entries()) {
    const step = `${index}.${name}`;
    await till.show(dressed(snapshot, "en", "light"), step);
    // The rules leave out what cannot be pressed yet.
    const held = page.locator('main [aria-disabled="true"]:not([data-off])');
    await expect
      .poll(async () => {
        await page.clock.runFor(outcomeHoldMs);
        return held.count();
      })
      .toBe(0);
    for (const fault of await faultsIn("light")(page)) found.push({ name, ...fault });
    await till.show(dressed(snapshot, "en", "dark"), step);
    await isDark(page);
    await expect(held).toHaveCount(0);
    for (const fault of await faultsIn("dark")(page)) found.push({ name: `${name}, dark`, ...fault });
  }
  expect(found).toEqual([]);
});

/**
 * The longest language at every size, the others in turn at one of the two where room is least; `npm run screens` measures all
 * of them in both schemes, and so does `EFFORT=torture`.
 */
const lengths = await Promise.all(languages.map(async (language) => JSON.stringify(await textsOf[language]()).length));
const longest = languages[lengths.indexOf(Math.max(...lengths))];
const tightest = ["800×600", "768×1024"];
const named = terminalSizes.map((size) => ({ ...size, name: `${size.width}×${size.height}` }));
const looks = languages.flatMap((language, index) =>
  named
    .filter(({ name }) => language === longest || byEffort({ usual: tightest[index % 2] === name, torture: true }))
    .map((size) => ({ language, ...size })),
);

/** Runs in the page: where the regions and the main action are, and how large the amount is. */
const measure = () => {
  const selectors = [
    "[data-region=banner]",
    "[data-region=content]",
    "[data-region=toast]",
    "[data-region=actions]",
    "[data-main]",
  ];
  const boxes = selectors.flatMap((selector) =>
    [...document.querySelectorAll(selector)].map(
      (it) => [selector, JSON.stringify(it.getBoundingClientRect())] as const,
    ),
  );
  const amount = document.querySelector("[data-amount]");
  return { boxes, amountPx: amount && Number.parseFloat(getComputedStyle(amount).fontSize) };
};

const lookAt = (page: Page, till: FakeTill, { language, name: sizeName, width, height }: (typeof looks)[number]) =>
  test.step(sizeName, async () => {
    await page.setViewportSize({ width, height });
    const found: unknown[] = [];
    const places = new Map<string, Set<string>>();
    const amounts = new Map<string, number>();
    await showEach(
      till,
      (one) => dressed(one.snapshot, language, "light"),
      async (name) => {
        const faults = await page.evaluate(layoutFaults);
        if (faults.length > 0) found.push({ name, faults });
        const { boxes, amountPx } = await page.evaluate(measure);
        for (const [what, box] of boxes) places.set(what, (places.get(what) ?? new Set()).add(box));
        if (amountPx !== null) amounts.set(name, amountPx);
        if (amountPx !== null) expect(amountPx, `two metres away from ${name}`).toBeGreaterThanOrEqual(96);
      },
    );
    expect(found).toEqual([]);
    // Where cash is about to go out it is half as large again.
    if (width >= 1024 && height >= 768)
      for (const name of ["review", "waiting-approval", "payable", "counting"])
        expect((amounts.get(name) ?? Number.NaN) / (amounts.get("done") ?? Number.NaN), name).toBeGreaterThanOrEqual(
          1.4,
        );
    expect(places.size).toBe(5);
    for (const [what, seen] of places) expect([...seen], what).toHaveLength(1);
    const [main] = places.get("[data-main]") ?? [];
    expect(JSON.parse(main ?? "null").height).toBeGreaterThanOrEqual(64);
  });

for (const language of languages) {
  const ofLanguage = looks.filter((look) => look.language === language);
  const sizes = ofLanguage.map(({ name }) => name).join(", ");
  test(`nothing is cut off, overlaps, moves or is too small in ${language} at ${sizes}`, async ({ page }) => {
    const till = await openTill(page, screenOf("starting"));
    for (const look of ofLanguage) await lookAt(page, till, look);
  });
}

test("cash goes out on the payable and the counting screen alone, and never anew where it may be gone", async ({
  page,
}) => {
  const till = await openTill(page, screenOf("starting"));
  const tones: Record<string, string | null> = {};
  await showEach(
    till,
    (one) => one.snapshot,
    async (name) => {
      tones[name] = await page.locator("main").getAttribute("data-tone");
    },
  );
  const giving = Object.keys(tones).filter((name) => tones[name] === "give");
  expect(giving).toEqual([
    ...["payable", "payable-large", "payable-notes-unknown", "payable-uncounted"],
    ...["counting", "counting-large", "counting-uncounted", "counting-sensed", "counting-closed"],
  ]);
  for (const name of ["payable-recovered", "payable-rejected", "payable-begun"]) expect(tones[name], name).toBe("ask");
  for (const [name, tone] of Object.entries(tones))
    if (name.startsWith("ended-") && name !== "ended-handed_out") expect(["never", "nothing"], name).toContain(tone);
  for (const outcome of ["unclear", "already_used", "in_use_elsewhere", "settle_declined"])
    expect(tones[`ended-${outcome}`], outcome).toBe("never");
});

test("the page starts with at most 160 kB of JavaScript in three files, and the decoder comes later", async () => {
  const html = readFileSync(path.join(builtRenderer, "index.html"), "utf8");
  const first = [...html.matchAll(/(?:src|href)="\.?\/?(assets\/[^"]+\.js)"/g)].map(([, file]) => file ?? "");
  const bytes = first.reduce((sum, file) => sum + gzipSync(readFileSync(path.join(builtRenderer, file))).length, 0);
  expect(first.length).toBeGreaterThan(0);
  expect(first.length).toBeLessThanOrEqual(3);
  expect(bytes).toBeLessThanOrEqual(160 * 1000);
  expect(readdirSync(path.join(builtRenderer, "assets")).some((file) => /worker.*\.js$/.test(file))).toBe(true);
  expect(first.filter((file) => file.includes("worker"))).toEqual([]);
});
