/** The drawer's money between two day reports. Pure: event in, state out; all sums in minor units of one currency. */
import { z } from "zod";
import { parseAmount } from "../../../backend/contract/money.ts";
import {
  type CashCount,
  type CashMove,
  cashMoveSchema,
  countSchema,
  type DayReport,
  type DrawerTested,
  dayReportSchema,
  dayShape,
  drawerTestSchema,
  type NoSale,
  nightSchema,
  noSaleSchema,
  type OtherCurrency,
  otherCurrencySchema,
} from "../../../preload/contract.ts";
import { type Pieces, totalOf } from "../../../preload/notes-and-coins.ts";

/** Maximum number of combinations tried; beyond it the result is `unknown`. */
const triesMax = 20_000;

/** Makes an amount from the available pieces, large ones first; null: impossible; `unknown`: too many combinations. */
export const compose = (amountMinor: number, from: readonly Pieces[]): readonly Pieces[] | null | "unknown" => {
  const sorted = from.toSorted((one, other) => other.valueMinor - one.valueMinor);
  const sums = sorted.map((_, at) =>
    sorted.slice(at).reduce((sum, { valueMinor, count }) => sum + valueMinor * count, 0),
  );
  const dead = new Set<string>();
  let tries = 0;
  const take = (at: number, restMinor: number): readonly Pieces[] | null => {
    if (restMinor === 0) return [];
    const piece = sorted[at];
    if (piece === undefined || restMinor > (sums[at] ?? 0) || tries >= triesMax) return null;
    const key = `${at}:${restMinor}`;
    if (dead.has(key)) return null;
    for (let count = Math.min(piece.count, Math.floor(restMinor / piece.valueMinor)); count >= 0; count--) {
      tries += 1;
      const rest = take(at + 1, restMinor - count * piece.valueMinor);
      if (rest !== null) return count === 0 ? rest : [{ valueMinor: piece.valueMinor, count }, ...rest];
    }
    dead.add(key);
    return null;
  };
  return take(0, amountMinor) ?? (tries >= triesMax ? "unknown" : null);
};

/** Maximum number of ways to make an amount that are offered. */
const combinationsMax = 6;

/** Ways to make an amount, the one with the largest pieces first; each next way uses one less of the previous one's largest piece. */
const combinationsOf = (amountMinor: number, from: readonly Pieces[]): readonly (readonly Pieces[])[] => {
  const found: (readonly Pieces[])[] = [];
  let left = from;
  while (found.length < combinationsMax) {
    const one = compose(amountMinor, left);
    if (!Array.isArray(one)) break;
    const [largest] = one as readonly Pieces[];
    if (largest === undefined) break;
    found.push(one);
    const { valueMinor, count } = largest;
    left = left.map((pieces) => (pieces.valueMinor === valueMinor ? { valueMinor, count: count - 1 } : pieces));
  }
  return found;
};

/** @param sign 1 adds, -1 takes away; a negative count means more were taken than there were. */
export const combine = (one: readonly Pieces[], other: readonly Pieces[], sign: 1 | -1): readonly Pieces[] => {
  const counts = new Map(one.map(({ valueMinor, count }) => [valueMinor, count]));
  for (const { valueMinor, count } of other) counts.set(valueMinor, (counts.get(valueMinor) ?? 0) + sign * count);
  return [...counts].map(([valueMinor, count]) => ({ valueMinor, count })).filter(({ count }) => count !== 0);
};

/** What to take out so that `stayMinor` remains: the largest pieces first; exact if possible, else a little more remains. */
export const proposeTakeOut = (count: CashCount, stayMinor: number): CashCount => {
  const excess = Math.max(0, totalOf(count) - stayMinor);
  // Takes what was not counted by pieces first: it is of no use as change.
  const otherMinor = Math.min(excess, count.otherMinor);
  const exact = compose(excess - otherMinor, count.pieces);
  if (Array.isArray(exact)) return { pieces: exact, otherMinor };
  let rest = excess - otherMinor;
  const pieces = count.pieces
    .toSorted((one, other) => other.valueMinor - one.valueMinor)
    .flatMap(({ valueMinor, count: there }) => {
      const taken = Math.min(there, Math.floor(rest / valueMinor));
      rest -= taken * valueMinor;
      return taken === 0 ? [] : [{ valueMinor, count: taken }];
    });
  return { pieces, otherMinor };
};

