/** Whether the drawer holds the cash of one more withdrawal, beside what is promised to customers already. */
import { parseAmount } from "../../../backend/contract/money.ts";
import { canPay } from "../day/drawer-money.ts";
import { openCashOf } from "./open-cash.ts";
import type { State, Withdrawal } from "./state.ts";

/** As `canPay`; `no_day` where the drawer's day must be opened first, `ok` where the shop counts elsewhere. */
export const drawerCover = (state: State, one: Withdrawal): "ok" | "short" | "no_notes" | "no_day" => {
  const { settings, drawerMoney } = state;
  if (!settings.drawerMoney.enabled) return "ok";
  if (drawerMoney.kind === "closed") return "no_day";
  const promised = openCashOf(state)
    .filter((other) => other !== one && other.currency === one.currency)
    .reduce((sum, { amount, currency }) => sum + (parseAmount(amount, currency) ?? 0), 0);
  return canPay(drawerMoney, one.amount, one.currency, promised);
};
