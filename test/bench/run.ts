/** `npm run bench [-- NAME …]`: the named bench with its own flags, or service, terminal and scan one after the other. */

import { refuse } from "../../tools/command-line.ts";
import { ensureBuilt } from "../runner/built.ts";
import { root, runProgram } from "../runner/run-program.ts";

const benches = ["service", "terminal", "scan", "journal", "history", "years", "fleet", "fuzz"];
/** Each bench ends in less than an hour; this only ends what hangs. */
const maxMs = 4 * 3_600_000;

const usage = `Usage: npm run bench                    service, terminal and scan, one after the other
       npm run bench -- NAME [options]   one of them; NAME --help lists its options

  service    the service beside its peers, into docs/benchmarks.md
  terminal   start, scan to amount, camera frame to amount, first load, into docs/benchmarks.md
  scan       both decoders on generated frames and sessions, into docs/benchmarks-scan.md
  journal    years of entries opened and checked, into docs/benchmarks.md
  history    a year of withdrawals listed and drawn, into docs/benchmarks.md
  years      two million withdrawals on file against two thousand, on both stores, and how long the end of a month takes, into docs/benchmarks.md
  fleet      what idle terminals and withdrawals cost one process and four, into docs/benchmarks.md
  fuzz       the hostile requests of the service's tests in full number, on both stores`;

const [name, ...rest] = process.argv.slice(2);
if (name === "--help" || name === "-h") {
  console.log(usage);
  process.exit(0);
}
if (name !== undefined && !benches.includes(name))
  refuse(`There is no bench "${name}". There are ${benches.join(", ")}.`);

if (!rest.includes("--help")) {
  await ensureBuilt();
  console.log(`Node ${process.version} in ${root}`);
}
for (const bench of name === undefined ? benches.slice(0, 3) : [name]) {
  const { code } = await runProgram(`test/bench/${bench}.ts`, rest, maxMs, true);
  if (code !== 0) process.exitCode = code ?? 1;
}
