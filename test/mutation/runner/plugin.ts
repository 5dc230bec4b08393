/**
 * The test runner for StrykerJS: one process loads the product and the tests of a wing once, then switches one change after the
 * other on and runs the tests that reach it, those first that noticed the last changes. Loading is what takes long.
 */
import { globSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { MutantCoverage } from "@stryker-mutator/api/core";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestRunner,
  type TestRunnerCapabilities,
  TestStatus,
} from "@stryker-mutator/api/test-runner";
import { type CollectedTest, collect, type Suite } from "./collect.ts";
import { type Outcome, play, testsOf } from "./play.ts";
import { prepareProcess, switches } from "./prepare.ts";

const firstLimitMs = 60_000;
const recentMax = 8;

const listIn = (name: string): readonly string[] => JSON.parse(process.env[name] ?? "[]") as string[];

const filesIn = (name: string): readonly string[] => {
  const globs = listIn(name);
  return globSync(
    globs.filter((glob) => !glob.startsWith("!")),
    { exclude: globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)) },
  ).toSorted();
};

/** What test files run while they are loaded, a table's cells for instance, counts for no test: it is run once, without any change. */
const whileLoading = "while test files are loaded";
const theSecondTime = "the second time";

/** What is played at once: a test, or the outermost suite around it with hooks for all its tests. */
const unitsOf = (node: Suite | CollectedTest): readonly (Suite | CollectedTest)[] =>
  node.kind === "test" || node.hooks.beforeAll.length > 0 || node.hooks.afterAll.length > 0
    ? [node]
    : node.children.flatMap(unitsOf);

class LoadedOnce implements TestRunner {
  #files: readonly Suite[] = [];
  #units: readonly (Suite | CollectedTest)[] = [];
  #tests = new Map<string, CollectedTest>();
  #durationMs = new Map<string, number>();
  #recent: readonly string[] = [];

  capabilities(): TestRunnerCapabilities {
    return { reloadEnvironment: false };
  }

  async init(): Promise<void> {
    prepareProcess();
    // First, so that only what the product itself runs while it is loaded costs a process for each change.
    for (const file of filesIn("MUTATION_SOURCES")) await import(pathToFileURL(path.resolve(file)).href);
    const files: Suite[] = [];
    switches.currentTestId = whileLoading;
    for (const file of filesIn("MUTATION_TESTS")) files.push(await collect(file));
    switches.currentTestId = undefined;
    this.#files = files;
    this.#units = files.flatMap(unitsOf);
    const all = { has: () => true } as unknown as ReadonlySet<string>;
    const slow = listIn("MUTATION_SLOW_TESTS");
    const tests = files
      .flatMap((file) => testsOf(file, all))
      .filter(({ id }) => !slow.some((part) => id.includes(part)));
    this.#tests = new Map(tests.map((test) => [test.id, test]));
  }

  /** Twice: what does not pass a second time in the same process would seem to notice every change, and is left out. */
  async dryRun(): Promise<DryRunResult> {
    const all = new Set(this.#tests.keys());
    const hooks = new Map<string, readonly CollectedTest[]>();
    const onStart = (tests: readonly CollectedTest[]): void => {
      const [first] = tests;
      if (first === undefined) return;
      switches.currentTestId = tests.length === 1 ? first.id : `hooks of ${first.id}`;
      if (tests.length > 1) hooks.set(switches.currentTestId, tests);
    };
    const settings = { limitMs: () => firstLimitMs, onStart };
    const firstTime = await this.#playAll(all, settings);
    switches.currentTestId = theSecondTime;
    const secondTime = await this.#playAll(all, { limitMs: () => firstLimitMs });
    switches.currentTestId = undefined;
    const coverage = switches.mutantCoverage;
    if (coverage !== undefined) shareHooks(coverage, hooks);
    const failed = new Map(
      [...firstTime, ...secondTime].flatMap(({ test, failure }) =>
        failure === null ? [] : [[test.id, failure] as const],
      ),
    );
    for (const [id, failure] of failed) console.error(`Left out, it does not pass here: ${id}\n  ${failure}`);
    return {
      status: DryRunStatus.Complete,
      tests: secondTime
        .filter(({ test }) => !failed.has(test.id))
        .map(({ test: { id, fileName, startPosition }, durationMs }) => {
          const result = { id, name: id, fileName, startPosition, timeSpentMs: durationMs } as const;
          return { ...result, status: TestStatus.Success } as const;
        }),
      ...(coverage === undefined ? {} : { mutantCoverage: coverage }),
    };
  }

  async #playAll(ids: ReadonlySet<string>, settings: Parameters<typeof play>[2]): Promise<readonly Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const file of this.#files) outcomes.push(...(await play(file, ids, settings, false)));
    this.#record(outcomes);
    return outcomes;
  }

  #record(outcomes: readonly Outcome[]): void {
    for (const { test, durationMs, failure } of outcomes)
      if (failure === null) this.#durationMs.set(test.id, durationMs);
  }

  /** A test that noticed a change must pass without it, or this process is no longer as it was. */
  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const ids = new Set(options.testFilter ?? this.#tests.keys());
    switches.activeMutant = options.activeMutant.id;
    switches.hitCount = 0;
    switches.hitLimit = options.hitLimit;
    const settings = { limitMs: ({ id }: CollectedTest) => 3_000 + 5 * (this.#durationMs.get(id) ?? 2_000) };
    const outcomes: Outcome[] = [];
    for (const unit of this.#inOrder(ids)) {
      outcomes.push(...(await play(unit, ids, settings, true)));
      const failed = outcomes.find(({ failure }) => failure !== null);
      if (failed === undefined) continue;
      switches.activeMutant = undefined;
      switches.hitLimit = undefined;
      const again = await play(unit, ids, settings, true);
      const left = again.find(({ failure }) => failure !== null);
      if (left !== undefined) {
        console.error(`A new process: without the change it fails too: ${left.test.id}\n  ${left.failure}`);
        process.exit(1);
      }
      this.#recent = [failed.test.id, ...this.#recent.filter((id) => id !== failed.test.id)].slice(0, recentMax);
      return {
        status: MutantRunStatus.Killed,
        killedBy: [failed.test.id],
        failureMessage: failed.failure ?? "",
        nrOfTests: outcomes.length,
      };
    }
    switches.activeMutant = undefined;
    this.#record(outcomes);
    return { status: MutantRunStatus.Survived, nrOfTests: outcomes.length };
  }

  #inOrder(ids: ReadonlySet<string>): readonly (Suite | CollectedTest)[] {
    return this.#units
      .map((unit) => ({ unit, tests: testsOf(unit, ids) }))
      .filter(({ tests }) => tests.length > 0)
      .map(({ unit, tests }) => {
        const costMs = tests.reduce((sum, { id }) => sum + (this.#durationMs.get(id) ?? 0), 0);
        const isRecent = tests.some(({ id }) => this.#recent.includes(id));
        return { unit, rank: isRecent ? costMs / 20 : costMs };
      })
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ unit }) => unit);
  }
}

/** What the hooks of a suite reach is reached by each of its tests. */
const shareHooks = (coverage: MutantCoverage, hooks: ReadonlyMap<string, readonly CollectedTest[]>): void => {
  for (const none of [whileLoading, theSecondTime]) delete coverage.perTest[none];
  for (const [key, tests] of hooks) {
    const reached = coverage.perTest[key];
    delete coverage.perTest[key];
    for (const { id } of tests) coverage.perTest[id] = { ...reached, ...coverage.perTest[id] };
  }
};

/** What StrykerJS looks for. */
export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "loaded-once", LoadedOnce)];
