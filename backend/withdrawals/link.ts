import type { JournalHeadReport } from "../access/journal-heads.ts";
import type { Service, Terminal } from "../context.ts";
import type { AsReported } from "../contract/pos.ts";
import type { LinkedTransaction } from "../contract/transaction.ts";
import { replyToReport } from "./as-reported.ts";
import { linkSettled, type ShownRow, settledToUndelivered } from "./store.ts";

/**
 * The cash was handed out (interface 4.7). A repeat returns the transaction as it is.
 * @throws ServiceError `transaction_not_found` (also for another device), `transaction_conflict` before `settled` or
 * after another end.
 * @param cashier code of the person who handed it out; ignored in repeats.
 * @param asReported the withdrawal as the terminal knows it, if a restore may have made the service forget it.
 * @param handOutId the terminal's id of this hand-out. The answer has the id known to the service; a different one
 * makes the line `disputed`.
 * @param head the newest link of the terminal's journal, kept in the same commit.
 */
export const linkTransaction = (
  service: Service,
  terminal: Terminal,
  transactionId: string,
  cashier: string | null = null,
  asReported?: AsReported,
  handOutId: string | null = null,
  head?: JournalHeadReport,
): Promise<LinkedTransaction> => {
  const at = { id: transactionId, merchant: terminal.merchantId, device: terminal.deviceId };
  const asked = {
    transactionId,
    update: (now: number) => linkSettled({ ...at, cashier, handOutId, now }),
    isReplay: (row: ShownRow) => row.status === "linked",
  };
  const report = { status: "linked", undeliveredReason: null, cashier, handOutId } as const;
  return replyToReport(service, terminal, asked, report, asReported, head);
};

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
