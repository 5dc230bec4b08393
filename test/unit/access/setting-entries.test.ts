/** Settings in the audit: what an entry says of its row, and each way in which a row and its newest entry may differ. */
import { expect, test } from "vitest";
import {
  type Change,
  entriesOf,
  objectsOf,
  readHeld,
  recordFound,
  recordSettings,
  settingsAudit,
  showSetting,
  writeSettings,
} from "../../../backend/access/setting-entries.ts";
import type { Setting } from "../../../backend/access/setting-kinds.ts";
import { block, unblock } from "../../../backend/checkin/check-in.ts";
import type { ChainKeys } from "../../../backend/context.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { testKeys } from "../../service/world.ts";
import { all, kiosk, nameOf, next, old, says, settingStage, shop } from "./setting-stage.ts";

const { stage, change, record, entries, held, findings, messages, set } = settingStage();
const digestOf = (column: string, value: string, { history }: ChainKeys = testKeys) =>
  `#${history(JSON.stringify(["setting", column, value])).slice(0, 22)}`;

const whole = [
  ["shop kiosk", { of: "merchants", id: "kiosk", ...shop }],
  ["bank nord", { of: "partners", id: "nord", url: "https://nord.example", secret: digestOf("secret", "whsec_x") }],
  [
    "access of terminal kiosk/till-1",
    {
      ...{ of: "credentials", kind: "terminal", owner_id: "kiosk", device_id: "till-1", id: "c1" },
      ...{ secret_hash: digestOf("secret_hash", "h"), scopes: "transactions" },
    },
  ],
  ["permission of bank nord for shop kiosk", { of: "partner_merchants", partner_id: "nord", merchant_id: "kiosk" }],
  ["permission of bank nord for every shop", { of: "partner_merchants", partner_id: "nord", merchant_id: "*" }],
  ["place of shop kiosk in chain acme", { of: "chain_merchants", chain_id: "acme", merchant_id: "kiosk" }],
  [`block of user ${nameOf("bob")} of bank nord`, { of: "customers", partner_id: "nord", user_id: nameOf("bob") }],
];

test("an entry has what its row has, secrets as digests and users under another name, and nothing of what is null", async () => {
  await record(all);
  expect(await held()).toEqual(whole);
  expect(new Set((await entries()).map(({ actor }) => actor))).toEqual(new Set(["service"]));
  expect(await messages()).toEqual([]);
  expect(JSON.stringify(await entries())).not.toMatch(/whsec_x|bob/);
});

test("each row has one entry, however often it is named; of none nothing is written, nor is a key asked for", async () => {
  await record(
    [
      ["merchants", "kiosk"],
      ["merchants", "kiosk"],
    ],
    testKeys,
    "olga",
  );
  expect(await entries()).toMatchObject([{ actor: "olga" }]);
  const under = () => {
    throw new Error("a key");
  };
  await record([], { ...testKeys, under });
  expect(await entries()).toHaveLength(1);
});

test("a row that is gone, and a user who is not blocked, has an entry that says so", async () => {
  await record([
    ["merchants", "gone"],
    ["customers", "nord", "ANN"],
    ["credentials", "client", "nord", "server"],
  ]);
  expect(await held()).toEqual([
    ["shop gone", { of: "merchants", id: "gone", gone: true }],
    [
      `block of user ${nameOf("ann")} of bank nord`,
      { of: "customers", partner_id: "nord", user_id: nameOf("ann"), gone: true },
    ],
    [
      "access of client nord/server",
      { of: "credentials", kind: "client", owner_id: "nord", device_id: "server", gone: true },
    ],
  ]);
});

const [long, longer] = ["x".repeat(1_000), "x".repeat(1_001)];

test.each<[string, string, boolean]>([
  ["a thousand characters", long, false],
  ["more", longer, true],
  ["a text that looks as a digest does", "#1", true],
  ["a text that ends as one begins", "1#", false],
])("%s: kept as a digest where it must be", async (_, name, isDigest) => {
  await set("merchants", { name });
  await record([["merchants", "kiosk"]]);
  expect((await entries())[0]?.held.name).toBe(isDigest ? digestOf("name", name) : name);
  expect(await messages()).toEqual((await messages()).filter((message) => message.includes("has no entry")));
});

