import { expect, test } from "vitest";
import { inTransaction, runTogether } from "../../../backend/store/postgres.ts";
import type { Query, Tx, UnitOfWork } from "../../../backend/store/store.ts";

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
  const [woken, sent] = [new Set<string>(), [] as Promise<unknown>[]];
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
  expect([...woken]).toEqual(["b", "a"]);
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
    query: async (asked: string | { readonly text: string }) => {
      const text = typeof asked === "string" ? asked : asked.text;
      sent.push(text);
      await new Promise<void>((resolve) => void setImmediate(resolve));
      return { command: text, rows: [], rowCount: 0 };
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
