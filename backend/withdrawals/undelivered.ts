import { headBesideReport, type JournalHeadReport } from "../access/journal-heads.ts";
import type { Service, Terminal } from "../context.ts";
import type { AsReported } from "../contract/pos.ts";
import type { LinkedTransaction } from "../contract/transaction.ts";
import { replyToReport } from "./as-reported.ts";
import { byTerminal } from "./history.ts";
import { settledToUndelivered } from "./store.ts";
import { isVisibleToTerminal, type Transition } from "./transition.ts";

/**
 * Extension: paid by the bank, but no cash was handed out; the payment is due back. From `settled` only, by the device
 * that confirmed. A repeat with the same reason returns the transaction as it is.
 * @param reason 1 to 200 characters, for the people who reconcile.
 * @param asReported as in `linkTransaction`, like `head`.
 * @throws ServiceError `transaction_not_found`, `transaction_conflict` (also for another reason than the first).
 */
export const declareUndelivered = async (
  service: Service,
  terminal: Terminal,
  transactionId: string,
  reason: string,
  cashier: string | null = null,
  asReported?: AsReported,
  head?: JournalHeadReport,
): Promise<LinkedTransaction> => {
  const beside = headBesideReport(terminal, head);
  const transition: Transition = {
    transactionId,
    isVisibleTo: isVisibleToTerminal(terminal),
    update: (now) =>
      settledToUndelivered({
        id: transactionId,
        merchant: terminal.merchantId,
        device: terminal.deviceId,
        reason,
        cashier,
        now,
      }),
    cause: byTerminal(terminal, cashier),
    from: () => "settled",
    inSameTransaction: (tx, _, now) => beside.keep(tx, now),
    whenNotApplied: beside.forget,
    isReplay: (row) => row.undelivered_reason === reason,
  };
  const report = { status: "undelivered", undeliveredReason: reason, cashier, handOutId: null } as const;
  return beside.answer(await replyToReport(service, terminal, transition, report, asReported));
};
