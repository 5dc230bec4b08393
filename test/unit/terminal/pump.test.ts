/** The pump: each effect once, nobody starved, nothing spun. */
import { describe, expect, test } from "vitest";
import { createPump } from "../../../main/terminal/withdrawal/effects.ts";
import type { Effect } from "../../../main/terminal/withdrawal/effects-due.ts";
import { VirtualClock } from "./virtual-clock.ts";

const effectOf = (key: string, notBeforeMs = 0): Effect => ({ key, notBeforeMs, work: { kind: "repaint" } });

const rig = (effects: Effect[], onStart: (effect: Effect) => void) => {
  const clock = new VirtualClock();
  const started: string[] = [];
  const runaways: string[] = [];
  const late: number[] = [];
  const pump = createPump({
    clock,
    effects: () => effects,
    start: (effect) => {
      started.push(effect.key);
      onStart(effect);
    },
    onRunaway: (key) => runaways.push(key),
    onLate: (lateMs) => late.push(lateMs),
  });
  return { clock, pump, started, runaways, late };
};

test("an effect that comes to nothing rests, and those behind it have their turn", async () => {
  const effects = [effectOf("stuck"), effectOf("b"), effectOf("c")];
  const { clock, pump, started, runaways } = rig(effects, ({ key }) => {
    if (key !== "stuck")
      effects.splice(
        effects.findIndex((effect) => effect.key === key),
        1,
      );
    pump.settle(key);
  });
  pump.turn();
  expect(started).toEqual(["stuck", "b", "c"]);
  await clock.advance(10_000);
  expect(started.filter((key) => key === "stuck").length).toBeLessThan(15);
  expect(runaways).toEqual(["stuck"]);
  pump.stop();
});

test("one that is answered later and comes to nothing is not started again at once", async () => {
  const { clock, pump, started } = rig([effectOf("asks")], ({ key }) => clock.after(10, () => pump.settle(key)));
  pump.turn();
  await clock.advance(10_000);
  expect(started.length).toBeGreaterThan(5);
  expect(started.length).toBeLessThan(12);
  pump.stop();
});

test("a key that is gone is forgotten: when it comes back it need not rest", async () => {
  const effects = [effectOf("a")];
  const { pump, started } = rig(effects, ({ key }) => {
    effects.length = 0;
    pump.settle(key);
  });
  pump.turn();
  effects.push(effectOf("a"));
  pump.turn();
  expect(started).toEqual(["a", "a"]);
  pump.stop();
});

test("waits for the earliest, also when an earlier one comes, and is under way once", async () => {
  const effects = [effectOf("late", 6_000)];
  const { clock, pump, started } = rig(effects, () => undefined);
  pump.turn();
  effects.push(effectOf("early", 3_000));
  pump.turn();
  await clock.advance(1_999);
  expect(started).toEqual([]);
  await clock.advance(1);
  expect(started).toEqual(["early"]);
  await clock.advance(3_000);
  expect(started).toEqual(["early", "late"]);
  pump.turn();
  await clock.advance(60_000);
  expect(started).toEqual(["early", "late"]);
});

test("what came to nothing rests a second, or as long as was said, and never again when it is to rest for ever", async () => {
  const { clock, pump, started, runaways } = rig([effectOf("asks")], () => undefined);
  pump.turn();
  pump.settle("asks");
  await clock.advance(999);
  expect(started).toHaveLength(1);
  await clock.advance(1);
  expect(started).toHaveLength(2);
  pump.settle("asks", 5_000);
  await clock.advance(4_999);
  expect(started).toHaveLength(2);
  await clock.advance(1);
  expect(started).toHaveLength(3);
  expect(runaways).toEqual(["asks"]);
  pump.settle("asks", Number.POSITIVE_INFINITY);
  // A timer without an end would fire at once.
  expect(clock.timers).toBe(0);
  await clock.advance(86_400_000);
  expect(started).toHaveLength(3);
});

test.each([
  ["has come just now", 1_000, ["asks"], 1],
  ["has yet to come", 1_001, [], 1],
])("what came to nothing comes again and again where its time %s", (_, notBeforeMs, said, starts) => {
  const effects = [effectOf("asks")];
  const { pump, started, runaways } = rig(effects, () => undefined);
  pump.turn();
  effects[0] = effectOf("asks", notBeforeMs);
  pump.settle("asks");
  expect([runaways, started.length]).toEqual([said, starts]);
});

