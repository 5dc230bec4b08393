/** The first-time tour: where a practice withdrawal stands says which of its six steps comes next. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { PracticeWithdrawal, Screen } from "../../preload/contract.ts";

/** How many steps the tour has. */
export const tourSteps = 6;

const order: readonly string[] = ["requested", "ready", "awaiting_sca", "settling", "settled", "linked"];

/** The status that the terminal's screen tells of its withdrawal; null where it tells none. */
const statusOn = (screen: Screen): string | null => {
  switch (screen.kind) {
    case "waiting":
      return screen.phase === "approval" ? "awaiting_sca" : "settling";
    case "payable":
    case "opening":
    case "counting":
      return "settled";
    case "done":
      return "linked";
    case "starting":
    case "setup":
    case "blocked":
    case "ready":
    case "looking_up":
    case "review":
    case "confirming":
    case "closing":
    case "ended":
    case "unknown":
      return null;
    default:
      return assertNever(screen);
  }
};

/** The withdrawal as far as the terminal beside the phone has it: the phone asks the bank only now and then, and would lag behind. */
export const asTheTerminalHasIt = (
  withdrawal: PracticeWithdrawal | null,
  screen: Screen,
): PracticeWithdrawal | null => {
  if (withdrawal === null || !("transactionId" in screen) || screen.transactionId !== withdrawal.transactionId)
    return withdrawal;
  const status = statusOn(screen);
  if (status === null) return withdrawal;
  const known = order.indexOf(withdrawal.status);
  return known >= 0 && known < order.indexOf(status) ? { ...withdrawal, status } : withdrawal;
};

/** From 1: ask, show the code, confirm, approve, open the drawer and count, hand over. 0: this withdrawal ended without cash. */
export const tourStep = (withdrawal: PracticeWithdrawal | null, screen: Screen["kind"]): 0 | 1 | 2 | 3 | 4 | 5 | 6 => {
  switch (withdrawal?.status) {
    case undefined:
    case "requested":
      return 1;
    case "ready":
      return screen === "ready" || screen === "done" || screen === "ended" ? 2 : 3;
    case "awaiting_sca":
    case "settling":
      return 4;
    case "settled":
      return 5;
    case "linked":
      return 6;
    default:
      return 0;
  }
};
