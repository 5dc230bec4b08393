/** The report of a day that is closed: all its figures, once and for good. */
import type { CashCount, DayReport } from "../../../preload/contract.ts";
import { totalOf } from "../../../preload/notes-and-coins.ts";
import { combine, type DrawerMoney, expectedMinor } from "./drawer-money.ts";

/** What the person who closes the day says; `over` are the withdrawals whose cash may still leave the drawer. */
interface Closing {
  readonly takeOut: CashCount;
  readonly reason: string;
  readonly toExplain: boolean;
  readonly isBlind: boolean;
  readonly over: DayReport["over"];
  readonly by: string;
  readonly approvedBy: string | null;
  readonly atMs: number;
}

/** Whether what is taken out was in the count. */
export const isInCount = (takeOut: CashCount, { pieces, otherMinor }: CashCount): boolean =>
  takeOut.otherMinor <= otherMinor && combine(pieces, takeOut.pieces, -1).every(({ count }) => count > 0);

/** Counted less expected: negative when cash is missing. */
export const differenceMinor = ({ day, count }: Extract<DrawerMoney, { kind: "counted" }>): number =>
  totalOf(count) - expectedMinor(day);

/** The figures of a counted day with what was said at its closing; nothing is checked here. */
export const reportOf = (money: Extract<DrawerMoney, { kind: "counted" }>, closing: Closing): DayReport => {
  const { day, count } = money;
  const { takeOut, reason, toExplain, isBlind, over, by, approvedBy, atMs } = closing;
  const countedMinor = totalOf(count);
  const takenOutMinor = totalOf(takeOut);
  return {
    number: day.number,
    currency: day.currency,
    openedAtMs: day.openedAtMs,
    openedBy: day.openedBy,
    closedAtMs: atMs,
    closedBy: by,
    approvedBy,
    floatMinor: day.floatMinor,
    night: day.night,
    inMinor: day.inMinor,
    outMinor: day.outMinor,
    handOuts: day.handOuts,
    handedOutMinor: day.handedOutMinor,
    otherCurrency: day.otherCurrency,
    before: day.before,
    moves: day.moves,
    noSales: day.noSales,
    expectedMinor: expectedMinor(day),
    count,
    countedMinor,
    differenceMinor: differenceMinor(money),
    reason,
    toExplain,
    isBlind,
    counts: day.counts,
    firstCountMinor: day.firstCountMinor ?? countedMinor,
    everyCount: day.everyCount,
    everyFloat: day.everyFloat,
    shownTo: day.shownTo,
    takeOut,
    takenOutMinor,
    leftMinor: countedMinor - takenOutMinor,
    clearedUp: [],
    over,
  };
};
