/** `npm run torture`: the tests that kill, cut the power and send nonsense, in their long form; hours where `npm test` takes minutes. */

import { readFlags, refuse } from "../tools/command-line.ts";
import { ensureBuilt } from "./runner/built.ts";
import { runProgram } from "./runner/run-program.ts";

const tests: Readonly<Record<string, string>> = {
  kill: "test/service/kill.test.ts",
  deploys: "test/service/deploys.test.ts",
  "power-loss": "test/service/power-loss.test.ts",
  fuzz: "test/service/fuzz.test.ts",
  races: "test/service/races.test.ts",
  "journal-power": "test/simulation/journal-power.test.ts",
  "kill-real": "test/simulation/kill-real.test.ts",
};
const maxMs = 6 * 3_600_000;

const usage = `Usage: npm run torture [-- NAME…]

These tests of npm test in their long form; all of them, or those that are named. Any other test that has
one (the failover, the archive of the journal …): EFFORT=torture npm test -- FILE.

  kill            the service's processes killed while withdrawals go on: 10,000 on each store
  deploys         SIGTERM, start, SIGKILL in turn under load with a slow bank: 1,000 on each store (DEPLOYS=n for fewer)
  power-loss      300 power losses of the service's SQLite
  fuzz            20,000 hostile requests on each store
  races           two calls at once for one withdrawal, 2,000 times each, on each store
  journal-power   power losses of the till's journal, 50 stories
  kill-real       the till and the service as built programs, killed 50 times
  --help          this text

npm run simulate plays the same promises in virtual time, as long as it is told to.`;

const { positionals } = readFlags(usage, {}, true);
const files = (positionals.length > 0 ? positionals : Object.keys(tests)).map(
  (name) => tests[name] ?? refuse(`There is no test "${name}" here. There are ${Object.keys(tests).join(", ")}.`),
);
await ensureBuilt();
// One file at a time: each wants the machine for itself.
const args = ["run", "--no-file-parallelism", ...files];
const { code } = await runProgram("node_modules/vitest/vitest.mjs", args, maxMs, true, { EFFORT: "torture" });
process.exitCode = code ?? 1;
