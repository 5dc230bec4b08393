/** The notes and coins that the screens name: of what the drawer really holds, and nothing where that is not known. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { beforeDays, type DrawerMoney, handedOut, moved, opened } from "../../../main/terminal/day/drawer-money.ts";
import type { CashCount } from "../../../preload/contract.ts";
import { totalOf } from "../../../preload/notes-and-coins.ts";
import { open, rig } from "./day-stage.ts";
import { idNumber, leadToPayable, type Rig } from "./rig.ts";

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

test.each<[string, [number, number][], string, [number, number][]]>([
  [
    "what the cashier was shown is what the drawer holds less",
    [[1_000, 5]],
    "60.00",
    [
      [5_000, 1],
      [1_000, 1],
    ],
  ],
  ["notes that are another sum are not believed: the largest are taken as gone", [[1_000, 4]], "60.00", [[1_000, 6]]],
])("%s", async (_, given, nextAmount, named) => {
  const till = await rig();
  await open(till, notes([5_000, 1], [1_000, 10]));
  await till.clock.advance(3_000);
  await leadToPayable(till, idNumber(1));
  await till.send({ type: "hand_out" });
  const { step } = till.screen();
  expect(await till.send({ type: "hand_out", step, cash: pieces(...given) })).toEqual({ ok: true });
  await till.clock.advance(4_000);
  await review(till, nextAmount, 2);
  expect(suggested(till)).toEqual(pieces(...named));
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

const day = (count: CashCount): DrawerMoney =>
  opened(beforeDays, { number: 1, currency: "EUR", count, by: "C1", atMs: 0 });

test("after a hand-out that the known notes cannot make, those are known that cannot have been in it", () => {
  const after = handedOut(day({ ...fourFifties, otherMinor: 2_000 }), "70.00", "EUR");
  expect(after).toMatchObject({ kind: "open", day: { pieces: pieces([5_000, 3]), otherMinor: 0 } });
});

test("nothing is known of a drawer that cannot have had what went out of it", () => {
  expect(handedOut(day(fourFifties), "70.00", "EUR")).toMatchObject({ day: { pieces: null, otherMinor: 0 } });
});

test("whatever goes out of a drawer, no more of its pieces are said to be there than surely are", () => {
  const values = [5_000, 2_000, 1_000, 500, 200];
  const some = fc.tuple(...values.map(() => fc.integer({ min: 0, max: 5 })));
  const piecesOf = (counts: readonly number[]) =>
    values.map((valueMinor, at) => ({ valueMinor, count: counts[at] ?? 0 })).filter(({ count }) => count > 0);
  fc.assert(
    fc.property(some, some, fc.array(some, { maxLength: 3 }), (counted, uncounted, outs) => {
      const held = counted.map((count, at) => count + (uncounted[at] ?? 0));
      let money = day({
        pieces: piecesOf(counted),
        otherMinor: totalOf({ pieces: piecesOf(uncounted), otherMinor: 0 }),
      });
      for (const [at, wanted] of outs.entries()) {
        const out = wanted.map((count, kind) => Math.min(count, held[kind] ?? 0));
        for (const [kind, count] of out.entries()) held[kind] = (held[kind] ?? 0) - count;
        const sum = totalOf({ pieces: piecesOf(out), otherMinor: 0 });
        if (sum === 0) continue;
        const isByPieces = at % 2 === 1;
        money = moved(
          money,
          {
            moveId: `${at}`,
            direction: "out",
            amountMinor: sum,
            reason: "bank",
            note: "",
            by: "C1",
            approvedBy: null,
            atMs: 0,
          },
          isByPieces ? { pieces: piecesOf(out), otherMinor: 0 } : null,
        );
      }
      if (money.kind !== "open") throw new Error("closed");
      const { pieces: known, otherMinor } = money.day;
      expect(known).not.toBeNull();
      for (const { valueMinor, count } of known ?? [])
        expect(count).toBeLessThanOrEqual(held[values.indexOf(valueMinor)] ?? 0);
      expect(totalOf({ pieces: known ?? [], otherMinor })).toBe(totalOf({ pieces: piecesOf(held), otherMinor: 0 }));
    }),
  );
});
