/** When terminals were heard of: what is written, when, and what a list of them says. */
import { beforeEach, expect, test } from "vitest";
import { addCredential, revokeCredential } from "../../../backend/access/credentials.ts";
import { newJournalEpoch, reportJournalHead } from "../../../backend/access/journal-heads.ts";
import {
  contactOf,
  createContacts,
  listChainTerminals,
  readTerminals,
  terminalVersion,
  watchTerminals,
} from "../../../backend/access/terminals.ts";
import { addShopToChain } from "../../../backend/merchants/chains.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { accessStage } from "./stage.ts";

const stage = accessStage();
const minute = 60_000;
beforeEach(() =>
  stage.store.write(async (tx) => {
    for (const table of ["terminal_contacts", "chain_merchants"] as const)
      await tx.run(adhoc((db) => db.deleteFrom(table)));
    await tx.run(adhoc((db) => db.deleteFrom("merchants").where("id", "=", "0")));
    await tx.run(adhoc((db) => db.updateTable("merchants").set({ opening: null, time_zone: null, disabled_at: null })));
  }),
);

const terminal = (ownerId: string, deviceId: string, kind: "terminal" | "client" | "chain" = "terminal") => ({
  ...{ kind, ownerId, deviceId, scopes: [], expiresAt: 0 },
});
const program = (version: string) => `Tillcash-Terminal/${version}`;
/** A process that hears of them, and what each of its commits has written. */
const hearing = (write: Store["write"] = (unit) => stage.store.write(unit)) => {
  const commits: Promise<unknown>[] = [];
  const noting: Store["write"] = (unit) => {
    const written = write(unit);
    commits.push(written.catch(() => {}));
    return written;
  };
  const hear = createContacts({ ...stage.service, store: { ...stage.store, write: noting } });
  return { hear, count: () => commits.length, written: () => Promise.all(commits) };
};
const kept = () =>
  stage.store.read((tx) =>
    tx.all(adhoc((db) => db.selectFrom("terminal_contacts").selectAll().orderBy("merchant_id").orderBy("device_id"))),
  );

test("the first call is written at once, those of the next two seconds together, the newest of each terminal", async () => {
  const { hear, count, written } = hearing();
  const at = stage.clock.now();
  hear(terminal("b", "till-1"), program("1.0.0"));
  expect(count()).toBe(1);
  stage.clock.jump(1);
  for (const device of ["till-3", "till-2"]) hear(terminal("b", device), program("1.0.0"));
  hear(terminal("a", "till-9"), undefined);
  expect([count(), stage.clock.timers]).toEqual([1, 1]);
  await stage.clock.advance(1_998);
  expect(count()).toBe(1);
  await stage.clock.advance(1);
  await written();
  expect([count(), stage.clock.timers]).toEqual([2, 0]);
  const row = (merchant_id: string, device_id: string, heard_at: number, version: string | null) => ({
    ...{ merchant_id, device_id, heard_at, version },
  });
  expect(await kept()).toEqual([
    row("a", "till-9", at + 1, null),
    row("b", "till-1", at, "1.0.0"),
    row("b", "till-2", at + 1, "1.0.0"),
    row("b", "till-3", at + 1, "1.0.0"),
  ]);
  stage.clock.jump(2_000);
  hear(terminal("b", "till-4"), undefined);
  expect(count()).toBe(3);
});

test.each<[string | undefined, string | null]>([
  [program("1.2.3-rc.1+a"), "1.2.3-rc.1+a"],
  [program("1".repeat(32)), "1".repeat(32)],
  [program("1".repeat(33)), null],
  [`a ${program("1.2.3")}`, null],
  ["curl/8.0", null],
  [undefined, null],
])("the version that %j says", (userAgent, version) => expect(terminalVersion(userAgent)).toBe(version));

