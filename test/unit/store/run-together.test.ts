import { EventEmitter } from "node:events";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { createBatches, inTransaction, runTogether } from "../../../backend/store/postgres.ts";
import { answerTogether } from "../../../backend/store/postgres-connect.ts";
import type { Changed, Query, Tx, UnitOfWork } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const query = (name: string, lockOrder?: number): Query<{ n: number }> => ({
  kind: "query",
  name,
  sql: () => ({ text: name, values: [] }),
  ...(lockOrder === undefined ? {} : { lockOrder }),
});

const stage = () => {
  const rounds: string[][] = [];
  let open: string[] | null = null;
  const answer = async ({ name }: Query<unknown>) => {
    if (open === null) {
      open = [];
      rounds.push(open);
      setImmediate(() => {
        open = null;
      });
    }
    open.push(name ?? "");
    await new Promise<void>((resolve) => void setImmediate(resolve));
    if (name === "bad") throw new Error("bad");
    return { rows: [{ n: name?.length ?? 0 }], changes: 1 };
  };
  const [woken, sent] = [new Map() as Changed, [] as Promise<unknown>[]];
  return {
    rounds,
    woken,
    sent,
    run: (units: UnitOfWork<unknown>[]) => runTogether(units, answer, woken, sent),
  };
};

test("one statement of each unit a round, in the order of the units; results stand where the units stood", async () => {
  const { rounds, woken, run: together } = stage();
  const results = await together([
    async (tx: Tx) => {
      await tx.run(query("a1"));
      tx.changed("a");
      await tx.run(query("a2"));
      return "a";
    },
    async (tx: Tx) => {
      tx.changed("b");
      return "b";
    },
    async (tx: Tx) => {
      tx.runUnawaited(query("c sent"));
      return (await tx.first(query("c1")))?.n;
    },
  ]);
  expect(results).toEqual(["a", "b", 2]);
  expect(rounds).toEqual([["a1", "c sent", "c1"], ["a2"]]);
  expect([...woken.keys()]).toEqual(["b", "a"]);
});

test("locks of a round are asked for in ascending order, and each unit gets its own answer", async () => {
  const { rounds, run: together } = stage();
  const locking = (name: string, bucket: number) => (tx: Tx) => tx.first(query(name, bucket));
  const results = await together([
    locking("seven", 7),
    locking("two", 2),
    locking("three", 3),
    (tx) => tx.first(query("x")),
  ]);
  expect(rounds).toEqual([["x", "two", "three", "seven"]]);
  expect(results).toEqual([{ n: 5 }, { n: 3 }, { n: 5 }, { n: 1 }]);
});

test("the first failure is that of all, and what was sent along waits to be looked at", async () => {
  const { sent, run: together } = stage();
  const failing = together([
    (tx) => tx.run(query("good")),
    async (tx: Tx) => {
      tx.runUnawaited(query("bad"));
      await tx.run(query("bad"));
    },
  ]);
  await expect(failing).rejects.toThrow("bad");
  expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual(["rejected"]);
});

test("what the last unit does not wait for is sent before the COMMIT", async () => {
  const sent: string[] = [];
  const client = {
    query: async (asked: string | { readonly text: string; callback(error: null, result: object): void }) => {
      const text = typeof asked === "string" ? asked : asked.text;
      sent.push(text);
      await new Promise<void>((resolve) => void setImmediate(resolve));
      const result = { command: text, rows: [], rowCount: 0 };
      if (typeof asked !== "string") asked.callback(null, result);
      return result;
    },
    on: () => client,
    off: () => client,
  };
  const writing = (name: string) => async (tx: Tx) => {
    await tx.run(query(`${name} status`));
    tx.runUnawaited(query(`${name} history`));
    tx.runUnawaited(query(`${name} order`));
  };
  await inTransaction(client as never, "BEGIN", (answer, changed, unawaited) =>
    runTogether([writing("a"), writing("b")], answer, changed, unawaited),
  );
  const written = ["a status", "b status", "a history", "a order", "b history", "b order"];
  expect(sent).toEqual(["BEGIN", ...written, "COMMIT"]);
});