const by = z.string();
const atMs = z.number();
const number = z.int();

/** Journal events of a day; times in milliseconds since the epoch. */
export const dayEventSchemas = [
  z.object({
    type: z.literal("day_opened"),
    number,
    currency: z.string(),
    count: countSchema,
    by,
    atMs,
    /** Missing in entries of earlier versions. */
    night: nightSchema.nullable().optional(),
  }),
  z.object({ type: z.literal("cash_moved"), number, move: cashMoveSchema, count: countSchema.nullable() }),
  /** Written before the drawer is commanded. */
  z.object({ type: z.literal("no_sale"), number, noSale: noSaleSchema }),
  /** The count, before anybody was shown the expected sum. */
  z.object({ type: z.literal("day_counted"), number, count: countSchema, by, atMs }),
  z.object({ type: z.literal("day_recounted"), number, by, atMs }),
  z.object({ type: z.literal("day_closed"), report: dayReportSchema }),
] as const;

const handOuts = { handOuts: z.int(), handedOutMinor: z.int() };
type HandOuts = Readonly<z.infer<z.ZodObject<typeof handOuts>>>;

const daySchema = z
  .object({
    ...dayShape,
    noSales: z.array(noSaleSchema).readonly().default([]),
    /** Notes and coins known to be in the drawer; null if unknown. */
    pieces: countSchema.shape.pieces.nullable(),
    /** Additional money, counted or put in as a sum. In checkpoints of earlier versions either all pieces are known or none. */
    otherMinor: z.int().default(0),
    firstCountMinor: z.int().nullable(),
  })
  .readonly();
/** An open day: its opening float and all movements since, in minor units of its `currency`. */
export type Day = z.infer<typeof daySchema>;

/** State of the drawer's day, also as stored in checkpoints. */
export const drawerMoneySchema = z.discriminatedUnion("kind", [
  z
    .object({
      kind: z.literal("closed"),
      /** Number of the last report; 0 before the first. */
      number,
      leftMinor: z.int().nullable(),
      currency: z.string().nullable(),
      /** Hand-outs since the last report, for the next one. */
      outside: z.object(handOuts).readonly(),
      otherCurrencies: z.array(otherCurrencySchema).readonly().default([]),
      noSales: z.array(noSaleSchema).readonly().default([]),
      drawerTests: z.array(drawerTestSchema).readonly().default([]),
    })
    .readonly(),
  z.object({ kind: z.literal("open"), day: daySchema }).readonly(),
  /** Counted, and no cash has moved since. */
  z.object({ kind: z.literal("counted"), day: daySchema, count: countSchema }).readonly(),
]);
/** See `drawerMoneySchema`. */
export type DrawerMoney = z.infer<typeof drawerMoneySchema>;

const nothingOut: HandOuts = { handOuts: 0, handedOutMinor: 0 };

/** State before the first day. */
export const beforeDays = {
  kind: "closed",
  number: 0,
  leftMinor: null,
  currency: null,
  outside: nothingOut,
  otherCurrencies: [],
  noSales: [],
  drawerTests: [],
} as const satisfies DrawerMoney;

/** Expected sum in the drawer: float plus cash in, minus cash out and hand-outs. */
export const expectedMinor = ({ floatMinor, inMinor, outMinor, handedOutMinor }: Day): number =>
  floatMinor + inMinor - outMinor - handedOutMinor;

/** Number of the open day, or of the next one. */
export const dayNumber = (money: DrawerMoney): number =>
  money.kind === "closed" ? money.number + 1 : money.day.number;

