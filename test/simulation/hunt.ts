/** Runs stories with a defect, seed after seed, until the checker objects. */
import type { Defect } from "./defects/defect.ts";
import { makePlan } from "./plan.ts";
import { runStory } from "./story.ts";

/** How a defect was caught. */
export interface Catch {
  readonly defect: Defect;
  /** Stories it took, the last one included; null when none objected. */
  readonly seeds: number | null;
  readonly withdrawals: number;
  readonly promise: number | null;
  readonly found: string;
}

/** Withdrawals of each story of a hunt, unless told otherwise. */
const huntStoryWithdrawals = 150;

/** Anonymous, so that the table is the same whatever ids a run has drawn. */
const plain = (text: string): string => text.replaceAll(/\btill-\d+\S*/g, "…");

/** Plays stories of so many withdrawals from `firstSeed` on, at most `seedsMax`. */
export const hunt = async (
  defect: Defect,
  firstSeed: number,
  seedsMax = 60,
  perStory = huntStoryWithdrawals,
): Promise<Catch> => {
  for (let seeds = 1; seeds <= seedsMax; seeds++) {
    const plan = makePlan(firstSeed + seeds - 1, {
      withdrawals: perStory,
      ...(defect.turns ? { turns: defect.turns } : {}),
    });
    const { violations } = await runStory(plan, { programs: defect.programs });
    const [first] = violations;
    if (first)
      return {
        defect,
        seeds,
        withdrawals: seeds * perStory,
        promise: first.invariant,
        found: plain(first.text),
      };
  }
  return { defect, seeds: null, withdrawals: seedsMax * perStory, promise: null, found: "nothing" };
};
