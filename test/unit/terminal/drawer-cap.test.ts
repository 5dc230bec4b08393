/** The drawer as a limit: no customer is asked to pay for cash that is not in it, or that is promised to another. */
import { describe, expect, test } from "vitest";
import { shopReadMs } from "../../../main/terminal/bounds.ts";
import { counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import type { CashCount } from "../../../preload/contract.ts";
import { cashier, close, count, manager, move, none, on, open, payable, rig, sum } from "./day-stage.ts";
import { idNumber, type Rig } from "./rig.ts";

const refused = (code: string) => ({ ok: false, code });
/** A barcode in the review: 50.00 EUR unless told otherwise. */
const review = async (till: Rig, number: number, more: { amount?: string; currency?: string } = {}) => {
  const order = till.service.order({ transaction_id: idNumber(number), ...more });
  await till.clock.advance(3_000);
  await till.scan(idNumber(number));
  expect(till.screen().kind).toBe("review");
  return order;
};
const confirm = (till: Rig) => till.send({ type: "confirm" });
const opened = async (float: CashCount): Promise<Rig> => {
  const till = await rig();
  await open(till, float);
  return till;
};

describe("a withdrawal that the drawer cannot pay", () => {
  test("is not confirmed, by a cent, whoever presses; after cash was put in it is", async () => {
    const till = await opened(sum(4_999));
    await review(till, 1);
    expect(till.screen()).toMatchObject({ kind: "review", drawer: "short", missing: "50.00" });
    for (const by of [counterActor, cashier, manager])
      expect(await till.terminal.dispatch({ type: "confirm", step: till.screen().step }, by)).toEqual(
        refused("drawer_short"),
      );
    expect(till.service.calls("confirm")).toEqual([]);
    expect(await till.send({ type: "reject" })).toEqual({ ok: true });
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "rejected", drawer: "short" });
    await till.clock.advance(5_000);
    await till.send({ type: "dismiss" });
    await move(till, "in", 1, "a");
    await review(till, 2);
    expect(till.screen()).toMatchObject({ drawer: "ok", missing: null });
    expect(await confirm(till)).toEqual({ ok: true });
  });

  test("says to the cent what is missing where everybody may see the expected sum", async () => {
    const till = await rig({ settings: { drawerMoney: { ...on.drawerMoney, managerFor: [] } } });
    await open(till, sum(4_999));
    await review(till, 1);
    expect(till.screen()).toMatchObject({ drawer: "short", missing: "0.01" });
  });

  test.each([
    ["JPY", "20000", "1", "5000"],
    ["VND", "500000", "50000", "250000"],
    ["KWD", "50.000", "1.000", "50.000"],
  ])("says in no finer steps of %s what is missing", async (currency, amount, step, missing) => {
    const till = await rig();
    const limits = { currency, amount_min: step, amount_max: amount, amount_step: step };
    till.service.shop = { store_name: "Shop", ...limits };
    await till.clock.advance(shopReadMs);
    const minor = Number(amount.replace(".", ""));
    await till.send({ type: "open_day", number: 1, currency, count: sum(minor - 1), isEmpty: false });
    await review(till, 1, { currency, amount });
    expect(till.screen()).toMatchObject({ drawer: "short", missing });
  });

  test("nor is it confirmed when somebody closed the day while it was on the screen", async () => {
    const till = await opened(sum(20_000));
    await review(till, 1);
    await count(till, sum(20_000));
    expect(await close(till, { takeOut: none })).toEqual({ ok: true });
    expect(await confirm(till)).toEqual(refused("no_day"));
  });

  test("what was paid before is handed out, whatever the drawer holds by then", async () => {
    const till = await opened(sum(5_000));
    await payable(till, 1);
    expect(await move(till, "out", 5_000, "a")).toEqual({ ok: true });
    expect(await till.send({ type: "hand_out" })).toEqual({ ok: true });
    expect(till.drawer.opens).toBe(1);
  });
});
