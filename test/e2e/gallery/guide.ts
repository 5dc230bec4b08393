/** `npm run guide`: the cashier's and the manager's guide as HTML and as PDF, with pictures made of the built screens. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser } from "playwright";
import { type Language, languages } from "../../../preload/choices.ts";
import { guideOf } from "../../../renderer/help/guide.ts";
import { cashierSections, managerSections } from "../../../renderer/help/sections.ts";
import { textsOf } from "../../../renderer/texts/index.ts";
import { readFlags, refuse } from "../../../tools/command-line.ts";
import { launchChromium } from "../../chromium.ts";
import { openTill } from "./fake-till.ts";
import { type GuidePage, guidePage, guidePages, pictureOf } from "./guide-page.ts";
import { dressed, gallery, screenOf } from "./snapshots.ts";

const usage = `Usage: npm run guide [-- FOLDER] [options]

The cashier's guide (one sheet) and the manager's, as HTML and PDF, with pictures of the terminal's own screens.

  FOLDER             where they go (default: out/guide)
  --language XX,…    of ${languages.join()} (default: all)
  --help             this text`;

const { positionals, values } = readFlags(usage, { language: { type: "string", default: languages.join() } }, true);
const wanted = values.language.split(",").map((word) => {
  const found = languages.find((language) => language === word);
  return found ?? refuse(`--language takes ${languages.join()}, not "${word}".`);
});
const folder = positionals[0] ?? "out/guide";
mkdirSync(folder, { recursive: true });

const sectionsOf = { cashier: cashierSections, manager: managerSections } as const;
const settleMs = 600;

/** The screens that the guide shows, in one language. */
const photograph = async (browser: Browser, language: Language): Promise<ReadonlyMap<string, Uint8Array>> => {
  const page = await browser.newPage({ viewport: { width: 1024, height: 640 } });
  const till = await openTill(page, dressed(screenOf("starting"), language, "light"));
  const pictures = new Map<string, Uint8Array>();
  for (const name of new Set(Object.values(pictureOf))) {
    const one = gallery.find((it) => it.name === name) ?? refuse(`The gallery has no screen ${name}.`);
    const step = `${pictures.size + 1}.${name}`;
    await till.push(dressed({ ...one.snapshot, screen: { ...one.snapshot.screen, step } }, language, "light"));
    await page.locator(`[data-step="${step}"]`).waitFor({ state: "attached" });
    await page.waitForTimeout(settleMs);
    pictures.set(name, await page.screenshot());
  }
  await page.close();
  return pictures;
};

const textAt = (texts: object, key: string): string => {
  const found = key.split(".").reduce<unknown>((node, part) => (node as Record<string, unknown>)?.[part], texts);
  return typeof found === "string" ? found : refuse(`The terminal has no text ${key}.`);
};

const browser = await launchChromium(["--no-sandbox"]);
try {
  for (const language of wanted) {
    const [guide, texts] = [await guideOf[language](), await textsOf[language]()];
    const pictures = await photograph(browser, language);
    const print = async (name: GuidePage): Promise<void> => {
      const title = `${texts.product}: ${texts.help[name]}`;
      const label = (key: string): string => textAt(texts, key);
      const html = guidePage({ language, title, sections: sectionsOf[name], guide, label, pictures });
      const file = path.join(folder, `${name}-${language}`);
      writeFileSync(`${file}.html`, html);
      const page = await browser.newPage();
      await page.setContent(html);
      await page.pdf({ path: `${file}.pdf`, preferCSSPageSize: true, printBackground: true });
      await page.close();
      console.log(`${file}.pdf`);
    };
    for (const name of guidePages) await print(name);
  }
} finally {
  await browser.close();
}
