/** The pump: each effect once, nobody starved, nothing spun. */
import { expect, test } from "vitest";
import type { Effect } from "../../../main/terminal/effects/due.ts";
import { createPump } from "../../../main/terminal/effects/pump.ts";
import { VirtualClock } from "./virtual-clock.ts";

const effectOf = (key: string, notBeforeMs = 0): Effect => ({ key, notBeforeMs, work: { kind: "repaint" } });

const rig = (effects: Effect[], onStart: (effect: Effect) => void) => {
  const clock = new VirtualClock();
  const started: string[] = [];
  const runaways: string[] = [];
  const pump = createPump({
    clock,
    effects: () => effects,
    start: (effect) => {
      started.push(effect.key);
      onStart(effect);
    },
    onRunaway: (key) => runaways.push(key),
  });
  return { clock, pump, started, runaways };
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