test("after a clock was set back the next call is written at once", async () => {
  const { hear, count } = hearing();
  hear(terminal("a", "till-1"), undefined);
  stage.clock.jump(-1);
  hear(terminal("a", "till-2"), undefined);
  expect([count(), stage.clock.timers]).toEqual([2, 0]);
  stage.clock.jump(1);
  hear(terminal("a", "till-3"), undefined);
  expect(stage.clock.timers).toBe(1);
});

test("they are written in one order, so that two processes do not lock each other out", async () => {
  const order: unknown[] = [];
  const { hear, written } = hearing((unit) =>
    unit({
      runUnawaited: (query: { sql(dialect: "sqlite"): { values: readonly unknown[] } }) =>
        order.push(query.sql("sqlite").values.slice(0, 2).join("/")),
    } as never),
  );
  hear(terminal("z", "till-1"), undefined);
  for (const [shop, device] of [
    ["b", "till-2"],
    ["a", "till-3"],
    ["b", "till-1"],
    ["c", "till-1"],
  ] as const)
    hear(terminal(shop, device), undefined);
  await stage.clock.advance(2_000);
  await written();
  expect(order).toEqual(["z/till-1", "a/till-3", "b/till-1", "b/till-2", "c/till-1"]);
});

test("a terminal is written again after five minutes, of another version after one, and at once where the clock was set back", async () => {
  const { hear, count } = hearing();
  const hears = (version: string | undefined, afterMs: number) => {
    stage.clock.jump(afterMs);
    const before = count();
    hear(terminal("a", "till-1"), version === undefined ? undefined : program(version));
    return count() - before;
  };
  expect([
    hears("1.0.0", 0),
    hears("1.0.0", 5 * minute - 1),
    hears("1.0.0", 1),
    hears("1.0.1", minute - 1),
    hears("1.0.1", 1),
    hears(undefined, minute),
    hears(undefined, -1),
  ]).toEqual([1, 0, 1, 0, 1, 1, 1]);
  for (const kind of ["client", "chain"] as const) hear(terminal("a", "till-2", kind), program("1.0.0"));
  expect(stage.clock.timers).toBe(0);
});

test("two terminals whose shops' and own names run together are two", async () => {
  const { hear, written } = hearing();
  hear(terminal("a", "b"), undefined);
  hear(terminal("a\nb", ""), undefined);
  hear(terminal("ab", ""), undefined);
  await stage.clock.advance(2_000);
  await written();
  expect(await kept()).toHaveLength(3);
});

test("what cannot be written is said, and the next call is written", async () => {
  let isFull = true;
  const { hear, written } = hearing((unit) =>
    isFull ? Promise.reject(new Error("no disk")) : stage.store.write(unit),
  );
  hear(terminal("a", "till-1"), undefined);
  await written();
  expect(stage.logged).toMatchObject([{ err: { message: "no disk" } }]);
  isFull = false;
  stage.clock.jump(minute * 5);
  hear(terminal("a", "till-1"), program("1.0.1"));
  await written();
  expect(await kept()).toMatchObject([{ version: "1.0.1", heard_at: stage.clock.now() }]);
  const one = (merchant: string, device: string) => stage.store.read((tx) => tx.first(contactOf({ merchant, device })));
  expect(await one("a", "till-1")).toEqual({ heard_at: stage.clock.now() });
  expect([await one("a", "till-2"), await one("b", "till-1")]).toEqual([undefined, undefined]);
});

const addTill = (ownerId: string, deviceId: string) =>
  addCredential(stage.service, stage.access.secrets, { kind: "terminal", ownerId, deviceId });
const listed = async (query: Parameters<typeof readTerminals>[1] = {}) => {
  const rows = [];
  for await (const one of readTerminals(stage.service, query)) rows.push(one);
  return rows;
};
const names = async (query: Parameters<typeof readTerminals>[1] = {}) =>
  (await listed(query)).map(({ shop, terminal: name }) => `${shop}/${name}`);

