/** Status events that a bank does not take at once: none is shelved or stuck behind older ones. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import type { StatusEvent } from "../../backend/contract/webhook-events.ts";
import { eventTriesMin } from "../../backend/partner/events.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import type { Clock } from "../../backend/ports.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { stores } from "./stores.ts";
import { accepted, bank, confirmIt, createWorld, placeOrder, type World, type WorldParts } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const secret = `whsec_${Buffer.from("a key of the events of this test").toString("base64")}`;
const failing = { status: 503, body: "" };
const yearMs = 365 * 86_400_000;
const day = 86_400_000;

describe.each(stores)("on %s", (dialect) => {
  let store: Store;
  let world: World;
  let laterMs = 0;
  let release = () => {};
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + laterMs };
  const received: StatusEvent[] = [];

  const receive = (answer: World["bank"]["onEvent"]) => {
    world.bank.onEvent = async (event, request) => {
      const reply = await answer(event, request);
      if (reply.status === 200) received.push(event);
      return reply;
    };
  };
  const restart = async (answer: World["bank"]["onEvent"], parts: WorldParts = {}) => {
    await world.service.stop();
    world = await createWorld(store, { clock, ...parts });
    receive(answer);
  };
  worldPerTest(dialect, { clock }, (stage) => {
    ({ store, world } = stage);
  });
  beforeEach(async () => {
    received.length = 0;
    await store.write((tx) =>
      tx.first(updatePartner(bank.partnerId, { url: "http://bank", events_url: "https://bank/events", secret })),
    );
    receive(() => accepted);
  });
  afterEach(async () => {
    release();
    await world.service.stop();
    // Here, as the next test's service starts before what that does first.
    laterMs = 0;
  });

  const waiting = () =>
    store.read((tx) =>
      tx.all(adhoc((db) => db.selectFrom("status_events").select(["last_error", "attempts", "due_at", "created_at"]))),
    );
  const failedWith = (why: string, timeout = 15_000) =>
    expect.poll(async () => (await waiting()).map(({ last_error }) => last_error), { timeout }).toEqual([why]);
  const types = () => received.map(({ type }) => type);

  test("an event that a wrong clock put far ahead is due, and its three days begin when the clock is right", async () => {
    await restart(() => failing);
    laterMs = yearMs;
    await placeOrder(world.service);
    await failedWith("http_503");
    laterMs = 0;
    let tries = 0;
    await restart(() => {
      tries += 1;
      return failing;
    });
    // Not by the start of this one: a fleet's process meets such rows while it runs.
    await store.write((tx) =>
      tx.run(adhoc((db) => db.updateTable("status_events").set({ due_at: clock.now() + yearMs }))),
    );
    await expect.poll(() => tries).toBeGreaterThan(0);
    await failedWith("http_503");
    const [event] = await waiting();
    expect(event?.created_at).toBeLessThanOrEqual(clock.now());
    laterMs = 3 * day + 1;
    // Ahead, as a pause is: what becomes due in the past is found by the look of the minute, which may just have been.
    const tried = { attempts: eventTriesMin, due_at: clock.now() + 1_000 };
    await store.write((tx) => tx.run(adhoc((db) => db.updateTable("status_events").set(tried))));
    await expect.poll(waiting).toEqual([]);
  });

  test.runIf(dialect === "sqlite")("a crash in the call does not hold an event back until its lease ends", async () => {
    const held = { due_at: clock.now() + 9_000, attempts: 1, claimed_by: "" };
    await restart(() => failing);
    await placeOrder(world.service);
    await failedWith("http_503");
    await world.service.stop();
    await store.write((tx) =>
      tx.run(adhoc((db) => db.updateTable("status_events").set({ ...held, last_error: null }))),
    );
    // On a clock that stands still the lease never ends.
    const stopped = clock.now();
    await restart(() => accepted, { clock: { ...clock, now: () => stopped } });
    await expect.poll(types).toEqual(["withdrawal.ready"]);
  });

  test.each([
    ["on their first try", false],
    ["on a repeat", true],
  ])("an event that asks for the approval overtakes 100 that hang %s", async (_, repeats) => {
    const { promise: hang, resolve } = Promise.withResolvers<typeof accepted>();
    release = () => resolve(accepted);
    let hanging = 0;
    const slow: World["bank"]["onEvent"] = ({ type }) => {
      if (type === "withdrawal.awaiting_sca") return accepted;
      hanging += 1;
      return repeats && hanging <= 100 ? failing : hang;
    };
    await restart(slow);
    const orders = await Promise.all(Array.from({ length: 100 }, () => placeOrder(world.service)));
    await expect.poll(() => hanging).toBeGreaterThan(repeats ? 107 : 7);
    const [last] = orders.slice(-1);
    if (last === undefined) throw new Error("no order");
    await confirmIt(world.service, last);
    await expect.poll(types).toContain("withdrawal.awaiting_sca");
  });
});