const other = (what: string, of: string) => `the ${what} of ${of} is not the one that was audited last`;
const [nord, access] = ["bank nord", "access of terminal kiosk/till-1"];
test.each<[string, "merchants" | "partners" | "credentials", object, object, readonly string[]]>([
  ["nothing", "merchants", {}, {}, []],
  ["an amount", "merchants", {}, { amount_max: 90_000 }, [says("largest amount", kiosk, "900.00", "200.00")]],
  ["an amount that was none", "merchants", {}, { shop_day_max: 500 }, [says("most in a day", kiosk, "5.00", "none")]],
  [
    "an amount that is none",
    "merchants",
    { shop_day_max: 500 },
    { shop_day_max: null },
    [says("most in a day", kiosk, "none", "5.00")],
  ],
  [
    "a currency, and with it what an amount says",
    "merchants",
    {},
    { currency: "JPY", amount_min: 2_000 },
    [says("currency", kiosk, "JPY", "EUR"), says("smallest amount", kiosk, "2000", "10.00")],
  ],
  ["a time", "merchants", {}, { disabled_at: 5 }, [says("end of use", kiosk, "1970-01-01T00:00:00.005Z", "none")]],
  ["a text", "merchants", {}, { opening: "mon" }, [says("opening hours", kiosk, "mon", "none")]],
  ["a text that is a long one now", "merchants", {}, { name: longer }, [other("name", kiosk)]],
  ["a text that was a long one", "merchants", { name: longer }, { name: "Kiosk" }, [other("name", kiosk)]],
  ["a long text that was none", "merchants", {}, { opening: longer }, [says("opening hours", kiosk, "set", "none")]],
  [
    "a long text that is none",
    "merchants",
    { opening: longer },
    { opening: null },
    [says("opening hours", kiosk, "none", "set")],
  ],
  ["a secret", "partners", {}, { secret: "whsec_y" }, [other("key", nord)]],
  ["a secret that is none", "partners", {}, { secret: null }, [says("key", nord, "none", "set")]],
  ["nothing of a secret that is none", "partners", { secret: null }, {}, []],
  ["a secret that was none", "partners", { secret: null }, { secret: "whsec_y" }, [says("key", nord, "set", "none")]],
  [
    "a secret beside it",
    "partners",
    {},
    { previous_secret: "whsec_x" },
    [says("key before the last rotation", nord, "set", "none")],
  ],
  [
    "a bank's limit, in its own currency",
    "partners",
    { user_day_max: 700, user_day_currency: "JPY" },
    { user_day_max: 900 },
    [says("most of a user in a day", nord, "900", "700")],
  ],
  [
    "a bank's limit without a currency",
    "partners",
    {},
    { user_day_max: 900 },
    [says("most of a user in a day", nord, "9.00", "none")],
  ],
  ["a number", "partners", { slots: 2 }, { slots: 20 }, [says("number of orders at once", nord, "20", "2")]],
  [
    "a revocation",
    "credentials",
    { revoked_at: 5 },
    { revoked_at: null },
    [says("revocation", access, "none", "1970-01-01T00:00:00.005Z")],
  ],
  ["a key's secret", "credentials", {}, { secret_hash: "other" }, [other("secret", access)]],
])("changed by hand: %s", async (_, table, before, after, said) => {
  if (Object.keys(before).length > 0) await set(table, before);
  await record(all);
  if (Object.keys(after).length > 0) await set(table, after);
  expect(await messages()).toEqual(said);
  expect((await findings()).map(({ why, of }) => [why, of])).toEqual(
    said.map(() => ["changed", all.find(([name]) => name === table)]),
  );
});

test("a row without an entry, and an entry without its row, are found, each in its own words", async () => {
  expect((await findings()).map(({ why, of, message }) => [why, of, message])).toEqual(
    [0, 1, 2, 4, 3, 5, 6].map((at) => ["unrecorded", all[at], `${whole[at]?.[0]} has no entry in the audit`]),
  );
  await record(all);
  for (const table of [
    "merchants",
    "partners",
    "credentials",
    "partner_merchants",
    "chain_merchants",
    "customers",
  ] as const)
    await change(adhoc((db) => db.deleteFrom(table)));
  const gone = await findings();
  expect(gone.map(({ message }) => message).toSorted()).toEqual(
    whole.map(([object]) => `${object} is gone, and the audit does not say why`).toSorted(),
  );
  expect(gone.every(({ why, of }) => why === "gone" && "object" in of)).toBe(true);
  await record(all);
  expect(await messages()).toEqual([]);
});

