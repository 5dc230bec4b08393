/** `npm run simulate -- --systematic` and `--course`: what is played, and what is said about it. */
import { refuse, wholeNumber } from "../../../tools/command-line.ts";
import { courses } from "./courses.ts";
import type { Injection } from "./scripted-injector.ts";
import { type CourseResult, type Coverage, playCourse, playSystematically } from "./systematic.ts";

const share = ({ runs, all }: Coverage): string =>
  all === 0 ? "none" : `${runs} of ${all} (${((runs / all) * 100).toFixed(runs === all ? 0 : 2)} %)`;

const lineOf = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;

/** One line for each course, as a table of Markdown. */
const tableOf = (results: readonly CourseResult[]): string =>
  [
    lineOf(["course", "steps", "faults", "single faults played", "pairs played", "violations"]),
    lineOf(["---", "---", "---", "---", "---", "---"]),
    ...results.map(({ course, steps, faults, singles, pairs, violations }) =>
      lineOf([course, steps, faults, share(singles), share(pairs), violations.length]),
    ),
  ].join("\n");

/** Plays them all within the budget; `kept` is false when a promise was broken. */
export const runSystematic = async (options: {
  readonly seed: number;
  readonly pairs: number;
  readonly minutes: number | null;
}): Promise<{ readonly summary: string; readonly kept: boolean }> => {
  const began = process.cpuUsage();
  const endsAt = performance.now() + (options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  const results: CourseResult[] = [];
  const hasTime = (): boolean => performance.now() < endsAt;
  for (const [index, course] of courses.entries()) {
    const result = await playSystematically(course, { seed: options.seed + index, pairsMax: options.pairs, hasTime });
    for (const violation of result.violations) console.error(`${course.name}: ${violation}`);
    results.push(result);
    console.error(`${course.name}: ${share(result.singles)} single faults, ${share(result.pairs)} pairs`);
  }
  const { user, system } = process.cpuUsage(began);
  const runs = results.reduce((sum, { singles, pairs }) => sum + singles.runs + pairs.runs + 1, 0);
  const violations = results.reduce((sum, one) => sum + one.violations.length, 0);
  const spent = `${runs} runs in ${((user + system) / 1_000_000).toFixed(0)} s of a processor, pairs sampled from seed ${options.seed}; ${violations} violations`;
  return { summary: `${tableOf(results)}\n\n${spent}.`, kept: violations === 0 };
};

const injectionsIn = (text: string): readonly Injection[] =>
  text === "none"
    ? []
    : text.split(",").map((one) => {
        const [point = "", way = "0"] = one.split(":");
        return { point: wholeNumber("--inject", point, 0), way: wholeNumber("--inject", way, 0) };
      });

/** Plays one run again and tells its story; false when a promise was broken. */
export const runOne = async (name: string, injections: string): Promise<boolean> => {
  const course = courses.find((one) => one.name === name);
  if (course === undefined)
    return refuse(`There is no course "${name}": ${courses.map((one) => one.name).join(", ")}.`);
  const script = injectionsIn(injections);
  const { story, points } = await playCourse(course, script, { trace: true });
  for (const { point } of script) console.log(`injected: ${points[point]?.fault ?? "nothing"}`);
  for (const line of story.trace) console.log(line);
  for (const { invariant, text } of story.violations) console.error(`promise ${invariant}: ${text}`);
  return story.violations.length === 0;
};