/** A shop whose id comes before every letter. */
const addFirstShop = () =>
  stage.store.write((tx) =>
    tx.run(
      adhoc((db) =>
        db.insertInto("merchants").values({
          ...{ id: "0", name: "First", currency: "EUR", created_at: 0 },
          ...{ amount_min: 1, amount_max: 2, amount_step: 1 },
        }),
      ),
    ),
  );

test("those that may sign in are listed, in the order of shop and name, from where a page has ended", async () => {
  for (const [shop, device] of [
    ["other-shop", "till-1"],
    ["corner-shop", "till-2"],
    ["corner-shop", "till-1"],
    ["gone", "till-1"],
  ] as const)
    await addTill(shop, device);
  await addTill("corner-shop", "till-0");
  await revokeCredential(stage.service, { kind: "terminal", ownerId: "corner-shop", deviceId: "till-0" });
  await addCredential(stage.service, stage.access.secrets, { kind: "client", ownerId: "corner-shop", deviceId: "x" });
  const all = ["corner-shop/till-1", "corner-shop/till-2", "other-shop/till-1"];
  expect(await names()).toEqual(all);
  expect(await names({ shop: "other-shop" })).toEqual(all.slice(2));
  expect(await names({ after: { shop: "corner-shop", terminal: "till-1" } })).toEqual(all.slice(1));
  expect(await names({ after: { shop: "corner-shop", terminal: "till-2" } })).toEqual(all.slice(2));
  expect(await names({ chain: "acme" })).toEqual([]);
  await stage.store.write((tx) => tx.run(addShopToChain({ chain: "acme", shop: "other-shop", now: 1 })));
  expect(await names({ chain: "acme" })).toEqual(all.slice(2));
  expect(await names({ chain: "other" })).toEqual([]);
  await addFirstShop();
  await addTill("0", "0");
  expect(await names()).toEqual(["0/0", ...all]);
});

test("of a thousand and one each is listed once", async () => {
  const many = Array.from({ length: 1_001 }, (_, n) => `till-${String(n).padStart(4, "0")}`);
  await stage.store.write((tx) =>
    tx.run(
      adhoc((db) =>
        db.insertInto("credentials").values(
          many.map((device_id) => ({
            ...{ id: device_id, kind: "terminal" as const, owner_id: "corner-shop", device_id, secret_hash: "x" },
            ...{ scopes: "", created_at: 0, revoked_at: null },
          })),
        ),
      ),
    ),
  );
  const all = many.map((device) => `corner-shop/${device}`);
  expect(await names()).toEqual(all);
  // Another shop's is on no page of this one, nor of a chain that has this one alone.
  await addTill("other-shop", "till-1");
  await stage.store.write((tx) => tx.run(addShopToChain({ chain: "acme", shop: "corner-shop", now: 1 })));
  for (const query of [{ shop: "corner-shop" }, { chain: "acme" }]) expect(await names(query)).toEqual(all);
});

