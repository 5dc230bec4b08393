import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { createSteadyTime, systemClock } from "../../backend/adapters.ts";

const minutes = (count: number) => count * 60_000;

const machine = (startMs: number) => {
  let calendar = startMs;
  let elapsed = 0;
  const time = createSteadyTime(
    () => calendar,
    () => elapsed,
  );
  return {
    time,
    pass(ms: number) {
      calendar += ms;
      elapsed += ms;
    },
    set(byMs: number) {
      calendar += byMs;
    },
  };
};

test("a clock that is set back changes nothing: time goes on from where it was", () => {
  const { time, pass, set } = machine(1_000_000);
  set(-minutes(45));
  expect(time.now()).toBe(1_000_000);
  pass(40_000);
  expect(time.now()).toBe(1_040_000);
});

test("a clock that is set forward, or went on during sleep, is followed", () => {
  const { time, pass, set } = machine(1_000_000);
  set(minutes(45));
  pass(1);
  expect(time.now()).toBe(1_000_001 + minutes(45));
  pass(1);
  expect(time.now()).toBe(1_000_002 + minutes(45));
});

test("it never runs back, and what passes for the machine passes for it", () => {
  const step = fc.record({ passMs: fc.integer({ min: 0, max: 100_000 }), setMs: fc.integer({ min: -1e7, max: 1e7 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { time, pass, set } = machine(1e12);
      let before = time.now();
      for (const { passMs, setMs } of steps) {
        set(setMs);
        pass(passMs);
        const now = time.now();
        expect(now - before).toBeGreaterThanOrEqual(passMs);
        before = now;
      }
    }),
  );
});

test("parts of a millisecond add up, asked for however often", () => {
  const quarters = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 });
  fc.assert(
    fc.property(quarters, (steps) => {
      const { time, pass, set } = machine(1e12);
      set(-minutes(1));
      let passedMs = 0;
      for (const step of steps) {
        pass(step / 4);
        passedMs += step / 4;
        expect(time.now()).toBe(1e12 + Math.floor(passedMs));
      }
    }),
  );
});

test("the calendar is asked once a millisecond, however often the time is", () => {
  let [elapsed, asked] = [0, 0];
  const calendar = () => {
    asked += 1;
    return 1e12 + elapsed;
  };
  const time = createSteadyTime(calendar, () => elapsed);
  for (let at = 0; at < 1_000; at += 1) {
    elapsed = at / 100;
    expect(time.now()).toBe(Math.floor(1e12 + elapsed));
  }
  expect(asked).toBeLessThanOrEqual(11);
});

test("a steady clock that is not steady is followed from where it is: the calendar is asked", () => {
  let [calendar, elapsed] = [1_000_000, 10_000];
  const time = createSteadyTime(
    () => calendar,
    () => elapsed,
  );
  [calendar, elapsed] = [1_000_000 + minutes(65), 2_000];
  expect(time.now()).toBe(1_000_000 + minutes(65));
  [calendar, elapsed] = [calendar + 50, elapsed + 50];
  expect(time.now()).toBe(calendar);
});

test.each([
  [-5, 0],
  [0.2, 1],
  [250, 250],
  [2 ** 31 - 1, 2 ** 31 - 1],
  [2 ** 31, 2 ** 31 - 1],
  [Number.MAX_SAFE_INTEGER, 2 ** 31 - 1],
])("a wait of %d ms fires after %d, at once never where it is long", (delayMs, firesAtMs) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let runs = 0;
  systemClock.after(delayMs, () => {
    runs += 1;
  });
  const cancel = systemClock.after(delayMs, () => expect.unreachable("it was taken back"));
  cancel();
  vi.advanceTimersByTime(Math.max(0, firesAtMs - 1));
  expect(runs).toBe(firesAtMs === 0 ? 1 : 0);
  vi.advanceTimersByTime(firesAtMs === 0 ? 0 : 1);
  expect(runs).toBe(1);
});
