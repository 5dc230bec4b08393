/** For which transactions this terminal has handed out cash, so that no scan can offer cash for one again. Bounded. */
import { cashGivenOlderMax, cashGivenRecentMax } from "./bounds.ts";
import type { CashGiven } from "./state.ts";

/** Adds a transaction; the oldest ones are dropped when there are too many. */
export const addCash = (given: CashGiven, transactionId: string): CashGiven => {
  const recent = new Set(given.recent).add(transactionId);
  if (recent.size < cashGivenRecentMax) return { ...given, recent };
  return { recent: new Set(), older: new Set([...given.older, ...recent].slice(-cashGivenOlderMax)) };
};

/** Whether this terminal has handed out cash for a transaction. */
export const cashWasGiven = (given: CashGiven, transactionId: string): boolean =>
  given.recent.has(transactionId) || given.older.has(transactionId);
