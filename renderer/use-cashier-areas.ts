/** The cashier's areas over the screen, the drawer's day and the history: one area is open at a time, the manager's included. */
import { useCallback, useEffect, useState } from "react";
import type { ManagerArea } from "./people/use-manager-area.ts";

/** An area by its name in the guide. */
export type CashierArea = "drawer_day" | "counter_history";

/** Which area is open, and how to open and close one. */
export interface CashierAreas {
  readonly opened: CashierArea | null;
  /** One of these or the manager's area covers the screen: a scan must not reach what is behind it. */
  readonly covered: boolean;
  readonly show: (area: CashierArea) => void;
  readonly close: () => void;
}

/** State of the cashier's areas. @param hasDay the shop counts its drawer; without, the day's area does not open. */
export const useCashierAreas = (managerArea: ManagerArea, hasDay: boolean): CashierAreas => {
  const { isAllowed, isOpen: isManagerOpen, close: closeManager } = managerArea;
  const [wanted, setWanted] = useState<CashierArea | null>(null);
  // While money may move, no area covers the screen.
  useEffect(() => {
    if (!isAllowed) setWanted(null);
  }, [isAllowed]);
  const isThere: Readonly<Record<CashierArea, boolean>> = { drawer_day: hasDay, counter_history: true };
  const opened = isAllowed && wanted !== null && isThere[wanted] ? wanted : null;
  return {
    opened,
    covered: isManagerOpen || opened !== null,
    show(area) {
      closeManager();
      setWanted(area);
    },
    close: useCallback(() => setWanted(null), []),
  };
};
