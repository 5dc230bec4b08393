/** The drawer's money as arithmetic: whatever happens in whatever order, float + in − out − hand-outs is what is expected. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatAmount } from "../../../backend/contract/money.ts";
import {
  beforeDays,
  canPay,
  cashFor,
  closed,
  combine,
  compose,
  counted,
  type DrawerMoney,
  differenceMinor,
  drawerMoneySchema,
  expectedMinor,
  expectedShown,
  handedOut,
  isInCount,
  isMendable,
  moved,
  nightOf,
  opened,
  openedWithoutSale,
  proposeTakeOut,
  recounting,
  reportOf,
  tested,
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
test.each(drawerCurrencies)("the notes and coins of %s stand largest first", (currency) => {
  expect(faceValuesOf(currency).length).toBeGreaterThan(5);
  expect(faceValuesOf(currency)).toEqual([...faceValuesOf(currency)].sort((one, other) => other - one));
});

const sum = (otherMinor: number): CashCount => ({ pieces: [], otherMinor });
/** Said at a closing. */
const plain = {
  ...{ takeOut: sum(0), reason: "", toExplain: false, isBlind: false, over: [] },
  ...{ by: "M1", approvedBy: null, atMs: 1 },
};
const pieces = (...all: [number, number][]): CashCount => ({
  pieces: all.map(([valueMinor, count]) => ({ valueMinor, count })),
  otherMinor: 0,
});

