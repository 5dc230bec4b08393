import type { Reader, Service } from "../context.ts";
import type { TransactionEvents } from "../contract/history.ts";
import { isTransactionId } from "../contract/ids.ts";
import { toTime } from "../contract/times.ts";
import type { RowOf } from "../store/schema.ts";
import { mayRead, readRow } from "./get.ts";
import { eventsOf } from "./history.ts";
import { isStoreOf } from "./reconcile.ts";
import { toTransaction, unknownTransaction } from "./transition.ts";

/**
 * Extension: a transaction's history, oldest first. Empty for one older than the history.
 * @throws ServiceError `transaction_not_found`, also for another shop's or another bank's.
 */
export const getHistory = async (
  service: Service,
  reader: Reader,
  transactionId: string,
): Promise<TransactionEvents> => {
  const row = isTransactionId(transactionId) ? await readRow(service, transactionId) : undefined;
  const isTheirs =
    row && ("chainId" in reader ? await isStoreOf(service, reader, row.merchant_id) : mayRead(reader, row));
  if (!isTheirs) throw unknownTransaction();
  const events = await service.store.read((tx) => tx.all(eventsOf({ id: transactionId, askedAt: row.created_at })));
  return {
    transaction_id: transactionId,
    transaction: toTransaction(row),
    events: events.map((row) => toEvent(row, reader)),
  };
};

/** Hides the cashier's code from banks. */
const toEvent = (row: RowOf<"withdrawal_events">, reader: Reader): TransactionEvents["events"][number] => ({
  sequence: row.sequence,
  kind: row.kind,
  at: toTime(row.at),
  from: row.from_status,
  to: row.to_status,
  actor: row.actor,
  actor_id: row.actor_id,
  request_id: row.request_id,
  reason: row.reason,
  attempt: row.attempt,
  cashier: "partnerId" in reader ? null : row.cashier,
});
