/** `npm run bench [-- NAME …]`: the named bench with its own arguments, or service, terminal and scan one after the other. */
import { root, runProgram } from "../runner/run-program.ts";

const benches = ["service", "terminal", "scan", "fuzz"];
/** Each bench ends in less than an hour; this only ends what hangs. */
const mostMs = 4 * 3_600_000;

const [name, ...rest] = process.argv.slice(2);
if (name !== undefined && !benches.includes(name)) {
  console.error(`No such bench: ${name}. There are ${benches.join(", ")}.`);
  process.exit(2);
}
console.log(`Node ${process.version} in ${root}`);
for (const bench of name === undefined ? benches.slice(0, 3) : [name]) {
  const { code } = await runProgram(`test/bench/${bench}.ts`, rest, mostMs, true);
  if (code !== 0) process.exitCode = 1;
}
