import { describe, expect, it } from "vitest";
import { createStepGuard, outcomeHoldMs, settleLimitMs, settleMs } from "../../../renderer/ui/step-guard.ts";

const painted = (step: string, atMs: number) => {
  const guard = createStepGuard();
  guard.show(step);
  guard.painted(step, atMs);
  return guard;
};

describe("step guard", () => {
  it("ignores a press until the screen has been up long enough", () => {
    const guard = painted("a", 1000);
    expect(guard.press("a", 1000 + settleMs - 1)).toBe("too_soon");
  });

  it("holds a red end against pressing that never stops, and against one press that comes early", () => {
    const guard = createStepGuard();
    guard.show("a", outcomeHoldMs);
    guard.painted("a", 1000);
    for (let atMs = 1000; atMs < 1000 + outcomeHoldMs; atMs += 400) expect(guard.press("a", atMs)).toBe("too_soon");
    expect(guard.press("a", 1000 + outcomeHoldMs + settleMs)).toBe("accepted");
    guard.show("b");
    guard.painted("b", 9000);
    expect(guard.press("b", 9000 + settleMs)).toBe("accepted");
  });

  it("opens with the end of a hold, and with no paint of a screen that is gone", () => {
    const guard = createStepGuard();
    guard.show("a", outcomeHoldMs);
    guard.painted("a", 1000);
    expect(guard.press("a", 1000 + outcomeHoldMs)).toBe("accepted");
    guard.show("b");
    guard.painted("a", 5000);
    expect(guard.press("b", 9000)).toBe("too_soon");
  });

  it("takes one press a step", () => {
    const guard = painted("a", 1000);
    expect(guard.press("a", 1000 + settleMs)).toBe("accepted");
    expect(guard.press("a", 1000 + settleMs)).toBe("already_sent");
  });

  it("takes nothing before the first paint, however late it is", () => {
    const guard = createStepGuard();
    guard.show("a");
    expect(guard.press("a", 1_000_000)).toBe("too_soon");
  });

  it("turns away a press for a step that is gone", () => {
    const guard = painted("a", 0);
    guard.show("b");
    expect(guard.press("a", 10_000)).toBe("gone");
  });

  it("waits until fast tapping has stopped", () => {
    const guard = painted("a", 0);
    for (const atMs of [100, 300, 500, 700]) expect(guard.press("a", atMs)).toBe("too_soon");
    expect(guard.press("a", 700 + settleMs)).toBe("accepted");
  });

  it("lets even a tapping finger through in the end", () => {
    const guard = painted("a", 0);
    const taps = Array.from({ length: 20 }, (_, index) => index * 100);
    const accepted = taps.find((atMs) => guard.press("a", atMs) === "accepted");
    expect(accepted).toBe(settleLimitMs);
  });

  it("counts a second paint of the same step as nothing new", () => {
    const guard = painted("a", 0);
    guard.painted("a", 900);
    guard.show("a");
    expect(guard.press("a", 1000)).toBe("accepted");
  });

  it("is open again after a refusal, but not for a step that is gone", () => {
    const guard = painted("a", 0);
    guard.press("a", 1000);
    guard.release("b");
    expect(guard.press("a", 2000)).toBe("already_sent");
    guard.release("a");
    expect(guard.press("a", 3000)).toBe("accepted");
  });
});
