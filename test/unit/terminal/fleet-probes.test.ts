/** What a fleet of idle terminals asks of a service that is away for ten minutes, and how soon each finds it again. */
import { expect, test } from "vitest";
import { callTimeoutMs, probeOfflineMaxMs } from "../../../main/terminal/bounds.ts";
import { decide } from "../../../main/terminal/flow.ts";
import { type Effect, effectsOf } from "../../../main/terminal/withdrawal/effects-due.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { Input } from "../../../main/terminal/withdrawal/inputs.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { seededRandom } from "../../random.ts";
import { installed, silence } from "./decide-stage.ts";
import { answer, given } from "./flow-stage.ts";
import { createRig, idNumber } from "./rig.ts";

const terminals = 1_000;
const [awayMs, backMs, endMs] = [60_000, 660_000, 780_000];

/** The next probe, or the shop's call in its place. */
const askOf = (state: State): Effect => {
  const asks = effectsOf(state).filter(({ work }) => work.kind === "probe" || work.kind === "read_shop");
  const [next] = asks.toSorted((one, other) => one.notBeforeMs - other.notBeforeMs);
  if (next === undefined) throw new Error("a terminal that asks no more");
  return next;
};

test("a thousand terminals ask a service that is away ever more seldom, never in step, and find it again within a minute", () => {
  const random = seededRandom(7);
  const perSecond = Array.from({ length: endMs / 1_000 }, () => 0);
  const onlineAtMs: number[] = [];
  const pausesMs: (readonly number[])[] = [];
  for (let terminal = 0; terminal < terminals; terminal += 1) {
    let state = given(...installed);
    const inVainMs: number[] = [];
    const learn = (input: Input, nowMs: number): void => {
      const moment = { wallMs: nowMs, monotonicMs: nowMs };
      const { events } = decide(state, input, moment, { id: "W", fraction: random() });
      for (const event of events) state = evolve(state, event, moment);
    };
    // All were started in the same minute, and have been asked for something since: each at a moment of its own.
    learn({ type: "probe_answered", answer: answer(200) }, random() * 60_000 - 60_000);
    for (;;) {
      const { notBeforeMs, work } = askOf(state);
      const atMs = Math.max(0, notBeforeMs);
      if (atMs >= endMs) break;
      const second = Math.floor(atMs / 1_000);
      if (work.kind === "probe") perSecond[second] = (perSecond[second] ?? 0) + 1;
      const isAway = atMs >= awayMs && atMs < backMs;
      const wasOffline = state.connection === "offline";
      // A connection that nobody answers takes a moment to fail.
      const answered = { answer: isAway ? silence : answer(200) };
      const input: Input =
        work.kind === "read_shop"
          ? { type: "shop_answered", merchantId: work.merchantId, ...answered }
          : { type: "probe_answered", ...answered };
      learn(input, atMs + (isAway ? 100 : 5));
      if (isAway && work.kind === "probe") inVainMs.push(atMs);
      if (wasOffline && !isAway) onlineAtMs.push(atMs - backMs);
    }
    pausesMs.push(inVainMs.slice(1).map((atMs, index) => atMs - (inVainMs[index] ?? 0)));
  }
  for (const each of pausesMs) {
    expect(each.length).toBeGreaterThan(8);
    // They double, each up to half shorter at random, and stay at the longest.
    expect(each.slice(0, 3)).toEqual(each.slice(0, 3).toSorted((one, other) => one - other));
    expect(Math.min(...each.slice(3))).toBeGreaterThanOrEqual(probeOfflineMaxMs / 2);
  }
  const most = (fromMs: number, toMs: number) => Math.max(...perSecond.slice(fromMs / 1_000, toMs / 1_000));
  expect(most(backMs - 300_000, endMs)).toBeLessThanOrEqual(50);
  // The first that notices it away does so three minutes after it was asked last.
  expect(most(awayMs, endMs)).toBeLessThanOrEqual(terminals / 15);
  expect(onlineAtMs).toHaveLength(terminals);
  expect(Math.max(...onlineAtMs)).toBeLessThanOrEqual(60_000);
});

test("after ten minutes of silence a scan asks at once, and its answer says that the service is there", async () => {
  const till = await createRig();
  till.service.fault = () => "drop";
  await till.clock.advance(10 * 60_000);
  expect(till.snapshot().header.connection).toBe("offline");
  till.service.fault = () => null;
  await till.scan(idNumber(1));
  await till.clock.advance(100);
  expect(till.snapshot().header.connection).toBe("online");
});

const ownService = (state: string) => ({ ownService: { state } as State["ownService"] });
test.each([
  ["its own service that is up again", ownService("running"), ownService("restarting"), ownService("running")],
  ["the training service that is up at last", {}, {}, { sandboxUrl: "http://service/sandbox" }],
])("after ten minutes of silence %s is asked at once", async (_, before, meanwhile, up) => {
  const till = await createRig();
  till.terminal.show(before);
  till.service.fault = () => "drop";
  // A probe that is under way would be waited for.
  await till.clock.advance(10 * 60_000 + callTimeoutMs);
  till.terminal.show(meanwhile);
  const asked = till.service.calls("").length;
  await till.clock.advance(100);
  expect(till.service.calls("").length).toBe(asked);
  till.service.fault = () => null;
  till.terminal.show(up);
  await till.clock.advance(100);
  expect(till.snapshot().header.connection).toBe("online");
});
