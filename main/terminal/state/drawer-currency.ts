import { type State, shopOf } from "./state.ts";

/** Of what the shop's drawer holds: as the service says, else as on the day before; null where neither says it. */
export const drawerCurrency = (state: State): string | null => {
  const { drawerMoney } = state;
  const before = drawerMoney.kind === "closed" ? drawerMoney.currency : drawerMoney.day.currency;
  return shopOf(state)?.limits?.currency ?? before;
};
