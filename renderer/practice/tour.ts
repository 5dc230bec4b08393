/** The first-time tour: where a practice withdrawal stands says which of its six steps comes next. */
import type { PracticeWithdrawal, Screen } from "../../preload/contract.ts";

/** How many steps the tour has. */
export const tourSteps = 6;

const order: readonly string[] = ["requested", "ready", "awaiting_sca", "settling", "settled", "linked"];

/** The status that the terminal's screen tells of its withdrawal; not there where it tells none. */
const statusOn: Readonly<Partial<Record<Screen["kind"], string>>> = {
  payable: "settled",
  opening: "settled",
  counting: "settled",
  done: "linked",
};

/** The withdrawal as far as the terminal beside the phone has it: the phone asks the bank only now and then, and would lag behind. */
export const asTheTerminalHasIt = (
  withdrawal: PracticeWithdrawal | null,
  screen: Screen,
): PracticeWithdrawal | null => {
  if (withdrawal === null || !("transactionId" in screen) || screen.transactionId !== withdrawal.transactionId)
    return withdrawal;
  const isWaiting = screen.kind === "waiting";
  const status = isWaiting ? (screen.phase === "approval" ? "awaiting_sca" : "settling") : statusOn[screen.kind];
  if (status === undefined) return withdrawal;
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
