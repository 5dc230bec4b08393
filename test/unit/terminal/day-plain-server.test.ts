/**
 * The drawer's day with a server of the plain specification, which names no type for `amount` and no currency at all (interface, 4.8): what
 * leaves the drawer lowers what is expected in it, and no more is promised than is in it.
 */
import { describe, expect, test } from "vitest";
import { shopReadMs } from "../../../main/terminal/bounds.ts";
import { expected, open, rig, sum } from "./day-stage.ts";
import { createRig, handOver, idNumber, type Rig } from "./rig.ts";

/** 50.00 as a server shapes it, in the review. */
const review = async (till: Rig, shape: object) => {
  till.service.shape = (fields) => ({ ...fields, ...shape });
  const order = till.service.order({ transaction_id: idNumber(1) });
  await till.scan(idNumber(1));
  expect(till.screen().kind).toBe("review");
  return order;
};
const opened = async (minor: number): Promise<Rig> => {
  const till = await rig();
  await open(till, sum(minor));
  return till;
};
const euros = { money: { amount: "50.00", currency: "EUR" } };
const francs = { store_name: "Shop", currency: "CHF", amount_min: "1.00", amount_max: "90.00", amount_step: "1.00" };

describe.each<[string, object]>([
  ["a currency with a blank behind it", { currency: "eur " }],
  ["the code for no currency", { currency: "XXX" }],
  ["a number without a currency", { amount: 50, currency: undefined }],
  ["a text without cents or a currency", { amount: "50", currency: undefined }],
])("an amount that is said as %s", (_, shape) => {
  test("is missing from the drawer once it is handed out", async () => {
    const till = await opened(20_000);
    const order = await review(till, shape);
    expect(till.screen()).toMatchObject(euros);
    await till.send({ type: "confirm" });
    order.status = "settled";
    await till.clock.advance(1_500);
    await handOver(till);
    expect(order.status).toBe("linked");
    expect(await expected(till)).toBe(15_000);
  });

  test("is not confirmed where the drawer holds a cent less", async () => {
    const till = await opened(4_999);
    await review(till, shape);
    expect(await till.send({ type: "confirm" })).toEqual({ ok: false, code: "drawer_short" });
  });
});

test("a currency in small letters is not taken for the drawer's", async () => {
  const till = await opened(20_000);
  await review(till, { currency: "chf" });
  expect(till.screen()).toMatchObject({ money: { amount: "50.00", currency: "CHF" } });
});

test.each<[string, object]>([
  ["in more digits than its currency has", { amount: "5000.005" }],
  ["in more digits, as a number", { amount: 5000.005 }],
  ["in more digits than the drawer's currency has, and in none", { amount: "5000.005", currency: undefined }],
  ["in digits that its currency has not", { amount: "5000.5", currency: "JPY" }],
  ["larger than any drawer", { amount: "9999999999999.00" }],
  ["in a currency by its number", { currency: 978 }],
  ["in a currency by its number, as a text", { currency: "978" }],
  ["in a currency by its sign", { currency: "€" }],
])("an amount %s is no way past what the drawer holds: its look-up ends", async (_, shape) => {
  const till = await opened(100);
  till.service.shape = (fields) => ({ ...fields, ...shape });
  till.service.order({ transaction_id: idNumber(1) });
  await till.scan(idNumber(1));
  expect(till.screen()).toMatchObject({ kind: "ended", outcome: "service_refused", canRetry: false });
  expect((await till.send({ type: "confirm" })).ok).toBe(false);
  expect(till.service.calls("confirm")).toEqual([]);
});

test("a currency that cannot be read is shown as none where the drawer is counted elsewhere", async () => {
  const till = await createRig();
  await review(till, { currency: 978 });
  expect(till.screen()).toMatchObject({ money: { amount: "50.00", currency: "XXX" } });
  expect(await till.send({ type: "confirm" })).toEqual({ ok: true });
});

test("a currency that is said when it is paid, other than the drawer's in the review, gets no cash", async () => {
  const till = await opened(20_000);
  const order = await review(till, { currency: undefined });
  expect(till.screen()).toMatchObject(euros);
  await till.send({ type: "confirm" });
  till.service.shape = (fields) => ({ ...fields, currency: "CHF" });
  order.status = "settled";
  await till.clock.advance(1_500);
  expect(till.screen()).toMatchObject({ kind: "ended", outcome: "not_handed_out" });
  expect([till.drawer.opens, order.status]).toEqual([0, "undelivered"]);
});

test("without a day the currency is the shop's, in what is over before the review too", async () => {
  const till = await createRig();
  till.service.shop = francs;
  await till.clock.advance(shopReadMs);
  const order = await review(till, { amount: "50", currency: undefined });
  expect(till.screen()).toMatchObject({ money: { amount: "50.00", currency: "CHF" } });
  await till.send({ type: "reject" });
  await till.clock.advance(5_000);
  await till.send({ type: "dismiss" });
  order.status = "expired";
  await till.scan(idNumber(1));
  expect(till.screen()).toMatchObject({ kind: "ended", money: { amount: "50.00", currency: "CHF" } });
});
