/** The parts of a test run; each counts what it ran. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { add, type Count, countPlaywright, countProgram, countVitest } from "./count.ts";
import { playwrightCache, root, runProgram } from "./run-program.ts";

const shortMs = 900_000;
/** A bound for what hangs; a busy machine takes several times as long as a quiet one. */
const longMs = 6_000_000;

/** Where reports of the runners are left. */
export const results = path.join(root, "test-results");
const vitestReport = path.join(results, "vitest.json");
const playwrightReport = path.join(results, "e2e.json");
const readReport = (file: string): string | null => (existsSync(file) ? readFileSync(file, "utf8") : null);

async function checkWith(
  name: string,
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Count> {
  const { code, output } = await runProgram(file, args, shortMs, false, environment);
  return countProgram(name, code, output);
}

async function vitest(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<Count> {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${vitestReport}`];
  const program = "node_modules/vitest/vitest.mjs";
  const { code, output } = await runProgram(program, ["run", ...reporters, ...args], longMs, true, environment);
  return countVitest(readReport(vitestReport), code, output);
}

async function playwright(files: readonly string[]): Promise<Count> {
  const args = ["test", "--config=test/e2e/playwright.config.ts", ...files];
  const program = "node_modules/@playwright/test/cli.js";
  const { code, output } = await runProgram(program, args, longMs, true, { PWTEST_CACHE_DIR: playwrightCache });
  return countPlaywright(readReport(playwrightReport), code, output);
}

/** Runs a part to its end; a part that cannot be run counts as a failure. */
export type Part = () => Promise<Count>;

/** What `npm test` runs, in this order. */
export const standardParts = {
  lint: async () =>
    add(
      await checkWith("lint", "node_modules/@biomejs/biome/bin/biome", ["check", "--error-on-warnings", "."]),
      await checkWith("import cycles", "tools/lint/cli.ts", []),
    ),
  // More checkers find out the types of libraries once each: twice the work on two cores, which other parts fill. Collecting garbage is
  // a fifth of it, and with less of that it takes no more memory.
  types: () => checkWith("types", "node_modules/typescript/bin/tsc", ["-p", ".", "--checkers", "1"], { GOGC: "400" }),
  build: () => checkWith("build", "tools/build.ts", []),
  vitest: () => vitest([]),
  playwright: () => playwright([]),
} as const satisfies Readonly<Record<string, Part>>;

/**
 * The quick ones among the tests that start no process and no browser, the service's on SQLite alone. They wait for little, so a third
 * worker would only load the programs' modules once more.
 */
const fast: Part = () => vitest(["--project=fast", "--maxWorkers=2"], { STORES: "sqlite", EFFORT: "quick" });

/** By the name that `node test/run.ts` takes. */
export const parts: Readonly<Record<string, Part>> = { ...standardParts, fast };

/** The parts that run these files or folders below `test/`, on programs that are built first where a browser needs them. */
export function partsOf(paths: readonly string[]): Readonly<Record<string, Part>> {
  const e2e = path.join("test", "e2e");
  const below = (one: string, folder: string): boolean => !path.relative(folder, one).startsWith("..");
  const specs = paths.filter((one) => below(one, e2e) || below(e2e, one));
  const files = paths.filter((one) => !below(one, e2e));
  return {
    ...(specs.length > 0 && { build: standardParts.build, playwright: () => playwright(specs) }),
    ...(files.length > 0 && { vitest: () => vitest(files) }),
  };
}
