/** The strip on top: one line in every language and state, and words beside its icons wherever they have room. */
import { type Language, languages } from "../../preload/choices.ts";
import english from "../../renderer/texts/en/screens.json" with { type: "json" };
import { textsOf } from "../../renderer/texts/index.ts";
import { openTill } from "./gallery/fake-till.ts";
import { layoutFaults } from "./gallery/layout-faults.ts";
import { staffed } from "./gallery/people-views.ts";
import { busyHeader, calmHeader, dressed, screenOf, settings } from "./gallery/snapshots.ts";
import { expect, test } from "./stage/kept-page.ts";

const day = { kind: "open", number: 12, openForMs: 3_600_000 } as const;
const pendingReports = { count: 12, oldestMs: 3 * 86_400_000 };
const states = {
  connected: { ...calmHeader, day },
  connecting: { ...calmHeader, day, connection: "starting" },
  offline: { ...calmHeader, day, connection: "offline" },
  "reports waiting": { ...calmHeader, day, pendingReports },
  "offline with reports": { ...calmHeader, day, connection: "offline", pendingReports },
  "one warning": { ...calmHeader, day, damagedEntries: 3 },
  "all at once": busyHeader,
} as const;

/** Somebody with a long name is signed in. */
const atTheCounter = {
  people: { ...staffed, locked: false, cashier: staffed.list[2] ?? null },
  settings: settings({ people: { cashiersSignIn: true, lockAfterMinutes: 5, notHandedOutBy: "manager" } }),
};

const singleWarnings = {
  clock: { clockOffMs: 3_600_000 },
  "same device": { sameDeviceElsewhere: true },
  damaged: { damagedEntries: 3 },
  settings: { wrongSettings: ["language"] },
  "long day": { day: { ...day, openForMs: 26 * 3_600_000 } },
  paper: { paperLow: true },
  journal: { journalFailing: true },
} as const;

/** Runs in the page: what stands in the strip on more than one line. */
const brokenLines = (): string[] =>
  [...document.querySelectorAll("header :is(span, button)")]
    .filter((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const tops = [...range.getClientRects()].map(({ top, bottom }) => Math.round((top + bottom) / 2));
      const isHidden = getComputedStyle(element).clipPath !== "none" || getComputedStyle(element).display === "grid";
      return !isHidden && element.childElementCount === 0 && Math.max(...tops) - Math.min(...tops) > 2;
    })
    .map((element) => element.textContent ?? "");

/** Runs in the page: the words of the strip that can be seen. */
const seenWords = (): string[] =>
  [...document.querySelectorAll("header span")]
    .filter((element) => element.getClientRects().length > 0 && getComputedStyle(element).clipPath === "none")
    .map((element) => element.textContent ?? "");

const areasIn = async (language: Language): Promise<readonly string[]> => {
  const t = await textsOf[language]();
  return [t.manager.history, t.day.title, t.header.manager];
};

test("a terminal whose access key is gone keeps its history and its manager, although it asks to be connected", async ({
  page,
}) => {
  const { screen, ...rest } = screenOf("setup");
  const till = await openTill(page, screenOf("setup"));
  const known = { serviceUrl: "https://cash.example.com", merchantId: "m", deviceId: "till-1" };
  await till.show({ ...rest, screen: { ...screen, known } as typeof screen }, "known");
  for (const name of [english.manager.history, english.header.manager])
    await expect(page.getByRole("button", { name, exact: true })).toBeVisible();
});

test("a terminal that is new names no area that leads nowhere", async ({ page }) => {
  const till = await openTill(page, screenOf("setup"));
  const words = [english.manager.history, english.header.manager];
  for (const name of words) await expect(page.getByRole("button", { name, exact: true })).toHaveCount(0);
  await till.show({ ...screenOf("setup"), people: { ...staffed, locked: false } }, "with-a-manager");
  await expect(page.getByRole("button", { name: english.header.manager, exact: true })).toBeVisible();
});

for (const [width, height] of [
  [800, 600],
  [1024, 768],
] as const)
  test(`nothing in the strip breaks into lines or is cut at ${width}×${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    const till = await openTill(page, screenOf("starting"));
    for (const language of languages)
      for (const [name, header] of Object.entries(states)) {
        const snapshot = { ...screenOf("ready-offline"), ...atTheCounter, header };
        await till.show(dressed(snapshot, language, "light"), `${language}.${name.replaceAll(" ", "-")}`);
        const broken = await page.evaluate(brokenLines);
        expect
          .soft({ language, name, broken, faults: await page.evaluate(layoutFaults) })
          .toEqual({ language, name, broken: [], faults: [] });
      }
  });

test("drawer, history and manager are words at 1024×768, whatever else the strip has to say", async ({ page }) => {
  const till = await openTill(page, screenOf("starting"));
  for (const language of languages)
    for (const [name, header] of Object.entries(states))
      for (const someone of [{}, atTheCounter]) {
        const snapshot = dressed({ ...screenOf("ready-offline"), ...someone, header }, language, "light");
        await till.show(snapshot, `${language}.${name.replaceAll(" ", "-")}.${Object.keys(someone).length}`);
        expect
          .soft(await page.evaluate(seenWords), `${language} ${name}`)
          .toEqual(expect.arrayContaining([...(await areasIn(language))]));
      }
});

test("a single warning is named at each width, not counted", async ({ page }) => {
  const till = await openTill(page, screenOf("starting"));
  for (const width of [800, 1024])
    for (const language of languages)
      for (const [name, wrong] of Object.entries(singleWarnings)) {
        await page.setViewportSize({ width, height: 720 });
        const snapshot = { ...screenOf("ready-offline"), ...atTheCounter, header: { ...calmHeader, day, ...wrong } };
        await till.show(dressed(snapshot, language, "light"), `${language}.${width}.${name}`);
        const chip = page.locator("header [role=status] button");
        const shown = await chip.locator("span:not([data-left-out])").allTextContents();
        expect.soft(shown.join(""), `${language} ${width} ${name}`).toMatch(/^(?!1 ).*\p{L}{4}/u);
      }
});

test("what is to be cleared up is one number at each width", async ({ page }) => {
  const header = { ...calmHeader, day, problems: 2 };
  const till = await openTill(page, screenOf("starting"));
  for (const width of [800, 1024, 1280])
    for (const language of languages) {
      await page.setViewportSize({ width, height: 720 });
      const snapshot = { ...screenOf("ready-offline"), ...atTheCounter, header };
      await till.show(dressed(snapshot, language, "light"), `${language}.${width}`);
      const text = (await textsOf[language]()).header.problems_other.replace("{{count}}", "2");
      expect.soft(await page.evaluate(seenWords), `${language} ${width}`).toContain(text);
    }
});