const knownIn = ({ pieces, otherMinor }: CashCount): Pick<Day, "pieces" | "otherMinor"> => ({
  pieces: pieces.filter(({ count }) => count > 0),
  otherMinor,
});

/** What is known about the pieces after these went in or out; null if the drawer cannot have held them. */
const knownAfter = (
  { pieces, otherMinor }: Pick<Day, "pieces" | "otherMinor">,
  count: CashCount,
  sign: 1 | -1,
): Pick<Day, "pieces" | "otherMinor"> => {
  if (pieces === null) return { pieces, otherMinor: 0 };
  const after = combine(pieces, count.pieces, sign);
  const unknownMinor = after.reduce(
    (sum, { valueMinor, count: left }) => sum + valueMinor * Math.max(0, -left),
    sign === -1 ? count.otherMinor : 0,
  );
  const sure = after
    .map(({ valueMinor, count: left }) => ({ valueMinor, count: left - Math.floor(unknownMinor / valueMinor) }))
    .filter(({ count: left }) => left > 0);
  const otherAfter = totalOf({ pieces, otherMinor }) + sign * totalOf(count) - totalOf({ pieces: sure, otherMinor: 0 });
  return otherAfter < 0 ? { pieces: null, otherMinor: 0 } : { pieces: sure, otherMinor: otherAfter };
};

/** Whether the float of the open day can be corrected: nothing went in or out, and nobody has counted since. */
export const isMendable = (money: DrawerMoney): boolean =>
  money.kind === "open" && money.day.handOuts + money.day.moves.length + money.day.counts === 0;

/** What was left in the drawer and what should be there now, in minor units; null before the first day and for another currency. */
export const nightOf = (
  money: DrawerMoney,
  currency: string,
): { readonly leftMinor: number; readonly expectedMinor: number } | null => {
  const [leftMinor, given] =
    money.kind === "closed"
      ? [money.currency === currency ? money.leftMinor : null, money.outside]
      : [money.day.night?.leftMinor ?? null, money.day.before];
  return leftMinor === null ? null : { leftMinor, expectedMinor: leftMinor - given.handedOutMinor };
};

type Opening = Omit<z.infer<(typeof dayEventSchemas)[0]>, "type">;

/** After `day_opened`: the count is the float; for an already open day it is the corrected one. */
export const opened = (
  money: DrawerMoney,
  { number, currency, count, by, atMs, night = null }: Opening,
): DrawerMoney => {
  const counted = { floatMinor: totalOf(count), openedBy: by, night, ...knownIn(count) };
  const one = { countedMinor: totalOf(count), by, atMs };
  if (money.kind === "open" && money.day.number === number) {
    const { everyFloat, floatMinor, openedBy, openedAtMs } = money.day;
    // Missing in checkpoints of earlier versions.
    const first = { countedMinor: floatMinor, by: openedBy, atMs: openedAtMs };
    const before = everyFloat.length === 0 ? [first] : everyFloat;
    return { kind: "open", day: { ...money.day, ...counted, everyFloat: [...before, one] } };
  }
  const before = money.kind === "closed" ? money : beforeDays;
  const outside = before.currency === null ? [] : [{ currency: before.currency, ...before.outside }];
  const all = [...outside, ...before.otherCurrencies].filter((one) => one.handOuts > 0);
  const { handOuts, handedOutMinor } = all.find((one) => one.currency === currency) ?? nothingOut;
  const otherCurrencies = all.filter((one) => one.currency !== currency);
  return {
    kind: "open",
    day: {
      number,
      currency,
      openedAtMs: atMs,
      ...counted,
      inMinor: 0,
      outMinor: 0,
      ...nothingOut,
      otherCurrency: otherCurrencies.reduce((sum, one) => sum + one.handOuts, 0),
      otherCurrencies,
      before: { handOuts, handedOutMinor },
      moves: [],
      noSales: before.noSales,
      drawerTests: before.drawerTests,
      counts: 0,
      firstCountMinor: null,
      everyCount: [],
      everyFloat: [one],
      shownTo: [],
    },
  };
};

