/** Withdrawals whose cash is still in the drawer and may leave it: a day that closes over them names them. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { State, Withdrawal } from "./state.ts";

const mayStillPay = ({ stage, intended }: Withdrawal): boolean => {
  switch (stage.kind) {
    case "confirming":
    case "waiting":
    case "payable":
    case "opening":
      return true;
    case "rejecting":
      return intended;
    case "review":
    case "handed_out":
    case "not_handed_out":
      return false;
    default:
      return assertNever(stage);
  }
};

/** Those that are paid, or may still become so, and whose cash was not counted out yet. */
export const openCashOf = (state: State): readonly Withdrawal[] => [...state.open.values()].filter(mayStillPay);
