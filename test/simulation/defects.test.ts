/** The checker can fail: each deliberate defect is caught in its world, and the story that caught it is clean without the defect. */
import { expect, test } from "vitest";
import { byEffort } from "../runner/effort.ts";
import { defects } from "./defects/defects.ts";
import { storyIn } from "./defects/worlds.ts";
import { hunt } from "./hunt.ts";
import { realPrograms } from "./programs.ts";
import { runStory } from "./story.ts";

/** At least every fifth story of a world shows its defect: the product's timings move which one, and hardly ever this far. */
const seedsMax = 100;

/** The story that caught it is looked at without the defect for every sixth one, for each with `EFFORT=torture`. */
const everyNthSound = byEffort({ usual: 6, torture: 1 });

const shown = defects.flatMap(({ world, ...defect }, index) => (world ? [{ ...defect, world, index }] : []));

test.each(shown)("caught: $name", async ({ index, firstSeed = 1, ...defect }) => {
  const { seeds, plan } = await hunt(defect, seedsMax, (_, seed) => storyIn(defect.world, firstSeed - 1 + seed));
  expect(seeds).not.toBeNull();
  if (!defect.sound && index % everyNthSound !== 0) return;
  const { violations } = await runStory(plan, { programs: defect.sound ?? realPrograms });
  expect(violations).toEqual([]);
});
