/** Which shops a bank, a chain and a customer are shown, in which order and how many at once, and what a terminal reads of its own. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultOptions } from "../../backend/context.ts";
import { operations } from "../../backend/http/operations/index.ts";
import { addShopToChain, removeShopFromChain, shopOfChain, shopsOfChain } from "../../backend/merchants/chains.ts";
import { findShop, findShops, listStores, readTill } from "../../backend/merchants/merchants.ts";
import { openStore } from "../../backend/store/open.ts";
import type { RowOf } from "../../backend/store/schema.ts";
import { adhoc, type Query, type Store, type UnitOfWork } from "../../backend/store/store.ts";
import { scriptedTx } from "../service/test-tx.ts";
import { VirtualClock } from "../service/virtual-clock.ts";

const clock = new VirtualClock(1_000_000);
let store: Store;
type Row = Pick<RowOf<"merchants">, "id" | "name"> & Partial<RowOf<"merchants">>;
const shop = (row: Row) => ({
  ...{ currency: "EUR", amount_min: 1_000, amount_max: 50_000, amount_step: 500, created_at: 0 },
  ...row,
});
const run = (query: Query<unknown>) => store.write((tx) => tx.run(query));

beforeAll(async () => {
  store = await openStore("sqlite::memory:", clock);
  // By id and by name the orders differ.
  const shops = [
    shop({ id: "a", name: "Zebra" }),
    shop({ id: "b", name: "Yak", currency: "JPY", amount_step: 1_000 }),
    shop({ id: "c", name: "Xerus", disabled_at: 1 }),
    shop({ id: "d", name: "Adder" }),
    shop({ id: "e", name: "Adder" }),
    shop({ id: "f", name: "Not allowed" }),
    shop({ id: "1", name: "Of another bank" }),
  ];
  await run(adhoc((db) => db.insertInto("merchants").values(shops.toReversed())));
  await run(adhoc((db) => db.insertInto("partners").values(["bank", "all"].map((id) => ({ id, created_at: 0 })))));
  const allowed = [..."abcde"].map((id) => ({ partner_id: "bank", merchant_id: id, created_at: 0 }));
  const others = [{ partner_id: "all", merchant_id: "1", created_at: 0 }];
  await run(adhoc((db) => db.insertInto("partner_merchants").values([...allowed, ...others])));
  for (const id of ["e", "b", "c"]) await run(addShopToChain({ chain: "north", shop: id, now: 0 }));
  await run(addShopToChain({ chain: "south", shop: "a", now: 0 }));
});
afterAll(() => store.close());

const [bank, north] = [{ partnerId: "bank" }, { chainId: "north" }];
test.each([
  ["a bank that reads all at once", bank, "", 4, ["a", "b", "d", "e"], null],
  ["a bank that reads by pages", bank, "", 3, ["a", "b", "d"], "d"],
  ["a bank on its next page", bank, "d", 3, ["e"], null],
  ["a bank behind the last one", bank, "e", 3, [], null],
  ["a bank that may use none", { partnerId: "other" }, "", 3, [], null],
  ["a chain, with what is disabled", north, "", 3, ["b", "c", "e"], null],
  ["a chain by pages", north, "", 2, ["b", "c"], "c"],
  ["a chain on its next page", north, "c", 2, ["e"], null],
])("%s is shown its shops by id", async (_, reader, after, limit, expected, next) => {
  const page = await listStores({ store }, reader, { after, limit });
  expect([page.stores.map((each) => each.store), page.next]).toEqual([expected, next]);
});

/** What a call answers to whoever has that token. */
const call = (id: string, kind: "client" | "chain" | "terminal", ownerId: string, query: object) => {
  const operation = operations.find((each) => each.id === id);
  const service = { store, clock, options: defaultOptions };
  const app = { service, access: { shops: (_: string, read: UnitOfWork<unknown>) => store.read(read) } };
  return operation?.handle({ app, session: { kind, ownerId, deviceId: "till-1" }, query } as never);
};
test.each([
  ["client", "all", {}, ["1"]],
  ["client", "bank", { after: "b" }, ["d", "e"]],
  ["chain", "south", {}, ["a"]],
] as const)("by its token a %s, %s, is shown its own: %j", async (kind, owner, query, expected) => {
  const { stores } = (await call("listStores", kind, owner, { limit: 3, ...query })) as Awaited<
    ReturnType<typeof listStores>
  >;
  expect(stores.map((each) => each.store)).toEqual(expected);
});

