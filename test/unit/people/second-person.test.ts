/** What one person at the counter cannot do alone with one withdrawal's money: the drawer again and again, and "not handed out". */
import { describe, expect, test } from "vitest";
import type { Command } from "../../../preload/contract.ts";
import { type Counter, type CounterOptions, managerPin, openCounter, openShop, settle } from "./stage.ts";

const manager = { person: "M1", pin: managerPin };
const drawer = {
  kind: "network",
  host: "10.0.0.9",
  port: 9100,
  sensor: false,
  pulse: { pin: 2, onMs: 50, offMs: 250 },
} as const;
const rules = (people: object = {}) => ({
  drawer,
  people: { cashiersSignIn: true, lockAfterMinutes: 60, notHandedOutBy: "manager", ...people } as const,
});

const shopWith = async (options: CounterOptions): Promise<Counter> => {
  const shop = await openShop(options, "4829", "9157");
  await shop.press({ type: "sign_in", person: "C2", pin: "4829", as: "cashier" } as Command);
  return settle(shop);
};
const needsApproval = { ok: false, code: "approval_needed" };
const entry = (shop: Counter, type: string) =>
  [...shop.till.journal.read().entries]
    .map(({ body }) => JSON.parse(body) as { type: string; actor: string; approvedBy?: string | null })
    .findLast((one) => one.type === type);

