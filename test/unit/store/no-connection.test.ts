/** A shared commit or read for which no connection was to be had: nobody waits for one a second time. */
import { expect, test } from "vitest";
import { createGroupReader, createGroupWriter, type Queued } from "../../../backend/store/postgres.ts";
import { asUnavailable, NoConnection, type Pool } from "../../../backend/store/postgres-connect.ts";

const poolWithout = (error: Error): Pool => ({ use: () => Promise.reject(error), close: async () => {} });

const queued = () => {
  const outcome = Promise.withResolvers<unknown>();
  const unit: Queued = { unit: async () => {}, resolve: outcome.resolve, reject: outcome.reject };
  return { unit, outcome: outcome.promise };
};

test.each([
  ["writer", (pool: Pool, alone: () => Promise<never>) => createGroupWriter(pool, "BEGIN", () => {}, alone)],
  ["reader", (pool: Pool, alone: () => Promise<never>) => createGroupReader(pool, alone)],
] as const)("%s: each unit is refused as the pool refused all", async (_, create) => {
  const refusal = new NoConnection("Too much waits for the database.", { retryAfterSeconds: 1 });
  let again = 0;
  const runBatch = create(poolWithout(refusal), async () => {
    again += 1;
    throw asUnavailable(new Error("again"));
  });
  const all = [queued(), queued()];
  const outcomes = Promise.allSettled(all.map(({ outcome }) => outcome));
  await runBatch(all.map(({ unit }) => unit));
  expect(await outcomes).toEqual(Array(2).fill({ status: "rejected", reason: refusal }));
  expect(refusal).toMatchObject({ code: "unavailable", extra: { retryAfterSeconds: 1 } });
  expect(again).toBe(0);
});
