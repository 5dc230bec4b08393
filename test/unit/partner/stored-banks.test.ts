/** What is stored of banks: their keys, their shops, how they look, and what must be true of them before the service starts. */
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemRandom } from "../../../backend/adapters.ts";
import { defaultOptions, type Service } from "../../../backend/context.ts";
import { brandByDigest, brandOf, brandTheme, replaceBrand } from "../../../backend/partner/brand.ts";
import { createKeyCipher, isSealed, makeKey, plainKeys, sandboxKey } from "../../../backend/partner/keys.ts";
import {
  allAllowances,
  allowMerchant,
  allPartners,
  disallowMerchant,
  everyMerchant,
  insertPartner,
  type Partner,
  partnerAddress,
  partnerMayUse,
  partnerProblems,
  preparePartners,
  rewrapKeys,
  rotateKey,
  storedAddress,
  updatePartner,
  watchPartners,
} from "../../../backend/partner/partners.ts";
import { openStore } from "../../../backend/store/open.ts";
import { servedWithSetting, settingByName } from "../../../backend/store/settings.ts";
import { adhoc, type Store, type Tx } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const clock = new VirtualClock(1_000);
const key = makeKey(systemRandom);
const cipher = createKeyCipher(Buffer.alloc(32, 1), systemRandom);

let store: Store;
beforeAll(async () => {
  store = await openStore("sqlite::memory:", clock);
});
afterAll(() => store.close());
/** Nothing but these banks, by their names. */
const storeOf = async (banks: Record<string, Partial<Omit<Partner, "id">>>): Promise<void> => {
  await store.write(async (tx) => {
    for (const table of ["partner_merchants", "partner_brands", "partners"] as const)
      await tx.run(adhoc((db) => db.deleteFrom(table)));
    for (const [id, row] of Object.entries(banks)) {
      await tx.first(insertPartner({ id, url: null, secret: null, now: 0 }));
      if (Object.keys(row).length > 0) await tx.first(updatePartner(id, row));
    }
  });
};
const stored = () => store.read((tx) => tx.all(allPartners({})));

test.each<[string, Partial<Omit<Partner, "id">>, RegExp | null, RegExp | null]>([
  ["none yet", {}, null, null],
  [
    "a safe address and key",
    { url: "https://bank.example", secret: key, events_url: "https://bank.example/e" },
    null,
    null,
  ],
  ["an address without encryption", { url: "http://bank.example" }, /^the address of partner b must be https/, null],
  [
    "an address for events without it",
    { events_url: "http://bank.example" },
    /^the address for events of partner b must be https/,
    null,
  ],
  [
    "a key that everybody knows",
    { secret: sandboxKey },
    /^the key of partner b must not be one that is published/,
    null,
  ],
  ["a weak key", { secret: "weak" }, /^the key of partner b must be whsec_/, null],
  [
    "all of it, each in a line of its own",
    { url: "http://bank.example", events_url: "http://bank.example", secret: "weak" },
    /^the address of .*\nthe address for events of .*\nthe key of [^\n]*$/,
    null,
  ],
  [
    "a key under another SERVICE_KEY",
    { secret: "sealed1:x" },
    /^the key of partner b cannot be read/,
    /^the key of partner b cannot/,
  ],
  ["the one before it under another, which is used no more", { secret: key, previous_secret: "sealed1:x" }, null, null],
])("what is stored of a bank, for real money and in the sandbox: %s", async (_, row, live, sandbox) => {
  const good = { url: "https://good.example", secret: cipher.seal("good", key) };
  await storeOf({ b: row, good });
  await preparePartners(store, clock, { partner: null, keyCipher: cipher });
  const rows = new Map((await stored()).map((each) => [each.id, each]));
  for (const [isSandbox, problem] of [
    [false, live],
    [true, sandbox],
  ] as const) {
    const options = { keyCipher: cipher, isSandbox, boundPartners: new Map() };
    const of = (id: string) => partnerProblems(id, rows.get(id) ?? expect.fail(), options).join("\n");
    if (problem === null) expect(of("b")).toBe("");
    else expect(of("b")).toMatch(problem);
    expect(of("good")).toBe("");
    expect(partnerAddress(options, "good", rows.get("good"))).toMatchObject({ secret: key });
    if (/address of|key of/.test(of("b"))) expect(partnerAddress(options, "b", rows.get("b"))).toBeNull();
  }
});