test.each([
  [{}, {}],
  [{ since: "1970-01-01T00:00:00.000Z" }, { confirmed: [] }],
])("a terminal that asks with %j is told beside its shop %j", async (query, more) => {
  const { confirmed, store_name } = (await call("readTill", "terminal", "a", query)) as Record<string, unknown>;
  expect([store_name, confirmed === undefined ? {} : { confirmed }]).toEqual(["Zebra", more]);
});

test("a shop's limits are written in its own currency", async () => {
  const { stores } = await listStores({ store }, bank, { after: "", limit: 2 });
  expect(stores).toEqual([
    ...[{ store: "a", name: "Zebra", currency: "EUR", amount_min: "10.00", amount_max: "500.00", amount_step: "5.00" }],
    ...[{ store: "b", name: "Yak", currency: "JPY", amount_min: "1000", amount_max: "50000", amount_step: "1000" }],
  ]);
});

test.each([
  ["north", ["b Yak", "c Xerus", "e Adder"]],
  ["south", ["a Zebra"]],
  ["none", []],
])("the chain %s has its own shops", async (chain, expected) => {
  const rows = await store.read((tx) => tx.all(shopsOfChain({ chain })));
  expect(rows.map(({ id, name }) => `${id} ${name}`)).toEqual(expected);
  const found = await Promise.all(
    [..."abce"].map((id) => store.read((tx) => tx.first(shopOfChain({ chain, shop: id })))),
  );
  expect(found.flatMap((row) => row?.id ?? [])).toEqual(expected.map((line) => line[0]));
});

test("a shop is added to a chain once, and removed from that one alone", async () => {
  const add = (chain: string) => run(addShopToChain({ chain, shop: "d", now: 5 }));
  expect([await add("east"), await add("east"), await add("west")]).toEqual([1, 0, 1]);
  await run(addShopToChain({ chain: "west", shop: "a", now: 5 }));
  expect(await run(removeShopFromChain({ chain: "west", shop: "d" }))).toBe(1);
  const of = (chain: string) => store.read((tx) => tx.all(shopsOfChain({ chain })));
  expect([(await of("east")).map(({ id }) => id), (await of("west")).map(({ id }) => id)]).toEqual([["d"], ["a"]]);
});

const customer = { partner_id: "bank", currency: "EUR" };
test.each([
  ["", ["d", "e", "a"]],
  ["ADD", ["d", "e"]],
  ["yak", []],
  ["xerus", []],
  ["not allowed", []],
])("a customer who looks for %j finds by name what is allowed, open and of the currency", async (search, expected) => {
  const { shops, areMore } = await findShops({ store }, customer, search);
  expect([shops.map(({ id }) => id), areMore]).toEqual([expected, false]);
});

test.each([
  ["a", "Zebra"],
  ["b", null],
  ["c", null],
  ["f", null],
  ["nowhere", null],
])("a customer may choose %s: %j", async (id, name) => {
  expect((await findShop({ store }, customer, id))?.name ?? null).toBe(name);
});

/** What the database is asked, and what comes of `count` rows. */
const asked = async (search: string, count = 0) => {
  const queries: Query<unknown>[] = [];
  const answer = (query: Query<unknown>) => {
    queries.push(query);
    return Array.from({ length: count }, (_, id) => ({ id }));
  };
  const scripted = { read: (unit: (tx: ReturnType<typeof scriptedTx>) => unknown) => unit(scriptedTx(answer)) };
  const found = await findShops({ store: scripted as never }, customer, search);
  return { ...found, values: queries.flatMap((query) => query.sql("postgres").values) };
};

