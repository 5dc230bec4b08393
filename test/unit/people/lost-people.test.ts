/** Without the list of people more is asked, never less: until the operator's code, the drawer opens once a payment and nobody's PIN is taken. */
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { settingsSchema } from "../../../preload/contract.ts";
import type { FakeService } from "../terminal/fake-service.ts";
import { idNumber, MemoryJournal } from "../terminal/rig.ts";
import {
  answer,
  type Counter,
  type CounterOptions,
  key,
  managerPin,
  networkDrawer,
  openCounter,
  openShop,
  settle,
  signInRule,
} from "./stage.ts";

const people = { ...signInRule, lockAfterMinutes: 60 };
const lost = { ok: false, code: "people_lost" };

const deny = { type: "not_handed_out", reason: "customer_left" };

/** Damaged, the list is as lost: `rights.test.ts`. */
const lose = (shop: Counter) => rmSync(path.join(shop.folder, "people.json"));

/** A shop with a manager and a cashier in its journal, one payment settled, and its people spoilt. */
const robbed = async (): Promise<Counter> => {
  const shop = await openShop({ settings: { drawer: networkDrawer, people } }, 1);
  await shop.signIn("M1");
  await shop.signIn("C2");
  await settle(shop);
  lose(shop);
  const after = await shop.restart();
  await after.till.clock.advance(1_500);
  expect(after.till.screen().kind).toBe("payable");
  return after;
};
const redeem = (shop: Counter) => {
  shop.till.service.fault = (request) =>
    request.path === "/ext/v1/manager-resets" ? answer(201, { merchant_id: "demo-shop", device_id: "till-1" }) : null;
  const who = { kind: "new", name: "Ida" };
  return shop.press({ type: "reset_manager", code: "7F3K-9Q2M-4XTZ", who, pin: "730514" });
};

/** The new manager stands at the counter. */
const atCounter = async (shop: Counter): Promise<void> => {
  const person = shop.people().manager?.code;
  expect(await shop.signIn(person ?? "", "730514", "cashier")).toEqual({ ok: true });
};

describe("people.json deleted", () => {
  test("the drawer opens once for the payment, and the cash leaves", async () => {
    const shop = await robbed();
    expect(await shop.press({ type: "hand_out" })).toEqual({ ok: true });
    for (let more = 0; more < 5; more += 1) expect(await shop.press({ type: "open_drawer" })).toEqual(lost);
    expect(shop.till.drawer.opens).toBe(1);
    expect(await shop.press({ type: "hand_out" })).toEqual({ ok: true });
    expect(shop.types()).toContain("handed_out");
  });

  test("what was opened before it was lost is not opened again", async () => {
    const shop = await robbed();
    await shop.press({ type: "hand_out" });
    const again = await shop.restart();
    await again.till.clock.advance(1_500);
    expect(await again.press({ type: "hand_out" })).toEqual(lost);
    expect(again.till.drawer.opens).toBe(0);
    expect(await again.press({ type: "hand_out", alreadyGiven: true })).toEqual({ ok: true });
  });

  test("'not handed out' after the drawer was open waits for the operator's code", async () => {
    const shop = await robbed();
    await shop.press({ type: "hand_out" });
    expect(await shop.press(deny)).toEqual(lost);
    const approval = { person: "C2", pin: "4829" };
    expect(await shop.press({ ...deny, approval })).toEqual(lost);
    expect(await redeem(shop)).toMatchObject({ ok: true });
    await atCounter(shop);
    expect(await shop.press(deny)).toEqual({ ok: true });
  });

  test("nobody signs in, and where cashiers do no new withdrawal begins", async () => {
    const shop = await robbed();
    expect(await shop.signIn("C2")).toEqual(lost);
    await shop.press({ type: "hand_out" });
    await shop.press({ type: "hand_out" });
    expect(await shop.press({ type: "scan", text: "x", source: "typed" })).toEqual(lost);
    expect(shop.people()).toMatchObject({ locked: false, guarded: true });
    expect(await redeem(shop)).toMatchObject({ ok: true });
    await atCounter(shop);
    expect(await shop.press({ type: "scan", text: "x", source: "typed" })).toMatchObject({ code: "not_an_id" });
  });

  test("no drawer opens without a payment, for a count or for cash that goes in", async () => {
    const drawerMoney = settingsSchema.parse({ drawerMoney: { enabled: true, managerFor: [] } }).drawerMoney;
    const before = await openShop({ settings: { drawer: networkDrawer, drawerMoney } }, 1);
    await before.signIn("M1");
    lose(before);
    const shop = await before.restart();
    const count = { pieces: [], otherMinor: 10_000 };
    expect(await shop.press({ type: "no_sale", number: 1, reason: "cash_count", note: "" })).toEqual(lost);
    await shop.press({ type: "open_day", number: 1, currency: "EUR", count });
    const move = { number: 1, direction: "in", amountMinor: 100, count: null, reason: "bank", note: "", moveId: "1" };
    expect(await shop.press({ type: "move_cash", ...move })).toEqual({ ok: true });
    await shop.till.clock.advance(1_500);
    expect(shop.till.drawer.opens).toBe(0);
  });

  test("cash moves and the expected sum wait too, whether cashiers sign in or not", async () => {
    const managerFor = ["cash_moves", "expected", "close"];
    const { drawerMoney } = settingsSchema.parse({ drawerMoney: { enabled: true, managerFor } });
    const settings = { drawer: { kind: "none" } as const, drawerMoney };
    const before = await openShop({ settings }, 1);
    await before.signIn("M1");
    lose(before);
    const shop = await before.restart();
    const count = { pieces: [], otherMinor: 10_000 };
    expect(await shop.press({ type: "open_day", number: 1, currency: "EUR", count })).toEqual({ ok: true });
    const move = { number: 1, direction: "out", amountMinor: 100, count: null, reason: "bank", note: "", moveId: "1" };
    expect(await shop.press({ type: "move_cash", ...move })).toEqual(lost);
    expect(await shop.press({ type: "get_day", reveal: true })).toEqual(lost);
  });
});

