/** For which transactions this till has handed out cash, so that no scan can offer cash for one again. Bounded. */
import { closedOlderMax, closedRecentMax } from "./bounds.ts";
import type { Closed } from "./state.ts";

export const addCash = (closed: Closed, transactionId: string): Closed => {
  const recent = new Set(closed.recent).add(transactionId);
  if (recent.size < closedRecentMax) return { ...closed, recent };
  return { recent: new Set(), older: new Set([...closed.older, ...recent].slice(-closedOlderMax)) };
};

/** Whether this till has handed out cash for a transaction. */
export const cashWasGiven = (closed: Closed, transactionId: string): boolean =>
  closed.recent.has(transactionId) || closed.older.has(transactionId);
