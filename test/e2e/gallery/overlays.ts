/** How a test opens what lies over the screens: the typing of a code, questions, lists, the manager's area. */
import { expect, type Page } from "@playwright/test";
import { type Guide, guideOf } from "../../../renderer/help/guide.ts";
import english from "../../../renderer/texts/en/screens.json" with { type: "json" };
import type { Texts } from "../../../renderer/texts/index.ts";
import { scanWithUsb } from "../stage/usb-scanner.ts";
import { busyHeader, screenOf } from "./snapshots.ts";

/** A button by its whole name, as assistive technology reads it. */
export const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: true });
/** Ready, with all that the header may warn of. */
export const troubled = { ...screenOf("ready-camera-off"), header: busyHeader };

/** Opens a tab of the manager's area, and one of its parts by its name. */
export const openPart = async (
  page: Page,
  tab: keyof Texts["manager"]["tabs"],
  part?: string,
  texts = english,
): Promise<void> => {
  await page.getByRole("tab", { name: texts.manager.tabs[tab], exact: true }).click();
  if (part !== undefined) await page.getByRole("tabpanel").getByRole("button", { name: part, exact: true }).click();
};

/** Narrows the open list to the two withdrawals of a code. */
export const findInHistory = async (page: Page, texts = english): Promise<void> => {
  await page.getByLabel(texts.history.find).fill("7F3K");
  await expect(page.getByRole("row")).toHaveCount(3);
};

/** Opens the drawer while it is in use: a count that was begun in another language comes back, and is left. */
export const openDay = async (page: Page, texts: Texts): Promise<void> => {
  await button(page, texts.day.title).click();
  const back = button(page, texts.day.back);
  const count = button(page, texts.day.countAndClose);
  await expect(count.or(back)).toBeVisible();
  if (await back.isVisible()) await back.click();
  await expect(count).toBeVisible();
};

/** How each is opened in a language, by its name. */
type Overlays = Readonly<Record<string, (page: Page) => Promise<void>>>;

/** From `troubled`; the fake till has to answer the manager's questions. */
export const overlaysIn = (en: Texts, guide: Guide): Overlays => {
  const overlays: Overlays = {
    entry: async (page) => {
      await button(page, en.ready.type).click();
      await page.getByLabel(en.entry.field).fill("7F3K 9Q2M 4XJ8 A1WU");
    },
    warnings: async (page) => {
      await page.getByRole("button", { name: en.header.warnings.replace("{{count}}", "3") }).click();
    },
    help: async (page) => {
      await page.keyboard.press("F1");
      await expect(page.getByRole("dialog")).toContainText(guide.scan.title);
    },
    about: async (page) => {
      await button(page, en.help.title).click();
      await button(page, en.help.about).click();
      await expect(page.getByRole("dialog")).toContainText("till-1");
    },
    machine: async (page) => {
      await overlays.about?.(page);
      await button(page, en.help.machine).click();
      await expect(page.getByRole("dialog").locator("pre")).toHaveText(/^yes +program: /);
    },
    licences: async (page) => {
      await overlays.about?.(page);
      await button(page, en.help.licences).click();
      await page.getByText(/^electron \d/).click();
    },
    "open list": async (page) => {
      await button(page, en.header.open_other.replace("{{count}}", "2")).click();
    },
    "open day": async (page) => {
      await openDay(page, en);
    },
    "blind count": async (page) => {
      await openDay(page, en);
      await button(page, en.day.countAndClose).click();
      await page.getByLabel(en.day.otherSum).fill("12.50");
    },
    history: async (page) => {
      await button(page, en.header.manager).click();
      await openPart(page, "today", en.history.list, en);
      await expect(page.getByRole("row")).toHaveCount(51);
    },
    "cashier's history": async (page) => {
      await button(page, en.manager.history).click();
      await findInHistory(page, en);
    },
    story: async (page) => {
      await button(page, en.manager.history).click();
      await page.getByRole("row").getByRole("button", { name: en.history.story }).first().click();
      await expect(page.getByText(en.story.steps.there_settled)).toBeVisible();
    },
    figures: async (page) => {
      await button(page, en.header.manager).click();
      await button(page, en.figures.title).click();
      await button(page, en.figures.week).click();
      await expect(page.locator(".recharts-bar-rectangle").first()).toBeVisible();
    },
    books: async (page) => {
      await button(page, en.header.manager).click();
      await button(page, en.books.title).click();
      await expect(page.getByText(en.books.explain.known_there_only)).toBeVisible();
    },
    people: async (page) => {
      await button(page, en.header.manager).click();
      await openPart(page, "people", undefined, en);
      await page.getByLabel(en.people.name).fill("Ida Berg");
      await page.getByLabel(en.people.newPin).focus();
      await page.getByRole("button", { name: "7", exact: true }).click();
    },
    settings: async (page) => {
      await button(page, en.header.manager).click();
      await openPart(page, "devices", en.settings.printer, en);
    },
    "expert settings": async (page) => {
      await button(page, en.header.manager).click();
      await openPart(page, "devices", en.manager.scannerSettings, en);
      await page.getByText(en.settings.expert, { exact: true }).click();
      await page.getByRole("switch", { name: en.settings.foreignOn }).click();
    },
    overview: async (page) => {
      await button(page, en.header.manager).click();
      await expect(page.getByText(en.figures.average)).toBeVisible();
    },
    "shop settings": async (page) => {
      await button(page, en.header.manager).click();
      await openPart(page, "shop", undefined, en);
    },
    "scanner test": async (page) => {
      await button(page, en.header.manager).click();
      await openPart(page, "devices", en.manager.scanner, en);
      await scanWithUsb(page, "7F3K9Q2M4XJ8A1WC", { msPerKey: 5, end: "Enter" });
      await expect(page.getByText(en.manager.scanning)).toHaveCount(0);
    },
    journal: async (page) => {
      await button(page, en.header.manager).click();
      await openPart(page, "support", undefined, en);
      await expect(page.getByText(en.journal.damaged)).toBeVisible();
    },
  };
  return overlays;
};

/** In English. */
export const overlays = overlaysIn(english, await guideOf.en());
