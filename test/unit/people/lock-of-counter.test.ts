/** A lock of the computer where nobody signs in: whoever pressed may be gone there, too. */
import { expect, test } from "vitest";
import { idNumber } from "../terminal/rig.ts";
import { networkDrawer, openShop, settle, signInRule } from "./stage.ts";

const id = idNumber(1);
const shopWith = async (cashiersSignIn: boolean, more = {}) => {
  const people = { ...signInRule, cashiersSignIn };
  const shop = await openShop({ settings: { drawer: networkDrawer, people, ...more } }, 1);
  if (cashiersSignIn) await shop.signIn("C2");
  return shop;
};

test.each([true, false])(
  "while the customer approves: the drawer opens for nobody (cashiers sign in: %s)",
  async (signsIn) => {
    const shop = await shopWith(signsIn, { openOnSettled: true });
    const order = shop.till.service.order({ transaction_id: id });
    await shop.press({ type: "scan", text: id, source: "typed" });
    await shop.press({ type: "confirm" });
    shop.guard.lock();
    order.status = "settled";
    await shop.till.clock.advance(1_500);
    expect([shop.till.screen().kind, shop.till.drawer.opens]).toEqual(["payable", 0]);
  },
);

test.each([true, false])("while cash is offered: the customer is asked for (cashiers sign in: %s)", async (signsIn) => {
  const shop = await settle(await shopWith(signsIn));
  shop.guard.lock();
  expect(shop.till.screen()).toMatchObject({ kind: "payable", recovered: true });
});

test.each([true, false])(
  "while a press waits for the service: it is forgotten (cashiers sign in: %s)",
  async (signsIn) => {
    const shop = await settle(await shopWith(signsIn));
    await shop.till.clock.advance(60_000);
    shop.till.service.fault = () => "drop";
    await shop.press({ type: "hand_out" });
    expect(shop.till.screen()).toMatchObject({ kind: "opening", drawer: "checking" });
    shop.guard.lock();
    await shop.till.clock.advance(60_000);
    expect(shop.till.drawer.opens).toBe(0);
  },
);
