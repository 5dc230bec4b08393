/** The chain of one withdrawal's history: each row's hash is an HMAC over the row and the hash before it. */
import type { Hmac } from "../context.ts";
import type { WithdrawalEventsTable, WithdrawalsTable } from "../store/tables/withdrawals.ts";

/** A row of the history without what proves it. */
export type HashedEvent = Readonly<Omit<WithdrawalEventsTable, "hash" | "seal">>;

/** What a withdrawal is about and never changes, so that its rows prove it too; not the user's id, which can be erased. */
export type HashedWithdrawal = Readonly<
  Pick<WithdrawalsTable, "partner_id" | "merchant_id" | "amount" | "currency" | "created_at">
>;

/** @param previous the hash of the row before; empty for the first, and after a row that has none. */
export const historyHash = (hmac: Hmac, previous: string, e: HashedEvent, w: HashedWithdrawal): string =>
  // One list, made in one go: this runs for every move. A column of a later release is put in where it is not null,
  // so that the rows of before keep their hash.
  hmac(
    JSON.stringify([
      previous,
      e.transaction_id,
      e.sequence,
      e.kind,
      e.at,
      e.from_status,
      e.to_status,
      e.actor,
      e.actor_id,
      e.request_id,
      e.reason,
      e.attempt,
      e.cashier,
      w.partner_id,
      w.merchant_id,
      w.amount,
      w.currency,
      w.created_at,
    ]),
  );
