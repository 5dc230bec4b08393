import { isFinal, type Status, type Transaction } from "../../backend/contract/transaction.ts";
import { nextStatuses } from "../../backend/withdrawals/lifecycle.ts";

const reachableFrom = (status: Status): ReadonlySet<Status> => {
  const seen = new Set<Status>([status]);
  for (const each of seen) for (const next of nextStatuses[each]) seen.add(next);
  return seen;
};

const fixedOnceSet = [
  "confirmed_at",
  "sca_expires_at",
  "settled_at",
  "linked_at",
  "closed_at",
  "transaction_id_partner",
] as const;
const fixed = [
  "amount",
  "currency",
  "store",
  "store_name",
  "partner_reference",
  "sca_required",
  "created_at",
  "expires_at",
] as const;

/** Whether what a caller was acknowledged about a transaction still holds, given how it is now; the answer is what does not. */
export const brokenPromise = (acknowledged: Transaction, now: Transaction | undefined): string | null => {
  const name = `${acknowledged.transaction_id} was acknowledged as ${acknowledged.status}`;
  if (!now) return `${name} and is gone`;
  if (!reachableFrom(acknowledged.status).has(now.status)) return `${name} and is ${now.status}`;
  if (isFinal(acknowledged.status) && JSON.stringify(acknowledged) !== JSON.stringify(now))
    return `${name} and was changed`;
  const lost = fixedOnceSet.find((field) => acknowledged[field] !== null && acknowledged[field] !== now[field]);
  if (lost) return `${name}, but ${lost} is another`;
  const changed = fixed.find((field) => acknowledged[field] !== now[field]);
  return changed ? `${name}, but ${changed} is another` : null;
};
