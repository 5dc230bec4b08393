/** The machine's clock counts the time it slept, which Node's own clock leaves out on Linux. */
import { expect, test } from "vitest";
import { createClock } from "../../../main/terminal/adapters.ts";

test("sleep is counted, rounding is not", () => {
  let runningMs = 5_000;
  let uptimeMs = 900_000;
  const clock = createClock({ wallMs: () => 0, runningMs: () => runningMs, uptimeMs: () => uptimeMs });
  const pass = (awakeMs: number, asleepMs: number) => {
    runningMs += awakeMs;
    uptimeMs += awakeMs + asleepMs;
  };
  expect(clock.monotonicMs()).toBe(5_000);
  pass(1_000, 900);
  expect(clock.monotonicMs()).toBe(6_000);
  pass(1_000, 3_600_000);
  expect(clock.monotonicMs()).toBe(7_000 + 3_600_900);
  pass(1_000, 0);
  expect(clock.monotonicMs()).toBe(8_000 + 3_600_900);
});