describe("one settled withdrawal", () => {
  test("opens the drawer twice; the third time a manager agrees, and the journal says who", async () => {
    const shop = await shopWith({ settings: rules() });
    expect(await shop.press({ type: "hand_out" } as Command)).toEqual({ ok: true });
    expect(await shop.press({ type: "open_drawer" } as Command)).toEqual({ ok: true });
    expect(await shop.press({ type: "open_drawer" } as Command)).toEqual(needsApproval);
    expect(shop.till.drawer.opens).toBe(2);
    const wrong = { ...manager, pin: "771133" };
    expect(await shop.press({ type: "open_drawer", approval: wrong } as Command)).toMatchObject({ code: "wrong_pin" });
    const other = { person: "C3", pin: "9157" };
    expect(await shop.press({ type: "open_drawer", approval: other } as Command)).toEqual(needsApproval);
    expect(shop.till.drawer.opens).toBe(2);
    expect(await shop.press({ type: "open_drawer", approval: manager } as Command)).toEqual({ ok: true });
    expect(shop.till.drawer.opens).toBe(3);
    expect(entry(shop, "drawer_reopened")).toMatchObject({ actor: "C2", approvedBy: "M1" });
  });

  test.each<[string, boolean, (shop: Counter) => unknown]>([
    ["the counter is locked", true, ({ guard }) => guard.lock()],
    ["a counter where nobody signs in is locked", false, ({ guard }) => guard.lock()],
    ["the cashier signs out", true, ({ guard }) => guard.dispatch({ type: "sign_out", as: "cashier" })],
  ])("stays shut when %s while a manager's PIN is checked", async (_, cashiersSignIn, leave) => {
    const shop = await shopWith({ settings: rules({ cashiersSignIn }) });
    await shop.press({ type: "hand_out" } as Command);
    await shop.press({ type: "open_drawer" } as Command);
    const answered = shop.press({ type: "open_drawer", approval: manager } as Command);
    await leave(shop);
    expect(await answered).toEqual({ ok: false, code: "locked" });
    expect(shop.till.drawer.opens).toBe(2);
    await shop.press({ type: "sign_in", person: "C2", pin: "4829", as: "cashier" } as Command);
    expect(await shop.press({ type: "open_drawer", approval: manager } as Command)).toEqual({ ok: true });
  });

  test("has its kicks counted over a restart", async () => {
    const shop = await shopWith({ settings: rules() });
    await shop.press({ type: "hand_out" } as Command);
    await shop.press({ type: "open_drawer" } as Command);
    const again = await shop.restart();
    await again.till.clock.advance(1_500);
    await again.press({ type: "sign_in", person: "C2", pin: "4829", as: "cashier" } as Command);
    expect(again.till.screen()).toMatchObject({ kind: "payable", handOutBegun: true });
    expect(await again.press({ type: "hand_out" } as Command)).toEqual(needsApproval);
    expect(await again.press({ type: "hand_out", approval: manager } as Command)).toEqual({ ok: true });
  });

  test("is not handed out on one person's word once the drawer was open", async () => {
    const shop = await shopWith({ settings: rules() });
    await shop.press({ type: "hand_out" } as Command);
    const deny = { type: "not_handed_out", reason: "customer_left" };
    expect(await shop.press(deny as Command)).toEqual(needsApproval);
    const other = { person: "C3", pin: "9157" };
    expect(await shop.press({ ...deny, approval: other } as Command)).toEqual(needsApproval);
    expect(await shop.press({ ...deny, approval: manager } as Command)).toEqual({ ok: true });
    expect(entry(shop, "not_handed_out")).toMatchObject({ actor: "C2", approvedBy: "M1" });
  });

  test("is denied by a second cashier where the manager allows that, never by the same one twice", async () => {
    const shop = await shopWith({ settings: rules({ notHandedOutBy: "second_person" }) });
    await shop.press({ type: "hand_out" } as Command);
    const deny = { type: "not_handed_out", reason: "customer_left" };
    const same = { person: "C2", pin: "4829" };
    expect(await shop.press({ ...deny, approval: same } as Command)).toEqual(needsApproval);
    const other = { person: "C3", pin: "9157" };
    expect(await shop.press({ ...deny, approval: other } as Command)).toEqual({ ok: true });
    expect(entry(shop, "not_handed_out")).toMatchObject({ actor: "C2", approvedBy: "C3" });
  });

  test("is not denied by a cashier's own PIN where nobody signs in: a manager must agree", async () => {
    const shop = await settle(
      await openShop({ settings: rules({ cashiersSignIn: false, notHandedOutBy: "second_person" }) }, "4829"),
    );
    await shop.press({ type: "hand_out" } as Command);
    const deny = { type: "not_handed_out", reason: "customer_left" };
    const own = { person: "C2", pin: "4829" };
    expect(await shop.press({ ...deny, approval: own } as Command)).toEqual(needsApproval);
    expect(await shop.press({ ...deny, approval: manager } as Command)).toEqual({ ok: true });
    expect(entry(shop, "not_handed_out")).toMatchObject({ actor: "counter", approvedBy: "M1" });
  });

  test("before the drawer was opened, or when it never could be, needs nobody else", async () => {
    const early = await shopWith({ settings: rules() });
    expect(await early.press({ type: "not_handed_out", reason: "customer_left" } as Command)).toEqual({ ok: true });

    const broken = await shopWith({ settings: rules() });
    broken.till.drawer.answers.push("failed");
    await broken.press({ type: "hand_out" } as Command);
    expect(broken.till.screen()).toMatchObject({ kind: "opening", drawer: "failed" });
    expect(await broken.press({ type: "not_handed_out", reason: "drawer_failed" } as Command)).toEqual({ ok: true });
  });
});

test("an installation without a PIN pays out as before", async () => {
  const counter = await settle(await openCounter({ settings: { drawer } }));
  await counter.press({ type: "hand_out" } as Command);
  for (let more = 0; more < 3; more += 1)
    expect(await counter.press({ type: "open_drawer" } as Command)).toEqual({ ok: true });
  expect(await counter.press({ type: "not_handed_out", reason: "other" } as Command)).toEqual({ ok: true });
  expect(entry(counter, "not_handed_out")).toMatchObject({ actor: "counter", approvedBy: null });
});

test("every entry names who did it, or that it followed by itself", async () => {
  const shop = await shopWith({ settings: rules() });
  await shop.press({ type: "hand_out" } as Command);
  await shop.press({ type: "hand_out" } as Command);
  const actors = [...shop.till.journal.read().entries].map(({ body }) => {
    const { type, actor } = JSON.parse(body) as { type: string; actor?: string };
    return `${type} ${actor}`;
  });
  expect(actors).toEqual([
    "book_opened terminal",
    "act C2",
    "confirm_intended C2",
    "confirm_accepted terminal",
    "settled terminal",
    "hand_out_intended C2",
    "drawer_opened terminal",
    "handed_out C2",
    "report_accepted terminal",
  ]);
});
