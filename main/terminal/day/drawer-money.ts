/** What the drawer holds between two reports. Pure: event in, state out; every sum is whole minor units of one currency. */
import { z } from "zod";
import { parseAmount } from "../../../backend/contract/money.ts";
import { noSaleReasons } from "../../../preload/choices.ts";
import {
  type CashCount,
  type CashMove,
  cashMoveSchema,
  countSchema,
  type DayReport,
  dayReportSchema,
  type NoSale,
  nightSchema,
  noSaleSchema,
  oneCountSchema,
  shownSchema,
} from "../../../preload/contract.ts";
import { type Pieces, totalOf } from "../../../preload/notes-and-coins.ts";

/** So many combinations are looked at; beyond them it is not known whether an amount can be made. */
const triesMax = 20_000;

/** This amount of the pieces there are, large ones first; null: it cannot be made; `unknown`: that takes too long. */
export const compose = (amountMinor: number, from: readonly Pieces[]): readonly Pieces[] | null | "unknown" => {
  const sorted = from.toSorted((one, other) => other.valueMinor - one.valueMinor);
  /** What all pieces from this one on come to. */
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

/** So many ways to make an amount are offered. */
const combinationsMax = 6;

/** The ways to make an amount of what is there, the one with the largest pieces first; each next one takes one less of its largest. */
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

/** @param sign 1 adds, -1 takes away; a count below zero is so many more than there were. */
export const combine = (one: readonly Pieces[], other: readonly Pieces[], sign: 1 | -1): readonly Pieces[] => {
  const counts = new Map(one.map(({ valueMinor, count }) => [valueMinor, count]));
  for (const { valueMinor, count } of other) counts.set(valueMinor, (counts.get(valueMinor) ?? 0) + sign * count);
  return [...counts].map(([valueMinor, count]) => ({ valueMinor, count })).filter(({ count }) => count !== 0);
};

/** What to take out so that `stayMinor` stays: the largest pieces first, exactly, or so that a little more stays. */
export const proposeTakeOut = (count: CashCount, stayMinor: number): CashCount => {
  const excess = Math.max(0, totalOf(count) - stayMinor);
  // What was not counted by pieces goes first: it is no change for customers.
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

/** The events of a day as they stand in the journal; times in milliseconds since the epoch. */
export const dayEventSchemas = [
  z.object({
    type: z.literal("day_opened"),
    number,
    currency: z.string(),
    count: countSchema,
    by,
    atMs,
    /** Entries of earlier versions have none. */
    night: nightSchema.nullable().optional(),
  }),
  z.object({ type: z.literal("cash_moved"), number, move: cashMoveSchema, count: countSchema.nullable() }),
  /** Before the order for the drawer goes out. */
  z.object({ type: z.literal("no_sale"), number, noSale: noSaleSchema }),
  /** What was counted, before anybody was shown what was expected. */
  z.object({ type: z.literal("day_counted"), number, count: countSchema, by, atMs }),
  z.object({ type: z.literal("day_recounted"), number, by, atMs }),
  /** The report: immutable, as the whole journal is. */
  z.object({ type: z.literal("day_closed"), report: dayReportSchema }),
] as const;

/** Cash that went over the counter. */
const handOuts = { handOuts: z.int(), handedOutMinor: z.int() };
type HandOuts = Readonly<z.infer<z.ZodObject<typeof handOuts>>>;

const daySchema = z
  .object({
    number,
    currency: z.string(),
    openedAtMs: z.number(),
    openedBy: z.string(),
    floatMinor: z.int(),
    /** Null where nothing is known of it. */
    night: nightSchema.nullable().default(null),
    inMinor: z.int(),
    outMinor: z.int(),
    ...handOuts,
    otherCurrency: z.int(),
    before: z.object(handOuts).readonly(),
    moves: z.array(cashMoveSchema).readonly(),
    noSales: z.array(noSaleSchema).readonly().default([]),
    /** The notes and coins that are known to be in it; null when nothing of that can be known. */
    pieces: countSchema.shape.pieces.nullable(),
    /** What is in it beside them: counted or put in as a sum. Checkpoints of earlier versions know the pieces of all or of nothing. */
    otherMinor: z.int().default(0),
    counts: z.int(),
    firstCountMinor: z.int().nullable(),
    everyCount: z.array(oneCountSchema).readonly().default([]),
    everyFloat: z.array(oneCountSchema).readonly().default([]),
    shownTo: z.array(shownSchema).readonly().default([]),
  })
  .readonly();
/** A day that is open: its opening float, and what has moved since, in minor units of its `currency`. */
export type Day = z.infer<typeof daySchema>;

/** Where the drawer's day stands, also as it is in a checkpoint. */
export const drawerMoneySchema = z.discriminatedUnion("kind", [
  z
    .object({
      kind: z.literal("closed"),
      /** Of the last report; 0 before the first. */
      number,
      leftMinor: z.int().nullable(),
      currency: z.string().nullable(),
      /** Since the last report, for the next one. */
      outside: z.object(handOuts).readonly(),
      noSales: z.array(noSaleSchema).readonly().default([]),
    })
    .readonly(),
  z.object({ kind: z.literal("open"), day: daySchema }).readonly(),
  /** Counted, and nothing has moved since. */
  z.object({ kind: z.literal("counted"), day: daySchema, count: countSchema }).readonly(),
]);
/** See `drawerMoneySchema`. */
export type DrawerMoney = z.infer<typeof drawerMoneySchema>;

/** Something about the drawer itself for a manager, as it stands in a checkpoint. */
export const drawerProblemSchema = z.object({
  /** Names it where it is acknowledged. */
  id: z.string(),
  about: z.enum(["night_differs", "count_differs", "drawer_opened", "no_sale"]),
  sinceWallMs: z.number(),
  day: z.int().nullable(),
  differenceMinor: z.int(),
  currency: z.string().nullable(),
  /** Who counted, opened it, or was signed in. */
  who: z.string().nullable(),
  /** Why it was opened without a withdrawal. */
  noSale: z.object({ reason: z.enum(noSaleReasons), note: z.string() }).optional(),
});
/** See `drawerProblemSchema`. */
export type DrawerProblem = z.infer<typeof drawerProblemSchema>;

const nothingOut: HandOuts = { handOuts: 0, handedOutMinor: 0 };

/** Before the first day was ever opened. */
export const beforeDays = {
  kind: "closed",
  number: 0,
  leftMinor: null,
  currency: null,
  outside: nothingOut,
  noSales: [],
} as const satisfies DrawerMoney;

/** What should be in the drawer: float and cash in, less cash out and hand-outs. */
export const expectedMinor = ({ floatMinor, inMinor, outMinor, handedOutMinor }: Day): number =>
  floatMinor + inMinor - outMinor - handedOutMinor;

/** The number of the day that is open, or of the one that comes next. */
export const dayNumber = (money: DrawerMoney): number =>
  money.kind === "closed" ? money.number + 1 : money.day.number;

const knownIn = ({ pieces, otherMinor }: CashCount): Pick<Day, "pieces" | "otherMinor"> => ({
  pieces: pieces.filter(({ count }) => count > 0),
  otherMinor,
});

/** What is still known of the pieces once these went in or out; null where the drawer cannot have held them. */
const knownAfter = (
  { pieces, otherMinor }: Pick<Day, "pieces" | "otherMinor">,
  count: CashCount,
  sign: 1 | -1,
): Pick<Day, "pieces" | "otherMinor"> => {
  if (pieces === null) return { pieces: null, otherMinor: 0 };
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

/** Whether the float of the open day can be counted anew: nothing went in or out, and nobody has counted since. */
export const isMendable = (money: DrawerMoney): boolean =>
  money.kind === "open" && money.day.handOuts + money.day.moves.length + money.day.counts === 0;

/** What was left in the drawer and what should lie there now, in minor units; null before the first day, and for another currency. */
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

/** After `day_opened`: the count is the float. Of a day that is open it is the mended one. */
export const opened = (
  money: DrawerMoney,
  { number, currency, count, by, atMs, night = null }: Opening,
): DrawerMoney => {
  const counted = { floatMinor: totalOf(count), openedBy: by, night, ...knownIn(count) };
  const one = { countedMinor: totalOf(count), by, atMs };
  if (money.kind === "open" && money.day.number === number) {
    const { everyFloat, floatMinor, openedBy, openedAtMs } = money.day;
    // Checkpoints of earlier versions have none.
    const first = { countedMinor: floatMinor, by: openedBy, atMs: openedAtMs };
    const before = everyFloat.length === 0 ? [first] : everyFloat;
    return { kind: "open", day: { ...money.day, ...counted, everyFloat: [...before, one] } };
  }
  const before = money.kind === "closed" ? money : beforeDays;
  const isSame = before.currency === currency;
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
      otherCurrency: isSame ? 0 : before.outside.handOuts,
      before: isSame ? before.outside : nothingOut,
      moves: [],
      noSales: before.noSales,
      counts: 0,
      firstCountMinor: null,
      everyCount: [],
      everyFloat: [one],
      shownTo: [],
    },
  };
};

/** Cash that moves makes a count before it worthless: the day is open again. */
const withDay = (money: DrawerMoney, change: (day: Day) => Day): DrawerMoney =>
  money.kind === "closed" ? money : { kind: "open", day: change(money.day) };

/** After `cash_moved`; the same `moveId` again changes nothing. */
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

/** After `no_sale`; a count stays what it was. */
export const openedWithoutSale = (money: DrawerMoney, noSale: NoSale): DrawerMoney => {
  const add = (noSales: readonly NoSale[]) => [...noSales, noSale].slice(-noSalesMax);
  return money.kind === "closed"
    ? { ...money, noSales: add(money.noSales) }
    : { ...money, day: { ...money.day, noSales: add(money.day.noSales) } };
};

/** So many of a day are kept for its report; the journal has all. */
const noSalesMax = 500;

const addHandOut = <T extends HandOuts>(to: T, minor: number): T => ({
  ...to,
  handOuts: to.handOuts + 1,
  handedOutMinor: to.handedOutMinor + minor,
});

/** Lowers what is expected; outside of a day it is kept for the next report. @param shown what the cashier saw. */
export const handedOut = (
  money: DrawerMoney,
  amount: string,
  currency: string,
  shown: readonly Pieces[] | null = null,
): DrawerMoney => {
  const minor = parseAmount(amount, currency);
  if (money.kind === "closed") {
    // Before the first day nothing is kept: the shop counts elsewhere.
    if (minor === null || money.currency !== currency) return money;
    return { ...money, outside: addHandOut(money.outside, minor) };
  }
  return withDay(money, (day) => {
    if (minor === null || currency !== day.currency) return { ...day, otherCurrency: day.otherCurrency + 1 };
    const used = shown ?? compose(minor, day.pieces ?? []);
    const out = Array.isArray(used) ? { pieces: used, otherMinor: 0 } : { pieces: [], otherMinor: minor };
    const known = knownAfter(day, out, -1);
    return { ...addHandOut(day, minor), ...known };
  });
};

/** After `day_counted`. Every count of a day is kept beside the last one. */
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

/** After somebody had the expected sum shown; once more to the same person, with no count between, says nothing new. */
export const expectedShown = (money: DrawerMoney, by: string, atMs: number): DrawerMoney => {
  if (money.kind === "closed") return money;
  const { shownTo, counts } = money.day;
  if (shownTo.some((one) => one.by === by && one.counts === counts)) return money;
  return { ...money, day: { ...money.day, shownTo: [...shownTo, { by, atMs, counts }] } };
};

/** After `day_recounted`: open again, and the count is void. */
export const recounting = (money: DrawerMoney): DrawerMoney => withDay(money, (day) => day);

/** After `day_closed`: what the report leaves in the drawer is the proposal for the next float. */
export const closed = (report: DayReport): DrawerMoney => ({
  kind: "closed",
  number: report.number,
  leftMinor: report.leftMinor,
  currency: report.currency,
  outside: nothingOut,
  noSales: [],
});

/** `short` in all, or `no_notes` for it; `ok` where nobody knows. @param promisedMinor what else is to leave it. */
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

/** The ways to make an amount of what the drawer is known to hold; none where nothing is known. */
export const cashFor = (money: DrawerMoney, amount: string, currency: string): readonly (readonly Pieces[])[] => {
  const minor = parseAmount(amount, currency);
  if (money.kind === "closed" || minor === null || money.day.currency !== currency) return [];
  return combinationsOf(minor, money.day.pieces ?? []);
};

type Counted = Extract<DrawerMoney, { kind: "counted" }>;

/** Whether what is taken out was in the count. */
export const isInCount = (takeOut: CashCount, { pieces, otherMinor }: CashCount): boolean =>
  takeOut.otherMinor <= otherMinor && combine(pieces, takeOut.pieces, -1).every(({ count }) => count > 0);

/** Counted less expected: negative when cash is missing. */
export const differenceMinor = ({ day, count }: Counted): number => totalOf(count) - expectedMinor(day);

/** What the person who closes the day says; `over` are the withdrawals whose cash may still leave the drawer. */
type Closing = Pick<DayReport, "takeOut" | "reason" | "toExplain" | "isBlind" | "over" | "approvedBy"> &
  Pick<Opening, "by" | "atMs">;

/** All figures of a counted day, once and for good, with what was said at its closing; nothing is checked here. */
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
