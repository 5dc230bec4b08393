/** The drawer's day for the screens: what was expected only for whoever may see it. */

import type { DayView, ExpectedView, Header } from "../../../preload/contract.ts";
import { totalOf } from "../../../preload/notes-and-coins.ts";
import { proposeTakeOut } from "../day/count.ts";
import { type Day, type DrawerMoney, dayNumber, expectedMinor } from "../day/drawer-money.ts";
import { differenceMinor } from "../day/report.ts";
import { drawerCurrency } from "./drawer-currency.ts";
import { openCashOf } from "./open-cash.ts";
import type { State } from "./state.ts";

const expectedOf = (day: Day, difference: number | null): ExpectedView => ({
  inMinor: day.inMinor,
  outMinor: day.outMinor,
  handOuts: day.handOuts,
  handedOutMinor: day.handedOutMinor,
  expectedMinor: expectedMinor(day),
  differenceMinor: difference,
});

const countedOf = (money: Extract<DrawerMoney, { kind: "counted" }>) => ({
  counts: money.day.counts,
  countedMinor: totalOf(money.count),
  proposal: proposeTakeOut(money.count, money.day.floatMinor),
});

/** Without `seesExpected`, all that would give the expected sum away is null, before the count and after it. */
export const dayViewOf = (state: State, seesExpected: boolean): DayView => {
  const { drawerMoney: money } = state;
  if (money.kind === "closed") {
    const currency = drawerCurrency(state);
    const leftMinor = currency === money.currency ? money.leftMinor : null;
    return {
      kind: "closed",
      next: dayNumber(money),
      leftMinor,
      handedOutMinor: money.outside.handedOutMinor,
      currency,
    };
  }
  const { day } = money;
  const difference = money.kind === "counted" ? differenceMinor(money) : null;
  return {
    kind: money.kind,
    number: day.number,
    currency: day.currency,
    openedAtMs: day.openedAtMs,
    openedBy: day.openedBy,
    floatMinor: day.floatMinor,
    moves: day.moves,
    expected: seesExpected ? expectedOf(day, difference) : null,
    counted: money.kind === "counted" ? countedOf(money) : null,
    over: openCashOf(state).map(({ withdrawalId, transactionId, amount }) => ({ withdrawalId, transactionId, amount })),
  };
};

/** What the top line says of the day; null where the shop counts elsewhere. */
export const dayInHeader = ({ settings, drawerMoney }: State, wallMs: number): Header["day"] => {
  if (!settings.drawerMoney.enabled) return null;
  const number = dayNumber(drawerMoney);
  if (drawerMoney.kind === "closed") return { kind: "closed", number, openForMs: null };
  return { kind: drawerMoney.kind, number, openForMs: Math.max(0, wallMs - drawerMoney.day.openedAtMs) };
};
