/**
 * `npm run mutate -- [--changed] [WING | FILE …]`: makes small careless changes to the money path, one at a time, and shows those that no
 * test noticed. Incremental: what did not change since the last run is not run again. Ends with exit code 1 when a wing's
 * score is below 90 % or more than 5 % of its changes are written down as accepted.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import type { MutantResult } from "@stryker-mutator/api/core";
import { readFlags, refuse, wholeNumber } from "../../tools/command-line.ts";
import { isAccepted, readAccepted } from "./accepted.ts";
import { changedLines, type Lines } from "./changed.ts";
import { type Wing, wings } from "./wings.ts";

const root = path.resolve(import.meta.dirname, "../..");
const scoreMin = 0.9;
const acceptedShareMax = 0.05;
const usage = `Usage: npm run mutate -- [options] [WING | FILE …]

  wings            ${Object.keys(wings).join(", ")}; all of them when none is named
  --concurrency N  test runners at a time (default: 2)
  --changed        only what lies on lines that differ from main: a few minutes, for each change on its way
  --since COMMIT   the same, against another commit
  --fresh          run every change again, also where nothing changed since the last run
  --help           this text`;

interface Run extends Wing {
  readonly name: string;
  /** By file, the lines that count; null: all of them. */
  readonly lines: ReadonlyMap<string, readonly Lines[]> | null;
}

const filesOf = ({ mutate }: Wing): readonly string[] => {
  const left = mutate.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1));
  return globSync(
    mutate.filter((glob) => !glob.startsWith("!")),
    { cwd: root, exclude: left },
  );
};

/** Of each wing its files that are named, or all where it is named itself. Ends the program for a word that is neither. */
const runsFor = (words: readonly string[], lines: Run["lines"]): readonly Run[] => {
  const known = Object.entries(wings).map(([name, wing]) => ({ ...wing, name, files: filesOf(wing) }));
  const stray = words.find((word) => !known.some(({ name, files }) => name === word || files.includes(word)));
  if (stray !== undefined) return refuse(`"${stray}" is neither a wing nor a file of one.`);
  return known
    .map(({ files, ...wing }) => {
      const isWhole = words.length === 0 || words.includes(wing.name);
      const named = isWhole ? files : files.filter((file) => words.includes(file));
      return { ...wing, lines, mutate: named.filter((file) => lines === null || lines.has(file)) };
    })
    .filter(({ mutate }) => mutate.length > 0);
};

const nameOf = ({ fileName }: MutantResult): string => path.relative(root, fileName).replaceAll("\\", "/");

/** The text between two places; Stryker counts lines and columns from 1. */
const textAt = ({ fileName, location: { start, end } }: MutantResult): string => {
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  const last = lines.length - 1;
  lines[last] = (lines[last] ?? "").slice(0, end.column - 1);
  lines[0] = (lines[0] ?? "").slice(start.column - 1);
  return lines.join("\n");
};

/** As Stryker takes them. */
const placesOf = ({ mutate, lines }: Run): string[] =>
  lines === null
    ? [...mutate]
    : mutate.flatMap((file) => (lines.get(file) ?? []).map((each) => `${file}:${each.join("-")}`));

const isAsked = ({ mutate, lines }: Run, result: MutantResult): boolean => {
  const [file, { start, end }] = [nameOf(result), result.location];
  if (!mutate.includes(file)) return false;
  return lines === null || lines.get(file)?.some(([first, last]) => start.line >= first && end.line <= last) === true;
};

const noticed: ReadonlySet<MutantResult["status"]> = new Set(["Killed", "Timeout"]);
const counted: ReadonlySet<MutantResult["status"]> = new Set(["Killed", "Timeout", "Survived", "NoCoverage"]);

/** Plays the wing on the stores that it needs. */
async function onItsStores<T>({ stores = "sqlite" }: Wing, play: () => Promise<T>): Promise<T> {
  if (stores === "both") delete process.env.STORES;
  else process.env.STORES = stores;
  if (stores === "sqlite") return play();
  // Loads the service, which other wings need not.
  const { startForRun } = await import("../service/global-setup.ts");
  const { provided, stop } = await startForRun();
  process.env.MUTATION_POSTGRES = JSON.stringify(provided);
  return play().finally(stop);
}

async function mutate(run: Run, concurrency: number, fresh: boolean): Promise<boolean> {
  process.env.MUTATION_SOURCES = JSON.stringify(wings[run.name]?.mutate ?? []);
  process.env.MUTATION_TESTS = JSON.stringify(run.tests);
  process.env.MUTATION_SLOW_TESTS = JSON.stringify(run.slow ?? []);
  // Takes most of a second to load, which `--help` need not wait for.
  const { Stryker } = await import("@stryker-mutator/core");
  const results = await new Stryker({
    testRunner: "loaded-once",
    plugins: ["plugin", "ignore", "survivors"].map((name) => path.join(import.meta.dirname, `runner/${name}.ts`)),
    ignorers: ["wording"],
    mutate: placesOf(run),
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    incremental: true,
    incrementalFile: `node_modules/.cache/tillcash/mutation/${run.name}.json`,
    force: fresh,
    // It would be read with a compiler's interface that TypeScript 7 does not have.
    tsconfigFile: "no-tsconfig.json",
    tempDirName: "out/mutation",
    reporters: ["progress", "survivors"],
    concurrency,
    // A busy machine is no sign that a change was noticed; a test that waits for ever is ended by the runner, long before.
    timeoutMS: 20_000,
    dryRunTimeoutMinutes: 30,
  }).runMutationTest();

  const accepted = readAccepted();
  // Those of the wing's other files come along as the last run left them.
  const all = results.filter((result) => counted.has(result.status) && isAsked(run, result));
  const missed = all
    .filter(({ status }) => !noticed.has(status))
    .map((result) => ({ result, original: textAt(result) }));
  const isLeft = ({ result, original }: (typeof missed)[number]): boolean =>
    isAccepted(accepted, {
      file: nameOf(result),
      mutator: result.mutatorName,
      original,
      replacement: result.replacement ?? "",
    });
  const left = missed.filter(isLeft);
  const open = missed.filter((one) => !isLeft(one));
  for (const { result, original } of open) {
    const { location, mutatorName, status, replacement } = result;
    console.log(
      `${nameOf(result)}:${location.start.line} ${mutatorName}${status === "NoCoverage" ? " (no test runs it)" : ""}`,
    );
    console.log(`  - ${original.replaceAll("\n", "\n    ")}\n  + ${(replacement ?? "").replaceAll("\n", "\n    ")}`);
  }
  if (all.length === 0) return true;
  const score = (all.length - missed.length) / Math.max(1, all.length - left.length);
  const share = left.length / Math.max(1, all.length);
  console.log(
    `${run.name.padEnd(14)} ${(score * 100).toFixed(1)} % of ${all.length - left.length} noticed, ${open.length} not; ` +
      `${left.length} written down (${(share * 100).toFixed(1)} %)`,
  );
  return score >= scoreMin && share <= acceptedShareMax;
}

const { values, positionals } = readFlags(
  usage,
  {
    concurrency: { type: "string", default: "2" },
    fresh: { type: "boolean", default: false },
    changed: { type: "boolean", default: false },
    since: { type: "string" },
  },
  true,
);
const concurrency = wholeNumber("--concurrency", values.concurrency);
const lines = values.changed || values.since !== undefined ? changedLines(values.since ?? null) : null;
for (const run of runsFor(positionals, lines))
  if (!(await onItsStores(run, () => mutate(run, concurrency, values.fresh)))) process.exitCode = 1;