test("a row that was taken away, and is there again, is found; an entry of no release of ours is not looked for", async () => {
  await record(all);
  await change(adhoc((db) => db.deleteFrom("merchants")));
  await record([["merchants", "kiosk"]]);
  await change(adhoc((db) => db.insertInto("merchants").values({ id: "kiosk", ...shop, created_at: 0 })));
  const message = "shop kiosk is there, and was taken away by its last audited entry";
  expect(await findings()).toEqual([{ why: "changed", of: ["merchants", "kiosk"], message }]);
  await stage.access.audit.record({
    event: "setting",
    actor: "a",
    address: null,
    object: "shop kiosk",
    detail: '{"of":"x"}',
  });
  expect(await messages()).toEqual([message]);
  expect([readHeld({ detail: null }), readHeld({ detail: '{"of":"x"}' })]).toEqual([null, null]);
  expect(readHeld({ detail: '{"of":"merchants","id":"kiosk"}' })).toEqual({ of: "merchants", id: "kiosk" });
});

test("a block and its end are in the audit with their own commit", async () => {
  await record(all);
  for (const change of [block, unblock]) {
    await change(stage.service, { partnerId: "nord", userId: "Cleo" });
    expect(await messages()).toEqual([]);
  }
  expect((await held()).slice(-2)).toEqual([
    [`block of user ${nameOf("cleo")} of bank nord`, { of: "customers", partner_id: "nord", user_id: nameOf("cleo") }],
    [
      `block of user ${nameOf("cleo")} of bank nord`,
      { of: "customers", partner_id: "nord", user_id: nameOf("cleo"), gone: true },
    ],
  ]);
});

test("a blocked user has another name under another key: the new entry closes the old one's, and both hold", async () => {
  const bob: Setting = ["customers", "nord", "bob"];
  const name = (keys: typeof old) => `block of user ${nameOf("bob", keys)} of bank nord`;
  const rotated = { ...next, others: [old] };
  await record(all, old);
  expect(await messages([old, next])).toEqual([]);
  await record([bob], rotated);
  expect((await held()).slice(-2)).toEqual([
    [name(next), { of: "customers", partner_id: "nord", user_id: nameOf("bob", next) }],
    [name(old), { of: "customers", partner_id: "nord", user_id: nameOf("bob", old), gone: true }],
  ]);
  expect(await messages([old, next])).toEqual([]);
  // The old one is closed once.
  await record([bob], rotated);
  expect(await entries()).toHaveLength(all.length + 3);
  await change(adhoc((db) => db.updateTable("customers").set({ blocked_at: null })));
  expect(await messages([old, next])).toEqual([`${name(next)} is gone, and the audit does not say why`]);
  await record([bob], rotated);
  expect(await messages([old, next])).toEqual([]);
  await change(adhoc((db) => db.updateTable("customers").set({ blocked_at: 1 }).where("user_id", "=", "bob")));
  expect(await messages([old, next])).toEqual([`${name(next)} is there, and was taken away by its last audited entry`]);
});

test("a block that a process with the old key alone made again holds, whatever was said under the newer name", async () => {
  const bob: Setting = ["customers", "nord", "bob"];
  const rotated = { ...next, others: [old] };
  const blocked = (blocked_at: number | null) =>
    change(adhoc((db) => db.updateTable("customers").set({ blocked_at }).where("user_id", "=", "bob")));
  await record(all, old);
  await blocked(null);
  await record([bob], rotated);
  await blocked(1);
  await record([bob], old);
  expect(await messages([old, next])).toEqual([]);
  // An entry of no release of ours closes nothing.
  const object = `block of user ${nameOf("bob", old)} of bank nord`;
  await stage.access.audit.record({ event: "setting", actor: "a", address: null, object, detail: '{"of":"x"}' });
  await record([bob], rotated);
  expect((await held()).at(-1)?.[0]).toBe(`block of user ${nameOf("bob", next)} of bank nord`);
});

test("a digest is compared under the key of its entry, and an entry under a key that nobody has by the current one", async () => {
  await record([["partners", "nord"]], old);
  const ofBank = async (chain: readonly ChainKeys[]) =>
    (await messages(chain)).filter((message) => !message.includes("has no entry"));
  expect(await ofBank([old, next])).toEqual([]);
  expect(await ofBank([next])).toEqual([other("key", nord)]);
});