describe("with the journal gone or damaged as well", () => {
  const firstPin = (shop: Counter) => shop.press({ type: "set_manager_pin", name: "Eve", pin: "730514" });
  const without = async (changes: CounterOptions): Promise<Counter> => {
    const shop = await openShop();
    await shop.signIn("M1");
    lose(shop);
    return shop.restart(changes);
  };

  test("a copy of before the first PIN, put back without a cable, takes none and serves nobody until the service was heard", async () => {
    const service = (await without({ journal: new MemoryJournal() })).till.service;
    service.fault = () => ({ kind: "silence", why: "refused" });
    const shop = await openCounter({ service, settings: settingsSchema.parse({ people: { cashiersSignIn: true } }) });
    await shop.till.clock.advance(10_000);
    expect(await firstPin(shop)).toEqual({ ok: false, code: "unreachable" });
    const scan = { type: "scan", text: idNumber(9), source: "typed" } as const;
    expect(await shop.press(scan)).toEqual({ ok: false, code: "unreachable" });
    service.fault = () => null;
    // An idle terminal asks again within a minute.
    await shop.till.clock.advance(60_000);
    expect(await shop.press(scan)).toEqual({ ok: true });
    expect(await firstPin(shop)).toMatchObject({ ok: true });
  });

  test("a copy of just before the first PIN takes none: the service was told at once that there are people", async () => {
    const shop = await openCounter();
    const journal = (shop.till.journal as MemoryJournal).cut(shop.types().length);
    expect(await firstPin(shop)).toMatchObject({ ok: true });
    lose(shop);
    const copy = await shop.restart({ journal });
    await copy.till.clock.advance(1_500);
    expect(copy.people().managers).toBe("lost");
    expect(await firstPin(copy)).toEqual({ ok: false, code: "denied" });
    expect(await redeem(copy)).toMatchObject({ ok: true });
  });

  test.each<[string, (service: FakeService) => void, string, string]>([
    [
      "does not answer now",
      (service) => {
        service.fault = () => ({ kind: "silence", why: "timeout" });
      },
      "unreachable",
      "none",
    ],
    [
      "has heard of another machine's journal since",
      (service) => void service.heads.push({ seq: 40, head: "another-journal" }),
      "denied",
      "lost",
    ],
    [
      "has heard since of one that goes on otherwise, and is shorter",
      (service) => void service.heads.splice(0, Number.POSITIVE_INFINITY, { seq: 1, head: "another-journal" }),
      "denied",
      "lost",
    ],
  ])("a service that answered in this run, and %s: no first PIN is taken", async (_, happens, code, managers) => {
    const shop = await openCounter();
    happens(shop.till.service);
    expect(await firstPin(shop)).toEqual({ ok: false, code });
    expect(shop.people()).toMatchObject({ managers, manager: null, list: [] });
    expect(existsSync(path.join(shop.folder, "people.json"))).toBe(false);
  });

  test("in training a first PIN waits for no service", async () => {
    const shop = await openCounter({ training: true });
    shop.till.service.fault = () => ({ kind: "silence", why: "timeout" });
    expect(await firstPin(shop)).toMatchObject({ ok: true });
  });

  test("one lost answer keeps a till without people closed for seconds, not for minutes", async () => {
    const service = (await without({ journal: new MemoryJournal() })).till.service;
    let lost = 0;
    service.fault = ({ path }) =>
      path.startsWith("/ext/v1/journal-heads") && lost++ === 0 ? { kind: "silence", why: "timeout" } : null;
    const shop = await openCounter({ service });
    await shop.till.clock.advance(20_000);
    expect(lost).toBeGreaterThan(1);
    expect(await firstPin(shop)).toMatchObject({ ok: true });
  });

  test("files of an earlier life keep the first PIN closed, also at the next start", async () => {
    const shop = await without({ journal: new MemoryJournal(), hasEarlierLife: true });
    expect(shop.people().managers).toBe("lost");
    expect(await firstPin(shop)).toEqual({ ok: false, code: "denied" });
    const next = await shop.restart({ hasEarlierLife: false });
    expect(await firstPin(next)).toEqual({ ok: false, code: "denied" });
    expect(await redeem(next)).toMatchObject({ ok: true });
  });

  test("it is remembered over a checkpoint", async () => {
    const shop = await without({ journal: new MemoryJournal(), hasEarlierLife: true, checkpointEvery: 1 });
    const later = await shop.restart();
    const next = await later.restart({
      journal: (later.till.journal as MemoryJournal).archived(),
      hasEarlierLife: false,
    });
    expect(next.types()[0]).toBe("checkpoint");
    expect(next.people().managers).toBe("lost");
  });

  test("damaged entries keep it closed: nobody knows whom they named", async () => {
    const journal = new MemoryJournal();
    journal.damaged.push({ sequence: 2, why: "hash" });
    const shop = await without({ journal });
    expect(await firstPin(shop)).toEqual({ ok: false, code: "denied" });
  });

  test("the journal of another shop beside this one keeps it closed", async () => {
    const journal = new MemoryJournal();
    journal.beside.set("other", []);
    const shop = await without({ journal });
    expect(await firstPin(shop)).toEqual({ ok: false, code: "denied" });
  });

  test("with the key gone too the operator's enrolment code is the way back, and nobody else's word", async () => {
    const shop = await without({ journal: new MemoryJournal(), hasEarlierLife: true, credential: null });
    expect(await firstPin(shop)).toEqual({ ok: false, code: "denied" });
    expect(await shop.press({ type: "enroll", ...key })).toEqual({ ok: false, code: "manager_needed" });
    expect(await redeem(shop)).toEqual({ ok: false, code: "unreachable" });
    const granted = { merchant_id: "demo-shop", device_id: "till-1", password: "till-secret" };
    shop.till.service.fault = (request) => (request.path === "/ext/v1/enrolments" ? answer(201, granted) : null);
    const code = { type: "enroll_by_code", serviceUrl: "https://service", code: "7F3K9Q2M4XTZ" };
    expect(await shop.press(code)).toEqual({ ok: true });
    expect(await shop.press(code)).toEqual({ ok: false, code: "manager_needed" });
    expect(await redeem(shop)).toMatchObject({ ok: true });
  });
});