test.each<[string, Error, boolean, string]>([
  ["a fault of the unit", new Error("no such column"), true, "no such column"],
  ["a fault of the unit, where nothing is taken back", new Error("no such column"), false, "Connection terminated"],
  ["a connection that broke", new Error("connection reset"), false, "connection reset"],
])(
  "a transaction that fails by %s ends with what its connection is good for",
  async (_, fault, isTakenBack, message) => {
    const asked: string[] = [];
    const client = {
      async query(text: string) {
        asked.push(text);
        if (text === "ROLLBACK" && !isTakenBack) throw new Error("no answer");
        return { rows: [], rowCount: 0 };
      },
    };
    const done = inTransaction(client as never, "BEGIN", () => Promise.reject(fault));
    await expect(done).rejects.toThrow(message);
    expect(asked).toEqual(["BEGIN", "ROLLBACK"]);
  },
);

test.each([
  ["as it should", undefined, "COMMIT", null],
  ["with a word about something else", "00000", "COMMIT", null],
  ["without its standby, as somebody ended the wait for it", "01000", "COMMIT", "CommitUncertain"],
  ["by being taken back", undefined, "ROLLBACK", "CommitUncertain"],
])("a commit that ends %s is certain or not", async (_, code, command, name) => {
  const client = Object.assign(new EventEmitter(), {
    async query(text: string) {
      if (text !== "COMMIT") return { rows: [], rowCount: 0 };
      if (code !== undefined) client.emit("notice", { code, message: "canceling wait" });
      return { command };
    },
  });
  const done = inTransaction(client as never, "BEGIN", async () => "done").then(
    () => null,
    (error: Error) => error.name,
  );
  expect(await done).toBe(name);
  expect(client.listenerCount("notice")).toBe(0);
});

test("what units of a round may share is asked once for the same values, and for others again", async () => {
  const { rounds, run: together } = stage();
  const shared = (value: number): Query<{ n: number }> => ({
    ...query("time"),
    sql: () => ({ text: "time", values: [value] }),
    isShared: true,
  });
  const unit = (name: string, value: number) => async (tx: Tx) => {
    const time = tx.first(shared(value));
    await tx.run(query(name));
    return (await time)?.n;
  };
  expect(await together([unit("a", 1), unit("b", 1), unit("c", 2)])).toEqual([4, 4, 4]);
  expect(rounds).toEqual([["time", "a", "b", "time", "c"]]);
});

test("a statement that another stands for in a shared transaction is not asked there", async () => {
  const { rounds, run: together } = stage();
  const unit = async (tx: Tx) => (await tx.first({ ...query("leaves it alone"), whenShared: query("refuses it") }))?.n;
  expect(await together([unit])).toEqual([10]);
  expect(rounds).toEqual([["refuses it"]]);
});

const settings = { waitingMax: 100, connectTimeoutMs: 5_000 };

