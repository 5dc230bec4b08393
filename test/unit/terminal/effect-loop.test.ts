/** Answers on their way back into the core: written or decided again, under the key they were asked with, and never after the end. */
import { expect, test } from "vitest";
import type { Ports } from "../../../main/terminal/ports.ts";
import type { ServiceClient } from "../../../main/terminal/service/client.ts";
import { createEffectLoop } from "../../../main/terminal/withdrawal/effects.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { EffectResult } from "../../../main/terminal/withdrawal/inputs.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { cleared, payable } from "./decide-stage.ts";
import { drawerOpened, handedOutBy, handOutIntended } from "./entries.ts";
import { answer, waiting as asking, begun, confirming, device, given, moment, of, rejecting } from "./flow-stage.ts";
import { ScriptedDrawer, ScriptedPrinter } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

const said = answer(200);
/** A loop over a core that takes every input down; the state is what the test says. */
const loopOver = (state: State) => {
  const clock = new VirtualClock();
  const inputs: EffectResult[] = [];
  const applied: Event[] = [];
  const logged: unknown[][] = [];
  const waiting: { readonly answer: (said: unknown) => void; readonly fail: (error: Error) => void }[] = [];
  const drawer = new ScriptedDrawer();
  let shows = 0;
  const core = {
    state,
    /** What an input makes of it; false when it cannot be written. */
    take: (_: EffectResult): boolean => true,
    momentNow: () => ({ wallMs: clock.now(), monotonicMs: clock.monotonicMs() }),
    apply(events: readonly Event[]) {
      applied.push(...events);
      return true;
    },
    handle(input: EffectResult) {
      inputs.push(input);
      return core.take(input) ? ({ ok: true } as const) : null;
    },
    show: () => {
      shows += 1;
    },
  };
  const call = () => new Promise((answer, fail) => waiting.push({ answer, fail }));
  const client = new Proxy({}, { get: () => call }) as ServiceClient;
  const journal = { head: () => null };
  const ports = {
    clock,
    drawer,
    journal,
    printer: new ScriptedPrinter(),
    timeZone: "UTC",
    log: (...words: unknown[]) => logged.push(words),
  } as unknown as Ports;
  const loop = createEffectLoop(core, client, ports);
  return { clock, core, drawer, inputs, applied, logged, waiting, loop, shows: () => shows };
};
/** Nothing but what is under way: no device, so that nobody is asked anything else. */
const alone = (...events: readonly Event[]): State => ({ ...given(...events), device: null });
const opening = alone(...payable, handOutIntended);
const lookUp = alone(...begun.slice(0, 3));
const withoutLookUp = evolve(lookUp, cleared, moment);
const looked = { type: "look_up_answered", transactionId: of.transactionId, answer: said };

test("an answer that cannot be written is decided again every second, and the drawer is opened once", async () => {
  const { clock, core, drawer, inputs, loop } = loopOver(opening);
  core.take = () => false;
  await clock.advance(moment.monotonicMs);
  loop.turn();
  await clock.advance(3_000);
  const opened = { type: "drawer_answered", withdrawalId: "W1", result: "opened" };
  expect([drawer.opens, inputs]).toEqual([1, [opened, opened, opened, opened]]);
  core.take = () => {
    core.state = alone(...payable, drawerOpened);
    return true;
  };
  await clock.advance(1_000);
  const written = inputs.length;
  await clock.advance(10_000);
  expect([inputs.length, drawer.opens]).toEqual([written, 1]);
});

test("an answer that was taken is settled: what is still due comes again after a rest, and nothing is asked twice at once", async () => {
  const { clock, inputs, waiting, loop } = loopOver(lookUp);
  await clock.advance(moment.monotonicMs);
  loop.turn();
  loop.turn();
  await clock.advance(0);
  expect(waiting.length).toBe(1);
  waiting[0]?.answer(said);
  await clock.advance(999);
  expect([inputs, waiting.length]).toEqual([[looked], 1]);
  await clock.advance(1);
  expect(waiting.length).toBe(2);
});

test("an answer that was asked with a key which another one has replaced says so", async () => {
  const { clock, core, inputs, waiting, loop } = loopOver(lookUp);
  await clock.advance(moment.monotonicMs);
  loop.turn();
  await clock.advance(0);
  core.state = evolve(withoutLookUp, { type: "enrolled", device }, moment);
  core.state = { ...core.state, device: null };
  waiting[0]?.answer(said);
  await clock.advance(0);
  expect(inputs).toEqual([{ ...looked, answer: { ...said, ofEarlierKey: true } }]);
});

test("what is no answer of the service has no key: the drawer's word, and that there is no head to report", async () => {
  const { clock, core, inputs, loop } = loopOver(opening);
  await clock.advance(moment.monotonicMs);
  const compared: Event = { type: "service_head_read", head: { kind: "compared" } };
  core.state = { ...given(...payable, handOutIntended, compared), connection: "online" };
  loop.turn();
  core.state = { ...core.state, keyNumber: core.state.keyNumber + 1 };
  await clock.advance(0);
  expect(inputs).toContainEqual({ type: "drawer_answered", withdrawalId: "W1", result: "opened" });
  expect(inputs).toContainEqual({ type: "journal_head_answered", changes: 0, answer: null });
});

