/** `npm run bench -- history`: a year of withdrawals on file, and how soon the history and its charts stand, into `docs/benchmarks.md`. */
import { mkdtempSync, rmSync } from "node:fs";
import os, { tmpdir } from "node:os";
import path from "node:path";
import { readFlags } from "../../tools/command-line.ts";
import { launchChromium } from "../chromium.ts";
import { startTillHost } from "../e2e/stage/programs.ts";
import { writeSection } from "./document.ts";
import { fillYear } from "./history/fill-year.ts";
import { measurePast } from "./history/measure-past.ts";
import { median } from "./terminal/figures.ts";

const usage = `Usage: npm run bench -- history [--withdrawals N]

  --withdrawals N   how many lie in the journal, over a year; default 50,000
  --help            this text`;
const withdrawals = Number(readFlags(usage, { withdrawals: { type: "string", default: "50000" } }).values.withdrawals);
const runs = 5;
const goalMs = 300;

const data = mkdtempSync(path.join(tmpdir(), "tillcash-history-"));
const loadBefore = os.loadavg()[0] ?? 0;
const browser = await launchChromium();
try {
  // The first start enrols the terminal and opens its book; the second finds a year in it.
  await (await startTillHost({ data, live: false })).child.stop();
  await fillYear(path.join(data, "training"), withdrawals);
  const host = await startTillHost({ data, live: false });
  const page = await browser.newPage({ viewport: { width: 1024, height: 768 } });
  await page.goto(host.entry);
  const { indexMs, firstMs, times } = await measurePast(page, withdrawals, runs);
  await host.child.stop();
  const rows = Object.entries(times).map(([what, measured]) => {
    const figure = median(measured);
    const how = `median of ${runs}; the first one, with its code still to load, ${(firstMs[what] ?? 0).toFixed(0)} ms`;
    return `| ${what} | ≤ ${goalMs} ms | ${figure.toFixed(0)} ms | ${figure <= goalMs ? "yes" : "**no**"} | ${how} |`;
  });
  const index = `| the index made anew from the whole journal, in the background | – | ${(indexMs / 1_000).toFixed(0)} s | – | once, after an upgrade or a loss; later starts go on where it stopped |`;
  console.log([...rows, index].join("\n"));
  const machine = `${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}, load ${loadBefore.toFixed(1)} before the run`;
  writeSection(
    "History",
    [
      `Written by \`npm run bench -- history\` on ${machine}; ${withdrawals} withdrawals of a year in the journal of the built browser host, from the press to the painted page in a headless Chromium.`,
      "",
      "| figure | goal | measured | met | how |",
      "| --- | --- | --- | --- | --- |",
      ...rows,
      index,
    ].join("\n"),
  );
} finally {
  await browser.close();
  rmSync(data, { recursive: true, force: true });
}
