/** The programs for developers, as typed: help is help, and a wrong flag is answered with a sentence. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../runner/run-program.ts";

const patientMs = 300_000;

const type = (program: string, words: readonly string[]) =>
  spawnSync(process.execPath, [path.join(root, program), ...words], {
    cwd: root,
    encoding: "utf8",
    timeout: patientMs,
  });

const programs = {
  start: "main/launch.ts",
  test: "test/run.ts",
  backend: "backend/cli.ts",
  bank: "docs/examples/bank.js",
  dev: "tools/dev.ts",
  screens: "test/e2e/gallery/shots.ts",
  guide: "test/e2e/gallery/guide.ts",
  demo: "test/demo/run.ts",
  journal: "main/journal-tool/cli.ts",
  torture: "test/torture.ts",
  scan: "tools/scan/cli.ts",
  "smoke:desktop": "test/installed/run.ts",
  mutate: "test/mutation/run.ts",
  release: "tools/release/cli.ts",
  icons: "test/e2e/gallery/draw-icons.ts",
  sbom: "tools/release/sbom.ts",
  "check:lockfile": "tools/release/check-lockfile.ts",
  lint: "tools/lint/cli.ts",
  build: "tools/build.ts",
  simulate: "test/simulation/cli.ts",
  bench: "test/bench/run.ts",
  "bench service": "test/bench/service.ts",
  "bench terminal": "test/bench/terminal.ts",
  "bench scan": "test/bench/scan.ts",
  "bench fuzz": "test/bench/fuzz.ts",
} as const;

test.each(Object.entries(programs))("%s --help tells how it is used", (name, program) => {
  const { status, stdout, stderr } = type(program, ["--help"]);
  expect([status, stderr]).toEqual([0, ""]);
  const typed = name === "start" || name === "test" ? name : `run ${name.replace(" ", " -- ")}`;
  expect(stdout).toMatch(
    name === "backend" ? /^The Tillcash service\.\n\n {2}npm run backend / : new RegExp(`^Usage: npm ${typed}`),
  );
});

test("every script of ours has its row", () => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  // Other people's programs have help of their own; `npm run check` is `npm test` with some of its parts.
  const others = ["check", "types", "package", "package:check"];
  const ours = Object.keys(scripts).filter((name) => !name.startsWith("pre") && !others.includes(name));
  expect(Object.keys(programs)).toEqual(expect.arrayContaining(ours));
});

const refusals: readonly (readonly [keyof typeof programs, readonly string[], string])[] = [
  ["simulate", ["--sed", "1"], "Unknown option '--sed'."],
  ["simulate", ["--seed", "one"], '--seed must be a whole number from 0 on, not "one".'],
  ["simulate", ["--seed"], "Option '--seed <value>' argument missing."],
  ["bench terminal", ["years"], "Unexpected argument 'years'."],
  ["simulate", ["--without", "luck"], 'There is no fault "luck".'],
  ["simulate", ["--defect", "none"], 'There is no defect "none".'],
  ["screens", ["--language", "xx"], '--language takes en,de,fr,it, not "xx".'],
  ["guide", ["--language", "xx"], '--language takes en,de,fr,it, not "xx".'],
  ["screens", ["--size", "big"], '--size takes sizes such as 1024x768, not "big".'],
  ["scan", [], "Name a FILE, or --set DIR."],
  ["mutate", ["nowhere"], '"nowhere" is neither a wing nor a file of one.'],
  ["mutate", ["--concurrency", "0"], '--concurrency must be a whole number from 1 on, not "0".'],
  [
    "torture",
    ["nothing"],
    'There is no test "nothing" here. There are kill, deploys, power-loss, fuzz, races, journal-power, kill-real.',
  ],
  [
    "bench",
    ["nonsense"],
    'There is no bench "nonsense". There are service, terminal, scan, journal, history, years, fleet, fuzz.',
  ],
  ["bench service", ["--quik"], "Unknown option '--quik'."],
  ["bench scan", ["--frames", "many"], '--frames must be a whole number from 0 on, not "many".'],
  ["bench fuzz", ["many"], 'COUNT must be a whole number from 1 on, not "many".'],
];
test.each(refusals)("%s %j is refused with a sentence", (name, words, sentence) => {
  const { status, stdout, stderr } = type(programs[name], words);
  expect([status, stdout, stderr]).toEqual([2, "", `${sentence}\nSee --help.\n`]);
});

/** The programs that no row above has: one sentence about the flag, no stack, nothing done. */
const others = Object.entries(programs).filter(([name]) => !refusals.some(([program]) => program === name));
test.each(others)("%s refuses a flag that does not exist", (_, program) => {
  const { status, stdout, stderr } = type(program, ["--nonsense"]);
  expect(status).toBeGreaterThan(0);
  expect(stdout + stderr).toMatch(/^(?:[^\n]*'?--nonsense|Usage: npm run bank)/);
  expect(stderr).not.toMatch(/\n {4}at /);
});
