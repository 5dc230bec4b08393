/** Which transactions this till is through with, kept so that no scan can offer cash for one again. Bounded. */
import { closedOlderMax, closedRecentMax } from "./bounds.ts";
import type { Closed } from "./state.ts";

/** Adds one; `cash` stays true once it was. */
export const addClosed = (closed: Closed, transactionId: string, cash: boolean): Closed => {
  const recent = new Map(closed.recent).set(transactionId, cash || cashWasGiven(closed, transactionId));
  if (recent.size < closedRecentMax) return { ...closed, recent };
  const all = [...closed.older, ...recent];
  return { recent: new Map(), older: new Map(all.slice(-closedOlderMax)) };
};

/** Whether this till has handed out cash for a transaction. */
export const cashWasGiven = (closed: Closed, transactionId: string): boolean =>
  closed.recent.get(transactionId) ?? closed.older.get(transactionId) ?? false;
