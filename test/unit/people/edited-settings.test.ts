/** Settings about who may do what and about cash are the journal's: a file that was changed by hand opens nothing, and is named. */
import { rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { protectedOf, strictest } from "../../../main/terminal/withdrawal/settings.ts";
import { protectedSettingsSchema, type Settings, settingsSchema } from "../../../preload/contract.ts";
import { MemoryJournal } from "../terminal/rig.ts";
import {
  type Counter,
  type CounterOptions,
  key,
  managerPin,
  networkDrawer,
  openCounter,
  openShop,
  settle,
} from "./stage.ts";

/** As the shop's manager wants it. */
const careful = settingsSchema.parse({
  drawer: networkDrawer,
  drawerMoney: { enabled: true, managerFor: ["cash_moves", "expected", "close"] },
  people: { cashiersSignIn: true, lockAfterMinutes: 5, notHandedOutBy: "manager" },
  windowMode: "kiosk",
});
/** As a cashier would like it. */
const loose = settingsSchema.parse({
  drawer: { kind: "none" },
  drawerMoney: { enabled: false, managerFor: [] },
  people: { cashiersSignIn: false, lockAfterMinutes: 60, notHandedOutBy: "second_person" },
  confirmHandOver: false,
  language: "it",
});

test("what nobody has set keeps to these: the cash is counted, sums are a manager's, and a lock after five minutes", () => {
  expect(protectedSettingsSchema.parse({})).toEqual({
    drawer: { kind: "simulated" },
    printer: { kind: "none" },
    drawerMoney: { enabled: false, managerFor: ["cash_moves", "expected"], differenceMinor: 0 },
    confirmHandOver: true,
    openOnSettled: false,
    people: { cashiersSignIn: false, lockAfterMinutes: 5, notHandedOutBy: "manager" },
    windowMode: "window",
  });
});

const inForce = (shop: Counter): Settings => shop.till.snapshot().settings;
const change = async (shop: Counter, settings: Settings) => {
  await shop.signIn("M1");
  return shop.press({ type: "change_settings", settings });
};
/** What is protected of some settings. */
const guarded = (settings: Settings) => protectedSettingsSchema.parse(settings);
const named = (shop: Counter) => shop.till.snapshot().header.changedSettings;
const journaled = (shop: Counter, type: string) => shop.entries().filter((one) => one.type === type);

const opened = (options: CounterOptions = {}) => openShop({ settings: careful, ...options }, 1);
/** The file is changed while the program does not run. */
const edited = async (shop: Counter, settings: Settings = loose, changes: CounterOptions = {}) =>
  shop.restart({ settings, ...changes });

describe("a file that was changed by hand", () => {
  test("is not obeyed in what it says about authority and cash, and is in the rest", async () => {
    const shop = await edited(await opened());
    expect(guarded(inForce(shop))).toEqual(guarded(careful));
    expect(inForce(shop).language).toBe("it");
    expect(shop.people().locked).toBe(true);
    await shop.signIn("C2");
    expect(await shop.press({ type: "get_day", reveal: true })).toEqual({ ok: false, code: "approval_needed" });
  });

  test("is named to the manager and in the journal until the settings are saved again", async () => {
    const shop = await edited(await opened());
    expect(named(shop)).toEqual(["drawer", "drawerMoney", "confirmHandOver", "people", "windowMode"]);
    expect(journaled(shop, "act").at(-1)).toMatchObject({
      act: "settings_not_obeyed",
      about: "drawer, drawerMoney, confirmHandOver, people, windowMode",
      actor: "terminal",
    });
    expect(named(await shop.restart())).toEqual(named(shop));
    const again = await shop.restart();
    expect(await change(again, inForce(again))).toEqual({ ok: true });
    expect(named(again)).toEqual([]);
    expect(guarded(again.till.settingsFile.settings)).toEqual(guarded(careful));
    expect(named(await again.restart())).toEqual([]);
  });

  test("is not obeyed over a checkpoint either", async () => {
    const shop = await edited(await opened({ checkpointEvery: 1 }), loose);
    const again = await shop.restart({ journal: (shop.till.journal as MemoryJournal).archived() });
    expect(again.types()[0]).toBe("checkpoint");
    expect(guarded(inForce(again))).toEqual(guarded(careful));
  });

  test("an older file that was right once is an edited one", async () => {
    const shop = await opened({ settings: loose });
    expect(await change(shop, { ...loose, people: careful.people })).toEqual({ ok: true });
    const again = await edited(shop, loose);
    expect(inForce(again).people).toEqual(careful.people);
    expect(named(again)).toEqual(["people"]);
  });

  test("opens nothing for a payment: kicks and 'not handed out' go by the journal's settings", async () => {
    const shop = await opened({ settings: { ...careful, drawerMoney: loose.drawerMoney } });
    await shop.signIn("C2");
    await settle(shop);
    const again = await edited(shop);
    await again.till.clock.advance(1_500);
    await again.signIn("C2");
    await again.press({ type: "hand_out" });
    expect(again.till.drawer.opens).toBe(1);
    const approval = { person: "C2", pin: "4829" };
    const deny = { type: "not_handed_out", reason: "other", approval };
    expect(await again.press(deny)).toEqual({ ok: false, code: "approval_needed" });
  });

  test("of a terminal that keeps the usual settings is named as well", async () => {
    const shop = await edited(await openShop({}, 1), { ...settingsSchema.parse({}), confirmHandOver: false });
    expect([inForce(shop).confirmHandOver, named(shop)]).toEqual([true, ["confirmHandOver"]]);
  });
});

describe("what a manager changes", () => {
  test("is in the journal with the manager's code, and holds after a restart", async () => {
    const shop = await opened();
    const next = { ...careful, people: { ...careful.people, cashiersSignIn: false } };
    expect(await change(shop, next)).toEqual({ ok: true });
    expect(journaled(shop, "settings_recorded")).toMatchObject([
      { why: "changed", actor: "M1", settings: { people: next.people } },
    ]);
    const again = await shop.restart();
    expect([inForce(again), named(again)]).toEqual([next, []]);
  });

  test("and has nothing to do with authority or cash is no such entry", async () => {
    const shop = await opened();
    await change(shop, { ...careful, language: "de" });
    expect(journaled(shop, "settings_recorded")).toEqual([]);
    expect((await shop.restart()).till.snapshot().settings.language).toBe("de");
  });

  test("is refused while the journal takes nothing, and while the file takes nothing", async () => {
    const journal = new MemoryJournal();
    const shop = await opened({ journal });
    await shop.signIn("M1");
    const refused = { ok: false, code: "failed" };
    journal.full = true;
    expect(await shop.press({ type: "change_settings", settings: loose })).toEqual(refused);
    expect(shop.till.settingsFile.settings).toEqual(careful);
    journal.full = false;
    shop.till.settingsFile.isFull = true;
    expect(await shop.press({ type: "change_settings", settings: loose })).toEqual(refused);
    expect(guarded(inForce(shop))).toEqual(guarded(careful));
    const again = await shop.restart();
    expect([guarded(inForce(again)), named(again)]).toEqual([guarded(careful), []]);
  });
});

test.each([
  ["a loose one", 60, 5],
  ["one that locks sooner", 2, 2],
])("where it is not known what a manager chose, the strictest of all is in force: %s", (_, lockAfterMinutes, locks) => {
  const { people, drawerMoney } = loose;
  const file = protectedOf({
    ...loose,
    openOnSettled: true,
    people: { ...people, lockAfterMinutes },
    drawerMoney: { ...drawerMoney, differenceMinor: 500 },
  });
  expect(strictest(file)).toEqual({
    ...file,
    confirmHandOver: true,
    openOnSettled: false,
    people: { cashiersSignIn: true, lockAfterMinutes: locks, notHandedOutBy: "manager" },
    drawerMoney: { enabled: false, managerFor: ["cash_moves", "expected", "close"], differenceMinor: 0 },
  });
});

describe("without the journal's word", () => {
  const withoutIt = (shop: Counter): MemoryJournal => {
    const journal = new MemoryJournal();
    const { entries } = shop.till.journal as MemoryJournal;
    journal.entries = entries.map((entry) => {
      const { settings: _, ...body } = JSON.parse(entry.body);
      return { ...entry, body: JSON.stringify(body) };
    });
    return journal;
  };

  test("an earlier version's journal takes the file's over once, and says so", async () => {
    const shop = await edited(await opened(), careful, {});
    const upgraded = await shop.restart({ journal: withoutIt(shop), settings: careful });
    expect(journaled(upgraded, "settings_recorded")).toMatchObject([{ why: "upgrade", actor: "terminal" }]);
    const again = await edited(upgraded);
    expect(guarded(inForce(again))).toEqual(guarded(careful));
    expect(journaled(again, "settings_recorded")).toHaveLength(1);
  });

  const strict = {
    confirmHandOver: true,
    people: { cashiersSignIn: true, lockAfterMinutes: 5, notHandedOutBy: "manager" },
    drawerMoney: { managerFor: ["cash_moves", "expected", "close"], differenceMinor: 0 },
  };
  test.each<[string, (shop: Counter) => CounterOptions]>([
    [
      "damaged",
      (shop) => {
        const journal = withoutIt(shop);
        journal.damaged.push({ sequence: 1, why: "hash" });
        return { journal };
      },
    ],
    ["gone", () => ({ journal: new MemoryJournal(), hasEarlierLife: true })],
  ])("where it is %s the stricter holds until a manager sets it, also after the next start", async (_, lose) => {
    const shop = await opened();
    const after = await edited(shop, loose, lose(shop));
    expect(inForce(after)).toMatchObject(strict);
    const again = await edited(after, loose, { hasEarlierLife: false });
    expect(inForce(again)).toMatchObject(strict);
    expect(named(again)).toContain("people");
    expect(await change(again, loose)).toEqual({ ok: true });
    expect(inForce(await again.restart())).toMatchObject({ people: loose.people });
  });

  test("a terminal's first life takes what is there, from its first entry on", async () => {
    const first = await openCounter({ credential: null, settings: loose });
    expect(inForce(first).people).toEqual(loose.people);
    await first.press({ type: "set_manager_pin", name: "Ida", pin: managerPin });
    expect(await first.press({ type: "enroll", ...key })).toEqual({ ok: true });
    const again = await first.restart({ settings: careful, credential: key });
    expect([inForce(again).people, named(again)]).toEqual([
      loose.people,
      ["drawer", "drawerMoney", "confirmHandOver", "people", "windowMode"],
    ]);
  });
});

test("another shop's journal goes on with the settings of this terminal, not with its own of then", async () => {
  const shop = await opened();
  await shop.signIn("M1");
  const other = { ...key, serviceUrl: "https://other", merchantId: "other-shop" };
  expect(await shop.press({ type: "enroll", ...other })).toEqual({ ok: true });
  expect(guarded(inForce(shop))).toEqual(guarded(careful));
  const next = { ...careful, people: { ...careful.people, lockAfterMinutes: 9 } };
  expect(await change(shop, next)).toEqual({ ok: true });
  const back = { ...key, serviceUrl: "http://service" };
  expect(await shop.press({ type: "enroll", ...back })).toEqual({ ok: true });
  expect([inForce(shop).people, named(shop)]).toEqual([next.people, []]);
});

test("a shop whose people are lost and whose settings were changed by hand opens nothing more", async () => {
  const shop = await opened();
  await shop.signIn("M1");
  rmSync(path.join(shop.folder, "people.json"));
  const again = await edited(shop);
  expect(await again.press({ type: "scan", text: "x", source: "typed" })).toEqual({ ok: false, code: "people_lost" });
  expect(await again.press({ type: "get_day", reveal: true })).toEqual({ ok: false, code: "people_lost" });
});
