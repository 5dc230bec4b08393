import type { JournalHeadReport } from "../access/journal-heads.ts";
import type { Service, Terminal } from "../context.ts";
import type { AsReported } from "../contract/pos.ts";
import type { LinkedTransaction } from "../contract/transaction.ts";
import { replyToReport } from "./as-reported.ts";
import { type ShownRow, settledToUndelivered } from "./store.ts";

/**
 * Extension: paid by the bank, but no cash was handed out; the payment is due back. From `settled` only, by the device
 * that confirmed. A repeat with the same reason returns the transaction as it is.
 * @param reason 1 to 200 characters, for the people who reconcile.
 * @param asReported as in `linkTransaction`, like `head`.
 * @throws ServiceError `transaction_not_found`, `transaction_conflict` (also for another reason than the first).
 */
export const declareUndelivered = (
  service: Service,
  terminal: Terminal,
  transactionId: string,
  reason: string,
  cashier: string | null = null,
  asReported?: AsReported,
  head?: JournalHeadReport,
): Promise<LinkedTransaction> => {
  const at = { id: transactionId, merchant: terminal.merchantId, device: terminal.deviceId };
  const asked = {
    transactionId,
    update: (now: number) => settledToUndelivered({ ...at, reason, cashier, now }),
    isReplay: (row: ShownRow) => row.undelivered_reason === reason,
  };
  const report = { status: "undelivered", undeliveredReason: reason, cashier, handOutId: null } as const;
  return replyToReport(service, terminal, asked, report, asReported, head);
};