test("a terminal's line: never heard of, heard of, with its newest entry, forked, and enrolled anew since", async () => {
  await addTill("corner-shop", "till-1");
  await addTill("corner-shop", "till-2");
  const [till, at] = [{ merchantId: "corner-shop", deviceId: "till-1" }, stage.clock.now()];
  const report = (seq: number, head: string) =>
    reportJournalHead(stage.access, till, { seq, head, at: "2026-11-20T09:00:00Z" }, "10.0.0.1");
  const line = async () => (await listed())[0];
  const never = { heardAt: null, version: null, isSilent: false, entry: null, forkedAt: null };
  expect(await listed()).toEqual([
    { shop: "corner-shop", shopName: "Corner Shop", terminal: "till-1", ...never },
    { shop: "corner-shop", shopName: "Corner Shop", terminal: "till-2", ...never },
  ]);
  await addTill("other-shop", "till-1");
  const { hear, written } = hearing();
  hear(terminal("corner-shop", "till-1"), program("1.2.3"));
  await written();
  for (const seq of [7, 9]) await report(seq, `head-${seq}`);
  expect(await line()).toMatchObject({
    ...{ heardAt: at, version: "1.2.3", entry: { seq: 9, at: Date.UTC(2026, 10, 20, 9) }, forkedAt: null },
  });
  stage.clock.jump(1_000);
  await expect(report(9, "other")).rejects.toMatchObject({ code: "journal_forked" });
  expect(await line()).toMatchObject({ forkedAt: at + 1_000, entry: { seq: 9 } });
  expect((await listed()).slice(1)).toMatchObject([never, never]);
  stage.clock.jump(1_000);
  await expect(report(8, "other")).rejects.toMatchObject({ code: "journal_forked" });
  expect(await line()).toMatchObject({ forkedAt: at + 2_000 });
  for (const seq of [3, 2]) {
    await stage.store.write((tx) => newJournalEpoch(tx, "corner-shop", "till-1", stage.clock.now()));
    expect(await line()).toMatchObject({ forkedAt: null, entry: null });
    await report(seq, `head-${seq}`);
    expect(await line()).toMatchObject({ forkedAt: null, entry: { seq } });
    stage.clock.jump(1_000);
    await expect(report(seq, "other")).rejects.toMatchObject({ code: "journal_forked" });
    expect(await line()).toMatchObject({ forkedAt: stage.clock.now() });
  }
  // A clock that was ahead.
  stage.clock.jump(-10_000);
  expect(await line()).toMatchObject({ heardAt: stage.clock.now() });
});

const open = (more: object = {}) =>
  stage.store.write((tx) =>
    tx.run(
      adhoc((db) =>
        db
          .updateTable("merchants")
          .set({ opening: "mon-sun 00:00-24:00", time_zone: "UTC", ...more })
          .where("id", "=", "corner-shop"),
      ),
    ),
  );
const silent = async () => (await listed()).flatMap(({ terminal: name, isSilent }) => (isSilent ? [name] : []));

test("silent is one that was heard of and then not for 20 minutes, in a shop that is in use and open so long", async () => {
  for (const device of ["till-1", "till-2"]) await addTill("corner-shop", device);
  const { hear, written } = hearing();
  hear(terminal("corner-shop", "till-1"), undefined);
  await written();
  await open();
  stage.clock.jump(20 * minute - 1);
  expect(await silent()).toEqual([]);
  stage.clock.jump(1);
  expect(await silent()).toEqual(["till-1"]);
  await open({ disabled_at: 1 });
  expect(await silent()).toEqual([]);
  // It has been open since 10:00, which is 20 minutes ago; a minute later it has not.
  await open({ disabled_at: null, opening: "mon-sun 10:00-24:00" });
  expect(await silent()).toEqual(["till-1"]);
  await open({ opening: "mon-sun 10:01-24:00" });
  expect(await silent()).toEqual([]);
  await open({ opening: null });
  expect(await silent()).toEqual([]);
});

test("how many are silent is counted each minute, in one process, and a count that fails is made again", async () => {
  await addTill("corner-shop", "till-1");
  const { hear, written } = hearing();
  stage.clock.jump(3_600_000);
  hear(terminal("corner-shop", "till-1"), undefined);
  await written();
  stage.clock.jump(-3_600_000);
  await open();
  const counts: (number | null)[] = [];
  let [isOwner, isDown] = [false, false];
  const works: string[] = [];
  const read: Store["read"] = (unit) => (isDown ? Promise.reject(new Error("away")) : stage.store.read(unit));
  const watch = watchTerminals({
    ...stage.service,
    store: { ...stage.store, read },
    telemetry: { silentTerminals: (count: number | null) => counts.push(count) },
    owns: (work: string) => works.push(work) > 0 && isOwner,
  } as never);
  const look = async (afterMs: number) => {
    await stage.clock.advance(afterMs);
    await expect.poll(() => stage.clock.timers, { interval: 1 }).toBe(1);
    return counts.splice(0);
  };
  expect(await look(0)).toEqual([null]);
  expect(works).toEqual(["queue metrics"]);
  isOwner = true;
  expect(await look(minute - 1)).toEqual([]);
  expect(await look(1)).toEqual([0]);
  // What a clock that was ahead had written counts from that look on.
  stage.clock.jump(19 * minute);
  expect(await look(minute)).toEqual([1]);
  isDown = true;
  expect(await look(minute)).toEqual([]);
  expect(stage.logged).toMatchObject([{ err: { message: "away" } }]);
  isDown = false;
  expect(await look(minute)).toEqual([1]);
  await watch.stop();
});

