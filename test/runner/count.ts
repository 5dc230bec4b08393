/** Counts tests from the runners' own reports. What cannot be counted has failed: nothing is dropped in silence. */
import path from "node:path";
import { z } from "zod";
import { root } from "./run-program.ts";

/** A test that failed, or a file that could not be run. */
interface Failure {
  readonly name: string;
  readonly message: string;
}

/** A file of tests, and how long its tests took one after the other, waits for the processor included. */
interface PlayedFile {
  readonly name: string;
  readonly seconds: number;
}

/** What a part of a run came to. */
export interface Count {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failures: readonly Failure[];
  /** Why tests were skipped, with how many each. */
  readonly skips: readonly string[];
  readonly files: readonly PlayedFile[];
}

const assertionSchema = z.object({
  status: z.string(),
  fullName: z.string(),
  failureMessages: z.array(z.string()).nullish(),
});

const vitestSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(assertionSchema),
    }),
  ),
});

const failure = (name: string, message: string): Count => ({
  passed: 0,
  failed: 1,
  skipped: 0,
  failures: [{ name, message }],
  skips: [],
  files: [],
});

/** Both together. */
export const add = (one: Count, other: Count): Count => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
  failures: [...one.failures, ...other.failures],
  skips: [...one.skips, ...other.skips],
  files: [...one.files, ...other.files],
});

/** Before the first part. */
export const nothing: Count = { passed: 0, failed: 0, skipped: 0, failures: [], skips: [], files: [] };

/** A program that is its own test: its exit code decides, its output says why. */
export const countProgram = (name: string, exitCode: number | null, output: string): Count =>
  exitCode === 0 ? { ...nothing, passed: 1 } : failure(name, output.trim() || `ended with code ${exitCode}`);

/** A runner whose code says failure though its report names none, or that ran nothing, has failed as a whole. */
function checked(name: string, exitCode: number | null, count: Count): Count {
  if (exitCode !== 0 && count.failed === 0) {
    return add(count, failure(name, `ended with code ${exitCode}, though its report names no failure`));
  }
  if (count.passed + count.failed + count.skipped === 0) return failure(name, "ran no test");
  return count;
}

function parse<T>(name: string, report: string | null, schema: z.ZodType<T>, lastOutput: string): T | Count {
  if (report === null) return failure(name, `left no report ${lastOutput}`.trim());
  try {
    return schema.parse(JSON.parse(report));
  } catch (error) {
    return failure(name, `left a report that cannot be read: ${String(error).slice(0, 500)}`);
  }
}

const isCount = (value: object): value is Count => "passed" in value;

/** `report` is vitest's JSON, or null when there is none; `lastOutput` may say why. */
export function countVitest(report: string | null, exitCode: number | null, lastOutput = ""): Count {
  const parsed = parse("vitest", report, vitestSchema, lastOutput);
  if (isCount(parsed)) return parsed;
  let count = nothing;
  for (const file of parsed.testResults) {
    const played = { name: path.relative(root, file.name), seconds: (file.endTime - file.startTime) / 1_000 };
    count = { ...count, files: [...count.files, played] };
    for (const { status, fullName, failureMessages } of file.assertionResults) {
      if (status === "passed") count = { ...count, passed: count.passed + 1 };
      else if (status === "failed") count = add(count, failure(fullName, (failureMessages ?? []).join("\n")));
      else count = { ...count, skipped: count.skipped + 1, skips: [...count.skips, fullName] };
    }
    // A file that could not be loaded, or whose hooks failed, fails without a failed test.
    const hasFailed = file.assertionResults.some(({ status }) => status === "failed");
    if (file.status === "failed" && !hasFailed) count = add(count, failure(file.name, file.message ?? "failed"));
  }
  return checked("vitest", exitCode, count);
}

const annotationSchema = z.object({ type: z.string(), description: z.string().optional() });
const specSchema = z.object({
  title: z.string(),
  file: z.string(),
  tests: z.array(
    z.object({
      projectName: z.string(),
      status: z.enum(["expected", "unexpected", "flaky", "skipped"]),
      annotations: z.array(annotationSchema).default([]),
      results: z
        .array(z.object({ duration: z.number(), error: z.object({ message: z.string().optional() }).optional() }))
        .default([]),
    }),
  ),
});
type Spec = z.infer<typeof specSchema>;
interface Suite {
  readonly specs?: readonly Spec[] | undefined;
  readonly suites?: readonly Suite[] | undefined;
}
const suiteSchema: z.ZodType<Suite> = z.lazy(() =>
  z.object({ specs: z.array(specSchema).optional(), suites: z.array(suiteSchema).optional() }),
);
const playwrightSchema = z.object({
  suites: z.array(suiteSchema),
  errors: z.array(z.object({ message: z.string().optional() })).default([]),
});

const specsOf = (suite: Suite): readonly Spec[] => [
  ...(suite.specs ?? []),
  ...(suite.suites ?? []).flatMap((inner) => specsOf(inner)),
];

/** `report` is playwright's JSON. A test that passed only when it was repeated counts as failed. */
export function countPlaywright(report: string | null, exitCode: number | null, lastOutput = ""): Count {
  const parsed = parse("playwright", report, playwrightSchema, lastOutput);
  if (isCount(parsed)) return parsed;
  const specs = parsed.suites.flatMap((suite) => specsOf(suite));
  const files = Object.entries(Object.groupBy(specs, ({ file }) => file)).map(([file, ofFile = []]) => {
    const runs = ofFile.flatMap(({ tests }) => tests.flatMap(({ results }) => results));
    return {
      name: path.join("test/e2e", file),
      seconds: runs.reduce((sum, { duration }) => sum + duration, 0) / 1_000,
    };
  });
  let count: Count = { ...nothing, files };
  for (const { message } of parsed.errors) count = add(count, failure("playwright", message ?? "failed"));
  for (const { title, file, tests } of specs) {
    for (const { projectName, status, annotations, results } of tests) {
      const name = `${projectName} › ${file} › ${title}`;
      if (status === "expected") count = { ...count, passed: count.passed + 1 };
      else if (status === "skipped") {
        const why = annotations.find(({ type }) => type === "skip")?.description;
        const skips = [...count.skips, `${projectName}: ${why ?? title}`];
        count = { ...count, skipped: count.skipped + 1, skips };
      } else {
        const messages = results.map(({ error }) => error?.message ?? "").filter(Boolean);
        count = add(count, failure(name, messages.join("\n") || status));
      }
    }
  }
  return checked("playwright", exitCode, count);
}

/** The files that took longest, each with its seconds. */
export const slowest = ({ files }: Count, most: number): readonly string[] =>
  files
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, most)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);

/** The last line of `npm test`. */
export const summary = ({ passed, failed, skipped }: Count): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