test("a service that says nothing of a sandbox has real money: no address in the open is used", () => {
  const row = { url: "http://bank.example", secret: key };
  expect(partnerProblems("b", row, defaultOptions)).toEqual([expect.stringMatching(/^the address of partner b/)]);
  expect(partnerAddress(defaultOptions, "b", row)).toBeNull();
});

test.each([
  ["https://bank.example", key, "https://bank.example"],
  ["https://bank.example", null, ""],
  [null, key, ""],
])("of the address %s with the key %s calls go to '%s', or to the settings' one", (url, secret, address) => {
  expect(storedAddress({ url, secret })).toBe(address);
});

test("banks that cannot be called are counted, each once, and each of their problems is logged once", async () => {
  await storeOf({ a: {}, b: { url: "http://bank.example", secret: "weak" }, c: { secret: "weak" } });
  const [counts, logged]: [number[], unknown[]] = [[], []];
  let isAway = false;
  const read: typeof store.read = (unit) => (isAway ? Promise.reject(new Error("away")) : store.read(unit));
  const keep = (fields: unknown): void => void logged.push(fields);
  const watched = await watchPartners({
    ...{ store: { ...store, read }, clock, options: { ...defaultOptions, keyCipher: cipher } },
    log: { error: keep, warn: keep },
    telemetry: { unusablePartners: (count: number) => void counts.push(count) },
  } as unknown as Service);
  const minute = () => clock.advance(60_000, () => new Promise((resolve) => void setImmediate(resolve)));
  await minute();
  await store.write((tx) => tx.first(updatePartner("c", { secret: key })));
  await minute();
  isAway = true;
  await minute();
  isAway = false;
  await minute();
  await watched.stop();
  expect(counts).toEqual([2, 2, 1, 1]);
  expect(logged).toEqual([...["b", "b", "c"].map((partner) => ({ partner })), { err: new Error("away") }]);
});

test("a start is refused where none of the encrypted keys can be read: the SERVICE_KEY is wrong or missing", async () => {
  await storeOf({ a: { secret: "sealed1:x" }, b: { secret: key }, c: { secret: "sealed1:y" } });
  const start = (keyCipher = cipher) => preparePartners(store, clock, { partner: null, keyCipher });
  await expect(start()).rejects.toThrow(/^the key of partner a cannot be read.*\nthe key of partner c cannot be read/);
  await expect(start(plainKeys)).rejects.toThrow(/^the keys of banks are encrypted: SERVICE_KEY is missing$/);
  await storeOf({ a: { secret: "sealed1:x" }, b: { secret: cipher.seal("b", key) } });
  expect(await start()).toBe(0);
  await expect(start(plainKeys)).rejects.toThrow(/SERVICE_KEY is missing/);
});

/** Keeps what is said to the audit, which takes each row as it is, and which banks it was asked for. */
const audited = (isThere = false, has = (_: string) => true) => {
  const [changed, asked]: [unknown[], string[]] = [[], []];
  const record = async (_: unknown, of: readonly unknown[]) => void changed.push(...of);
  const find = async (_: unknown, bank: readonly string[]) => {
    asked.push(bank.join(" "));
    return { isThere, has };
  };
  return { changed, asked, audit: { audited: find, record } };
};

test("the bank of PARTNER_ID is made once, with every shop; whoever took one away from it later is heeded", async () => {
  await storeOf({});
  const { changed, asked, audit } = audited();
  const start = () => preparePartners(store, clock, { partner: { id: "only" }, servedWith: "k1", audit });
  expect(await start()).toBe(0);
  expect(asked).toEqual(["partners only"]);
  expect(await store.read((tx) => tx.first(settingByName({ name: servedWithSetting })))).toEqual({ value: "k1" });
  const shops = () => store.read((tx) => tx.all(allAllowances({})));
  expect([(await stored()).map(({ id }) => id), await shops()]).toEqual([
    ["only"],
    [{ partner_id: "only", merchant_id: "*" }],
  ]);
  await store.write((tx) => tx.run(disallowMerchant({ partner: "only", merchant: "*" })));
  await start();
  expect(await shops()).toEqual([]);
  // One that the audit has, and somebody has deleted, is made again, but is no word of the audit.
  await preparePartners(store, clock, {
    partner: { id: "deleted" },
    audit: { ...audit, audited: audited(true).audit.audited },
  });
  expect((await stored()).map(({ id }) => id)).toEqual(["deleted", "only"]);
  expect(changed).toEqual([
    [["partners", "only"], { url: null, secret: null }],
    [["partner_merchants", "only", "*"], {}],
  ]);
});