/** As `5000×4 1000×10`. */
const notes = (text: string, otherMinor = 0): CashCount => {
  const all = text.split(" ").filter((one) => one !== "");
  return { ...pieces(...all.map((one) => one.split("×").map(Number) as [number, number])), otherMinor };
};
const odd = pieces(...faces.map((valueMinor): [number, number] => [valueMinor * 2 + 2, 99_999]));

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
        const report = reportOf(money, { ...plain, takeOut });
        expect(dayReportSchema.parse(report)).toEqual(report);
        expect(report.floatMinor + report.inMinor - report.outMinor - report.handedOutMinor).toBe(report.expectedMinor);
        expect(report.expectedMinor + report.differenceMinor).toBe(report.countedMinor);
        expect(report.countedMinor - report.takenOutMinor).toBe(report.leftMinor);
        expect(closed(report)).toMatchObject({ kind: "closed", number: 1, leftMinor: report.leftMinor });
        const found = { leftMinor: report.leftMinor, expectedMinor: report.leftMinor };
        expect(nightOf(closed(report), "EUR")).toEqual(found);
      }),
    );
  });

  test("cash that moves after the count makes it worthless: it has to be counted again", () => {
    const money = counting(open(sum(10_000)), sum(10_000));
    expect(money.kind).toBe("counted");
    expect(handedOut(money, "50.00", "EUR").kind).toBe("open");
    for (const kind of ["in", "out"] as const)
      expect(play(money, { kind, count: sum(500), known: false }, 1).kind).toBe("open");
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
    const after = closed(reportOf(money, plain));
    const next = open(sum(5_000), handedOut(after, "50.00", "EUR"));
    if (next.kind !== "open") throw new Error(next.kind);
    expect(next.day.before).toEqual({ handOuts: 1, handedOutMinor: 5_000 });
    expect(expectedMinor(next.day)).toBe(5_000);
    const counted = counting(next, sum(5_000)) as never;
    expect(reportOf(counted, plain)).toMatchObject({ before: next.day.before, handedOutMinor: 0, differenceMinor: 0 });
  });

  test("a hand-out in another currency is in no sum, and is named", () => {
    const money = handedOut(open(sum(10_000)), "50.00", "CHF");
    expect(money.kind === "open" && money.day).toMatchObject({ handOuts: 0, handedOutMinor: 0, otherCurrency: 1 });
  });

  test("what was left and handed out in another currency than the new day's is in no sum of it", () => {
    const money = counting(open(sum(10_000)), sum(10_000));
    if (money.kind !== "counted") throw new Error(money.kind);
    const after = closed(reportOf(money, plain));
    const franc = { number: 2, currency: "CHF", count: sum(5_000), by: "C1", atMs: 2 };
    const next = opened(handedOut(after, "50.00", "EUR"), franc);
    expect(next).toMatchObject({ day: { before: { handOuts: 0, handedOutMinor: 0 }, otherCurrency: 1 } });
    expect(dayOf(next).otherCurrencies).toEqual([{ currency: "EUR", handOuts: 1, handedOutMinor: 5_000 }]);
  });

  test("what was handed out between two days in the new day's currency was before it, all else in another currency", () => {
    const out = ["20.00 CHF", "5.00 EUR", "7.00 USD", "30.00 CHF"].reduce<DrawerMoney>((money, cash) => {
      const [amount = "", currency = ""] = cash.split(" ");
      return handedOut(money, amount, currency);
    }, overnight());
    const next = opened(out, { number: 2, currency: "CHF", count: sum(5_000), by: "C1", atMs: 2 });
    expect(dayOf(handedOut(next, "1.00", "USD"))).toMatchObject({
      before: { handOuts: 2, handedOutMinor: 5_000 },
      handOuts: 0,
      otherCurrency: 3,
      otherCurrencies: [
        { currency: "EUR", handOuts: 1, handedOutMinor: 500 },
        { currency: "USD", handOuts: 2, handedOutMinor: 800 },
      ],
    });
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
    ["of another currency nothing is known", sum(0), "1.00 CHF", "ok"],
    ["of what is no amount", sum(0), "much", "ok"],
    ["what would take too long to find out", odd, "40000000.01", "ok"],
    [
      "where pieces are not known, the sum says all that is known",
      { ...pieces([20_000, 1]), otherMinor: 1 },
      "50.00",
      "ok",
    ],
  ] as const)("%s", (_, float, amount, expected) => {
    const [minor, currency = "EUR"] = amount.split(" ");
    expect(canPay(open(float), minor ?? "", currency)).toBe(expected);
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

test.each<[number, string, string | null]>([
  [5_000, "1000×5 5000×1", "5000×1"],
  [6_000, "5000×1 2000×3", "2000×3"],
  [7_000, "5000×1 2000×1 1000×9", "5000×1 2000×1"],
  [6_000, "5000×9 1000×1", "5000×1 1000×1"],
  [6_000, "5000×9 1000×0", null],
  [0, "5000×1", ""],
  // Five cents of tens: each combination is looked at once.
  [1_505, "10×60 20×60 50×60 100×60", null],
])("%d of %s is made of %s", (amount, from, expected) => {
  expect(compose(amount, notes(from).pieces)).toEqual(expected === null ? null : notes(expected).pieces);
});

test.each<[string, CashCount, number, CashCount]>([
  ["nothing where less is there", sum(4_000), 5_000, sum(0)],
  ["nothing where as much is there", notes("5000×1"), 5_000, sum(0)],
  ["the rest without pieces first", notes("5000×2", 3_000), 11_000, sum(2_000)],
  ["all of it, then pieces", notes("5000×2", 3_000), 5_000, notes("5000×1", 3_000)],
  ["exactly, though not with the largest", notes("5000×1 2000×3"), 5_000, notes("2000×3")],
  ["the largest, where it cannot be exact", notes("2000×3 5000×1"), 4_500, notes("5000×1")],
])("proposed to take out: %s", (_, count, stay, expected) => {
  expect(proposeTakeOut(count, stay)).toEqual(expected);
});

test.each<[string, CashCount, boolean]>([
  ["all the notes", notes("5000×2"), true],
  ["a note more", notes("5000×3"), false],
  ["another note", notes("2000×1"), false],
  ["all of the rest", sum(100), true],
  ["a cent more of the rest", sum(101), false],
])("%s of two fifties and 1.00 was in the count or not", (_, takeOut, expected) => {
  expect(isInCount(takeOut, notes("5000×2", 100))).toBe(expected);
});

const float = "5000×4 1000×10";
test.each<[string, CashCount, "in" | "out", CashCount, CashCount | null]>([
  ["notes go in", notes(float), "in", notes("5000×1 2000×1"), notes("5000×5 1000×10 2000×1")],
  ["a sum goes in", notes(float), "in", sum(700), notes(float, 700)],
  ["a sum goes in that could be notes", notes(float), "in", sum(7_000), notes(float, 7_000)],
  ["notes go out", notes(float), "out", notes("5000×4 1000×1"), notes("1000×9")],
  ["a sum goes out, of any notes", notes(float), "out", sum(5_000), notes("5000×3 1000×5", 5_000)],
  ["a sum goes out that only a note more can be", notes(float), "out", sum(6_000), notes("5000×3 1000×4", 5_000)],
  ["notes that nobody knew of go out", notes(float, 5_000), "out", notes("2000×2"), notes("5000×4 1000×6", 5_000)],
  ["notes and a sum go out", notes(float, 5_000), "out", notes("5000×1", 999), notes("5000×3 1000×10", 4_001)],
  ["a sum goes out that may have been all of a kind", notes(float), "out", sum(10_000), notes("5000×2", 10_000)],
  ["all goes out", notes(float), "out", sum(30_000), notes("")],
  ["more goes out than there is", notes(float), "out", sum(30_001), null],
  ["a sum goes out that is not in the notes", notes(float), "out", sum(999), null],
])("what is known of the drawer when %s", (_, before, kind, count, expected) => {
  const nothing = { pieces: null, otherMinor: 0 };
  expect(play(open(before), { kind, count, known: true }, 1)).toMatchObject({ day: expected ?? nothing });
  // Told as a sum alone it comes to the same money.
  const told = play(open(before), { kind, count, known: false }, 1);
  expect(told).toMatchObject({ day: expected === null ? nothing : { [`${kind}Minor`]: totalOf(count) } });
});

test("what nobody has the time to find out is not known", () => {
  expect(compose(4_000_000_001, odd.pieces)).toBe("unknown");
});

const dayOf = (money: DrawerMoney) => {
  if (money.kind === "closed") throw new Error("closed");
  return money.day;
};
const handOut = (minor: number): Step => ({ kind: "hand_out", minor });
const cashIn: Step = { kind: "in", count: sum(500), known: true };
const aCount: Step = { kind: "count", count: sum(9_000) };
const recount: Step = { kind: "recount" };

test.each<[string, readonly Step[], boolean]>([
  ["nothing has happened", [], true],
  ["cash was handed out", [handOut(100)], false],
  ["cash was put in", [cashIn], false],
  ["it was counted", [aCount], false],
  ["it was counted and is open again", [aCount, recount], false],
  ["cash was put in and handed out", [cashIn, handOut(100)], false],
  ["cash was handed out, and it was counted", [handOut(100), aCount, recount], false],
])("a float can be mended or not when %s", (_, steps, expected) => {
  expect(isMendable(steps.reduce(play, open(sum(10_000))))).toBe(expected);
});

/** The day is counted and closed: 90.00 EUR are left. */
const overnight = (count = sum(9_000)): Extract<DrawerMoney, { kind: "closed" }> => {
  const money = counting(open(sum(10_000)), count);
  if (money.kind !== "counted") throw new Error(money.kind);
  return closed(reportOf(money, plain)) as Extract<DrawerMoney, { kind: "closed" }>;
};
const night = { leftMinor: 9_000, differenceMinor: 0, reason: "", toExplain: false };

test.each<[string, DrawerMoney, string, object | null]>([
  ["before the first day", beforeDays, "EUR", null],
  ["overnight", overnight(), "EUR", { leftMinor: 9_000, expectedMinor: 9_000 }],
  ["overnight, in another currency", overnight(), "CHF", null],
  [
    "after a hand-out overnight",
    handedOut(overnight(), "20.00", "EUR"),
    "EUR",
    { leftMinor: 9_000, expectedMinor: 7_000 },
  ],
  [
    "after a hand-out of no amount",
    handedOut(overnight(), "much", "EUR"),
    "EUR",
    { leftMinor: 9_000, expectedMinor: 9_000 },
  ],
  [
    "after one in another currency",
    handedOut(overnight(), "20.00", "CHF"),
    "EUR",
    { leftMinor: 9_000, expectedMinor: 9_000 },
  ],
  ["of a day that nobody compared", open(sum(8_000), overnight()), "EUR", null],
  [
    "of a day that was compared",
    opened(handedOut(overnight(), "20.00", "EUR"), {
      number: 2,
      currency: "EUR",
      count: sum(7_000),
      by: "C1",
      atMs: 3,
      night,
    }),
    "EUR",
    { leftMinor: 9_000, expectedMinor: 7_000 },
  ],
])("what should lie in the drawer %s", (_, money, currency, expected) => {
  expect(nightOf(money, currency)).toEqual(expected);
});

test("a day that is opened while the close of the one before is damaged is a day of its own", () => {
  const before = [handOut(100), cashIn].reduce(play, open(sum(10_000)));
  const next = opened(before, { number: 2, currency: "EUR", count: sum(5_000), by: "C2", atMs: 9 });
  expect(next).toMatchObject({
    kind: "open",
    day: { number: 2, floatMinor: 5_000, openedAtMs: 9, handOuts: 0, inMinor: 0 },
  });
  expect(next).toMatchObject({
    day: { before: { handOuts: 0, handedOutMinor: 0 }, otherCurrency: 0, moves: [], noSales: [] },
  });
  expect(dayOf(next).everyFloat).toEqual([{ countedMinor: 5_000, by: "C2", atMs: 9 }]);
});

test("a currency in which nothing was handed out since the last report is not named", () => {
  const next = opened(overnight(), { number: 2, currency: "CHF", count: sum(5_000), by: "C1", atMs: 9 });
  expect(dayOf(next)).toMatchObject({ otherCurrency: 0, otherCurrencies: [] });
});

test("a float keeps each of its counts, and no kind that was counted as none", () => {
  const mended = [12_000, 11_000].reduce((so, minor) => open(sum(minor), so), open(sum(10_000)));
  expect(dayOf(mended).everyFloat.map(({ countedMinor }) => countedMinor)).toEqual([10_000, 12_000, 11_000]);
  // The day began when it was opened first, however late its float is mended.
  const later = opened(mended, { number: 1, currency: "EUR", count: sum(9_000), by: "M7", atMs: 99 });
  expect(dayOf(later)).toMatchObject({ openedAtMs: dayOf(mended).openedAtMs, openedBy: "M7" });
  expect(dayOf(open(notes("5000×4 2000×0")))).toMatchObject(notes("5000×4"));
});

test("what has no day changes nothing of it", () => {
  const shut = overnight();
  const move = {
    moveId: "1",
    direction: "in",
    amountMinor: 5,
    reason: "bank",
    note: "",
    by: "M1",
    approvedBy: null,
    atMs: 0,
  };
  expect([moved(shut, move as never, null), counting(shut, sum(1)), recounting(shut)]).toEqual([shut, shut, shut]);
  expect(expectedShown(shut, "M1", 1)).toBe(shut);
  expect(handedOut(shut, "much", "EUR")).toBe(shut);
  expect(isMendable(shut)).toBe(false);
});

test("the last five hundred openings without a sale are kept, also from between two days", () => {
  const noSale = (atMs: number) => ({ reason: "other", note: "", by: "C1", approvedBy: null, atMs }) as never;
  const many = Array.from({ length: 501 }, (_, n) => n).reduce(
    (so, n) => openedWithoutSale(so, noSale(n)),
    open(sum(5)),
  );
  expect(dayOf(many).noSales.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 500 }, (_, n) => n + 1));
  const next = openedWithoutSale(open(sum(5), openedWithoutSale(overnight(), noSale(7))), noSale(8));
  expect(dayOf(next).noSales.map(({ atMs }) => atMs)).toEqual([7, 8]);
});

