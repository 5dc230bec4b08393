import { useCallback, useEffect, useState } from "react";

/** Whether the drawer's area lies over the screens. */
export interface DayArea {
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
}

/** Whether the drawer's day lies over the screens; while money may move, nothing does. */
export const useDayArea = (isAllowed: boolean): DayArea => {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (!isAllowed) setWanted(false);
  }, [isAllowed]);
  const open = useCallback(() => setWanted(true), []);
  const close = useCallback(() => setWanted(false), []);
  return { isOpen: isWanted && isAllowed, open, close };
};