test("a chain's page: its shops alone, with what is known, and where the next one begins", async () => {
  for (const [shop, device] of [
    ["corner-shop", "till-1"],
    ["corner-shop", "till-2"],
    ["corner-shop", "till-3"],
    ["other-shop", "till-1"],
  ] as const)
    await addTill(shop, device);
  await stage.store.write((tx) => tx.run(addShopToChain({ chain: "acme", shop: "corner-shop", now: 1 })));
  const page = (query: object = {}, chainId = "acme") =>
    listChainTerminals(stage.service, { chainId }, { limit: 100, ...query });
  const ids = async (query: object = {}, chainId = "acme") => {
    const { terminals, next } = await page(query, chainId);
    return [terminals.map(({ device_id }) => device_id).join(), next];
  };
  const { hear, written } = hearing();
  hear(terminal("corner-shop", "till-1"), program("1.2.3"));
  await written();
  const till = { merchantId: "corner-shop", deviceId: "till-1" };
  const report = (head: string) =>
    reportJournalHead(stage.access, till, { seq: 4, head, at: "2026-11-20T09:00:00Z" }, "10.0.0.1");
  await report("head");
  stage.clock.jump(1_000);
  await report("other").catch(() => {});
  expect((await page()).terminals.slice(0, 2)).toEqual([
    {
      ...{ store: "corner-shop", store_name: "Corner Shop", device_id: "till-1" },
      ...{ heard_at: "2026-11-20T10:00:00.000Z", silent: false, version: "1.2.3" },
      journal: { seq: 4, at: "2026-11-20T09:00:00.000Z", forked_at: "2026-11-20T10:00:01.000Z" },
    },
    {
      ...{ store: "corner-shop", store_name: "Corner Shop", device_id: "till-2" },
      ...{ heard_at: null, silent: false, version: null },
      journal: { seq: null, at: null, forked_at: null },
    },
  ]);
  expect(await ids()).toEqual(["till-1,till-2,till-3", null]);
  expect(await ids({ limit: 3 })).toEqual(["till-1,till-2,till-3", null]);
  expect(await ids({ limit: 2 })).toEqual(["till-1,till-2", "corner-shop/till-2"]);
  expect(await ids({ cursor: "corner-shop/till-2" })).toEqual(["till-3", null]);
  expect(await ids({}, "other")).toEqual(["", null]);
  expect(await ids({ store: "corner-shop", limit: 1 })).toEqual(["till-1", "corner-shop/till-1"]);
  for (const [chain, store] of [
    ["acme", "other-shop"],
    ["other", "corner-shop"],
  ] as const)
    await expect(page({ store }, chain)).rejects.toMatchObject({
      code: "validation_failed",
      extra: { errors: [{ path: "store", message: "is no store of yours" }] },
    });
  await addFirstShop();
  await addTill("0", "0");
  await stage.store.write((tx) => tx.run(addShopToChain({ chain: "acme", shop: "0", now: 1 })));
  expect(await ids({ limit: 1 })).toEqual(["0", "0/0"]);
  expect(await ids({ limit: 1, cursor: "0/0" })).toEqual(["till-1", "corner-shop/till-1"]);
  await open();
  expect(await ids({ silent: "true" })).toEqual(["", null]);
  stage.clock.jump(20 * minute);
  expect(await ids({ silent: "true" })).toEqual(["till-1", null]);
});
