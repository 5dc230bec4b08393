/** Statements that are built once and bound many times, and the units that they run in. */

import { expect, test } from "vitest";
import { runTogether } from "../../../backend/store/postgres.ts";
import { columnsOf, type RowOf } from "../../../backend/store/schema.ts";
import {
  adhoc,
  type Changed,
  insertRow,
  insertUnlessThere,
  isIn,
  monthStart,
  monthsAround,
  monthsLately,
  runUnit,
  type Span,
  StoreRefused,
  statement,
  type Tx,
  UniqueViolation,
} from "../../../backend/store/store.ts";
import { foldsOf, holdsUser, isUser, userKey } from "../../../backend/store/user-key.ts";
import { sealedColumns } from "../../../backend/withdrawals/history.ts";
import { scriptedTx } from "../../service/test-tx.ts";

let built = 0;
const byName = statement("t_by_name", (db, p: { name: string; other: number | null }) => {
  built += 1;
  return db
    .selectFrom("settings")
    .select("value")
    .where("name", "=", p.name)
    .where("value", "=", "fixed")
    .limit(p.other ?? 0);
});

test("built once for each dialect, with the values of each call, under its name", () => {
  built = 0;
  const first = byName({ name: "a", other: 1 });
  expect(first.sql("sqlite")).toEqual({
    text: `select "value" from "settings" where "name" = ? and "value" = 'fixed' limit ?`,
    values: ["a", 1],
  });
  expect(byName({ name: "b", other: 2 }).sql("sqlite").values).toEqual(["b", 2]);
  expect(first.sql("postgres").values).toEqual(["a", "fixed", 1]);
  expect(first.sql("postgres").text).toBe('select "value" from "settings" where "name" = $1 and "value" = $2 limit $3');
  expect([built, first.name, first.kind]).toEqual([2, "t_by_name", "query"]);
});

test.each(["sqlite", "postgres"] as const)("on %s other months make another text, named apart", (dialect) => {
  const ofMonths = statement(
    "t_of_months",
    (db, _: Span, months) => db.selectFrom("archived_withdrawals").select("id").where(isIn("created_at", months)),
    (months) => months,
  );
  const spans = [
    [1, 2],
    [1, 3],
    [0, 3],
    [1, 2],
  ] as const;
  for (const [from, to] of spans)
    expect(ofMonths({ from, to }).sql(dialect)).toEqual({
      text: `select "id" from "archived_withdrawals" where ("created_at" >= ${from} and "created_at" < ${to})`,
      values: [],
      variant: `${from}_${to}`,
    });
});

test("a value that is missing, or that no column holds, is an error of the program", () => {
  expect(() => byName({ name: "a" } as never).sql("sqlite")).toThrow("statement t_by_name got no value for other");
  const wrong = adhoc((db) =>
    db
      .selectFrom("settings")
      .select("value")
      .where("name", "=", true as never),
  );
  expect(() => wrong.sql("sqlite")).toThrow("no column holds a boolean");
});

test("one whose shape depends on the call is built each time, and has no name", () => {
  const ids = (names: readonly string[]) =>
    adhoc((db) => db.selectFrom("settings").select("value").where("name", "in", names));
  expect(ids(["a"])).toMatchObject({ kind: "query", name: null });
  expect(ids(["a", "b"]).sql("postgres")).toEqual({
    text: 'select "value" from "settings" where "name" in ($1, $2)',
    values: ["a", "b"],
  });
  const nothing = adhoc((db) => db.updateTable("settings").set({ value: null as never }));
  expect(nothing.sql("sqlite").values).toEqual([null]);
});

test("a row is made of the placeholders of its columns", () => {
  const insert = statement("test_worker", (db, p: RowOf<"workers"> & { other: number }) => insertRow(db, "workers", p));
  expect(insert({ id: "w", seen_at: 1, service_keys: null, release: null, other: 2 }).sql("sqlite")).toEqual({
    text: 'insert into "workers" ("id", "seen_at", "service_keys", "release") values (?, ?, ?, ?)',
    values: ["w", 1, null, null],
  });
});

test("what is chained and sealed of a row, and in which order, stays as it was", () => {
  expect(columnsOf("audit", "hash")).toEqual("seq at event actor address object detail key_id".split(" "));
  expect(sealedColumns).toEqual([
    ...["transaction_id", "sequence", "kind", "at", "from_status", "to_status", "actor", "actor_id", "request_id"],
    ...["reason", "attempt", "cashier", "hash"],
  ]);
});

const query = byName({ name: "a", other: 1 });
const answers = { rows: [{ value: "first" }, { value: "second" }], changes: 7 };
async function everything(tx: Tx): Promise<readonly unknown[]> {
  tx.changed("x");
  tx.runUnawaited(query);
  const result = [await tx.first(query), await tx.all(query), await tx.run(query)];
  tx.changed("y");
  return result;
}
const expected = [{ value: "first" }, answers.rows, 7];
async function mending(tx: Tx): Promise<string> {
  try {
    await tx.run(query);
    return "not reached";
  } catch (error) {
    return String(error);
  }
}

test("a unit gets what its statements bring, and says what it has changed", async () => {
  const reported: Changed = new Map();
  expect(await runUnit(everything, () => answers, "sqlite", reported)).toEqual(expected);
  expect([...reported.keys()]).toEqual(["x", "y"]);
  const [later, sent] = [new Map() as Changed, [] as Promise<unknown>[]];
  expect(await runUnit(everything, async () => answers, "sqlite", later, sent)).toEqual(expected);
  expect([[...later.keys()], await Promise.all(sent)]).toEqual([["x", "y"], [answers]]);
  const unawaited = await runUnit(
    async (tx) => ({ changes: tx.runUnawaited(query) }),
    async () => answers,
    "sqlite",
  );
  expect(await unawaited.changes).toBe(7);
});