test("keys are encrypted when that is asked for, and counted until then", async () => {
  await storeOf({
    a: { secret: key, previous_secret: "old", previous_secret_until: 5 },
    b: { secret: key },
  });
  const { changed, audit } = audited();
  const start = (seal?: boolean, keyCipher = cipher) =>
    preparePartners(store, clock, { partner: null, keyCipher, audit, ...(seal === undefined ? {} : { seal }) });
  expect([await start(undefined, plainKeys), await start(), await start(false)]).toEqual([0, 3, 3]);
  expect((await stored()).map(({ secret }) => secret)).toEqual([key, key]);
  expect(changed).toEqual([]);
  const another = audited(true, (column) => column !== "secret").audit;
  const left = await preparePartners(store, clock, { partner: null, keyCipher: cipher, audit: another, seal: true });
  expect([left, (await stored()).map(({ secret }) => secret)]).toEqual([2, [key, key]]);
  await store.write((tx) => tx.first(updatePartner("a", { previous_secret: "old" })));
  expect([await start(true), await start(true), await start(false)]).toEqual([0, 0, 0]);
  const [a, b] = await stored();
  expect(changed).toEqual([
    [["partners", "a"], { secret: a?.secret }],
    [["partners", "a"], { previous_secret: a?.previous_secret }],
    [["partners", "b"], { secret: b?.secret }],
  ]);
  expect([a?.secret, a?.previous_secret, b?.secret].map((one) => isSealed(one ?? ""))).toEqual([true, true, true]);
  expect([cipher.open("a", a?.secret ?? ""), cipher.open("a", a?.previous_secret ?? "")]).toEqual([key, "old"]);
  expect(b?.previous_secret).toBeNull();
});

test("a key that is replaced while it is encrypted is the new one, and is no word of the audit", async () => {
  await storeOf({ a: { secret: key } });
  const newer = makeKey(systemRandom);
  const { changed, audit } = audited();
  const find: typeof audit.audited = async (tx, of) => {
    await (tx as Tx).run(updatePartner("a", { secret: newer }));
    return audit.audited(tx, of);
  };
  const start = { partner: null, keyCipher: cipher, audit: { ...audit, audited: find }, seal: true };
  expect(await preparePartners(store, clock, start)).toBe(1);
  expect([(await stored()).map(({ secret }) => secret), changed]).toEqual([[newer], []]);
});

test("under another service key stand all keys that the one before can read, each once; the audit has only those that were its own", async () => {
  const next = createKeyCipher(Buffer.alloc(32, 2), systemRandom);
  const sealed = { old: cipher.seal("a", "old"), own: cipher.seal("c", key), done: next.seal("d", key) };
  await storeOf({
    a: { secret: key, previous_secret: sealed.old, previous_secret_until: 5 },
    b: { secret: "sealed1:x" },
    c: { secret: sealed.own },
    d: { secret: sealed.done },
  });
  const { changed, asked, audit } = audited(true);
  const find: typeof audit.audited = async (tx, of) => {
    const found = await audit.audited(tx, of);
    return of[1] === "c" ? { ...found, has: () => false } : found;
  };
  const rewrap = () => store.write((tx) => rewrapKeys(tx, cipher, next, { ...audit, audited: find }));
  expect(await rewrap()).toEqual({ done: 3, unreadable: 1 });
  const [a, b, c, d] = await stored();
  expect([next.open("a", a?.secret ?? ""), next.open("a", a?.previous_secret ?? "")]).toEqual([key, "old"]);
  expect([b?.secret, next.open("c", c?.secret ?? ""), d?.secret]).toEqual(["sealed1:x", key, sealed.done]);
  expect(asked).toEqual(["partners a", "partners a", "partners c"]);
  expect(changed).toEqual([
    [["partners", "a"], { secret: a?.secret }],
    [["partners", "a"], { previous_secret: a?.previous_secret }],
    [["partners", "c"], {}],
  ]);
  expect(await rewrap()).toEqual({ done: 0, unreadable: 1 });
});