test.each([
  [7, 1],
  [8, 2],
])("%i units that come while a batch is under way make %i of them go at once", async (later, running) => {
  let [atOnce, most] = [0, 0];
  const release = Promise.withResolvers<void>();
  const writes = createBatches({
    clock: systemClock,
    settings,
    secondFrom: 8,
    async runBatch(batch) {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await release.promise;
      atOnce -= 1;
      for (const each of batch) each.resolve(null);
    },
  });
  const units = [writes.run(async () => null)];
  await expect.poll(() => most).toBe(1);
  for (let n = 0; n < later; n += 1) units.push(writes.run(async () => null));
  for (let turn = 0; turn < 5; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
  expect(atOnce).toBe(running);
  release.resolve();
  await Promise.all(units);
  await writes.close();
});

test("the first of a batch waits a moment for more; what came during the batch before goes at once", async () => {
  const clock = new VirtualClock();
  const batches: number[] = [];
  let release = Promise.withResolvers<void>();
  const writes = createBatches({
    clock,
    settings,
    ...{ secondFrom: 8, gatherMs: 4 },
    async runBatch(batch) {
      batches.push(batch.length);
      await release.promise;
      for (const each of batch) each.resolve(null);
    },
  });
  const write = () => writes.run(async () => null);
  const units = [write()];
  await clock.advance(3);
  units.push(write());
  expect(batches).toEqual([]);
  await clock.advance(1);
  expect(batches).toEqual([2]);
  units.push(write(), write());
  clock.jump(10);
  release.resolve();
  release = Promise.withResolvers();
  await expect.poll(() => batches).toEqual([2, 2]);
  release.resolve();
  await Promise.all(units);
  await writes.close();
});

test("the first waits for 31 more at the most, and those that come behind them for their own time", async () => {
  const clock = new VirtualClock();
  const batches: number[] = [];
  const writes = createBatches({
    clock,
    settings,
    ...{ secondFrom: 8, gatherMs: 4 },
    async runBatch(batch) {
      batches.push(batch.length);
      for (const each of batch) each.resolve(null);
    },
  });
  const write = () => writes.run(async () => null);
  const units = Array.from({ length: 31 }, write);
  await clock.advance(3);
  expect(batches).toEqual([]);
  units.push(write());
  await Promise.all(units);
  expect(batches).toEqual([32]);
  const next = write();
  await clock.advance(3);
  expect(batches).toEqual([32]);
  await clock.advance(1);
  expect(batches).toEqual([32, 1]);
  await next;
  await writes.close();
});

test("a batch goes by what its units are about, the same way in every process", async () => {
  const orders: unknown[][] = [];
  const writes = createBatches({
    clock: systemClock,
    settings,
    async runBatch(batch) {
      orders.push(await Promise.all(batch.map(({ unit }) => unit(null as never))));
      for (const each of batch) each.resolve(null);
    },
  });
  const run = (about: string | null) => writes.run(async () => about, about);
  await Promise.all(["c", "a", null, "b", "a"].map(run));
  // The second about the same waits for the first.
  expect(orders).toEqual([[null, "a", "b", "c"], ["a"]]);
  await writes.close();
});

/** Batches that end when they are told to, and by what their units are about. */
const heldBatches = (secondFrom: number) => {
  const clock = new VirtualClock();
  const batches: (string | null)[][] = [];
  const held: PromiseWithResolvers<void>[] = [];
  const abouts = new Map<UnitOfWork<unknown>, string | null>();
  const writes = createBatches({
    clock,
    settings: { waitingMax: 3, connectTimeoutMs: 5_000 },
    secondFrom,
    async runBatch(batch) {
      batches.push(batch.map(({ unit }) => abouts.get(unit) ?? null));
      const end = Promise.withResolvers<void>();
      held.push(end);
      await end.promise;
      for (const each of batch) each.resolve("done");
    },
  });
  const outcomes: unknown[] = [];
  const write = (about: string | null = null) => {
    const at = outcomes.push("waits") - 1;
    const unit: UnitOfWork<unknown> = async () => {};
    abouts.set(unit, about);
    writes.run(unit, about).then(
      (result) => {
        outcomes[at] = result;
      },
      (error) => {
        outcomes[at] = { code: error.code, after: error.extra.retryAfterSeconds, cause: error.cause?.message };
      },
    );
  };
  const turns = async () => {
    for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
  };
  const end = (at: number) => {
    held[at]?.resolve();
    return turns();
  };
  return { clock, batches, outcomes, write, turns, end, close: writes.close };
};
const waitedTooLong = { code: "unavailable", cause: "waited too long for its turn" };

test("behind a batch that does not end a unit waits for five to ten seconds, and is unavailable", async () => {
  const { clock, outcomes, write, turns, end, close } = heldBatches(8);
  write();
  await turns();
  await clock.advance(1);
  write();
  await clock.advance(3_000);
  write();
  // Looked at every five seconds, since the first.
  await clock.advance(6_998);
  expect(outcomes).toEqual(["waits", "waits", "waits"]);
  await clock.advance(1);
  expect(outcomes).toEqual(["waits", waitedTooLong, waitedTooLong]);
  await end(0);
  expect(outcomes[0]).toBe("done");
  write();
  await turns();
  await end(1);
  await close();
  expect([outcomes[3], clock.timers]).toEqual(["done", 0]);
});

test("one that waited too long lets no other about the same withdrawal go beside the one under way", async () => {
  const { clock, batches, outcomes, write, turns, end, close } = heldBatches(1);
  write("a");
  await turns();
  write("a");
  await clock.advance(5_000);
  expect(outcomes).toEqual(["waits", waitedTooLong]);
  write("a");
  await turns();
  expect(batches).toEqual([["a"]]);
  await end(0);
  expect(batches).toEqual([["a"], ["a"]]);
  await end(1);
  await close();
});

test("more than may wait are refused at once, to come back in a second", async () => {
  const { outcomes, write, turns, end, close } = heldBatches(8);
  for (let n = 0; n < 4; n += 1) write();
  await turns();
  expect(outcomes).toEqual(["waits", "waits", "waits", { code: "unavailable", after: 1 }]);
  await end(0);
  await close();
  expect(outcomes.slice(0, 3)).toEqual(["done", "done", "done"]);
});

test.each<[string, string | null, string | undefined, number | null, object]>([
  ["without a name is not prepared", null, undefined, 2, { name: undefined, changes: 2 }],
  ["is prepared by its name", "take", undefined, 0, { name: "take", changes: 0 }],
  ["of which there are two is prepared by its name and its own", "take", "few", null, { name: "take_few", changes: 0 }],
])("a statement %s", async (_, name, variant, rowCount, expected) => {
  const sent: { readonly name?: string; callback(error: null, result: object): void }[] = [];
  const client = { query: (asked: (typeof sent)[number]) => void sent.push(asked) };
  const sql = () => ({ text: "UPDATE", values: [], ...(variant !== undefined && { variant }) });
  const answered = answerTogether(client as never, { ...query("take"), name, sql });
  sent[0]?.callback(null, { rows: [], rowCount });
  expect({ name: sent[0]?.name, changes: (await answered).changes }).toEqual(expected);
});

test("what is sent in one turn goes out in one write, and what is sent in the next in another", async () => {
  const steps: string[] = [];
  const stream = { cork: () => void steps.push("holds"), uncork: () => void steps.push("writes") };
  const client = { connection: { stream }, query: () => void steps.push("sends") };
  for (const _ of ["one turn", "the next"]) {
    for (const name of ["a", "b"]) void answerTogether(client as never, query(name));
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
  expect(steps).toEqual(["holds", "sends", "sends", "writes", "holds", "sends", "sends", "writes"]);
});

/** The words of a transaction, one turn after the other. @param refused what is answered to some of them. */
const inTurns = (refused: Readonly<Record<string, unknown>>) => ({
  ...{ on: () => {}, off: () => {} },
  async query(text: string) {
    await new Promise<void>((resolve) => void setImmediate(resolve));
    if (text in refused) throw refused[text];
    return { command: text, rows: [], rowCount: 0 };
  },
});
const lost = new Error("Connection terminated unexpectedly");
const duplicate = Object.assign(new pg.DatabaseError("twice", 0, "error"), { code: "23505" });

test.each<[string, Readonly<Record<string, unknown>>, unknown, boolean, object]>([
  ["a BEGIN that is refused fails it, whatever it meets later", { BEGIN: duplicate }, null, true, duplicate],
  ["so does one on a connection that is lost", { BEGIN: lost, ROLLBACK: lost }, null, true, lost],
  ["a row that is refused", { COMMIT: new Error("rolled back") }, duplicate, false, duplicate],
  [
    "a connection that is lost before the COMMIT is answered",
    { COMMIT: lost },
    lost,
    false,
    { name: "CommitUncertain", cause: lost },
  ],
  [
    "a statement that fails without a word",
    {},
    undefined,
    false,
    { name: "CommitUncertain", cause: { message: "a statement failed" } },
  ],
])("of a transaction %s: nothing is rejected unheard", async (_, refused, unawaited, isFailing, expected) => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => void unheard.push(reason);
  process.on("unhandledRejection", hear);
  onTestFinished(() => void process.off("unhandledRejection", hear));
  const done = inTransaction(inTurns(refused) as never, "BEGIN", async (_answer, _changed, sent) => {
    if (unawaited !== null) {
      const failing = Promise.reject(unawaited);
      failing.catch(() => {});
      sent.push(failing);
    }
    for (let turn = 0; turn < 3; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
    if (isFailing) throw new Error("later");
  });
  await expect(done).rejects.toMatchObject(expected);
  await new Promise<void>((resolve) => void setImmediate(resolve));
  expect(unheard).toEqual([]);
});
