/** The cashier's part in the drawer's day: opens it, fills the drawer up, counts it now and then, closes it over what is open. */
import type { DayView, Header } from "../../preload/contract.ts";
import type { TillMachine } from "./till.ts";

/** So many looks at a till that nobody waits at lie between two counts. */
const looksADay = 40;
const lowMinor = 300_000;
const refillMinor = 1_500_000;

const sum = (otherMinor: number) => ({ pieces: [], otherMinor });

/** What a cashier does for the drawer between customers. */
export interface DrawerDay {
  /** Does what is next, if anything is; true when it did something. */
  attend(day: Header["day"], isIdle: boolean): Promise<boolean>;
}

/** @param cashMinor what is in the drawer, for whoever counts it. */
export const createDrawerDay = (
  till: Pick<TillMachine, "index" | "dispatch">,
  cashMinor: () => number,
  currency: string,
): DrawerDay => {
  let looks = 0;
  let moves = 0;
  const dispatch: TillMachine["dispatch"] = (command) => till.dispatch(command);
  return {
    async attend(day, isIdle) {
      if (day === null) return false;
      const { kind, number } = day;
      if (kind === "closed") {
        const count = sum(Math.max(0, cashMinor()));
        const isEmpty = cashMinor() === 0;
        await dispatch({ type: "open_day", number, currency, count, isEmpty, reason: "counted" });
        return true;
      }
      if (kind === "counted") {
        const reply = await dispatch({ type: "get_day", reveal: false });
        const view = reply?.ok ? (reply.data as DayView) : null;
        if (view === null || view.kind === "closed" || view.counted === null) return true;
        const over = view.over.map(({ withdrawalId }) => withdrawalId);
        const { counts, proposal: takeOut } = view.counted;
        await dispatch({ type: "close_day", number, counts, takeOut, reason: "counted", over });
        return true;
      }
      if (cashMinor() < lowMinor) {
        moves += 1;
        const move = { direction: "in", amountMinor: refillMinor, count: null, reason: "bank", note: "" } as const;
        await dispatch({ type: "move_cash", number, ...move, moveId: `${till.index}-${moves}` });
        return true;
      }
      if (!isIdle) return false;
      looks += 1;
      if (looks % looksADay !== 0) return false;
      await dispatch({ type: "count_day", number, count: sum(cashMinor()), isEmpty: cashMinor() === 0 });
      return true;
    },
  };
};
