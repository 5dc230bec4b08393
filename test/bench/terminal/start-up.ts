/** From `node` to Ready on the screen, with an empty data folder; the browser is open already, as on a till. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser } from "@playwright/test";
import { startTillHost } from "../../e2e/stage/programs.ts";
import { openTillPage } from "../../e2e/stage/till-page.ts";

const readyMaxMs = 60_000;

/** Milliseconds of one start; host and data folder are gone afterwards. */
export const measureStart = async (browser: Browser): Promise<number> => {
  const data = mkdtempSync(path.join(tmpdir(), "tillcash-bench-"));
  const page = await browser.newPage({ viewport: { width: 1024, height: 768 } });
  const startedMs = performance.now();
  const host = await startTillHost({ data, live: false });
  try {
    await page.goto(host.entry);
    await openTillPage(page).shows("ready", readyMaxMs);
    return performance.now() - startedMs;
  } finally {
    await page.close();
    await host.child.stop();
    rmSync(data, { recursive: true, force: true });
  }
};