test("of many pages each row and each entry is looked at once", async () => {
  // The first before every letter.
  const many = Array.from({ length: 401 }, (_, n) => `${n === 0 ? "0" : "x"}-${String(n).padStart(3, "0")}`);
  await change(adhoc((db) => db.insertInto("merchants").values(many.map((id) => ({ id, ...shop, created_at: 0 })))));
  expect(await findings()).toHaveLength(all.length + many.length);
  expect(await recordFound({ ...stage.service, keys: testKeys })).toBe(all.length + many.length);
  expect(await messages()).toEqual([]);
  await change(adhoc((db) => db.deleteFrom("merchants").where("id", "like", "%-%")));
  expect((await messages()).toSorted()).toEqual(many.map((id) => `shop ${id} is gone, and the audit does not say why`));
});

test("what is found is looked at three times, since a change may come between two statements", async () => {
  await record(all);
  await set("merchants", { amount_max: 90_000 });
  let reads = 0;
  const count = async (after: () => Promise<unknown>) => {
    reads = 0;
    const read: Store["read"] = async (unit) => {
      const result = await stage.store.read(unit);
      reads += 1;
      await after();
      return result;
    };
    const found = (await findings([testKeys], { ...stage.store, read })).length;
    return [found, reads];
  };
  const pages = 7;
  expect(await count(async () => {})).toEqual([1, pages + 2]);
  expect(await count(() => set("merchants", { amount_max: 20_000 }))).toEqual([0, pages + 1]);
  expect(await count(async () => {})).toEqual([0, pages]);
});

const meant = (changes: readonly Change[], keys: ChainKeys = testKeys) =>
  stage.store.write((tx) => recordSettings(tx, keys, stage.clock.now(), changes));
const newest = async () => (await held()).at(-1);
const shopKiosk = (values: object) => ["shop kiosk", { of: "merchants", id: "kiosk", ...values }];

test("an entry has what its commit means, and of the rest what the entry before has; what was changed by hand is named on", async () => {
  await recordFound({ ...stage.service, keys: testKeys });
  await set("merchants", { amount_max: 90_000, opening: "mon", name: "Kiosk 2" });
  await meant([
    [["merchants", "kiosk"], { opening: "tue", name: "Kiosk 1" }],
    [["merchants", "kiosk"], { name: "Kiosk 2", support_text: null, created_at: 9 }],
  ]);
  expect(await newest()).toEqual(shopKiosk({ ...shop, opening: "tue", name: "Kiosk 2" }));
  expect(await messages()).toEqual([
    says("largest amount", kiosk, "900.00", "200.00"),
    says("opening hours", kiosk, "mon", "tue"),
  ]);
  await set("merchants", { amount_max: 20_000, opening: "tue" });
  expect(await messages()).toEqual([]);
});

test("a row is taken away, and is there, as the commit means it, whatever it finds", async () => {
  await recordFound({ ...stage.service, keys: testKeys });
  const permission: Setting = ["partner_merchants", "nord", "kiosk"];
  await meant([
    [permission, {}],
    [permission, null],
    [["customers", "nord", "ann"], {}],
  ]);
  const [gone, block] = ["permission of bank nord for shop kiosk", `block of user ${nameOf("ann")} of bank nord`];
  expect(await messages()).toEqual([
    `${gone} is there, and was taken away by its last audited entry`,
    `${block} is gone, and the audit does not say why`,
  ]);
  await meant([[permission, {}]]);
  expect(await messages()).toEqual([`${block} is gone, and the audit does not say why`]);
});

type Before = () => Promise<unknown>;
const recordAll: Before = () => recordFound({ ...stage.service, keys: testKeys });
const entryOfBank =
  (values: object): Before =>
  () =>
    change(adhoc((db) => db.updateTable("audit").set(values).where("object", "=", "bank nord")));
const inTurn =
  (...parts: Before[]): Before =>
  async () => {
    for (const part of parts) await part();
  };
