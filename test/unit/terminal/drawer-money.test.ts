/** The drawer's money as arithmetic: whatever happens in whatever order, float + in − out − hand-outs is what is expected. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatAmount } from "../../../backend/contract/money.ts";
import {
  beforeDays,
  canPay,
  closed,
  combine,
  compose,
  counted,
  type DrawerMoney,
  differenceMinor,
  drawerMoneySchema,
  expectedMinor,
  handedOut,
  isInCount,
  moved,
  opened,
  proposeTakeOut,
  recounting,
  reportOf,
} from "../../../main/terminal/day/drawer-money.ts";
import { type CashCount, dayReportSchema } from "../../../preload/contract.ts";
import { drawerCurrencies, faceValuesOf, totalOf } from "../../../preload/notes-and-coins.ts";

const faces = faceValuesOf("EUR");
const countOf = fc.record({
  pieces: fc.uniqueArray(fc.record({ valueMinor: fc.constantFrom(...faces), count: fc.integer({ min: 0, max: 40 }) }), {
    selector: ({ valueMinor }) => valueMinor,
    maxLength: faces.length,
  }),
  otherMinor: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100_000 })),
});
test.each(drawerCurrencies)("the notes and coins of %s stand largest first", (currency) =>
  expect(faceValuesOf(currency)).toEqual([...faceValuesOf(currency)].sort((one, other) => other - one)),
);

const sum = (otherMinor: number): CashCount => ({ pieces: [], otherMinor });
const pieces = (...all: [number, number][]): CashCount => ({
  pieces: all.map(([valueMinor, count]) => ({ valueMinor, count })),
  otherMinor: 0,
});

type Step =
  | { readonly kind: "hand_out"; readonly minor: number }
  | { readonly kind: "in" | "out"; readonly count: CashCount; readonly known: boolean }
  | { readonly kind: "count"; readonly count: CashCount }
  | { readonly kind: "recount" };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("hand_out" as const), minor: fc.integer({ min: 1, max: 50_000 }) }),
  fc.record({ kind: fc.constantFrom("in" as const, "out" as const), count: countOf, known: fc.boolean() }),
  fc.record({ kind: fc.constant("count" as const), count: countOf }),
  fc.record({ kind: fc.constant("recount" as const) }),
);

const open = (count: CashCount, before: DrawerMoney = beforeDays): DrawerMoney =>
  opened(before, { number: 1, currency: "EUR", count, by: "C1", atMs: 0 });

const play = (money: DrawerMoney, one: Step, index: number): DrawerMoney => {
  switch (one.kind) {
    case "hand_out":
      return handedOut(money, formatAmount(one.minor, "EUR"), "EUR");
    case "in":
    case "out": {
      const amountMinor = totalOf(one.count);
      const move = {
        moveId: `${index}`,
        direction: one.kind,
        amountMinor,
        reason: "bank",
        note: "",
        by: "M1",
        approvedBy: null,
        atMs: 0,
      };
      return moved(money, move as never, one.known ? one.count : null);
    }
    case "count":
      return counting(money, one.count);
    case "recount":
      return recounting(money);
  }
};

const counting = (money: DrawerMoney, count: CashCount, by = "C1", atMs = 5): DrawerMoney =>
  counted(money, { count, by, atMs });

const minorOf = (one: Step): number =>
  one.kind === "hand_out"
    ? -one.minor
    : one.kind === "in"
      ? totalOf(one.count)
      : one.kind === "out"
        ? -totalOf(one.count)
        : 0;

describe("the arithmetic", () => {
  test("float + in − out − hand-outs is expected, to the cent, and a checkpoint carries all of it", () => {
    fc.assert(
      fc.property(countOf, fc.array(step, { maxLength: 60 }), (float, steps) => {
        const money = steps.reduce(play, open(float));
        if (money.kind === "closed") throw new Error("closed");
        const { day } = money;
        expect(expectedMinor(day)).toBe(steps.reduce((so, one) => so + minorOf(one), totalOf(float)));
        expect(day.handOuts).toBe(steps.filter(({ kind }) => kind === "hand_out").length);
        expect(drawerMoneySchema.parse(JSON.parse(JSON.stringify(money)))).toEqual(money);
      }),
    );
  });

  test("a report's figures add up, and what it leaves is what the next day finds", () => {
    fc.assert(
      fc.property(countOf, fc.array(step, { maxLength: 40 }), countOf, (float, steps, count) => {
        const money = counting(steps.reduce(play, open(float)), count);
        if (money.kind !== "counted") throw new Error(money.kind);
        const takeOut = proposeTakeOut(count, totalOf(float));
        const report = reportOf(money, {
          takeOut,
          reason: "",
          toExplain: false,
          isBlind: false,
          over: [],
          by: "M1",
          approvedBy: null,
          atMs: 1,
        });
        expect(dayReportSchema.parse(report)).toEqual(report);
        expect(report.floatMinor + report.inMinor - report.outMinor - report.handedOutMinor).toBe(report.expectedMinor);
        expect(report.expectedMinor + report.differenceMinor).toBe(report.countedMinor);
        expect(report.countedMinor - report.takenOutMinor).toBe(report.leftMinor);
        expect(closed(report)).toMatchObject({ kind: "closed", number: 1, leftMinor: report.leftMinor });
      }),
    );
  });

  test("cash that moves after the count makes it worthless: it has to be counted again", () => {
    const money = counting(open(sum(10_000)), sum(10_000));
    expect(money.kind).toBe("counted");
    expect(handedOut(money, "50.00", "EUR").kind).toBe("open");
  });

  test("every count stays, however often it is counted", () => {
    const first = counting(open(sum(10_000)), sum(9_000));
    const again = counting(recounting(first), sum(10_000), "C2", 7);
    if (again.kind !== "counted") throw new Error(again.kind);
    expect(again.day).toMatchObject({
      counts: 2,
      firstCountMinor: 9_000,
      everyCount: [
        { countedMinor: 9_000, by: "C1", atMs: 5 },
        { countedMinor: 10_000, by: "C2", atMs: 7 },
      ],
    });
    expect(differenceMinor(again)).toBe(0);
  });

  test("the same move twice counts once", () => {
    const step = { kind: "in", count: sum(500), known: false } as const;
    const money = play(play(open(sum(1_000)), step, 7), step, 7);
    expect(money.kind === "open" && expectedMinor(money.day)).toBe(1_500);
  });

  test("before the first day nothing is counted; between two it is kept for the next report, and lowers no float", () => {
    expect(handedOut(beforeDays, "50.00", "EUR")).toBe(beforeDays);
    const money = counting(open(sum(10_000)), sum(10_000));
    if (money.kind !== "counted") throw new Error(money.kind);
    const after = closed(
      reportOf(money, {
        takeOut: sum(0),
        reason: "",
        toExplain: false,
        isBlind: false,
        over: [],
        by: "M1",
        approvedBy: null,
        atMs: 1,
      }),
    );
    const next = open(sum(5_000), handedOut(after, "50.00", "EUR"));
    if (next.kind !== "open") throw new Error(next.kind);
    expect(next.day.before).toEqual({ handOuts: 1, handedOutMinor: 5_000 });
    expect(expectedMinor(next.day)).toBe(5_000);
  });

  test("a hand-out in another currency is in no sum, and is named", () => {
    const money = handedOut(open(sum(10_000)), "50.00", "CHF");
    expect(money.kind === "open" && money.day).toMatchObject({ handOuts: 0, handedOutMinor: 0, otherCurrency: 1 });
  });

  test("what was left and handed out in another currency than the new day's is in no sum of it", () => {
    const money = counting(open(sum(10_000)), sum(10_000));
    if (money.kind !== "counted") throw new Error(money.kind);
    const after = closed(
      reportOf(money, {
        takeOut: sum(0),
        reason: "",
        toExplain: false,
        isBlind: false,
        over: [],
        by: "M1",
        approvedBy: null,
        atMs: 1,
      }),
    );
    const franc = { number: 2, currency: "CHF", count: sum(5_000), by: "C1", atMs: 2 };
    const next = opened(handedOut(after, "50.00", "EUR"), franc);
    expect(next).toMatchObject({ day: { before: { handOuts: 0, handedOutMinor: 0 }, otherCurrency: 1 } });
  });

  test("a day that an earlier version opened keeps its first float when it is mended", () => {
    const { day, ...kept } = open(sum(10_000)) as Extract<DrawerMoney, { kind: "open" }>;
    const { everyFloat: _, ...older } = day;
    const mended = open(sum(12_000), drawerMoneySchema.parse({ ...kept, day: older }));
    expect(mended).toMatchObject({ day: { everyFloat: [{ countedMinor: 10_000 }, { countedMinor: 12_000 }] } });
  });

  test("a checkpoint carries also what hands count one by one", () => {
    const many = pieces([5_000, 99_999]);
    const move = {
      moveId: "a",
      direction: "in",
      amountMinor: totalOf(many),
      reason: "bank",
      note: "",
      by: "M1",
      atMs: 0,
    };
    const money = moved(open(many), { ...move, approvedBy: null } as never, many);
    expect(drawerMoneySchema.parse(JSON.parse(JSON.stringify(money)))).toEqual(money);
  });
});

describe("what the drawer can pay", () => {
  test.each([
    ["enough in all", sum(10_000), "100.00", "ok"],
    ["a cent too little", sum(9_999), "100.00", "short"],
    ["no notes for it", pieces([20_000, 1]), "50.00", "no_notes"],
    ["only together", pieces([5_000, 1], [2_000, 3]), "60.00", "ok"],
    [
      "where pieces are not known, the sum says all that is known",
      { ...pieces([20_000, 1]), otherMinor: 1 },
      "50.00",
      "ok",
    ],
  ] as const)("%s", (_, float, amount, expected) => {
    expect(canPay(open(float), amount, "EUR")).toBe(expected);
  });

  test("notes that went out are not there any more", () => {
    const money = handedOut(open(pieces([5_000, 1], [2_000, 1])), "50.00", "EUR");
    expect(canPay(money, "20.00", "EUR")).toBe("ok");
    expect(canPay(money, "10.00", "EUR")).toBe("no_notes");
  });

  test("it is never short where a combination exists: against every combination there is", () => {
    const few = fc.uniqueArray(
      fc.record({ valueMinor: fc.constantFrom(5, 20, 50, 100, 200), count: fc.integer({ min: 0, max: 3 }) }),
      { selector: ({ valueMinor }) => valueMinor },
    );
    const all = (of: readonly { valueMinor: number; count: number }[]): Set<number> =>
      of.reduce(
        (so, { valueMinor, count }) => {
          const next = new Set<number>();
          for (const one of so) for (let taken = 0; taken <= count; taken++) next.add(one + taken * valueMinor);
          return next;
        },
        new Set([0]),
      );
    fc.assert(
      fc.property(few, fc.integer({ min: 1, max: 800 }), (from, amount) => {
        const made = compose(amount, from);
        expect(Array.isArray(made)).toBe(all(from).has(amount));
        if (!Array.isArray(made)) return;
        expect(totalOf({ pieces: made, otherMinor: 0 })).toBe(amount);
        expect(combine(from, made, -1).filter(({ count }) => count < 0)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  test("a drawer full of coins is looked through without trying each of them", () => {
    const full = faces.map((valueMinor) => ({ valueMinor: valueMinor * 2 + 2, count: 99_999 }));
    const began = performance.now();
    expect(compose(9_999_999_999, full)).not.toBeUndefined();
    expect(performance.now() - began).toBeLessThan(15_000);
  });
});

test("the proposal leaves no less than the float, and takes only what is there", () => {
  fc.assert(
    fc.property(countOf, fc.integer({ min: 0, max: 400_000 }), (count, stay) => {
      const takeOut = proposeTakeOut(count, stay);
      expect(isInCount(takeOut, count)).toBe(true);
      expect(totalOf(count) - totalOf(takeOut)).toBeGreaterThanOrEqual(Math.min(stay, totalOf(count)));
    }),
  );
});