test("a statement that fails fails in the unit, which may go on", async () => {
  const fail = () => {
    throw new Error("no");
  };
  expect(await runUnit(mending, fail, "sqlite")).toBe("Error: no");
  expect(await runUnit(mending, async () => fail(), "sqlite")).toBe("Error: no");
});

test("what is sent along is not waited for; its failure is for who commits", async () => {
  const sent: Promise<unknown>[] = [];
  const unit = async (tx: Tx): Promise<string> => {
    tx.runUnawaited(query);
    return "done";
  };
  const unhandled: unknown[] = [];
  const keep = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", keep);
  expect(await runUnit(unit, () => Promise.reject(new Error("no")), "sqlite", new Map(), sent)).toBe("done");
  expect(await runTogether([unit], () => Promise.reject(new Error("no")), new Map(), sent)).toEqual(["done"]);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", keep);
  expect(unhandled).toEqual([]);
  await expect(sent[0]).rejects.toThrow("no");
});

test("what is asked behind the end of a unit is refused: its transaction may be over", async () => {
  let escaped: Tx | null = null;
  await runUnit(
    async (tx) => {
      escaped = tx;
    },
    () => answers,
    "sqlite",
  );
  await expect((escaped as unknown as Tx).run(query)).rejects.toThrow("after its end");
});

test("the two refusals of a store have their names", () => {
  const cause = new Error("unique");
  expect(new UniqueViolation(cause)).toMatchObject({ name: "UniqueViolation", cause });
  expect(new StoreRefused("no")).toMatchObject({ name: "StoreRefused", why: "other", message: "no" });
  expect(new StoreRefused("no", { why: "database_in_use", cause })).toMatchObject({ why: "database_in_use", cause });
});

test("a user is found by each case of the id, and a text that holds it by itself alone", () => {
  const key = userKey("bank", "ÄnnÜ_1%");
  // ASCII is left to the database.
  const found = ["ÄnnÜ_1%", "ännü_1%", "ÄnnÜ_1%", "Ännü_1%"];
  const [typed, lower, upper, title] = found;
  expect(key).toEqual({ partner: "bank", typed, lower, upper, title });
  const values = (condition: ReturnType<typeof isUser>) =>
    adhoc((db) => db.selectFrom("withdrawals").select("id").where(condition)).sql("sqlite");
  expect(values(isUser(key)).values).toEqual(found);
  const held = values(holdsUser("partner_reference", key));
  expect(held.values).toEqual(["%ÄnnÜ\\_1\\%%", "%ännü\\_1\\%%", "%ÄnnÜ\\_1\\%%", "%Ännü\\_1\\%%"]);
  expect(held.text.split("escape '\\' or lower(")).toHaveLength(4);
  expect(held.text.endsWith("escape '\\')")).toBe(true);
});

test.each([
  ["ann.1@bank", ["ann.1@bank"], 0],
  ["", [""], 0],
  ["Özgür", ["Özgür", "özgür", "ÖzgÜr"], 1],
])("the id %j is looked for as %j: the database is asked how it folds %d times", async (id, folds, asked) => {
  const texts: string[] = [];
  const tx = scriptedTx((query) => {
    const { text, values } = query.sql("sqlite");
    texts.push(text);
    // As a database does that folds ASCII alone.
    const fold = (value: unknown) => String(value).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    return [Object.fromEntries(values.map((value, n) => [`fold_${n}`, fold(value)]))];
  });
  expect(await foldsOf(tx, id)).toEqual(folds);
  const columns = [0, 1, 2, 3].map((n) => `lower(?) as "fold_${n}"`).join(", ");
  expect(texts).toEqual(Array(asked).fill(`select ${columns}`));
});

test("what is inserted unless it is there is so alone, and is refused instead where it shares a commit", () => {
  const add = insertUnlessThere("t_insert", (db, p: { name: string }, isAlone) => {
    const insert = db.insertInto("settings").values({ name: p.name, value: "" });
    return isAlone ? insert.onConflict((conflict) => conflict.doNothing()) : insert;
  });
  const [alone, shared] = [add({ name: "a" }), add({ name: "a" }).whenShared];
  const text = 'insert into "settings" ("name", "value") values ($1, $2)';
  expect([alone.name, alone.sql("postgres")]).toMatchObject(["t_insert", { text: `${text} on conflict do nothing` }]);
  expect([shared?.name, shared?.sql("postgres")]).toMatchObject(["t_insert_outright", { text, values: ["a", ""] }]);
});

const [day, ofMonth] = [86_400_000, (month: number) => Date.UTC(2026, month - 1)];
test.each<[string, number, [number, number], [number, number]]>([
  ["the middle of a month", ofMonth(7) + 14 * day, [6, 9], [7, 8]],
  ["its first moment", ofMonth(7), [6, 9], [6, 8]],
  ["its second day", ofMonth(7) + day, [6, 9], [7, 8]],
  ["the last one before", ofMonth(7) - 1, [5, 8], [6, 7]],
  ["the first moment of a year", ofMonth(13), [12, 15], [12, 14]],
])("from %s the months around, and lately", (_, at, around, lately) => {
  const span = ([from, to]: readonly [number, number]) => ({ from: ofMonth(from), to: ofMonth(to) });
  expect([monthsAround({ now: at }), monthsLately({ now: at })]).toEqual([span(around), span(lately)]);
  expect([monthStart(at, 0), monthStart(at, 12)]).toEqual([ofMonth(around[0] + 1), ofMonth(around[0] + 13)]);
});