test("the last five hundred tests of the drawer are kept, and none from before the first day", () => {
  const test = (atMs: number) => ({ by: "M1", atMs, place: "" });
  const many = Array.from({ length: 501 }, (_, n) => n).reduce((so, n) => tested(so, test(n)), open(sum(5)));
  expect(dayOf(many).drawerTests.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 500 }, (_, n) => n + 1));
  expect(tested(beforeDays, test(1))).toBe(beforeDays);
});

test("who was shown the expected sum is written once between two counts", () => {
  const shown = (money: DrawerMoney, by: string, atMs: number) => expectedShown(money, by, atMs);
  const once = shown(open(sum(10_000)), "M1", 1);
  expect(shown(once, "M1", 2)).toBe(once);
  const counted = counting(shown(once, "M2", 3), sum(9_000));
  expect(dayOf(shown(shown(counted, "M1", 4), "M2", 5)).shownTo).toEqual([
    { by: "M1", atMs: 1, counts: 0 },
    { by: "M2", atMs: 3, counts: 0 },
    { by: "M1", atMs: 4, counts: 1 },
    { by: "M2", atMs: 5, counts: 1 },
  ]);
});

test("a hand-out of no amount is in no sum, and is named", () => {
  const after = dayOf(handedOut(open(sum(10_000)), "much", "EUR"));
  expect(after).toMatchObject({ handOuts: 0, handedOutMinor: 0, otherCurrency: 1, otherCurrencies: [] });
});

const unknown = handedOut(open(notes("5000×4")), "70.00", "EUR");
test.each<[string, DrawerMoney, string, string, number]>([
  ["closed", overnight(), "50.00", "EUR", 0],
  ["of another currency", open(notes("5000×4")), "50.00", "CHF", 0],
  ["asked for no amount", open(notes("5000×4")), "much", "EUR", 0],
  ["asked for nothing", open(notes("5000×4")), "0.00", "EUR", 0],
  ["nobody knows the notes of", unknown, "50.00", "EUR", 0],
  ["that has many ways", open(notes("5000×9 2000×9 1000×9 500×99")), "300.00", "EUR", 6],
])("of a drawer %s the ways to pay are so many, and it is short of nothing", (_, money, amount, currency, ways) => {
  expect([cashFor(money, amount, currency).length, canPay(money, amount, currency)]).toEqual([ways, "ok"]);
});
