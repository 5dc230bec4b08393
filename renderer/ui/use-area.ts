import { useCallback, useEffect, useState } from "react";

/** What lies over the screens while it is open. */
export interface AreaState {
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
}

/** Whether an area lies over the screens; while money may move, nothing does. */
export const useArea = (isAllowed: boolean): AreaState => {
  const [isWanted, setWanted] = useState(false);
  useEffect(() => {
    if (!isAllowed) setWanted(false);
  }, [isAllowed]);
  const open = useCallback(() => setWanted(true), []);
  const close = useCallback(() => setWanted(false), []);
  return { isOpen: isWanted && isAllowed, open, close };
};
