/** `npm run simulate -- --seed S --withdrawals N`: any number of stories, and the shortest one that breaks a promise. */
import { parseArgs } from "node:util";
import { makePlan } from "./plan.ts";
import { shrink } from "./shrink.ts";
import { runStory } from "./story.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    withdrawals: { type: "string", default: "5000" },
    tills: { type: "string", default: "3" },
    /** Withdrawals in one story. */
    story: { type: "string", default: "500" },
  },
});
const seed = Number(values.seed);
const wanted = Number(values.withdrawals);
const perStory = Math.min(Number(values.story), wanted);
const tills = Number(values.tills);

const faults: Record<string, number> = {};
const ends: Record<string, number> = {};
const add = (to: Record<string, number>, from: Readonly<Record<string, number>>): void => {
  for (const [name, count] of Object.entries(from)) to[name] = (to[name] ?? 0) + count;
};

const startedMs = performance.now();
let done = 0;
let steps = 0;
for (let story = 0; done < wanted; story++) {
  const plan = makePlan(seed + story, { withdrawals: Math.min(perStory, wanted - done), tills });
  const result = await runStory(plan);
  if (result.violations.length > 0) {
    const [first] = result.violations;
    console.error(
      `seed ${seed + story}: promise ${first?.invariant} is broken: ${first?.transactionId ?? ""} ${first?.text}`,
    );
    const smallest = await shrink(plan, async (candidate) =>
      (await runStory(candidate)).violations.some((found) => found.invariant === first?.invariant),
    );
    const told = await runStory(smallest, { trace: true });
    console.error(told.trace.join("\n"));
    for (const found of told.violations)
      console.error(`promise ${found.invariant}: ${found.transactionId} ${found.text}`);
    console.error(
      `\nnpm run simulate -- --seed ${seed + story} --withdrawals ${plan.withdrawals.length} --story ${plan.withdrawals.length} --tills ${tills}`,
    );
    process.exitCode = 1;
    break;
  }
  done += plan.withdrawals.length;
  steps += result.steps;
  add(faults, result.faults);
  add(ends, result.ends);
}
const seconds = (performance.now() - startedMs) / 1_000;
console.log(`${done} withdrawals, ${steps} steps, ${(done / seconds).toFixed(0)} withdrawals/s, seed ${seed}`);
console.log("ends  ", ends);
console.log("faults", faults);
