/** What an error of PostgreSQL means for a unit: how often it runs again, and after which pauses; without a connection nobody waits twice. */
import pg from "pg";
import { expect, test } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { createGroupReader, createGroupWriter, type Queued } from "../../../backend/store/postgres.ts";
import {
  asUnavailable,
  CommitUncertain,
  createRepeater,
  NoConnection,
  type Pool,
  poolSettings,
} from "../../../backend/store/postgres-connect.ts";
import { UniqueViolation } from "../../../backend/store/store.ts";

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

/** A pool's only connection, on which each statement fails by the error that it names. */
const poolThat = (failures: Readonly<Record<string, Error>>) => {
  const kept: unknown[] = [];
  const client = {
    query({ text, callback }: { readonly text: string; callback(error: Error | null, result: object): void }) {
      setImmediate(callback, failures[text] ?? null, { rows: [{ text }], rowCount: 1 });
    },
  };
  const use: Pool["use"] = async (work) => {
    try {
      const result = await work(client as unknown as pg.PoolClient);
      kept.push("kept");
      return result;
    } catch (error) {
      kept.push(error);
      throw error;
    }
  };
  return { pool: { use, close: async () => {} }, kept };
};
const reading =
  (text: string): Queued["unit"] =>
  (tx) =>
    tx.first({ kind: "query", name: null, sql: () => ({ text, values: [] }) });

const silent = new Error("Query read timeout");
const gone = new Error("Connection terminated unexpectedly");
const wrong = new Error("no such column");
test.each<[string, Error | null, unknown, object, readonly string[]]>([
  ["answers", null, "kept", { text: "odd" }, []],
  ["is a fault of its own", wrong, "kept", { text: "again" }, ["odd"]],
  ["meets a server that is gone", gone, gone, { text: "again" }, ["odd"]],
  ["is not answered in time", silent, silent, { code: "unavailable", cause: silent }, []],
])("of reads that share a connection, one that %s: what becomes of it, and of the connection", async (...row) => {
  const [, failure, end, outcome, alone] = row;
  const { pool, kept } = poolThat(failure === null ? {} : { odd: failure });
  const again: string[] = [];
  const readAll = createGroupReader(pool, async () => {
    again.push("odd");
    return { text: "again" } as never;
  });
  const [odd, usual] = [queued(), queued()];
  const outcomes = Promise.all([odd, usual].map(({ outcome }) => outcome.catch((error: unknown) => error)));
  await readAll([
    { ...odd.unit, unit: reading("odd") },
    { ...usual.unit, unit: reading("usual") },
  ]);
  expect(await outcomes).toMatchObject([outcome, { text: "usual" }]);
  expect([kept, again]).toEqual([[end], alone]);
});

const failed = (code: string, message = "refused") => Object.assign(new Error(message), { code });
const rerouted = (constraint?: string) =>
  Object.assign(new pg.DatabaseError("no partition takes it", 0, "error"), { code: "23514", constraint });
const unavailable = { code: "unavailable" };
/** Half of each is jitter, of which half is drawn here. */
const pauses = [5, 10, 20, 40, 80, 160, 200].map((ms) => ms * 0.75);

test.each<[string, Error, number, readonly number[], object]>([
  ["a serialization failure", failed("40001"), 8, pauses, unavailable],
  ["a deadlock", failed("40P01"), 8, pauses, unavailable],
  ["a row whose partition is being made", rerouted(), 8, pauses, unavailable],
  ["a violated check", rerouted("amount_is_positive"), 1, [], { code: "23514" }],
  ["a server that shuts down", failed("57P01"), 3, [], unavailable],
  ["a server that takes no writes any more", failed("25006"), 3, [], unavailable],
  ["a connection that ended", new Error("Connection terminated unexpectedly"), 3, [], unavailable],
  ["a plan from before a change", failed("0A000", "cached plan must not change result type"), 3, [], unavailable],
  ["what 0A000 says of anything else", failed("0A000"), 1, [], { code: "0A000" }],
  ["a plan that another fault speaks of", failed("XX000", "cached plan is broken"), 1, [], { code: "XX000" }],
  ["a COMMIT without an answer", new CommitUncertain("Connection terminated"), 1, [], unavailable],
  ["a statement that took too long", failed("57014"), 1, [], unavailable],
  ["a duplicate", failed("23505"), 1, [], new UniqueViolation(failed("23505"))],
  ["a fault of the program", new TypeError("no such column"), 1, [], { message: "no such column" }],
])("over two connections: %s", async (_, error, attempts, paused, outcome) => {
  const waited: number[] = [];
  const clock = {
    ...systemClock,
    after(ms: number, run: () => void) {
      waited.push(ms);
      run();
      return () => {};
    },
  };
  let tried = 0;
  const unit = createRepeater(
    clock,
    () => 0.5,
    2,
  )(() => {
    tried += 1;
    return Promise.reject(error);
  });
  // The log is told what the database has said.
  await expect(unit).rejects.toMatchObject({ ...outcome, ...(outcome === unavailable && { cause: error }) });
  expect([tried, waited]).toEqual([attempts, paused]);
});

test("the database says that a statement took too long before its connection counts as silent", () => {
  expect(poolSettings({ statementTimeoutMs: 1_001 })).toMatchObject({ queryTimeoutMs: 1_202, connectionsMax: 16 });
  expect(poolSettings({ queryTimeoutMs: 7 })).toMatchObject({ queryTimeoutMs: 7, statementTimeoutMs: 10_000 });
});
