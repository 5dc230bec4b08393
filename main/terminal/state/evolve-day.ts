/** What happened to the drawer's money, applied. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { closed, counted, type DrawerMoney, handedOut, moved, opened, recounting } from "../day/drawer-money.ts";
import { cashWasGiven } from "./cash-given.ts";
import type { AboutWithdrawal, DayEvent } from "./events.ts";
import type { State } from "./state.ts";

/** The state after an event of the drawer's day. */
export const evolveDay = (money: DrawerMoney, event: DayEvent): DrawerMoney => {
  switch (event.type) {
    case "day_opened":
      return opened(money, event);
    case "cash_moved":
      return moved(money, event.move, event.count);
    case "day_counted":
      return counted(money, event);
    case "day_recounted":
      return recounting(money);
    case "day_closed":
      return closed(event.report);
    default:
      return assertNever(event);
  }
};

/** A hand-out of this terminal lowers what its drawer holds, once a withdrawal. @param state as it was before the event. */
export const drawerMoneyAfter = (state: State, event: AboutWithdrawal): DrawerMoney => {
  const isHandOut = event.type === "handed_out" || (event.type === "decided" && event.decision === "handed_out");
  if (!isHandOut || cashWasGiven(state.cashGiven, event.of.transactionId)) return state.drawerMoney;
  return handedOut(state.drawerMoney, event.of.amount, event.of.currency);
};
