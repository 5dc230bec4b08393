/** Why the program must not exit for an update now, read from the snapshot. */
import type { Snapshot } from "../../preload/contract.ts";

/** `day`: nothing is open, but the shop is; a manager may agree. */
export type Busy = "withdrawal" | "report" | "printing" | "day";

/** Whether nobody is served on a screen: others belong to a withdrawal, or to somebody who is setting up. */
const isIdle: Readonly<Record<Snapshot["screen"]["kind"], boolean>> = {
  starting: false,
  setup: false,
  blocked: true,
  ready: true,
  looking_up: false,
  review: false,
  confirming: false,
  waiting: false,
  closing: false,
  payable: false,
  opening: false,
  counting: false,
  done: false,
  ended: false,
  unknown: false,
};

/**
 * Null: the terminal can be away for a minute. A journal that cannot be written counts as a withdrawal, since what is open is
 * not known then. In a shop that counts no days only the time window says when it is closed.
 */
export const busyWith = ({ screen, header }: Pick<Snapshot, "screen" | "header">): Busy | null => {
  if (!isIdle[screen.kind] || header.unfinished > 0 || header.open.length > 0 || header.journalFailing)
    return "withdrawal";
  if (header.pendingReports !== null) return "report";
  if (header.printing !== null) return "printing";
  return header.day !== null && header.day.kind !== "closed" ? "day" : null;
};
