/** The programs for developers, as typed: help is help, and a wrong flag is answered with a sentence. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../../runner/run-program.ts";

const patientMs = 60_000;

const type = (program: string, words: readonly string[]) =>
  spawnSync(process.execPath, [path.join(root, program), ...words], {
    cwd: root,
    encoding: "utf8",
    timeout: patientMs,
  });

const programs = {
  simulate: "test/simulation/cli.ts",
  bench: "test/bench/run.ts",
  "bench service": "test/bench/service.ts",
  "bench terminal": "test/bench/terminal.ts",
  "bench scan": "test/bench/scan.ts",
  "bench fuzz": "test/bench/fuzz.ts",
} as const;

test.each(Object.entries(programs))("%s --help tells how it is used", { timeout: patientMs }, (name, program) => {
  const { status, stdout, stderr } = type(program, ["--help"]);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(new RegExp(`^Usage: npm run ${name.replace(" ", " -- ")}`));
});

const refusals: readonly (readonly [keyof typeof programs, readonly string[], string])[] = [
  ["simulate", ["--sed", "1"], "Unknown option '--sed'."],
  ["simulate", ["--seed", "one"], '--seed must be a whole number from 0 on, not "one".'],
  ["simulate", ["--seed"], "Option '--seed <value>' argument missing."],
  ["simulate", ["--without", "luck"], 'There is no fault "luck".'],
  ["simulate", ["--defect", "none"], 'There is no defect "none".'],
  ["bench", ["nonsense"], 'There is no bench "nonsense". There are service, terminal, scan, fuzz.'],
  ["bench service", ["--quik"], "Unknown option '--quik'."],
  ["bench scan", ["--frames", "many"], '--frames must be a whole number from 0 on, not "many".'],
  ["bench fuzz", ["many"], 'COUNT must be a whole number from 1 on, not "many".'],
];
test.each(refusals)("%s %j is refused with a sentence", { timeout: patientMs }, (name, words, sentence) => {
  const { status, stdout, stderr } = type(programs[name], words);
  expect([status, stdout, stderr]).toEqual([2, "", `${sentence}\nSee --help.\n`]);
});
