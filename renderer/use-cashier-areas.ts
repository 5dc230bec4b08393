/** The areas that lie over the screen and are not the manager's: the drawer's day and the history. */
import { useArea } from "./ui/use-area.ts";

/** What of the manager's area they need: one area is open at a time. */
interface OtherArea {
  readonly isAllowed: boolean;
  close(): void;
}

/** @param hasDay the shop counts its drawer; without, the day's area does not open. */
export const useCashierAreas = (managerArea: OtherArea, hasDay: boolean) => {
  const dayArea = useArea(managerArea.isAllowed);
  const historyArea = useArea(managerArea.isAllowed);
  const opened: "drawer_day" | "counter_history" | null =
    dayArea.isOpen && hasDay ? "drawer_day" : historyArea.isOpen ? "counter_history" : null;
  return {
    dayArea,
    historyArea,
    /** The one that is shown, by its name in the guide. */
    opened,
    showDay(): void {
      managerArea.close();
      historyArea.close();
      dayArea.open();
    },
    showHistory(): void {
      managerArea.close();
      dayArea.close();
      historyArea.open();
    },
  };
};
