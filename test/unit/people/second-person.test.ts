/** What one person at the counter cannot do alone with one withdrawal's money: the drawer again and again, and "not handed out". */
import { describe, expect, test } from "vitest";
import {
  type Counter,
  type CounterOptions,
  managerPin,
  networkDrawer,
  openCounter,
  openShop,
  settle,
  signInRule,
} from "./stage.ts";

const manager = { person: "M1", pin: managerPin };
const rules = (people: object = {}) => ({
  drawer: networkDrawer,
  people: { ...signInRule, lockAfterMinutes: 60, ...people },
});

const shopWith = async (options: CounterOptions): Promise<Counter> => {
  const shop = await openShop(options, 2);
  await shop.signIn("C2");
  return settle(shop);
};
const needsApproval = { ok: false, code: "approval_needed" };
const entry = (shop: Counter, type: string) => shop.entries().findLast((one) => one.type === type);

describe("one settled withdrawal", () => {
  test("opens the drawer twice; the third time a manager agrees, and the journal says who", async () => {
    const shop = await shopWith({ settings: rules() });
    expect(await shop.press({ type: "hand_out" })).toEqual({ ok: true });
    expect(await shop.press({ type: "open_drawer" })).toEqual({ ok: true });
    expect(await shop.press({ type: "open_drawer" })).toEqual(needsApproval);
    expect(shop.till.drawer.opens).toBe(2);
    const wrong = { ...manager, pin: "771133" };
    expect(await shop.press({ type: "open_drawer", approval: wrong })).toMatchObject({ code: "wrong_pin" });
    const other = { person: "C3", pin: "9157" };
    expect(await shop.press({ type: "open_drawer", approval: other })).toEqual(needsApproval);
    expect(shop.till.drawer.opens).toBe(2);
    expect(await shop.press({ type: "open_drawer", approval: manager })).toEqual({ ok: true });
    expect(shop.till.drawer.opens).toBe(3);
    expect(entry(shop, "drawer_reopened")).toMatchObject({ actor: "C2", approvedBy: "M1" });
  });

  test.each<[string, boolean, (shop: Counter) => unknown]>([
    ["the counter is locked", true, ({ guard }) => guard.lock()],
    ["a counter where nobody signs in is locked", false, ({ guard }) => guard.lock()],
    ["the cashier signs out", true, ({ guard }) => guard.dispatch({ type: "sign_out", as: "cashier" })],
  ])("stays shut when %s while a manager's PIN is checked", async (_, cashiersSignIn, leave) => {
    const shop = await shopWith({ settings: rules({ cashiersSignIn }) });
    await shop.press({ type: "hand_out" });
    await shop.press({ type: "open_drawer" });
    const answered = shop.press({ type: "open_drawer", approval: manager });
    await leave(shop);
    expect(await answered).toEqual({ ok: false, code: "locked" });
    expect(shop.till.drawer.opens).toBe(2);
    await shop.signIn("C2");
    expect(await shop.press({ type: "open_drawer", approval: manager })).toEqual({ ok: true });
  });

  test("has its kicks counted over a restart", async () => {
    const shop = await shopWith({ settings: rules() });
    await shop.press({ type: "hand_out" });
    await shop.press({ type: "open_drawer" });
    const again = await shop.restart();
    await again.till.clock.advance(1_500);
    await again.signIn("C2");
    expect(again.till.screen()).toMatchObject({ kind: "payable", handOutBegun: true });
    expect(await again.press({ type: "hand_out" })).toEqual(needsApproval);
    expect(await again.press({ type: "hand_out", approval: manager })).toEqual({ ok: true });
  });

  test("is not handed out on one person's word once the drawer was open", async () => {
    const shop = await shopWith({ settings: rules() });
    await shop.press({ type: "hand_out" });
    const deny = { type: "not_handed_out", reason: "customer_left" };
    expect(await shop.press(deny)).toEqual(needsApproval);
    const other = { person: "C3", pin: "9157" };
    expect(await shop.press({ ...deny, approval: other })).toEqual(needsApproval);
    expect(await shop.press({ ...deny, approval: manager })).toEqual({ ok: true });
    expect(entry(shop, "not_handed_out")).toMatchObject({ actor: "C2", approvedBy: "M1" });
  });

  test("is denied by a second cashier where the manager allows that, never by the same one twice", async () => {
    const shop = await shopWith({ settings: rules({ notHandedOutBy: "second_person" }) });
    await shop.press({ type: "hand_out" });
    const deny = { type: "not_handed_out", reason: "customer_left" };
    const same = { person: "C2", pin: "4829" };
    expect(await shop.press({ ...deny, approval: same })).toEqual(needsApproval);
    const other = { person: "C3", pin: "9157" };
    expect(await shop.press({ ...deny, approval: other })).toEqual({ ok: true });
    expect(entry(shop, "not_handed_out")).toMatchObject({ actor: "C2", approvedBy: "C3" });
  });

  test("is not denied by a cashier's own PIN where nobody signs in: a manager must agree", async () => {
    const shop = await settle(
      await openShop({ settings: rules({ cashiersSignIn: false, notHandedOutBy: "second_person" }) }, 1),
    );
    await shop.press({ type: "hand_out" });
    const deny = { type: "not_handed_out", reason: "customer_left" };
    const own = { person: "C2", pin: "4829" };
    expect(await shop.press({ ...deny, approval: own })).toEqual(needsApproval);
    expect(await shop.press({ ...deny, approval: manager })).toEqual({ ok: true });
    expect(entry(shop, "not_handed_out")).toMatchObject({ actor: "counter", approvedBy: "M1" });
  });

  test("before the drawer was opened, or when it never could be, needs nobody else", async () => {
    const early = await shopWith({ settings: rules() });
    expect(await early.press({ type: "not_handed_out", reason: "customer_left" })).toEqual({ ok: true });

    const broken = await shopWith({ settings: rules() });
    broken.till.drawer.answers.push("failed");
    await broken.press({ type: "hand_out" });
    expect(broken.till.screen()).toMatchObject({ kind: "opening", drawer: "failed" });
    expect(await broken.press({ type: "not_handed_out", reason: "drawer_failed" })).toEqual({ ok: true });
  });
});

test("an installation without a PIN pays out as before", async () => {
  const counter = await settle(await openCounter({ settings: { drawer: networkDrawer } }));
  await counter.press({ type: "hand_out" });
  for (let more = 0; more < 3; more += 1) expect(await counter.press({ type: "open_drawer" })).toEqual({ ok: true });
  expect(await counter.press({ type: "not_handed_out", reason: "other" })).toEqual({ ok: true });
  expect(entry(counter, "not_handed_out")).toMatchObject({ actor: "counter", approvedBy: null });
});
