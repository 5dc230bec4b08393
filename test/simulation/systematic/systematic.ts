/** Plays every scripted course once for each fault at each step, then pairs of them; a budget samples, and says so. */
import { createChance } from "../../random.ts";
import type { FaultName } from "../plan.ts";
import { type Programs, realPrograms } from "../programs.ts";
import { runStory, type Story } from "../story.ts";
import type { ScriptedCourse } from "./courses.ts";
import { createScriptedInjector, type FaultPoint, type Injection, waysOfFault } from "./scripted-injector.ts";

/** A story and the points at which a fault could have been injected. */
export interface Played {
  readonly story: Story;
  readonly points: readonly FaultPoint[];
}

/** How much of what there is was played. */
export interface Coverage {
  readonly runs: number;
  readonly all: number;
}

/** How much of a course's faults was played, and what broke. */
export interface CourseResult {
  readonly course: string;
  /** The course without any fault but its own, with its trace. */
  readonly plain: Story;
  readonly steps: number;
  /** Kinds of fault that could occur. */
  readonly faults: number;
  readonly singles: Coverage;
  /** `all` is known of the single faults that were played. */
  readonly pairs: Coverage;
  /** What broke a promise, each with the command that plays it again. */
  readonly violations: readonly string[];
}

/** What to play and how much of it. */
export interface SystematicOptions {
  readonly courses: readonly ScriptedCourse[];
  /** Draws the order in which things are played, which matters only to a budget. */
  readonly seed: number;
  /** Most runs of single faults for each course, and of pairs. */
  readonly singlesMax?: number;
  readonly pairsMax?: number;
  /** Whether there is still time; asked before each run. */
  readonly hasTime?: () => boolean;
  /** Only these faults; all by default. */
  readonly only?: readonly FaultName[];
  readonly programs?: Programs;
  /** Enough is known once one promise is broken; pairs that lie close together, such as two tries of one call, come first. */
  readonly untilBroken?: boolean;
}

/** Plays a course once with the faults of `injections`. */
export const playCourse = async (
  course: ScriptedCourse,
  injections: readonly Injection[],
  options: { readonly programs?: Programs; readonly trace?: boolean } = {},
): Promise<Played> => {
  const injector = createScriptedInjector(course.plan.seed, injections, course.faults);
  const programs = options.programs ?? realPrograms;
  const story = await runStory(course.plan, { programs, injector, trace: options.trace ?? false }).catch(
    (cause: unknown) => {
      throw new Error(`could not be played to its end: ${replay(course, injections)}`, { cause });
    },
  );
  return { story, points: injector.points };
};

/** The command that plays it again. */
export const replay = ({ name }: ScriptedCourse, injections: readonly Injection[]): string =>
  `npm run -s simulate -- --course "${name}" --inject ${injections.map(({ point, way }) => `${point}:${way}`).join(",") || "none"}`;

/** Every fault that can still occur behind the point with number `behind`. */
const injectionsBehind = (
  points: readonly FaultPoint[],
  behind: number,
  only: readonly FaultName[] | undefined,
): readonly Injection[] =>
  points.flatMap(({ fault, scripted }, point) =>
    scripted || point <= behind || only?.includes(fault) === false
      ? []
      : Array.from({ length: waysOfFault(fault) }, (_, way) => ({ point, way })),
  );

/** `count` of the items in the order that the seed draws, all of them as they are when there are no more. */
const sample = <T>(items: readonly T[], count: number, seed: number): readonly T[] => {
  if (items.length <= count) return items;
  const { between } = createChance(seed);
  const rest = [...items];
  return Array.from({ length: count }, () => rest.splice(between(0, rest.length - 1), 1)[0] as T);
};

/** Stops playing when `hasTime` says no, and says how much was left out. */
export const playSystematically = async (
  course: ScriptedCourse,
  {
    seed,
    singlesMax,
    pairsMax,
    hasTime = () => true,
    only,
    programs = realPrograms,
    untilBroken = false,
  }: Omit<SystematicOptions, "courses">,
): Promise<CourseResult> => {
  const violations: string[] = [];
  const play = async (injections: readonly Injection[], trace = false): Promise<Played> => {
    const played = await playCourse(course, injections, { programs, trace });
    const [first] = played.story.violations;
    if (first) violations.push(`promise ${first.invariant}: ${first.text}; ${replay(course, injections)}`);
    return played;
  };
  const base = await play([], true);
  const all = injectionsBehind(base.points, -1, only);
  let singles = 0;
  let pairsInAll = 0;
  const seconds: { readonly first: Injection; readonly then: readonly Injection[] }[] = [];
  for (const first of sample(all, singlesMax ?? all.length, seed)) {
    if (!hasTime()) break;
    const { points } = await play([first]);
    singles += 1;
    if (!course.paysOut) continue;
    const then = injectionsBehind(points, first.point, only);
    pairsInAll += then.length;
    seconds.push({ first, then });
  }
  let pairs = 0;
  const drawn = sample([...Array(pairsInAll).keys()], pairsMax ?? pairsInAll, seed);
  const order = untilBroken ? drawn.toSorted((one, other) => apart(seconds, one) - apart(seconds, other)) : drawn;
  for (const number of order) {
    if (!hasTime() || (untilBroken && violations.length > 0)) break;
    await play(pairAt(seconds, number));
    pairs += 1;
  }
  return {
    course: course.name,
    plain: base.story,
    steps: new Set(base.points.map(({ step }) => step)).size,
    faults: new Set(base.points.map(({ fault }) => fault)).size,
    singles: { runs: singles, all: all.length },
    pairs: { runs: pairs, all: pairsInAll },
    violations,
  };
};

type Seconds = readonly { readonly first: Injection; readonly then: readonly Injection[] }[];

/** Pairs are numbered through, so that a sample need not hold them all. */
const pairAt = (seconds: Seconds, number: number): readonly [Injection, Injection] => {
  let left = number;
  for (const { first, then } of seconds) {
    const second = then[left];
    if (second) return [first, second];
    left -= then.length;
  }
  throw new Error(`there is no pair ${number}`);
};

/** How many points lie between the two of a pair. */
const apart = (seconds: Seconds, number: number): number => {
  const [first, second] = pairAt(seconds, number);
  return second.point - first.point;
};
