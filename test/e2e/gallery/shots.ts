/** `npm run screens`: every screen, and all that lies over them, × language × scheme × size as a picture, the customer's pages on a phone, with what is measured to be wrong. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import pLimit from "p-limit";
import { type Language, languages } from "../../../preload/choices.ts";
import { readFlags, refuse } from "../../../tools/command-line.ts";
import { launchChromium } from "../../chromium.ts";
import { layoutFaults } from "./layout-faults.ts";
import { phoneFaults } from "./phone-faults.ts";

const sizes = "800x600,1024x600,1024x768,1920x1080,768x1024";
const schemes = ["light", "dark"] as const;
const usage = `Usage: npm run screens [-- FOLDER] [options]

A picture of every screen and of all that lies over them in each language, scheme and size, of the customer's pages on a phone and display, and what is measured to be wrong.

  FOLDER             where they go (default: out/screens)
  --only NAME,…      screens whose names begin so (default: all)
  --size WxH,…       in pixels (default: ${sizes})
  --language XX,…    of ${languages.join()} (default: all)
  --scheme NAME,…    of ${schemes.join()} (default: both at 1024x768, light at the others)
  --help             this text`;

const { positionals, values } = readFlags(
  usage,
  {
    only: { type: "string" },
    size: { type: "string", default: sizes },
    language: { type: "string", default: languages.join() },
    scheme: { type: "string", default: schemes.join() },
  },
  true,
);
/** The words of a list, each one of those that there are. */
const chosen = <T extends string>(flag: string, text: string, known: readonly T[]): readonly T[] =>
  text.split(",").map((word) => {
    const found = known.find((one) => one === word);
    return found ?? refuse(`${flag} takes ${known.join()}, not "${word}".`);
  });
const wantedLanguages = chosen<Language>("--language", values.language, languages);
const wantedSchemes = chosen("--scheme", values.scheme, schemes);
for (const size of values.size.split(","))
  if (!/^\d{3,4}x\d{3,4}$/.test(size)) refuse(`--size takes sizes such as 1024x768, not "${size}".`);
const folder = positionals[0] ?? "out/screens";
const only = values.only?.split(",");
const isWanted = (name: string): boolean => !only || only.some((start) => name.startsWith(start));
mkdirSync(folder, { recursive: true });

// Flags are refused without these: they load schemas, screens' texts and the rules of accessibility.
const { faultsIn } = await import("../stage/accessibility.ts");
const { customerPictures, displayFaults, displaySizes, openCustomerDisplay } = await import("./customer-display.ts");
const { eachOverlay } = await import("./each-overlay.ts");
const { openTill } = await import("./fake-till.ts");
const { showPhonePages } = await import("./open-phone-pages.ts");
const { dressed, gallery, screenOf } = await import("./snapshots.ts");

/** The size at which the accessibility rules are asked, and at which alone dark is drawn unless it is asked for: it changes colours alone. */
const accessibleAt = "1024x768";
const schemesAt = (size: string): readonly ("light" | "dark")[] =>
  size === accessibleAt || process.argv.includes("--scheme") ? wantedSchemes : ["light"];

let shots = 0;
let faults = 0;
const browser = await launchChromium([
  "--no-sandbox",
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
]);
/** The till's screens and what lies over them, at one size. */
const takeScreens = async (size: string): Promise<void> => {
  const [width = 1024, height = 768] = size.split("x").map(Number);
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") console.error(message.text());
  });
  page.on("pageerror", (error) => console.error(error));
  const look = async (name: string, scheme: "light" | "dark"): Promise<void> => {
    // Colours and names are the same at every size.
    if (size === accessibleAt)
      for (const { id, where } of await faultsIn(scheme)(page)) {
        faults += 1;
        console.log(`${name}: ${id} at ${where.join()}`);
      }
    for (const fault of await page.evaluate(layoutFaults)) {
      faults += 1;
      console.log(`${name}: ${fault}`);
    }
    shots += 1;
    await page.screenshot({ path: path.join(folder, `${name}.png`) });
  };
  const wanted = gallery.filter(({ name }) => isWanted(name));
  const till = await openTill(page, screenOf("starting"));
  let revision = 1;
  for (const language of wantedLanguages)
    for (const scheme of schemesAt(size))
      for (const { name, snapshot } of wanted) {
        revision += 1;
        const screen = { ...snapshot.screen, step: `${revision}.${snapshot.screen.step}` };
        await till.push(dressed({ ...snapshot, revision, screen }, language, scheme));
        await page.locator(`html[lang=${language}]`).waitFor({ state: "attached" });
        await page.waitForTimeout(name.startsWith("ready") ? 1200 : 500);
        await look(`${name}-${size}-${language}-${scheme}`, scheme);
      }
  for (const language of wantedLanguages)
    for (const scheme of schemesAt(size))
      await eachOverlay(page, till, [language, scheme], isWanted, (name) =>
        look(`${name}-${size}-${language}-${scheme}`, scheme),
      );
  await context.close();
};

/** The customer's pages. */
const takePhone = async (): Promise<void> => {
  const phone = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await phone.newPage();
  for (const language of wantedLanguages)
    for (const scheme of wantedSchemes) {
      await page.emulateMedia({ colorScheme: scheme });
      await showPhonePages(page, language, async ({ name }) => {
        if (!isWanted(name)) return;
        for (const fault of await page.evaluate(phoneFaults)) {
          faults += 1;
          console.log(`${name} ${language} ${scheme}: ${fault}`);
        }
        shots += 1;
        await page.screenshot({ path: path.join(folder, `${name}-390x844-${language}-${scheme}.png`) });
      });
    }
  await phone.close();
};

/** The customer's display, at one size. */
const takeDisplay = async (size: (typeof displaySizes)[number]): Promise<void> => {
  const context = await browser.newContext({ viewport: size });
  const page = await context.newPage();
  const display = await openCustomerDisplay(page);
  for (const language of wantedLanguages)
    for (const scheme of wantedSchemes)
      for (const { name, view } of customerPictures(language, scheme)) {
        if (!isWanted(name)) continue;
        await display.push(view);
        for (const fault of await page.evaluate(displayFaults)) {
          faults += 1;
          console.log(`${name} ${size.width}x${size.height} ${language} ${scheme}: ${fault}`);
        }
        shots += 1;
        const file = `${name}-${size.width}x${size.height}-${language}-${scheme}.png`;
        await page.screenshot({ path: path.join(folder, file) });
      }
  await context.close();
};

// Mostly pauses until a screen stands still: several take turns.
const atOnce = pLimit(4);
try {
  await Promise.all([
    ...values.size.split(",").map((size) => atOnce(() => takeScreens(size))),
    atOnce(takePhone),
    ...displaySizes.map((size) => atOnce(() => takeDisplay(size))),
  ]);
} finally {
  await browser.close();
}
console.log(`${shots} pictures in ${folder}, ${faults} faults measured`);
if (faults > 0) process.exitCode = 1;
