/** The first-time tour: where a practice withdrawal stands says which of its six steps comes next. */
import type { PracticeWithdrawal, Screen } from "../../preload/contract.ts";

/** How many steps the tour has. */
export const tourSteps = 6;

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
