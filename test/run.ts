/**
 * `npm test`: lint, types, build, unit, service and simulation tests, end-to-end tests. Ends with one line
 * `N passed, N failed`, counted from the runners' own reports; lint, types and build count one each.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { add, type Count, countPlaywright, countProgram, countVitest, nothing, summary } from "./runner/count.ts";
import { root, runProgram } from "./runner/run-program.ts";

const shortMs = 120_000;
/** A bound for what hangs; a busy machine may well take longer than the eight minutes of a quiet one. */
const longMs = 1_500_000;
const shownFailureLines = 40;

const results = path.join(root, "test-results");
const vitestReport = path.join(results, "vitest.json");
const playwrightReport = path.join(results, "e2e.json");
const readReport = (file: string): string | null => (existsSync(file) ? readFileSync(file, "utf8") : null);

async function checkWith(name: string, file: string, args: readonly string[]): Promise<Count> {
  const { code, output } = await runProgram(file, args, shortMs, false);
  return countProgram(name, code, output);
}

const parts: Readonly<Record<string, () => Promise<Count>>> = {
  lint: () => checkWith("lint", "node_modules/@biomejs/biome/bin/biome", ["check", "."]),
  types: () => checkWith("types", "node_modules/typescript/bin/tsc", ["-p", "."]),
  build: () => checkWith("build", "tools/build.ts", []),
  async vitest() {
    const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${vitestReport}`];
    const { code, output } = await runProgram("node_modules/vitest/vitest.mjs", args, longMs, true);
    return countVitest(readReport(vitestReport), code, output);
  },
  async playwright() {
    const args = ["test", "--config=test/e2e/playwright.config.ts"];
    const { code, output } = await runProgram("node_modules/@playwright/test/cli.js", args, longMs, true);
    return countPlaywright(readReport(playwrightReport), code, output);
  },
};

/** `npm test -- lint vitest` runs these parts alone. */
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`No such part: ${unknown.join(", ")}. There are ${Object.keys(parts).join(", ")}.`);
  process.exit(2);
}

// A report of an earlier run must not pass for one of this run.
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

let total = nothing;
const lines: string[] = [];
for (const [name, run] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const startedMs = performance.now();
  console.log(`\n── ${name}`);
  const count = await run().catch((error: unknown) => countProgram(name, null, String(error)));
  total = add(total, count);
  lines.push(`${name.padEnd(12)} ${summary(count)} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`);
  console.log(lines.at(-1));
}

for (const { name, message } of total.failures) {
  console.log(`\n✗ ${name}\n${message.split("\n").slice(0, shownFailureLines).join("\n")}`);
}
const skips = Map.groupBy(total.skips, (why) => why);
if (skips.size > 0) console.log("\nSkipped:");
for (const [why, times] of skips) console.log(`  ${times.length} × ${why}`);
console.log(`\n${lines.join("\n")}\n\n${summary(total)}`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
