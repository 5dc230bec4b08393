/**
 * End to end, on the built programs (`npm run build` first). Two projects: `browser` drives the browser host in Chromium,
 * `electron` the desktop program; where its runtime is absent, its tests report themselves as skipped and say why. It plays
 * the job, with `E2E_DESKTOP=whole` the whole suite.
 */
import path from "node:path";
import { defineConfig } from "@playwright/test";
import "../runner/own-connections.ts";
import { findChromium } from "../chromium.ts";
import { keepFilesTogether } from "../runner/temp-folder.ts";

const root = path.resolve(import.meta.dirname, "../..");
const results = path.join(root, "test-results");

/** The night's run plays all in Electron that is not about the browser host's own pages, or about no terminal's at all. */
const isWhole = process.env.E2E_DESKTOP === "whole";
const withoutDesktop = [
  "day",
  "lost-till",
  "office",
  "own-service",
  "phone",
  "phone-pages",
  "reference",
  "taken-over-page",
].map((name) => `${name}.spec.ts`);

keepFilesTogether();

export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: path.join(results, "e2e"),
  fullyParallel: true,
  // One more than the two cores of a usual machine: each test waits for its programs to start, and for what it plays.
  workers: 3,
  // Bounds for what hangs, on a machine that does much else.
  timeout: 600_000,
  // Less than the minute after which an idle terminal asks by itself: what is to be seen at once is not taken for seen by then.
  expect: { timeout: 50_000 },
  reporter: [["list"], ["json", { outputFile: path.join(results, "e2e.json") }]],
  use: {
    // Painted by the processor either way: without a process that plays a graphics card it takes a tenth less.
    // No page lives long enough to earn back what V8's last compiler takes: with the rules of accessibility it is a tenth.
    launchOptions: { ...(await findChromium()), args: ["--disable-gpu", "--js-flags=--no-turbofan"] },
    viewport: { width: 1024, height: 768 },
    locale: "en-GB",
    // A trace takes a tenth of the time, with film and copies of the page a third: the last picture and the calls say enough. For one, `--trace on`.
    trace: "off",
    screenshot: "only-on-failure",
    actionTimeout: 90_000,
  },
  projects: [
    isWhole
      ? { name: "electron", testIgnore: withoutDesktop, grepInvert: /@browser/ }
      : { name: "electron", testMatch: "job/**/*.spec.ts" },
    { name: "browser" },
  ],
});