test("what need not rest starts again at once, and nobody is told that it came again", () => {
  const { pump, started, runaways } = rig([effectOf("asks")], () => undefined);
  pump.turn();
  pump.settle("asks", 0);
  expect([started.length, runaways]).toEqual([2, []]);
});

test("an effect that is due later than its rest is no runaway, and waits for its own time", async () => {
  const effects = [effectOf("asks")];
  const { clock, pump, started, runaways } = rig(effects, () => undefined);
  pump.turn();
  effects[0] = effectOf("asks", 10_000);
  pump.settle("asks");
  await clock.advance(8_999);
  expect([started.length, runaways]).toEqual([1, []]);
  await clock.advance(1);
  expect([started.length, runaways]).toEqual([2, []]);
});

test("more than a thousand in one go is said to be a defect, and goes on after a second", async () => {
  let number = 0;
  const effects: Effect[] = [effectOf("0")];
  const { clock, pump, started, runaways } = rig(effects, () => {
    number += 1;
    effects[0] = effectOf(String(number));
    pump.settle(String(number - 1));
  });
  pump.turn();
  expect([started.length, runaways]).toEqual([1_000, ["1000"]]);
  await clock.advance(999);
  expect(started).toHaveLength(1_000);
  await clock.advance(1);
  expect(started).toHaveLength(2_000);
  pump.stop();
});

test("a turn inside of a start starts nothing twice", () => {
  const effects = [effectOf("a"), effectOf("b")];
  const { pump, started } = rig(effects, () => pump.turn());
  pump.turn();
  expect(started).toEqual(["a", "b"]);
});

test("after its stop nothing starts", async () => {
  const { clock, pump, started } = rig([effectOf("a", 2_000)], () => undefined);
  pump.turn();
  pump.stop();
  await clock.advance(5_000);
  pump.turn();
  expect(started).toEqual([]);
});

test("after a stop inside of a start nothing more starts, and no timer is left to be late", async () => {
  const effects = [effectOf("a"), effectOf("b"), effectOf("c", 2_000)];
  const { clock, pump, started, late } = rig(effects, () => pump.stop());
  pump.turn();
  expect([started, clock.timers]).toEqual([["a"], 0]);
  await clock.sleep(60_000);
  expect(late).toEqual([]);
});

test("a turn that finds nothing new leaves the timer as it is", () => {
  const { clock, pump } = rig([effectOf("a", 2_000)], () => undefined);
  const delays: number[] = [];
  const after = clock.after.bind(clock);
  clock.after = (delayMs, body) => {
    delays.push(delayMs);
    return after(delayMs, body);
  };
  pump.turn();
  pump.turn();
  expect(delays).toEqual([1_000]);
});

describe("a timer that comes too late", () => {
  const sleeper = () => {
    let nowMs = 0;
    let fire: (() => void) | null = null;
    let canceled = 0;
    const late: number[] = [];
    const clock = {
      now: () => nowMs,
      monotonicMs: () => nowMs,
      after: (_: number, body: () => void) => {
        fire = body;
        return () => {
          canceled += 1;
        };
      },
    };
    const pump = createPump({
      clock,
      effects: () => [effectOf("a", 1_000)],
      start: () => undefined,
      onRunaway: () => undefined,
      onLate: (lateMs) => late.push(lateMs),
    });
    pump.turn();
    const sleep = (ms: number): void => {
      nowMs += ms;
    };
    return { pump, late, wake: () => fire?.(), sleep, canceled: () => canceled };
  };

  test("says by how much, once, from ten seconds on", () => {
    for (const [ms, said] of [
      [11_000, []],
      [11_001, [10_001]],
    ] as const) {
      const { late, wake, sleep } = sleeper();
      sleep(ms);
      wake();
      expect(late).toEqual(said);
    }
  });

  test("is noticed by what comes next, before that sets another", () => {
    const { pump, late, sleep } = sleeper();
    sleep(60_000);
    pump.turn();
    expect(late).toEqual([59_000]);
  });

  test("is noticed by whoever presses something before it fires, and then no more", () => {
    const { pump, late, sleep, canceled } = sleeper();
    pump.checkLate();
    sleep(60_000);
    pump.checkLate();
    pump.checkLate();
    expect([late, canceled()]).toEqual([[59_000], 1]);
  });
});
