/** Slots of calls to one bank, and of Start orders: how many run at once, what waits, and what a stop waits for. */
import { expect, test } from "vitest";
import { createStartSlots } from "../../../backend/partner/orders.ts";
import { Lane, retryPauseMs, retrySchedules } from "../../../backend/partner/queue.ts";

const order = (due_at: number) => ({ due_at });
const taken = async (lane: Lane<{ due_at: number }>, count: number) => {
  const ends = Array.from({ length: count }, () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const ran = lane.run(() => promise);
    return async () => {
      resolve();
      await ran;
    };
  });
  return ends;
};

test("a call takes a slot until it ends, also where it fails", async () => {
  const lane = new Lane(2);
  const [end] = await taken(lane, 1);
  expect(lane.free).toBe(1);
  await expect(lane.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(lane.free).toBe(1);
  await end?.();
  expect(lane.free).toBe(2);
});

test("a claim keeps all free slots while it runs, asks for so many, and tells whether there may be more", async () => {
  const lane = new Lane<{ due_at: number }>(3);
  const [end] = await taken(lane, 1);
  const asked: number[] = [];
  const claim = (count: number) =>
    lane.claim(async (limit) => {
      asked.push(limit);
      expect([lane.free, await lane.claim(async () => [order(0)])]).toEqual([0, []]);
      return Array.from({ length: count }, () => order(1));
    });
  expect([await claim(2), lane.hasBacklog, lane.free]).toEqual([[order(1), order(1)], true, 2]);
  expect([await claim(1), lane.hasBacklog]).toEqual([[order(1)], false]);
  expect(asked).toEqual([2, 2]);
  await expect(lane.claim(() => Promise.reject(new Error("away")))).rejects.toThrow("away");
  expect(lane.free).toBe(2);
  await end?.();
});

test("more is asked for with half of the slots free, no claim under way, and more to be had", async () => {
  const lane = new Lane<{ due_at: number }>(4);
  expect(lane.wantsClaim).toBe(false);
  lane.hasBacklog = true;
  const ends = await taken(lane, 3);
  expect(lane.wantsClaim).toBe(false);
  await ends[0]?.();
  expect(lane.wantsClaim).toBe(true);
  const claimed = await lane.claim(async () => {
    expect(lane.wantsClaim).toBe(false);
    return [order(1), order(1)];
  });
  expect(claimed).toHaveLength(2);
  expect(lane.wantsClaim).toBe(true);
});

test("own orders wait for free slots in their order; whose lease ends too soon is forgotten, and beyond 1,000 all are", async () => {
  const lane = new Lane<{ due_at: number }>(2);
  for (const due of [10, 5, 11, 12]) lane.wait(order(due));
  expect(lane.takeWaiting(5)).toEqual([order(10), order(11)]);
  expect(lane.takeWaiting(12)).toEqual([]);
  expect(lane.takeWaiting(0)).toEqual([]);
  const wide = new Lane<{ due_at: number }>(2_000);
  for (let due = 1; due <= 1_001; due += 1) wide.wait(order(due));
  expect(wide.takeWaiting(0)).toHaveLength(1_000);
});

test("Start orders: so many for each bank at once, refused beyond with when to ask again", () => {
  const slots = createStartSlots(2);
  const [first] = [slots.acquire("bank"), slots.acquire("bank")];
  expect(() => slots.acquire("bank")).toThrow(
    expect.objectContaining({ code: "unavailable", extra: { retryAfterSeconds: 5 } }),
  );
  slots.acquire("other-bank");
  first?.();
  slots.acquire("bank");
  expect(() => slots.acquire("bank")).toThrow();
});

test("a stop takes no more, says so to those under way, and ends with the last of them", async () => {
  const slots = createStartSlots(2);
  const [one, two, other] = [slots.acquire("bank"), slots.acquire("bank"), slots.acquire("other-bank")];
  expect(slots.stopping.aborted).toBe(false);
  let ended = 0;
  const stops = [slots.stop(), slots.stop()].map((stop) =>
    stop.then(() => {
      ended += 1;
    }),
  );
  expect(slots.stopping.aborted).toBe(true);
  expect(() => slots.acquire("bank")).toThrow(expect.objectContaining({ code: "unavailable", extra: {} }));
  for (const end of [one, two]) {
    end();
    await Promise.resolve();
    expect(ended).toBe(0);
  }
  other();
  await Promise.all(stops);
  await slots.stop();
  expect(ended).toBe(2);
});

test.each(["start", "settle", "event"] as const)(
  "the pauses of %s double up to the most, with half as much again by chance",
  (kind) => {
    const { firstMs, maxMs } = retrySchedules[kind];
    expect([0, 1, 2].map((retries) => retryPauseMs(kind, retries, 0))).toEqual([firstMs, firstMs * 2, firstMs * 4]);
    expect(retryPauseMs(kind, 1, 0.5)).toBe(firstMs * 2 * 1.25);
    expect(retryPauseMs(kind, 1_000, 0)).toBeCloseTo(maxMs / 1.5);
    expect(retryPauseMs(kind, 1_000, 1)).toBeCloseTo(maxMs);
  },
);