test("after the end nothing is decided, nothing is tried again, and no sleep is noticed", async () => {
  const one = loopOver(lookUp);
  await one.clock.advance(moment.monotonicMs);
  one.loop.turn();
  await one.clock.advance(0);
  one.loop.stop();
  one.waiting[0]?.answer(said);
  await one.clock.advance(10_000);
  expect([one.inputs, one.waiting.length]).toEqual([[], 1]);

  const asleep = loopOver(evolve(lookUp, { type: "look_up_postponed", notBeforeMs: 60_000 }, moment));
  asleep.loop.turn();
  expect(asleep.clock.timers).toBe(1);
  asleep.loop.stop();
  expect(asleep.clock.timers).toBe(0);

  const other = loopOver(opening);
  other.core.take = () => false;
  await other.clock.advance(moment.monotonicMs);
  other.loop.turn();
  await other.clock.advance(0);
  expect(other.inputs.length).toBe(1);
  other.loop.stop();
  await other.clock.advance(10_000);
  expect(other.inputs.length).toBe(1);
});

test("an effect that fails is told, and tried again: after a second it is settled, and rests for another", async () => {
  const { clock, inputs, logged, waiting, loop } = loopOver(lookUp);
  await clock.advance(moment.monotonicMs);
  loop.turn();
  await clock.advance(0);
  waiting[0]?.fail(new Error("broken"));
  await clock.advance(1_999);
  const key = `look_up:${lookUp.screenNumber}:0`;
  expect([inputs, waiting.length]).toEqual([[], 1]);
  // The second word: that it comes again and again.
  const error = expect.any(String);
  expect(logged).toEqual([
    ["error", error, { key, error: "Error: broken" }],
    ["error", error, { key }],
  ]);
  await clock.advance(1);
  expect(waiting.length).toBe(2);
});

test("an effect for what is gone is settled without an input, and made a second later where it is there again", async () => {
  const there = alone(...confirming);
  const gone: State = { ...there, open: new Map([...there.open.values()].map((one) => ["W9", one])) };
  const { clock, core, inputs, logged, waiting, loop } = loopOver(gone);
  await clock.advance(moment.monotonicMs);
  loop.turn();
  await clock.advance(999);
  // It did not fail: it was settled, and is due all the same.
  expect([inputs, waiting, logged]).toEqual([[], [], [["error", expect.any(String), { key: expect.any(String) }]]]);
  core.state = there;
  await clock.advance(1);
  expect([inputs, waiting.length]).toEqual([[], 1]);
});

test("a screen that changes with time alone is shown again once", async () => {
  const state = alone(...rejecting);
  // Its call is far off: only the screen is due.
  const open = new Map(
    [...state.open].map(([id, one]) => [id, { ...one, requestState: { ...one.requestState, notBeforeMs: 1e9 } }]),
  );
  const { clock, core, inputs, loop, shows } = loopOver({ ...state, open });
  await clock.advance(moment.monotonicMs);
  loop.turn();
  await clock.advance(60_000);
  expect([shows(), inputs]).toEqual([1, []]);
  // Gone from the screen and back on it, it is none that was answered.
  core.state = { ...core.state, activeScreen: { kind: "idle" } };
  loop.turn();
  core.state = { ...state, open };
  loop.turn();
  expect(shows()).toBe(2);
});

test("a word of before a sleep about how a withdrawal stands is no answer: a confirm counts as unanswered, a status is not looked at", async () => {
  for (const [events, then] of [
    [confirming, [{ type: "confirm_answered", answer: { kind: "silence", why: "timeout" } }]],
    [asking, []],
  ] as const) {
    const { clock, inputs, waiting, loop } = loopOver(alone(...events));
    await clock.advance(moment.monotonicMs);
    loop.turn();
    await clock.sleep(20_000);
    waiting[0]?.answer(said);
    await clock.advance(0);
    expect(inputs).toMatchObject(then);
    // Asked anew at once.
    expect(waiting.length).toBe(2);
  }
});

test("what time alone brings is decided as an input of its own", async () => {
  const done: State = { ...alone(...payable, handedOutBy("cashier")), open: new Map() };
  const { clock, core, inputs, loop } = loopOver(done);
  core.take = () => {
    core.state = withoutLookUp;
    return true;
  };
  await clock.advance(moment.monotonicMs + 3_000);
  loop.turn();
  expect(inputs).toEqual([{ type: "done_ran_out", step: done.screenNumber }]);
});

test("a machine that slept is told to the core and to the log, once", async () => {
  const { clock, applied, logged, core, loop } = loopOver(lookUp);
  core.state = evolve(lookUp, { type: "look_up_postponed", notBeforeMs: 60_000 }, moment);
  await clock.advance(moment.monotonicMs);
  loop.turn();
  loop.checkSleep();
  expect(applied).toEqual([]);
  await clock.sleep(200_000);
  expect(applied).toEqual([{ type: "resumed" }]);
  const lateMs = 1_000 + moment.monotonicMs + 200_000 - 60_000;
  expect(logged).toEqual([["info", expect.any(String), { lateMs }]]);
});
