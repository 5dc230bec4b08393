/** Why a terminal must not be ended for an update now, read from what its screens show. */
import type { Snapshot } from "../../preload/contract.ts";

/** `day`: nothing is open, but the shop is; a manager may agree. */
export type Busy = "withdrawal" | "report" | "printing" | "day";

/** On these nobody is served: whatever is in front otherwise belongs to a withdrawal, or to somebody who is setting up. */
const calm: ReadonlySet<Snapshot["screen"]["kind"]> = new Set(["ready", "blocked"]);

/**
 * Null: nobody notices that the terminal is gone for a minute. A journal that takes nothing counts as a withdrawal: what is
 * open cannot be told. Where the shop counts no days nobody says that it is closed: that is the time window's to say.
 */
export const busyWith = ({ screen, header }: Pick<Snapshot, "screen" | "header">): Busy | null => {
  if (!calm.has(screen.kind) || header.unfinished > 0 || header.open.length > 0 || header.journalFailing)
    return "withdrawal";
  if (header.pendingReports !== null) return "report";
  if (header.printing !== null) return "printing";
  return header.day !== null && header.day.kind !== "closed" ? "day" : null;
};