test.each([
  ["Łódź SKLEP", ["%Łódź sklep%", "%łódź sklep%", "%ŁÓdŹ sklep%", "%Łódź sklep%", "%Łódź sklep%"]],
  ["sEVER на уГЛУ", ["%sever на уГЛУ%", "%sever на углу%", "%sever НА УГЛУ%", "%sever на углу%", "%sever На Углу%"]],
  ["1 ñu ñu", ["%1 ñu ñu%", "%1 ñu ñu%", "%1 Ñu Ñu%", "%1 Ñu ñu%", "%1 Ñu Ñu%"]],
  ["e\u0301 \u0301x", Array.from({ length: 5 }, () => "%e\u0301 \u0301x%")],
  ["100%_\\", Array.from({ length: 5 }, () => "%100\\%\\_\\\\%")],
  [" \0a\ud800b\u200b ", Array.from({ length: 5 }, () => "%ab%")],
  ["x".repeat(101), Array.from({ length: 5 }, () => `%${"x".repeat(100)}%`)],
])("%j is looked for as it is typed, small, large, and with large first letters", async (search, patterns) => {
  expect((await asked(search)).values).toEqual(["EUR", "bank", ...patterns, 21]);
});

test.each([
  [20, 20, false],
  [21, 20, true],
])("of %i shops that fit %i are shown, and that there are more: %s", async (found, shown, areMore) => {
  const answer = await asked("x", found);
  expect([answer.shops.length, answer.areMore]).toEqual([shown, areMore]);
});

test("an id that no shop can have is not looked up", async () => {
  expect(await findShop({ store: null as never }, customer, "a b")).toBeNull();
});

const terminal = { merchantId: "a", deviceId: "till-1" };
test("a terminal that is told nothing of whom to ask, nor of a restore, is told its shop's limits and the time", async () => {
  const options = { ...defaultOptions, scaTimeoutMs: 40_001 };
  expect(await readTill({ store, clock, options }, terminal)).toEqual({
    ...{ store_name: "Zebra", currency: "EUR", amount_min: "10.00", amount_max: "500.00", amount_step: "5.00" },
    ...{ sca_timeout_seconds: 41, server_time: "1970-01-01T00:16:40.000Z" },
    ...{ support: null, forgot_since: null, restored_at: null, kept_head: null },
  });
});

test.each([
  [{ support_text: "Ask Ann" }, { text: "Ask Ann", phone: null }],
  [{ support_phone: "1" }, { text: null, phone: "1" }],
  [
    { support_text: "Ask Ann", support_phone: "1" },
    { text: "Ask Ann", phone: "1" },
  ],
])("of whom to ask a terminal is told what stands there: %j", async (row, support) => {
  const none = { support_text: null, support_phone: null };
  await run(
    adhoc((db) =>
      db
        .updateTable("merchants")
        .set({ ...none, ...row })
        .where("id", "=", "a"),
    ),
  );
  expect(await readTill({ store, clock, options: defaultOptions }, terminal)).toMatchObject({ support });
});

test("of its journal a terminal is told nothing where nothing was restored, for which one short read is enough", async () => {
  const head = { merchant_id: "a", device_id: "till-1", epoch: 1, seq: 7, head: "head", at: 0, received_at: 0 };
  await run(adhoc((db) => db.insertInto("journal_heads").values({ ...head, after_restore: 0 })));
  const areShort: unknown[] = [];
  const counted: Store = {
    ...store,
    read(unit, isShort) {
      areShort.push(isShort);
      return store.read(unit, isShort);
    },
  };
  const read = () => readTill({ store: counted, clock, options: defaultOptions }, terminal);
  expect([(await read()).kept_head, areShort]).toEqual([null, [true]]);
  await run(adhoc((db) => db.insertInto("restores").values({ restored_at: 2, forgot_since: 1 })));
  expect([(await read()).kept_head, areShort]).toEqual([{ seq: 7, head: "head" }, [true, true, true]]);
});

test("a terminal whose shop is gone is told that", async () => {
  const read = readTill({ store, clock, options: defaultOptions }, { ...terminal, merchantId: "gone" });
  await expect(read).rejects.toMatchObject({ code: "store_unknown" });
});
