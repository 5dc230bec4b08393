/** Photographs every screen: `npx node test/e2e/gallery/shots.ts FOLDER [--only NAME,…] [--size 1024x768] [--language de] [--scheme dark]`. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright";
import { findChromium } from "../../chromium.ts";
import { openTill } from "./fake-till.ts";
import { dressed, gallery } from "./snapshots.ts";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    size: { type: "string", default: "1024x768,1280x800,1920x1080" },
    language: { type: "string", default: "en,de" },
    scheme: { type: "string", default: "light,dark" },
  },
});
const folder = positionals[0] ?? "out/gallery";
const only = values.only?.split(",");
mkdirSync(folder, { recursive: true });

const browser = await chromium.launch({
  ...(await findChromium()),
  args: ["--no-sandbox", "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"],
});
try {
  for (const size of values.size.split(",")) {
    const [width = 1024, height = 768] = size.split("x").map(Number);
    const context = await browser.newContext({ viewport: { width, height } });
    const page = await context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error") console.error(message.text());
    });
    page.on("pageerror", (error) => console.error(error));
    const wanted = gallery.filter(({ name }) => !only || only.some((start) => name.startsWith(start)));
    const first = wanted[0];
    if (!first) throw new Error("no such screen");
    const till = await openTill(page, first.snapshot);
    let revision = 1;
    for (const language of values.language.split(",") as ("en" | "de")[])
      for (const scheme of values.scheme.split(",") as ("light" | "dark")[])
        for (const { name, snapshot } of wanted) {
          revision += 1;
          const screen = { ...snapshot.screen, step: `${revision}.${snapshot.screen.step}` };
          await till.push(dressed({ ...snapshot, revision, screen }, language, scheme));
          await page.waitForTimeout(name.startsWith("ready") ? 1200 : 500);
          await page.screenshot({ path: path.join(folder, `${name}-${size}-${language}-${scheme}.png`) });
        }
    await context.close();
  }
} finally {
  await browser.close();
}
