import { EventEmitter } from "node:events";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { inTransaction, runTogether } from "../../../backend/store/postgres.ts";
import { answer } from "../../../backend/store/postgres-connect.ts";
import type { Changed, Query, Tx, UnitOfWork } from "../../../backend/store/store.ts";

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

const fault = new Error("no such column");
const reset = new Error("connection reset");
const notTakenBack = { message: expect.stringMatching(/^Connection terminated/), cause: fault };
test.each<[string, Error, boolean, object]>([
  ["a fault of the unit", fault, true, fault],
  ["a fault of the unit, where nothing is taken back", fault, false, notTakenBack],
  ["a connection that broke", reset, false, reset],
])(
  "a transaction that fails by %s ends with what its connection is good for",
  async (_, failure, isTakenBack, expected) => {
    const asked: string[] = [];
    const client = {
      async query(text: string) {
        asked.push(text);
        if (text === "ROLLBACK" && !isTakenBack) throw new Error("no answer");
        return { rows: [], rowCount: 0 };
      },
    };
    const done = inTransaction(client as never, "BEGIN", () => Promise.reject(failure));
    await expect(done).rejects.toMatchObject(expected);
    expect(asked).toEqual(["BEGIN", "ROLLBACK"]);
  },
);

const takenBack = ["the answer to COMMIT is missing", "the transaction ended with ROLLBACK"];
test.each([
  ["as it should", undefined, "COMMIT", null, []],
  ["with a word about something else", "00000", "COMMIT", null, []],
  ["without its standby, as somebody ended the wait for it", "01000", "COMMIT", "CommitUncertain", ["canceling wait"]],
  ["without its standby, and nobody says why", "01000", "COMMIT", "CommitUncertain", [""]],
  ["by being taken back", undefined, "ROLLBACK", "CommitUncertain", takenBack],
])("a commit that ends %s is certain or not", async (_, code, command, name, [said, cause]) => {
  const message = [said, cause];
  const client = Object.assign(new EventEmitter(), {
    async query(text: string) {
      if (text !== "COMMIT") return { rows: [], rowCount: 0 };
      if (code !== undefined) client.emit("notice", { code, ...(said !== "" && { message: "canceling wait" }) });
      return { command };
    },
  });
  const done = inTransaction(client as never, "BEGIN", async () => "done").then(
    () => null,
    ({ name, message, cause }: Error) => ({ name, message: [message, (cause as Error | undefined)?.message] }),
  );
  expect(await done).toEqual(name === null ? null : { name, message });
  expect(client.listenerCount("notice")).toBe(0);
});

test("what units of a round may share is asked once for the same values, and for others again", async () => {
  const { rounds, run: together } = stage();
  const shared = (value: number): Query<{ n: number }> => ({
    ...query("time"),
    sql: (dialect) => ({ text: "time", values: dialect === "postgres" ? [value] : [] }),
    isShared: true,
  });
  const unit = (name: string, value: number) => async (tx: Tx) => {
    const time = tx.first(shared(value));
    await tx.run(query(name));
    return (await time)?.n;
  };
  expect(await together([unit("a", 1), unit("b", 1), unit("b", 2)])).toEqual([4, 4, 4]);
  expect(rounds).toEqual([["time", "a", "b", "time", "b"]]);
});

test("a statement that another stands for in a shared transaction is not asked there", async () => {
  const { rounds, run: together } = stage();
  const unit = async (tx: Tx) => (await tx.first({ ...query("leaves it alone"), whenShared: query("refuses it") }))?.n;
  expect(await together([unit])).toEqual([10]);
  expect(rounds).toEqual([["refuses it"]]);
});

test.each<[string, string | null, string | undefined, number | null, object]>([
  ["without a name is not prepared", null, undefined, 2, { name: undefined, changes: 2 }],
  ["is prepared by its name", "take", undefined, 0, { name: "take", changes: 0 }],
  ["of which there are two is prepared by its name and its own", "take", "few", null, { name: "take_few", changes: 0 }],
])("a statement %s", async (_, name, variant, rowCount, expected) => {
  const sent: { readonly name?: string; callback(error: null, result: object): void }[] = [];
  const client = { query: (asked: (typeof sent)[number]) => void sent.push(asked) };
  const sql = () => ({ text: "UPDATE", values: [], ...(variant !== undefined && { variant }) });
  const answered = answer(client as never, { ...query("take"), name, sql });
  sent[0]?.callback(null, { rows: [], rowCount });
  expect({ name: sent[0]?.name, changes: (await answered).changes }).toEqual(expected);
});

test("a transaction begins in one write with its first statement", async () => {
  const steps: string[] = [];
  const stream = { cork: () => void steps.push("holds"), uncork: () => void steps.push("writes") };
  const client = {
    ...inTurns({}),
    connection: { stream },
    query: async (text: string) => {
      steps.push(text);
      return { command: text };
    },
  };
  await inTransaction(client as never, "BEGIN", async (_answer, _changed, sent) => {
    sent.push(client.query("first"));
    await turnsLater(1);
  });
  expect(steps).toEqual(["holds", "BEGIN", "first", "writes", "COMMIT"]);
});

test("what is sent in one turn goes out in one write, and what is sent in the next in another", async () => {
  const steps: string[] = [];
  const stream = { cork: () => void steps.push("holds"), uncork: () => void steps.push("writes") };
  const client = { connection: { stream }, query: () => void steps.push("sends") };
  for (const _ of ["one turn", "the next"]) {
    for (const name of ["a", "b"]) void answer(client as never, query(name));
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
const turnsLater = async (turns: number): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => void setImmediate(resolve));
};
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
      // Heard after the answer to COMMIT, as where all are lost at once.
      const failing = turnsLater(6).then(() => Promise.reject(unawaited));
      failing.catch(() => {});
      sent.push(failing);
    }
    await turnsLater(3);
    if (isFailing) throw new Error("later");
  });
  await expect(done).rejects.toMatchObject(expected);
  await new Promise<void>((resolve) => void setImmediate(resolve));
  expect(unheard).toEqual([]);
});
