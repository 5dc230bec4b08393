/**
 * `npm test`: lint, types, build, unit, service and simulation tests, end-to-end tests. Ends with one line
 * `N passed, N failed`, counted from the runners' own reports; lint, import cycles, types and build count one each.
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { refuse } from "../tools/command-line.ts";
import { add, countProgram, nothing, slowest, summary } from "./runner/count.ts";
import { type Part, parts, partsOf, results, standardParts } from "./runner/parts.ts";
import { root } from "./runner/run-program.ts";
import { keepFilesTogether } from "./runner/temp-folder.ts";

const usage = `Usage: npm test                    lint, types, build and all tests
       npm test -- PART…           these parts alone: ${Object.keys(parts).join(", ")}
       npm test -- FILE…           these test files or folders alone, as test/unit/contract/csv.test.ts, test/service, test/e2e/phone.spec.ts
       npm run check               lint, types and the quick ones among the tests that start no process and no browser`;
const shownFailureLines = 40;
const shownSlowFiles = 12;

/** The parts that the words name; files may be named as seen from anywhere. */
function chosenParts(words: readonly string[]): Readonly<Record<string, Part>> {
  const chosen = words.filter((word) => word in parts);
  const files = words
    .filter((word) => !(word in parts))
    .map((word) => {
      const file = path.relative(root, path.resolve(process.env.INIT_CWD ?? root, word));
      const isTest = existsSync(path.join(root, file)) && `${file}${path.sep}`.startsWith(`test${path.sep}`);
      return isTest ? file : refuse(`"${word}" is no part, and no file or folder below test/.`);
    });
  if (words.length === 0) return standardParts;
  const named = Object.fromEntries(Object.entries(parts).filter(([name]) => chosen.includes(name)));
  return { ...partsOf(files), ...named };
}

const words = process.argv.slice(2);
if (words.includes("--help") || words.includes("-h")) {
  console.log(usage);
  process.exit(0);
}
const run = chosenParts(words);
keepFilesTogether();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

// A report of an earlier run must not pass for one of this run.
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

let total = nothing;
const lines: string[] = [];
const play = async ([name, part]: readonly [string, Part]): Promise<void> => {
  const startedMs = performance.now();
  console.log(`\n── ${name}`);
  const count = await part().catch((error: unknown) => countProgram(name, null, String(error)));
  total = add(total, count);
  lines.push(`${name.padEnd(12)} ${summary(count)} (${((performance.now() - startedMs) / 1000).toFixed(1)} s)`);
  console.log(lines.at(-1));
};

// What is built must stand still while tests run it. All else goes on at once: tests with programs and browsers wait for half of
// their time, which the others fill.
const { build, ...rest } = run;
if (build) await play(["build", build]);
await Promise.all(Object.entries(rest).map(play));

for (const { name, message } of total.failures) {
  console.log(`\n✗ ${name}\n${message.split("\n").slice(0, shownFailureLines).join("\n")}`);
}
const skips = Map.groupBy(total.skips, (why) => why);
if (skips.size > 0) console.log("\nSkipped:");
for (const [why, times] of skips) console.log(`  ${times.length} × ${why}`);
if (total.files.length > shownSlowFiles) console.log(["\nSlowest:", ...slowest(total, shownSlowFiles)].join("\n"));
console.log(`\n${lines.join("\n")}\n\n${summary(total)}`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