test.each<[string, Before, ChainKeys, isThere: boolean, has: boolean, hasOther: boolean]>([
  ["no entry, before all were audited", async () => {}, testKeys, false, true, true],
  ["no entry since", inTurn(recordAll, entryOfBank({ object: "bank x" })), testKeys, false, false, false],
  ["its own", recordAll, testKeys, true, true, false],
  ["one under the key before", () => record(all, old), { ...next, others: [old] }, true, true, false],
  ["one under this key, beside the one before", () => record(all, next), { ...next, others: [old] }, true, true, false],
  ["one under a key that is lost", () => record(all, old), next, true, true, true],
  [
    "one under an unknown key, after those under this one",
    inTurn(
      () => record(all.slice(0, 1), next),
      () => record(all, old),
    ),
    next,
    true,
    false,
    false,
  ],
  ["one that was changed", inTurn(recordAll, entryOfBank({ at: 5 })), testKeys, true, false, false],
  [
    "one that it is gone",
    inTurn(
      recordAll,
      () => change(adhoc((db) => db.deleteFrom("partners"))),
      () => record([["partners", "nord"]]),
    ),
    testKeys,
    false,
    false,
    false,
  ],
])("the newest entry on a bank is %s: what it says", async (_, before, keys, ...said) => {
  await before();
  const says = await stage.store.read((tx) =>
    settingsAudit({ keys, clock: stage.clock }).audited(tx, ["partners", "nord"]),
  );
  expect([says.isThere, says.has("secret", "whsec_x"), says.has("secret", "whsec_y")]).toEqual(said);
  if (said[0]) expect(says.has("slots", null)).toBe(true);
});

test.each<[string, ChainKeys, string, string, readonly string[]]>([
  ["one as it was, under the newer key", old, "whsec_x", digestOf("secret", "whsec_x", next), []],
  ["one that was under it already", next, "whsec_x", digestOf("secret", "whsec_x", next), []],
  ["one that was changed, as it was", old, "whsec_y", digestOf("secret", "whsec_x", old), [other("key", nord)]],
])("of a secret an entry under another key has the digest of %s", async (_, first, secret, digest, named) => {
  const rotated = { ...next, others: [old] };
  await record(all, first);
  await set("partners", { secret, slots: 3 });
  await meant([[["partners", "nord"], { slots: 3 }]], rotated);
  const bank = { of: "partners", id: "nord", url: "https://nord.example", slots: 3 };
  expect(await newest()).toEqual([nord, { ...bank, secret: digest }]);
  expect(await messages([old, next])).toEqual(named);
});

test("a change and its entry are one commit, and the change says which rows", async () => {
  const on = { ...stage.service, keys: testKeys };
  const write = (isFailing: boolean) =>
    writeSettings(on, async (tx, changed) => {
      await tx.run(adhoc((db) => db.updateTable("merchants").set({ amount_max: 30_000 })));
      changed.push([["merchants", "kiosk"], { amount_max: 30_000 }]);
      if (isFailing) throw new Error("no disk");
      return "kiosk";
    });
  await expect(write(true)).rejects.toThrow("no disk");
  expect(await entries()).toEqual([]);
  expect(await write(false)).toBe("kiosk");
  expect(await held()).toEqual([["shop kiosk", { of: "merchants", id: "kiosk", ...shop, amount_max: 30_000 }]]);
  await stage.store.write((tx) => settingsAudit(on).record(tx, [[["merchants", "kiosk"], { amount_max: 40_000 }]]));
  expect(await newest()).toEqual(["shop kiosk", { of: "merchants", id: "kiosk", ...shop, amount_max: 40_000 }]);
});

test("the entries of some rows come in their order, and of no other", async () => {
  await record(all);
  await record(all.slice(0, 1));
  const objects = [objectsOf.shop("kiosk"), objectsOf.bank("nord"), objectsOf.permission("nord", "*")];
  expect(objects).toEqual(["shop kiosk", "bank nord", "permission of bank nord for every shop"]);
  const found = await stage.store.read((tx) => tx.all(entriesOf(objects)));
  expect(found.map(({ object, seq }) => [object, seq])).toEqual([
    ["bank nord", 2],
    ["permission of bank nord for every shop", 5],
    ["shop kiosk", 1],
    ["shop kiosk", 8],
  ]);
});

test.each<[string, string, object, string, string]>([
  ["shop kiosk", "amount_max", { currency: "EUR" }, "largest amount", "5.00"],
  ["bank nord", "user_day_max", { user_day_currency: "JPY" }, "most of a user in a day", "500"],
  ["bank nord", "user_day_max", {}, "most of a user in a day", "5.00"],
  ["bank nord", "slots", {}, "number of orders at once", "500"],
  ["bank nord", "of a later release", {}, "of a later release", "500"],
])("of %s the column %s is shown in words", (object, column, row, word, text) => {
  const shown = showSetting(object, column, row as never);
  expect([shown.word, shown.text(500), shown.text(null)]).toEqual([word, text, "none"]);
});
