import { expect, test } from "vitest";
import { createBackground } from "../../backend/background.ts";
import type { Clock } from "../../backend/ports.ts";
import { VirtualClock } from "../service/virtual-clock.ts";

const start = () => {
  const clock = new VirtualClock();
  const startedAt = clock.now();
  const runs: number[] = [];
  const background = createBackground(
    () => clock,
    async () => void runs.push(clock.now() - startedAt),
  );
  return { clock, background, runs };
};

test("the earlier of two plans counts, whichever came first", async () => {
  const { clock, background, runs } = start();
  background.runIn(500);
  background.runIn(250);
  background.runIn(60_000);
  await clock.advance(60_000);
  expect(runs).toEqual([250]);
});

test("a run that is due while the process is busy is not put off by one that is planned for later", async () => {
  const { clock, background, runs } = start();
  background.runIn(250);
  clock.jump(260);
  background.runIn(60_000);
  background.runIn(60_000);
  await clock.advance(1);
  expect(runs).toEqual([260]);
});

test("a clock that was set forward behind a long pause does not hold up what is planned after it", async () => {
  const clock = new VirtualClock();
  let [aheadMs, runs] = [0, 0];
  // Its timers run by the machine's steady time, as the system's do.
  const set: Clock = {
    now: () => clock.now() + aheadMs,
    calendar: () => clock.now() + aheadMs,
    after: clock.after.bind(clock),
    soon: clock.soon.bind(clock),
  };
  const background = createBackground(
    () => set,
    async () => {
      runs += 1;
    },
  );
  background.runIn(60_000);
  aheadMs = 3_600_000;
  background.runIn(250);
  await clock.advance(250);
  expect(runs).toBe(1);
});

test("nothing runs after the end", async () => {
  const { clock, background, runs } = start();
  background.runIn(250);
  clock.jump(260);
  background.cancel();
  background.runIn(0);
  await clock.advance(60_000);
  expect(runs).toEqual([]);
  expect(clock.timers).toBe(0);
});