/** Moving cash invalidates an earlier count: the day is open again. */
const withDay = (money: DrawerMoney, change: (day: Day) => Day): DrawerMoney =>
  money.kind === "closed" ? money : { kind: "open", day: change(money.day) };

/** After `cash_moved`; a repeated `moveId` changes nothing. */
export const moved = (money: DrawerMoney, move: CashMove, count: CashCount | null): DrawerMoney =>
  withDay(money, (day) => {
    if (day.moves.some(({ moveId }) => moveId === move.moveId)) return day;
    const isIn = move.direction === "in";
    return {
      ...day,
      inMinor: day.inMinor + (isIn ? move.amountMinor : 0),
      outMinor: day.outMinor + (isIn ? 0 : move.amountMinor),
      moves: [...day.moves, move],
      ...knownAfter(day, count ?? { pieces: [], otherMinor: move.amountMinor }, isIn ? 1 : -1),
    };
  });

/** After `no_sale`; a count stays valid. */
export const openedWithoutSale = (money: DrawerMoney, noSale: NoSale): DrawerMoney => {
  const add = (noSales: readonly NoSale[]) => [...noSales, noSale].slice(-noSalesMax);
  return money.kind === "closed"
    ? { ...money, noSales: add(money.noSales) }
    : { ...money, day: { ...money.day, noSales: add(money.day.noSales) } };
};

/** After a test of the drawer. Not kept before the first day: the shop does not use days here. */
export const tested = (money: DrawerMoney, test: DrawerTested): DrawerMoney => {
  const add = (tests: readonly DrawerTested[]) => [...tests, test].slice(-noSalesMax);
  if (money.kind !== "closed") return { ...money, day: { ...money.day, drawerTests: add(money.day.drawerTests) } };
  return money.number === 0 ? money : { ...money, drawerTests: add(money.drawerTests) };
};

/** Maximum number kept for a day's report; the journal has all. */
const noSalesMax = 500;

const addHandOut = <T extends HandOuts>(to: T, minor: number): T => ({
  ...to,
  handOuts: to.handOuts + 1,
  handedOutMinor: to.handedOutMinor + minor,
});

const addOther = (to: readonly OtherCurrency[], currency: string, minor: number): readonly OtherCurrency[] => {
  const before = to.find((one) => one.currency === currency) ?? { currency, ...nothingOut };
  return [...to.filter((one) => one.currency !== currency), addHandOut(before, minor)];
};

/** Lowers the expected sum; outside of a day it counts for the next report. @param shown the pieces that the cashier was shown. */
export const handedOut = (
  money: DrawerMoney,
  amount: string,
  currency: string,
  shown: readonly Pieces[] | null = null,
): DrawerMoney => {
  const minor = parseAmount(amount, currency);
  if (money.kind === "closed") {
    // Nothing is kept before the first day: the shop does not use days here.
    if (minor === null || money.currency === null) return money;
    return money.currency === currency
      ? { ...money, outside: addHandOut(money.outside, minor) }
      : { ...money, otherCurrencies: addOther(money.otherCurrencies, currency, minor) };
  }
  return withDay(money, (day) => {
    if (minor === null || currency !== day.currency) {
      const { otherCurrency, otherCurrencies: others } = day;
      const otherCurrencies = minor === null ? others : addOther(others, currency, minor);
      return { ...day, otherCurrency: otherCurrency + 1, otherCurrencies };
    }
    const used = shown ?? (day.pieces && compose(minor, day.pieces));
    const out = Array.isArray(used) ? { pieces: used, otherMinor: 0 } : { pieces: [], otherMinor: minor };
    const known = knownAfter(day, out, -1);
    return { ...addHandOut(day, minor), ...known };
  });
};

