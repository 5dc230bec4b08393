/** Why the program must not exit for an update now, read from the snapshot. */
import type { Snapshot } from "../../preload/contract.ts";
import { screenUse } from "./screen-use.ts";

/** `day`: nothing is open, but the shop is; a manager may agree. */
export type Busy = "withdrawal" | "report" | "printing" | "day";

/** Whether nobody is served: at a terminal that is blocked, nobody can be. */
const isIdle = ({ kind }: Snapshot["screen"]): boolean => screenUse[kind] === "free" || screenUse[kind] === "blocked";

/**
 * Null: the terminal can be away for a minute. A journal that cannot be written counts as a withdrawal, since what is open is
 * not known then. In a shop that counts no days only the time window says when it is closed.
 */
export const busyWith = ({ screen, header }: Pick<Snapshot, "screen" | "header">): Busy | null => {
  if (!isIdle(screen) || header.unfinished > 0 || header.open.length > 0 || header.journalFailing) return "withdrawal";
  if (header.pendingReports !== null) return "report";
  if (header.printing !== null) return "printing";
  return header.day !== null && header.day.kind !== "closed" ? "day" : null;
};
