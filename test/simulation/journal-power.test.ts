/**
 * Power loss at the till, which takes all that its journal had written and not synced. The story is the simulation's: the
 * real terminal, the real service, the same five promises; an intent that was acted upon and is gone breaks one of them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLossyTillDisk } from "./lossy-till-disk.ts";
import { defaultFaultRates, makePlan } from "./plan.ts";
import { realPrograms } from "./programs.ts";
import { runStory } from "./story.ts";

const seeds = [1, 3];
const slowMs = 240_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-journal-power-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const play = async (seed: number, synchronous: "FULL" | "NORMAL") => {
  const disk = openLossyTillDisk(mkdtempSync(path.join(folder, "till-")), synchronous, seed);
  const faults = { ...defaultFaultRates, tillDies: 0.005 };
  const plan = makePlan(seed, { withdrawals: 60, tills: 1, faults });
  const { violations, ends } = await runStory(plan, { programs: { ...realPrograms, openDisk: () => disk } });
  return { violations, linked: ends.linked ?? 0, losses: disk.losses };
};

test.each(seeds)(
  "synchronous=FULL: whatever was acted upon is in the journal after any power loss, seed %i",
  async (seed) => {
    const { violations, linked, losses } = await play(seed, "FULL");
    expect(violations).toEqual([]);
    expect(linked).toBeGreaterThan(20);
    expect(losses).toBeGreaterThan(5);
  },
  slowMs,
);

test(
  "synchronous=NORMAL breaks a promise: the disk of this test does lose something",
  async () => {
    const { violations } = await play(3, "NORMAL");
    expect(violations.map(({ invariant }) => invariant)).toContain(4);
  },
  slowMs,
);
