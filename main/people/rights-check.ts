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
  /** Whether whoever sets a new terminal up may give this command, as nothing can be lost yet. */
  readonly maySetUp: (command: Command) => boolean;
}

/** Why a command may not be done by whoever is here; null when it may. */
export const createRightsCheck =
  ({ staff, needsCashier, maySetUp }: RightsCheckParts) =>
  (command: Command): Refusal | null => {
    const right = rightOf[command.type];
    switch (right) {
      case "anyone":
        return null;
      case "counter":
        return needsCashier() && staff.signedIn("cashier") === null ? "locked" : null;
      case "set_up":
        return maySetUp(command) ? null : staff.managerMissing();
      case "manager":
        return staff.managerMissing();
      case "known_manager":
        return staff.nobodyKnown();
      default:
        return assertNever(right);
    }
  };