test("a rotation takes the place of the key that was read, of that bank alone, and of no newer one", async () => {
  await storeOf({ a: { secret: "one" }, b: { secret: "one" } });
  const rotate = (previous: string) =>
    store.write((tx) => tx.first(rotateKey("a", { secret: "two", previous, until: 9 })));
  expect(await rotate("another")).toBeUndefined();
  expect(await rotate("one")).toEqual({ id: "a" });
  expect(await stored()).toMatchObject([
    { id: "a", secret: "two", previous_secret: "one", previous_secret_until: 9 },
    { id: "b", secret: "one", previous_secret: null },
  ]);
});

test("shops are allowed once, listed in order, and taken away one by one", async () => {
  await storeOf({ a: {}, b: {} });
  const pairs = [
    ["b", "y"],
    ["a", "x"],
    ["b", "x"],
    ["b", "y"],
  ] as const;
  for (const [partner, merchant] of pairs)
    await store.write((tx) => tx.run(allowMerchant({ partner, merchant, now: 1 })));
  const shops = async () =>
    (await store.read((tx) => tx.all(allAllowances({})))).map(
      ({ partner_id, merchant_id }) => partner_id + merchant_id,
    );
  expect(await shops()).toEqual(["ax", "bx", "by"]);
  await store.write((tx) => tx.run(disallowMerchant({ partner: "b", merchant: "x" })));
  expect(await shops()).toEqual(["ax", "by"]);
});

test("how a bank looks is replaced as a whole, and is found by the bank and by the name of its files", async () => {
  await storeOf({ a: {}, b: {} });
  const look = {
    name: "A",
    color: "#112233",
    logo: "bG9nbw==",
    logo_type: "image/png",
    digest: "d1",
    changed_at: 1,
  } as const;
  const other = { name: null, color: null, logo: null, logo_type: null, digest: "d2", changed_at: 2 } as const;
  await store.write((tx) => tx.run(replaceBrand({ partner_id: "b", ...other, digest: "d3" })));
  for (const each of [other, look]) await store.write((tx) => tx.run(replaceBrand({ partner_id: "a", ...each })));
  const found = await store.read(async (tx) => {
    const own = await tx.first(brandOf({ partner: "a" }));
    const drawn = await tx.first(brandTheme({ partner: "a" }));
    const files = await tx.first(brandByDigest({ digest: "d1" }));
    const gone = await tx.first(brandByDigest({ digest: "d2" }));
    return { own, drawn, files, gone, rest: await tx.first(brandOf({ partner: "b" })) };
  });
  const { name, color, logo, logo_type, digest } = look;
  expect(found).toEqual({
    own: { partner_id: "a", ...look },
    drawn: { name, color, logo_type, digest },
    files: { color, logo, logo_type },
    gone: undefined,
    rest: { partner_id: "b", ...other, digest: "d3" },
  });
});

test("a bank may use the shops that are allowed to it, or every one, and none that is disabled", async () => {
  await storeOf({ some: {}, every: {}, none: {} });
  const shut = { id: "shut", name: "Shut", currency: "EUR", created_at: 0, disabled_at: 1 };
  const shop = { ...shut, id: "shop", disabled_at: null };
  await store.write(async (tx) => {
    const amounts = { amount_min: 1, amount_max: 2, amount_step: 1 };
    for (const row of [shut, shop])
      await tx.run(adhoc((db) => db.insertInto("merchants").values({ ...row, ...amounts })));
    for (const [partner, merchant] of [
      ["some", "shop"],
      ["some", "shut"],
      ["every", everyMerchant],
    ] as const)
      await tx.run(allowMerchant({ partner, merchant, now: 0 }));
  });
  const may = (partner: string, merchant: string) =>
    store.read((tx) =>
      tx.first(adhoc((db) => db.selectNoFrom(partnerMayUse(sql`${partner}`, sql`${merchant}`).as("may")))),
    );
  const shopsOf = async (partner: string) => {
    const shops = [];
    for (const one of ["shop", "another", "shut"]) if ((await may(partner, one))?.may) shops.push(one);
    return shops;
  };
  expect(await shopsOf("some")).toEqual(["shop"]);
  expect(await shopsOf("every")).toEqual(["shop", "another"]);
  expect(await shopsOf("none")).toEqual([]);
});

test("two banks that have one key keep each its own when it is encrypted", async () => {
  await storeOf({ a: { secret: key }, b: { secret: key, previous_secret: key } });
  expect(await preparePartners(store, clock, { partner: null, keyCipher: cipher, seal: true })).toBe(0);
  for (const { id, secret } of await stored()) expect(cipher.open(id, secret ?? "")).toBe(key);
});
