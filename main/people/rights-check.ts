/** Whether what a command needs is there: the table of `rights.ts` against who stands at the terminal. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { Command, Refusal } from "../../preload/contract.ts";
import { rightOf } from "./rights.ts";
import type { createStaff } from "./staff.ts";

/** What is asked for each command. */
export interface RightsCheckParts {
  readonly staff: Pick<ReturnType<typeof createStaff>, "signedIn" | "managerMissing" | "nobodyKnown">;
  /** Whether cashiers sign in here. */
  readonly needsCashier: () => boolean;
  /** Whether nobody can sign in until the operator's code has made a manager. */
  readonly arePeopleLost: () => boolean;
  /** Whether this terminal belongs to no service that could redeem such a code. */
  readonly isNobodys: () => boolean;
  /** Whether whoever sets a new terminal up may give this command, as nothing can be lost yet. */
  readonly maySetUp: (command: Command) => boolean;
}

/** Why a command may not be done by whoever is here; null when it may. */
export const createRightsCheck =
  ({ staff, needsCashier, arePeopleLost, isNobodys, maySetUp }: RightsCheckParts) =>
  (command: Command): Refusal | null => {
    const right = rightOf[command.type];
    switch (right) {
      case "anyone":
        return null;
      case "counter":
      case "pay_out":
        if (!needsCashier() || staff.signedIn("cashier") !== null) return null;
        if (!arePeopleLost()) return "locked";
        return right === "pay_out" ? null : "people_lost";
      case "set_up":
        return maySetUp(command) ? null : staff.managerMissing();
      case "operator_code":
        return arePeopleLost() && isNobodys() ? null : staff.managerMissing();
      case "manager":
        return staff.managerMissing();
      case "known_manager":
        return staff.nobodyKnown();
      default:
        return assertNever(right);
    }
  };
