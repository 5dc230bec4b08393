/** Settings in the audit for the first time: what is recorded as found, once, and what an operator accepts. */
import { expect, test } from "vitest";
import {
  acceptSettings,
  isAboutBlock,
  isOfFirstLook,
  recordAsFound,
  recordFound,
  settingFindings,
  settingsRecordedSince,
} from "../../../backend/access/setting-entries.ts";
import { adhoc, type Query, type Store, type Tx, type UnitOfWork } from "../../../backend/store/store.ts";
import { testKeys } from "../../service/world.ts";
import { all, kiosk, next, old, says, settingStage, shop } from "./setting-stage.ts";

const { stage, change, record, entries, findings, messages, set } = settingStage();

test("a database from before is recorded as it is found, once, and a stop leaves it for the next time", async () => {
  const on = { ...stage.service, keys: testKeys };
  expect(await settingsRecordedSince(stage.store)).toBeNull();
  expect(await recordFound(on, () => true)).toBe(0);
  expect([await entries(), await settingsRecordedSince(stage.store)]).toEqual([[], null]);
  await record([["merchants", "kiosk"]]);
  expect(await recordFound(on)).toBe(all.length - 1);
  expect(await settingsRecordedSince(stage.store)).toBe(stage.clock.now());
  expect((await entries()).map(({ actor }) => actor)).toEqual([
    "service",
    ...Array.from({ length: all.length - 1 }, () => "service, as found"),
  ]);
  expect(await stage.audited()).toEqual([`settings_recorded | settings | ${all.length - 1} as found`]);
  const ended = adhoc((db) => db.selectFrom("audit").select("actor").where("event", "=", "settings_recorded"));
  expect(await stage.store.read((tx) => tx.all(ended))).toEqual([{ actor: "service" }]);
  await change(adhoc((db) => db.insertInto("merchants").values({ id: "x", ...shop, created_at: 0 })));
  expect(await recordFound(on)).toBe(0);
  expect(await stage.audited()).toHaveLength(1);
});

/** How often the store is read and written, and the statements of its units. @param second before the second reading. */
const watched = (second: () => Promise<unknown> = async () => undefined) => {
  const seen = { reads: 0, writes: 0, asked: [] as string[] };
  const unit = (of: UnitOfWork<unknown>) => (tx: Tx) =>
    of({
      ...tx,
      all(query: Query<never>) {
        seen.asked.push(query.sql("sqlite").text);
        return tx.all(query);
      },
    } as Tx);
  const store = {
    ...stage.store,
    async read(of: UnitOfWork<unknown>) {
      seen.reads += 1;
      if (seen.reads === 2) await second();
      return stage.store.read(unit(of));
    },
    write(of: UnitOfWork<unknown>) {
      seen.writes += 1;
      return stage.store.write(unit(of));
    },
  } as Store;
  return { seen, on: { ...stage.service, store, keys: testKeys } };
};

test("a later start asks once whether all was recorded, and looks at nothing then", async () => {
  await recordFound({ ...stage.service, keys: testKeys });
  const { seen, on } = watched();
  expect([await recordFound(on), seen.reads, seen.writes]).toEqual([0, 1, 0]);
});

test("no statement asks for a row among none, which PostgreSQL refuses; of nothing the end alone is written", async () => {
  const { seen, on } = watched();
  await on.store.write((tx) => recordAsFound(tx, testKeys, 0, all, "service"));
  await settingFindings(on.store, [testKeys]).next();
  for (const table of ["merchants", "partners", "credentials", "partner_merchants", "chain_merchants"] as const)
    await change(adhoc((db) => db.deleteFrom(table)));
  for (const table of ["customers", "audit"] as const) await change(adhoc((db) => db.deleteFrom(table)));
  await change(adhoc((db) => db.updateTable("audit_head").set({ seq: 0, hash: "" })));
  const before = seen.writes;
  expect([await recordFound(on), seen.writes - before]).toEqual([0, 1]);
  expect(seen.asked.length).toBeGreaterThan(10);
  expect(seen.asked.filter((text) => /in \(\s*\)/.test(text))).toEqual([]);
});

test("a row that a hand adds once another process has recorded all is not recorded as found", async () => {
  const { on } = watched(async () => {
    await recordFound({ ...stage.service, keys: testKeys });
    await change(adhoc((db) => db.insertInto("merchants").values({ id: "late", ...shop, created_at: 0 })));
  });
  expect(await recordFound(on)).toBe(0);
  expect(await messages()).toEqual(["shop late has no entry in the audit"]);
});

test("two processes that record the same at once write each row and the end once", async () => {
  const on = { ...stage.service, keys: testKeys };
  expect(await Promise.all([recordFound(on), recordFound(on)]).then(([one, two]) => one + two)).toBe(all.length);
  expect(await entries()).toHaveLength(all.length);
  expect((await stage.audited()).filter((line) => line.startsWith("settings_recorded"))).toHaveLength(1);
});

test("a row that is changed while all are recorded is recorded by its change alone", async () => {
  await set("merchants", { amount_max: 90_000 });
  await record(all.slice(0, 1));
  await set("merchants", { amount_max: 20_000 });
  // It has an entry, and another one: found, but for an operator to accept.
  expect(await recordFound({ ...stage.service, keys: testKeys })).toBe(all.length - 1);
  expect(await messages()).toEqual([says("largest amount", kiosk, "200.00", "900.00")]);
});

test("what an operator accepts holds from then on, under the operator's name; of nothing nothing is written", async () => {
  await record(all);
  await set("merchants", { amount_max: 90_000 });
  await change(adhoc((db) => db.deleteFrom("partners")));
  const accept = async () => {
    const found = await findings();
    return stage.store.write((tx) => acceptSettings(tx, testKeys, stage.clock.now(), found, "operator ada"));
  };
  await accept();
  expect(await messages()).toEqual([]);
  expect((await entries()).slice(all.length)).toEqual([
    {
      object: "shop kiosk",
      actor: "operator ada",
      held: { of: "merchants", id: "kiosk", ...shop, amount_max: 90_000 },
    },
    { object: "bank nord", actor: "operator ada", held: { of: "partners", id: "nord", gone: true } },
  ]);
  await accept();
  expect(await entries()).toHaveLength(all.length + 2);
});

test("a block that was ended under the old key, and is there again, is not recorded as found under the new one", async () => {
  const rotated = { ...next, others: [old] };
  await record(all, old);
  await change(adhoc((db) => db.updateTable("customers").set({ blocked_at: null })));
  await record([["customers", "nord", "bob"]], old);
  await change(adhoc((db) => db.updateTable("customers").set({ blocked_at: 1 }).where("user_id", "=", "bob")));
  const named = [expect.stringMatching(/^block of user \w+ of bank nord is there, and was taken away/)];
  expect(await messages([old, next])).toEqual(named);
  expect(await recordFound({ ...stage.service, keys: rotated })).toBe(0);
  expect(await messages([old, next])).toEqual(named);
});

test.each([
  ["setting", "service, as found", "block of user x of bank nord", true, true],
  ["setting", "service", "shop kiosk", false, false],
  ["enrolled", "service, as found", "block of user x of bank nord", false, false],
])("an entry %s by %s about %s: of the first look, about a block", (event, actor, object, isFirst, isBlock) => {
  expect([isOfFirstLook({ event, actor }), isAboutBlock({ event, object })]).toEqual([isFirst, isBlock]);
});
