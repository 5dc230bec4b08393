/** The built programs as processes, killed while they work: the same promises as in the simulation. */
import { expect, test } from "vitest";
import { playReal } from "./real/play.ts";

test("the till and the service are killed four times while the cashier works", async () => {
  const seed = Math.floor(Math.random() * 1_000_000);
  const run = await playReal({ kills: 4, seed, betweenMs: { least: 500, most: 3_000 } });
  expect(run.violations, run.summary).toEqual([]);
  expect(run.kills.length).toBe(4);
  expect(run.exitCodes).toEqual([0, 0]);
  expect(run.ends.linked ?? 0, run.summary).toBeGreaterThan(0);
}, 240_000);
