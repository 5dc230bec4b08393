import type { PersonView } from "../../preload/contract.ts";
import { useRemaining } from "../ui/use-remaining.ts";

/** How long no PIN of this person is looked at, counted down since the snapshot. */
export const useWaitMs = (person: PersonView | undefined): number => {
  const waitMs = person?.waitMs ?? 0;
  return useRemaining(waitMs > 0 ? { totalMs: waitMs, remainingMs: waitMs } : null);
};
