/** Runs stories with a defect, seed after seed, until the checker objects. */
import type { Defect } from "./defects/defect.ts";
import { makePlan, type Plan } from "./plan.ts";
import { runStory } from "./story.ts";

/** How a defect was caught. */
export interface Catch {
  readonly defect: Defect;
  /** Stories it took, the last one included; null when none objected. */
  readonly seeds: number | null;
  /** The last story. */
  readonly plan: Plan;
  readonly promise: number | null;
  readonly found: string;
}

const usualWithdrawals = 150;
const usualSeedsMax = 60;

/** A long story of usual days, as the simulation plays them. */
const usualStory = ({ turns }: Defect, seed: number): Plan =>
  makePlan(seed, { withdrawals: usualWithdrawals, ...(turns ? { turns } : {}) });

/** Anonymous, so that the table is the same whatever ids a run has drawn. */
const plain = (text: string): string => text.replaceAll(/\btill-\d+\S*/g, "…");

/** Plays the stories of `storyOf` from seed 1 on, at most `seedsMax`. */
export const hunt = async (defect: Defect, seedsMax = usualSeedsMax, storyOf = usualStory): Promise<Catch> => {
  for (let seed = 1; ; seed++) {
    const plan = storyOf(defect, seed);
    const [first] = (await runStory(plan, { programs: defect.programs })).violations;
    if (first) return { defect, seeds: seed, plan, promise: first.invariant, found: plain(first.text) };
    if (seed === seedsMax) return { defect, seeds: null, plan, promise: null, found: "nothing" };
  }
};