/** After `day_counted`. Keeps every count of a day. */
export const counted = (
  money: DrawerMoney,
  { count, by, atMs }: Pick<Opening, "count" | "by" | "atMs">,
): DrawerMoney =>
  money.kind === "closed"
    ? money
    : {
        kind: "counted",
        count,
        day: {
          ...money.day,
          ...knownIn(count),
          counts: money.day.counts + 1,
          firstCountMinor: money.day.firstCountMinor ?? totalOf(count),
          everyCount: [...money.day.everyCount, { countedMinor: totalOf(count), by, atMs }],
        },
      };

/** After somebody was shown the expected sum; showing it to the same person again without a count in between changes nothing. */
export const expectedShown = (money: DrawerMoney, by: string, atMs: number): DrawerMoney => {
  if (money.kind === "closed") return money;
  const { shownTo, counts } = money.day;
  if (shownTo.some((one) => one.by === by && one.counts === counts)) return money;
  return { ...money, day: { ...money.day, shownTo: [...shownTo, { by, atMs, counts }] } };
};

/** After `day_recounted`: the day is open again without a count. */
export const recounting = (money: DrawerMoney): DrawerMoney => withDay(money, (day) => day);

/** After `day_closed`: the sum left in the drawer is the proposal for the next float. */
export const closed = (report: DayReport): DrawerMoney => ({
  ...beforeDays,
  number: report.number,
  leftMinor: report.leftMinor,
  currency: report.currency,
});

/**
 * `short`: not enough money; `no_notes`: enough, but no fitting pieces; `ok` also if unknown.
 * @param promisedMinor other cash that is to leave the drawer.
 */
export const canPay = (
  money: DrawerMoney,
  amount: string,
  currency: string,
  promisedMinor = 0,
): "ok" | "short" | "no_notes" => {
  const minor = parseAmount(amount, currency);
  if (money.kind === "closed" || minor === null || money.day.currency !== currency) return "ok";
  if (expectedMinor(money.day) - promisedMinor < minor) return "short";
  const { pieces, otherMinor } = money.day;
  return pieces !== null && otherMinor === 0 && compose(minor, pieces) === null ? "no_notes" : "ok";
};

/** Ways to make an amount from the pieces known to be in the drawer; empty if unknown. */
export const cashFor = (money: DrawerMoney, amount: string, currency: string): readonly (readonly Pieces[])[] => {
  const minor = parseAmount(amount, currency);
  if (money.kind === "closed" || minor === null || money.day.currency !== currency) return [];
  return combinationsOf(minor, money.day.pieces ?? []);
};

type Counted = Extract<DrawerMoney, { kind: "counted" }>;

/** Whether the count contains what is taken out. */
export const isInCount = (takeOut: CashCount, { pieces, otherMinor }: CashCount): boolean =>
  takeOut.otherMinor <= otherMinor && !combine(pieces, takeOut.pieces, -1).some(({ count }) => count < 0);

/** Counted minus expected: negative if cash is missing. */
export const differenceMinor = ({ day, count }: Counted): number => totalOf(count) - expectedMinor(day);

/** What the person closing the day stated; `over` are withdrawals whose cash may still leave the drawer. */
type Closing = Pick<DayReport, "takeOut" | "reason" | "toExplain" | "isBlind" | "over" | "approvedBy"> &
  Pick<Opening, "by" | "atMs">;

/** The final figures of a counted day and what was stated at closing; checks nothing. */
export const reportOf = (money: Counted, { by: closedBy, atMs: closedAtMs, ...said }: Closing): DayReport => {
  const { pieces: _pieces, otherMinor: _other, ...day } = money.day;
  const countedMinor = totalOf(money.count);
  const takenOutMinor = totalOf(said.takeOut);
  return {
    ...day,
    ...said,
    closedAtMs,
    closedBy,
    expectedMinor: expectedMinor(money.day),
    count: money.count,
    countedMinor,
    differenceMinor: differenceMinor(money),
    firstCountMinor: day.firstCountMinor ?? countedMinor,
    takenOutMinor,
    leftMinor: countedMinor - takenOutMinor,
    clearedUp: [],
  };
};
