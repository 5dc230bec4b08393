/** Runs collected tests, in the order of vitest: hooks around tests, and the first failure ends it. */
import { type Body, type CollectedTest, type Suite, suitesAround } from "./collect.ts";

/** How a test ended: `failure` is what was thrown. */
export interface Outcome {
  readonly test: CollectedTest;
  readonly durationMs: number;
  readonly failure: string | null;
}

/** What the one who plays wants to know and to bound. */
interface PlaySettings {
  /** Time until a test counts as hanging, in milliseconds. */
  limitMs(test: CollectedTest): number;
  /** Called before a test, and with what the hooks of a suite are for. */
  onStart?(tests: readonly CollectedTest[]): void;
}

let finishers: Body[] = [];
/** As in vitest: runs after the test that is running, the last one first. */
export const onTestFinished = (body: Body): void => void finishers.push(body);

const tickMs = 50;
/** The machine's own, whatever a test puts in their place. */
const { setTimeout, clearTimeout } = globalThis;

/** Counted in ticks that this process was there for: on a busy machine nothing hangs for want of its turn. */
const within = async (work: Promise<unknown>, limitMs: number): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    let left = Math.ceil(limitMs / tickMs);
    const tick = () => {
      left -= 1;
      if (left < 0) reject(new Error(`No end after ${limitMs} ms.`));
      else timer = setTimeout(tick, tickMs);
    };
    tick();
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** Runs all, also after a failure; the first failure is thrown. A hook may answer with its own undoing, which is put into `undo`. */
const runAll = async (bodies: readonly Body[], undo?: Body[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const body of bodies) {
    try {
      const undoing = await body();
      if (typeof undoing === "function") undo?.push(undoing as Body);
    } catch (error) {
      failures.push(error);
      if (undo !== undefined) break;
    }
  }
  if (failures.length > 0) throw failures[0];
};

/** What follows a test is run also where the test hangs: it may go on in the background, and must find nothing of the next one. */
const runBody = async (test: CollectedTest, limitMs: number): Promise<void> => {
  const around = suitesAround(test.parent);
  finishers = [];
  const undo: Body[] = [];
  const begin = async (): Promise<void> => {
    await runAll(
      around.flatMap(({ hooks }) => hooks.beforeEach),
      undo,
    );
    await test.body({ onTestFinished });
  };
  try {
    await within(begin(), limitMs);
  } finally {
    const after = around.toReversed().flatMap(({ hooks }) => hooks.afterEach.toReversed());
    await within(runAll([...undo.reverse(), ...after, ...finishers.reverse()]), limitMs);
  }
};

/** Several failures can be thrown; the text of any will do. */
const textOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

async function playTest(test: CollectedTest, settings: PlaySettings): Promise<Outcome> {
  const startedAt = performance.now();
  let failure: string | null = null;
  settings.onStart?.([test]);
  try {
    await runBody(test, settings.limitMs(test));
  } catch (error) {
    failure = textOf(error);
  }
  return { test, durationMs: performance.now() - startedAt, failure };
}

/** The tests of a suite that were chosen, in its order. */
export const testsOf = (node: Suite | CollectedTest, chosen: ReadonlySet<string>): readonly CollectedTest[] =>
  node.kind === "test" ? (chosen.has(node.id) ? [node] : []) : node.children.flatMap((child) => testsOf(child, chosen));

/** Runs the chosen tests of a suite with its hooks. Ends with the first failure unless `bail` is false. */
export async function play(
  node: Suite | CollectedTest,
  chosen: ReadonlySet<string>,
  settings: PlaySettings,
  bail: boolean,
): Promise<readonly Outcome[]> {
  const tests = testsOf(node, chosen);
  const [first] = tests;
  if (first === undefined) return [];
  if (node.kind === "test") return [await playTest(node, settings)];
  const outcomes: Outcome[] = [];
  const undo: Body[] = [];
  const hookLimitMs = 1_000 + Math.max(...tests.map((test) => settings.limitMs(test)));
  try {
    if (node.hooks.beforeAll.length > 0) settings.onStart?.(tests);
    await within(runAll(node.hooks.beforeAll, undo), hookLimitMs);
    for (const child of node.children) {
      outcomes.push(...(await play(child, chosen, settings, bail)));
      if (bail && outcomes.some(({ failure }) => failure !== null)) break;
    }
  } catch (error) {
    outcomes.push({ test: first, durationMs: 0, failure: textOf(error) });
  } finally {
    const after = [...undo.reverse(), ...node.hooks.afterAll.toReversed()];
    if (after.length > 0) settings.onStart?.(tests);
    await within(runAll(after), hookLimitMs).catch((error: unknown) => {
      outcomes.push({ test: first, durationMs: 0, failure: textOf(error) });
    });
  }
  return outcomes;
}
