/** The notes and coins that the screens name: of what the drawer really holds, and nothing where that is not known. */
import { expect, test } from "vitest";
import { beforeDays, type DrawerMoney, handedOut, opened } from "../../../main/terminal/day/drawer-money.ts";
import type { CashCount } from "../../../preload/contract.ts";
import { move, open, rig, sum } from "./day-stage.ts";
import { idNumber, type Rig } from "./rig.ts";

const pieces = (...all: [number, number][]) => all.map(([valueMinor, count]) => ({ valueMinor, count }));
const notes = (...all: [number, number][]): CashCount => ({ pieces: pieces(...all), otherMinor: 0 });
const fourFifties = notes([5_000, 4]);

/** What the screen in front suggests first. */
const suggested = (till: Rig) => {
  const screen = till.screen();
  return "cash" in screen ? screen.cash[0] : undefined;
};
const review = async (till: Rig, amount: string, number = 1): Promise<void> => {
  till.service.order({ transaction_id: idNumber(number), amount });
  await till.clock.advance(3_000);
  await till.scan(idNumber(number));
};

test("of a drawer with four fifties, 150 are three of them, from the review to the count", async () => {
  const till = await rig();
  await open(till, fourFifties);
  await review(till, "150.00");
  expect(till.screen()).toMatchObject({ kind: "review", drawer: "ok" });
  const three = pieces([5_000, 3]);
  expect(suggested(till)).toEqual(three);
  await till.send({ type: "confirm" });
  expect(till.screen().kind).toBe("waiting");
  expect(suggested(till)).toEqual(three);
  const order = till.service.orders.get(idNumber(1));
  if (order !== undefined) order.status = "settled";
  await till.clock.advance(1_500);
  expect(till.screen().kind).toBe("payable");
  expect(suggested(till)).toEqual(three);
  await till.send({ type: "hand_out" });
  expect(till.screen().kind).toBe("counting");
  expect(suggested(till)).toEqual(three);
});

test("another combination takes one less of the largest note, and each is one that the drawer can make", async () => {
  const till = await rig();
  await open(till, notes([5_000, 4], [2_000, 2], [1_000, 9]));
  await review(till, "150.00");
  const screen = till.screen();
  expect("cash" in screen && screen.cash).toEqual([
    pieces([5_000, 3]),
    pieces([5_000, 2], [2_000, 2], [1_000, 1]),
    pieces([5_000, 1], [2_000, 2], [1_000, 6]),
  ]);
});

test("what the cashier was shown is what the drawer holds less", async () => {
  const till = await rig();
  await open(till, notes([5_000, 1], [1_000, 10]));
  await review(till, "50.00");
  const order = till.service.orders.get(idNumber(1));
  await till.send({ type: "confirm" });
  if (order !== undefined) order.status = "settled";
  await till.clock.advance(1_500);
  await till.send({ type: "hand_out" });
  const { step } = till.screen();
  expect(await till.send({ type: "hand_out", step, cash: pieces([1_000, 5]) })).toEqual({ ok: true });
  await till.clock.advance(4_000);
  await review(till, "60.00", 2);
  expect(suggested(till)).toEqual(pieces([5_000, 1], [1_000, 1]));
});

test("notes that are another sum are not believed: the largest are taken as gone", async () => {
  const till = await rig();
  await open(till, notes([5_000, 1], [1_000, 10]));
  await review(till, "50.00");
  const order = till.service.orders.get(idNumber(1));
  await till.send({ type: "confirm" });
  if (order !== undefined) order.status = "settled";
  await till.clock.advance(1_500);
  await till.send({ type: "hand_out" });
  const { step } = till.screen();
  await till.send({ type: "hand_out", step, cash: pieces([1_000, 4]) });
  await till.clock.advance(4_000);
  await review(till, "60.00", 2);
  expect(suggested(till)).toEqual(pieces([1_000, 6]));
});

test("a sum that was put in beside the notes hides none of them, and one that was taken out hides all", async () => {
  const till = await rig();
  await open(till, { ...fourFifties, otherMinor: 1_240 });
  await move(till, "in", 5_000, "m1");
  await review(till, "150.00");
  expect(suggested(till)).toEqual(pieces([5_000, 3]));
  await till.send({ type: "reject" });
  await till.send({ type: "dismiss" });
  await move(till, "out", 9_000, "m2");
  await review(till, "100.00", 2);
  expect(till.screen()).toMatchObject({ kind: "review", drawer: "ok", cash: [] });
});

test("nothing is named where the shop counts elsewhere, and where its drawer cannot make the amount", async () => {
  const elsewhere = await rig({ settings: { drawerMoney: { enabled: false, managerFor: [], differenceMinor: 0 } } });
  await review(elsewhere, "150.00");
  expect(elsewhere.screen()).toMatchObject({ kind: "review", drawer: "ok", cash: [] });
  const till = await rig();
  await open(till, fourFifties);
  await review(till, "170.00");
  expect(till.screen()).toMatchObject({ kind: "review", drawer: "no_notes", cash: [] });
});

test("a whole sum in the drawer names no notes, and refuses no amount for want of them", async () => {
  const till = await rig();
  await open(till, sum(30_000));
  await review(till, "150.00");
  expect(till.screen()).toMatchObject({ kind: "review", drawer: "ok", cash: [] });
});

test("a hand-out that the known notes cannot make leaves nothing known", () => {
  const day = (count: CashCount): DrawerMoney =>
    opened(beforeDays, { number: 1, currency: "EUR", count, by: "C1", atMs: 0 });
  const after = handedOut(day({ ...fourFifties, otherMinor: 2_000 }), "70.00", "EUR");
  expect(after).toMatchObject({ kind: "open", day: { pieces: null, otherMinor: 2_000 } });
});
