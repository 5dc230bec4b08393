/** The simulation as a test: 5,000 withdrawals on fixed and fresh seeds, the same story twice, and the way a failure is told. */
import { expect, test } from "vitest";
import { explain, runCampaign } from "./campaign.ts";
import { defects } from "./defects.ts";
import { makePlan } from "./plan.ts";
import { runStory } from "./story.ts";

const perStory = 250;
const stories = { tills: 3, perStory } as const;
const slowMs = 240_000;

test.each([7, 1_000, 31_337])(
  "every promise is kept on the fixed seed %i",
  async (seed) => {
    const campaign = await runCampaign({ ...stories, seed, withdrawals: 1_000 });
    expect(campaign.failure).toBeNull();
    expect(campaign.withdrawals).toBe(1_000);
  },
  slowMs,
);

test(
  "every promise is kept on fresh seeds",
  async () => {
    const seed = Math.floor(Math.random() * 1_000_000_000);
    const campaign = await runCampaign({ ...stories, seed, withdrawals: 2_000 });
    // Tells its seed and the command to replay it.
    expect(campaign.failure).toBeNull();
    expect(Math.min(...Object.values(campaign.faults))).toBeGreaterThan(0);
  },
  slowMs,
);

test(
  "the same seed plays the same story, another one another",
  async () => {
    const [first, again, other] = [
      await runStory(makePlan(4, { withdrawals: 60 })),
      await runStory(makePlan(4, { withdrawals: 60 })),
      await runStory(makePlan(5, { withdrawals: 60 })),
    ];
    expect(again.traceHash).toBe(first.traceHash);
    expect(again.steps).toBe(first.steps);
    expect(other.traceHash).not.toBe(first.traceHash);
  },
  slowMs,
);

test(
  "a failure tells its seed, a short story and the command that replays it",
  async () => {
    const defect = defects.find(({ name }) => name === "double delivery without dedupe");
    const programs = defect?.programs;
    if (!programs) throw new Error("the defect is gone");
    const plan = makePlan(1, { withdrawals: 60 });
    const broken = await runStory(plan, { programs });
    const told = await explain(plan, broken, 60, programs);
    expect(told).toMatch(/^seed 1: promise 2 is broken: \w{16} paid 2 times/);
    expect(told.match(/the bank pays/g)?.length).toBeGreaterThan(1);

    const only = /--only ([\d,]+)/.exec(told)?.[1]?.split(",").map(Number) ?? [];
    const without = /--without ([\w,]+)/.exec(told)?.[1]?.split(",") ?? [];
    const faults = { ...plan.faults, ...Object.fromEntries(without.map((name) => [name, 0])) };
    const shorter = plan.withdrawals.filter(({ index }) => only.includes(index));
    const clockJumps = told.includes("--steady-clocks") ? [] : plan.clockJumps;
    const replayed = await runStory({ ...plan, withdrawals: shorter, faults, clockJumps }, { programs });
    expect(shorter.length).toBeLessThan(plan.withdrawals.length / 3);
    expect(replayed.violations[0]).toMatchObject({ invariant: 2, text: "paid 2 times" });
  },
  slowMs,
);
