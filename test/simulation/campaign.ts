/** Story after story until enough withdrawals have been simulated, or until one story breaks a promise. */
import type { Defect } from "./defects/defect.ts";
import { type FaultRates, makePlan, type Plan } from "./plan.ts";
import { realPrograms } from "./programs.ts";
import { shrink } from "./shrink.ts";
import { runStory, type Story } from "./story.ts";

/** What all stories of a campaign came to. */
export interface Campaign {
  readonly withdrawals: number;
  readonly stories: number;
  readonly steps: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  /** Turns of installations' lives, by kind. */
  readonly turns: Readonly<Record<string, number>>;
  /** What operators did, by kind. */
  readonly acts: Readonly<Record<string, number>>;
  /** Times at which a service did not know what day it was, by kind. */
  readonly wrongTimes: Readonly<Record<string, number>>;
  /** Seconds of this process on the processor. */
  readonly cpuSeconds: number;
  /** Null when every promise was kept. */
  readonly failure: string | null;
}

/** How long to go on; story number n is played with `seed` + n. */
export interface CampaignOptions {
  readonly seed: number;
  /** At most so many. */
  readonly withdrawals: number;
  /** No story begins after so many minutes. */
  readonly minutes?: number;
  readonly perStory: number;
  readonly tills: number;
  readonly faults?: FaultRates;
  /** Only these withdrawals of a story, as a shrunk story names them. */
  readonly only?: readonly number[] | null;
  readonly withoutClockJumps?: boolean;
  /** The service's clock is never wrong by days. */
  readonly withoutWrongTimes?: boolean;
  /** The service's database is never put back. */
  readonly withoutPutBack?: boolean;
  /** One process of the service in every story. */
  readonly withoutFleet?: boolean;
  /** Operators change nothing. */
  readonly withoutActs?: boolean;
  /** No turns of an installation's life. */
  readonly withoutTurns?: boolean;
  /** Plays with it instead of with the real programs. */
  readonly defect?: Defect | null;
  readonly onProgress?: (withdrawals: number) => void;
}

const add = (to: Record<string, number>, from: Readonly<Record<string, number>>): void => {
  for (const [name, count] of Object.entries(from)) to[name] = (to[name] ?? 0) + count;
};

const planOf = (options: CampaignOptions, story: number, withdrawals: number): Plan => {
  const { tills, faults, only, defect } = options;
  const plan = makePlan(options.seed + story, {
    withdrawals,
    tills,
    ...(faults ? { faults } : {}),
    ...(defect?.turns ? { turns: defect.turns } : {}),
  });
  return {
    ...plan,
    withdrawals: only ? plan.withdrawals.filter(({ index }) => only.includes(index)) : plan.withdrawals,
    clockJumps: options.withoutClockJumps ? [] : plan.clockJumps,
    wrongTimes: options.withoutWrongTimes ? [] : plan.wrongTimes,
    putBack: options.withoutPutBack ? [] : plan.putBack,
    processes: options.withoutFleet ? 1 : plan.processes,
    acts: options.withoutActs ? [] : plan.acts,
    turns: options.withoutTurns ? [] : plan.turns,
  };
};

/** Stops at the first story that breaks a promise and names its seed. */
export const runCampaign = async (options: CampaignOptions): Promise<Campaign> => {
  const ends: Record<string, number> = {};
  const faults: Record<string, number> = {};
  const turns: Record<string, number> = {};
  const acts: Record<string, number> = {};
  const wrongTimes: Record<string, number> = {};
  const began = process.cpuUsage();
  const endsAt = performance.now() + (options.minutes ?? Number.POSITIVE_INFINITY) * 60_000;
  let withdrawals = 0;
  let stories = 0;
  let steps = 0;
  let failure: string | null = null;
  const goesOn = (): boolean => withdrawals < options.withdrawals && failure === null && performance.now() < endsAt;
  for (let story = 0; goesOn(); story++) {
    const size = Math.min(options.perStory, options.withdrawals - withdrawals);
    const plan = planOf(options, story, size);
    const result = await runStory(plan, { programs: options.defect?.programs ?? realPrograms }).catch(
      (cause: unknown) => {
        throw new Error(`the story of seed ${plan.seed} with ${size} withdrawals could not be played to its end`, {
          cause,
        });
      },
    );
    withdrawals += size;
    stories += 1;
    steps += result.steps;
    add(ends, result.ends);
    add(faults, result.faults);
    add(turns, result.turns);
    add(acts, result.acts);
    add(wrongTimes, result.wrongTimes);
    options.onProgress?.(withdrawals);
    if (result.violations.length > 0) failure = await explain(plan, result, size, options.defect ?? null);
  }
  const { user, system } = process.cpuUsage(began);
  const cpuSeconds = (user + system) / 1_000_000;
  return { withdrawals, stories, steps, ends, faults, turns, acts, wrongTimes, cpuSeconds, failure };
};

/** What broke, the shortest story it could be shrunk to, and the command that plays exactly that story again. */
const explain = async (plan: Plan, result: Story, size: number, defect: Defect | null): Promise<string> => {
  const programs = defect?.programs ?? realPrograms;
  const [first] = result.violations;
  const smallest = await shrink(plan, async (candidate) =>
    (await runStory(candidate, { programs })).violations.some((found) => found.invariant === first?.invariant),
  );
  const traced = await runStory(smallest, { trace: true, programs });
  return [
    `seed ${plan.seed}: promise ${first?.invariant} is broken: ${first?.transactionId ?? ""} ${first?.text}`,
    "",
    ...traced.trace,
    ...traced.violations.map((found) => `promise ${found.invariant}: ${found.transactionId ?? ""} ${found.text}`),
    "",
    replayCommand(plan, smallest, size, defect),
  ].join("\n");
};

const replayCommand = (plan: Plan, smallest: Plan, size: number, defect: Defect | null): string => {
  const without = Object.entries(smallest.faults).flatMap(([name, rate]) => (rate === 0 ? [name] : []));
  return [
    `npm run -s simulate -- --seed ${plan.seed} --withdrawals ${size} --story ${size} --tills ${plan.tills}`,
    ...(smallest.withdrawals.length < plan.withdrawals.length
      ? [`--only ${smallest.withdrawals.map(({ index }) => index).join(",")}`]
      : []),
    ...(without.length > 0 ? [`--without ${without.join(",")}`] : []),
    ...(smallest.clockJumps.length < plan.clockJumps.length ? ["--steady-clocks"] : []),
    ...(smallest.wrongTimes.length < plan.wrongTimes.length ? ["--right-time"] : []),
    ...((smallest.acts?.length ?? 0) < (plan.acts?.length ?? 0) ? ["--no-acts"] : []),
    ...(smallest.putBack.length === 0 && plan.putBack.length > 0 ? ["--no-put-back"] : []),
    ...(smallest.processes < plan.processes ? ["--no-fleet"] : []),
    ...(smallest.turns.length < plan.turns.length ? ["--no-turns"] : []),
    ...(defect ? [`--defect "${defect.name}"`] : []),
  ].join(" ");
};
