/** The built programs as processes, killed while they work: the same promises as in the simulation. */
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../runner/built.ts";
import { byEffort } from "../runner/effort.ts";
import { playReal } from "./real/play.ts";

const kills = byEffort({ usual: 3, torture: 50 });
const perKillMs = 60_000;

beforeAll(ensureBuilt);

test(
  `the till and the service are killed ${kills} times while the cashier works`,
  async () => {
    const seed = Math.floor(Math.random() * 1_000_000);
    const run = await playReal({ kills, seed, betweenMs: { min: 500, max: 3_000 } });
    expect(run.violations, run.summary).toEqual([]);
    expect(run.kills.length).toBe(kills);
    expect(run.exitCodes).toEqual([0, 0]);
    expect(run.ends.linked ?? 0, run.summary).toBeGreaterThan(0);
  },
  120_000 + kills * perKillMs,
);
