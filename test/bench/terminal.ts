/** `npm run bench -- terminal`: the terminal's figures, as medians of several runs, into `docs/benchmarks.md`. */
import { mkdtempSync, rmSync } from "node:fs";
import os, { tmpdir } from "node:os";
import path from "node:path";
import { readFlags } from "../../tools/command-line.ts";
import { findChromium } from "../chromium.ts";
import { writeSection } from "./document.ts";
import { type Figure, median, percentile } from "./terminal/figures.ts";
import { measureFirstLoad } from "./terminal/first-load.ts";

readFlags("Usage: npm run bench -- terminal\n\nIt has no options.", {});
// Flags are refused without Playwright and the stage.
const { chromium } = await import("@playwright/test");
const { connectDemoBank } = await import("../e2e/stage/bank-client.ts");
const { root, startTillHost, trainingServiceOf } = await import("../e2e/stage/programs.ts");
const { measureFrames } = await import("./terminal/frame-to-amount.ts");
const { measureScans, noteEndKeys } = await import("./terminal/scan-to-amount.ts");
const { measureStart } = await import("./terminal/start-up.ts");
const runs = 5;
const scansPerRun = 20;
const filmsPerSymbology = 10;
const goals = { scanMs: 40, frameMs: 400, startMs: 2_500, firstLoadBytes: 160_000, styleBytes: 30_000 } as const;

const ms = (value: number): string => `${value.toFixed(0)} ms`;
const kB = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;
const loadBefore = os.loadavg()[0] ?? 0;
const figures: Figure[] = [];
const report = (figure: Figure): void => {
  figures.push(figure);
  console.log(
    `${figure.met ? "met    " : "NOT MET"} ${figure.what}: ${figure.measured} (${figure.goal}; ${figure.how})`,
  );
};

const browser = await chromium.launch(await findChromium());
try {
  const starts: number[] = [];
  for (let run = 0; run < runs; run++) starts.push(await measureStart(browser));
  report({
    what: "`node` start to Ready to scan (browser host, empty data folder)",
    goal: `≤ ${ms(goals.startMs)}`,
    measured: ms(median(starts)),
    met: median(starts) <= goals.startMs,
    how: `median of ${runs}, ${ms(Math.min(...starts))} to ${ms(Math.max(...starts))}`,
  });

  const data = mkdtempSync(path.join(tmpdir(), "tillcash-bench-"));
  const host = await startTillHost({ data, live: false });
  const bank = await connectDemoBank(await trainingServiceOf(data));
  const page = await browser.newPage({ viewport: { width: 1024, height: 768 } });
  await page.addInitScript(noteEndKeys);
  await page.goto(host.entry);
  await measureScans(page, bank, 3);
  const p95s: number[] = [];
  const medians: number[] = [];
  for (let run = 0; run < runs; run++) {
    const times = await measureScans(page, bank, scansPerRun);
    p95s.push(percentile(times, 0.95));
    medians.push(median(times));
  }
  await page.close();
  await host.child.stop();
  rmSync(data, { recursive: true, force: true });
  report({
    what: "End key of a USB scan to the amount painted, p95",
    goal: `≤ ${ms(goals.scanMs)}`,
    measured: ms(median(p95s)),
    met: median(p95s) <= goals.scanMs,
    how: `median of ${runs} runs of ${scansPerRun}; half of all in ${ms(median(medians))}`,
  });
} finally {
  await browser.close();
}

for (const symbology of ["code128", "qr"] as const) {
  const times = await measureFrames(connectDemoBank, trainingServiceOf, symbology, filmsPerSymbology);
  report({
    what: `First camera frame with a readable ${symbology === "qr" ? "QR code" : "Code 128"} to the amount painted, p95`,
    goal: `≤ ${ms(goals.frameMs)}`,
    measured: ms(percentile(times, 0.95)),
    met: times.length > 0 && percentile(times, 0.95) <= goals.frameMs,
    how: `${times.length} films of 1280×720 at 30 frames a second, noise σ = 7, tilt up to 3°; half in ${ms(median(times))}`,
  });
}

const load = measureFirstLoad(path.join(root, "out", "renderer"));
report({
  what: "First-load JavaScript, gzip",
  goal: `≤ ${kB(goals.firstLoadBytes)}`,
  measured: kB(load.firstBytes),
  met: load.firstBytes <= goals.firstLoadBytes,
  how: `${load.laterFiles.length} further files (decoder, manager, languages), ${kB(load.laterBytes)}, load later`,
});
report({
  what: "First-load stylesheets, gzip",
  goal: `≤ ${kB(goals.styleBytes)}`,
  measured: kB(load.styleBytes),
  met: load.styleBytes <= goals.styleBytes,
  how: "of Mantine the components that are used",
});

const rows = figures.map(
  ({ what, goal, measured, met, how }) => `| ${what} | ${goal} | ${measured} | ${met ? "yes" : "**no**"} | ${how} |`,
);
const machine = `${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}, load ${loadBefore.toFixed(1)} before the run`;
writeSection(
  "Terminal",
  [
    `Written by \`npm run bench -- terminal\` on ${machine}. The built programs in a headless Chromium, bundled service included.`,
    "",
    "| figure | goal | measured | met | how |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n"),
);