describe("a new folder whose device the service knows from before", () => {
  const enrolled = async (): Promise<Counter> => {
    const shop = await openCounter({ credential: null });
    shop.till.service.heads.push({ seq: 40, head: "another-journal" });
    await shop.press({ type: "set_manager_pin", name: "Eve", pin: "730514" });
    expect(await shop.press({ type: "enroll", ...key })).toEqual({ ok: true });
    await shop.till.clock.advance(1_500);
    return shop;
  };

  test("its first manager counts once the operator's code was redeemed", async () => {
    const shop = await enrolled();
    expect(shop.people()).toMatchObject({ managers: "lost", manager: null, list: [] });
    // Its settings are as unknown as its people.
    expect(await shop.press({ type: "scan", text: "x", source: "typed" })).toEqual(lost);
    expect(await shop.press({ type: "list_problems" })).toEqual({ ok: false, code: "manager_needed" });
    expect(await shop.signIn("M1", "730514")).toEqual(lost);
    const next = await shop.restart({ credential: key, checkpointEvery: 1 });
    expect(next.people().managers).toBe("lost");
    const later = await next.restart({ credential: key, journal: (next.till.journal as MemoryJournal).archived() });
    expect(later.people().managers).toBe("lost");
    expect(await redeem(later)).toEqual({ ok: true, data: "M2" });
    expect(later.people()).toMatchObject({ managers: "set", manager: { code: "M2" }, list: [{ code: "M2" }] });
  });

  test("a first PIN waits where another machine's link reaches a service that had none between the question and the report", async () => {
    const shop = await openCounter({ settings: settingsSchema.parse({}) });
    await shop.till.clock.advance(1_500);
    const { service } = shop.till;
    service.heads.length = 0;
    service.fault = ({ path, method }) => {
      const isReport = path === "/ext/v1/journal-heads" && method === "POST";
      if (isReport && service.heads.length === 0) service.heads.push({ seq: 40, head: "another-journal" });
      return null;
    };
    const firstPin = { type: "set_manager_pin", name: "Eve", pin: "730514" };
    expect(await shop.press(firstPin)).toEqual({ ok: false, code: "unreachable" });
    expect(await shop.press(firstPin)).toEqual({ ok: false, code: "denied" });
    expect(shop.types()).toContain("journal_forked");
    expect(shop.people()).toMatchObject({ managers: "lost", list: [] });
  });

  test("a fork of a terminal that has paid out leaves its people alone", async () => {
    const shop = await openCounter({ credential: null, settings: { drawer: { kind: "none" } } });
    await shop.press({ type: "set_manager_pin", name: "Ida", pin: managerPin });
    await shop.press({ type: "enroll", ...key });
    await settle(shop);
    shop.till.service.heads.push({ seq: 40, head: "another-journal" });
    const next = await shop.restart({ credential: key });
    await next.till.clock.advance(60_000);
    expect(next.types()).toContain("journal_forked");
    expect(next.people().managers).toBe("set");
  });
});
