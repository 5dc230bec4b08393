import type { Service, Terminal } from "../context.ts";
import type { AsReported } from "../contract/pos.ts";
import type { Transaction } from "../contract/transaction.ts";
import { replyToReport } from "./as-reported.ts";
import { byTerminal } from "./history.ts";
import { settledToUndelivered } from "./store.ts";
import { isVisibleToTerminal, type Transition } from "./transition.ts";

/**
 * Extension: paid by the bank, but no cash was handed out; the payment is due back. From `settled` only, by the device
 * that confirmed. The same reason again: the transaction as it is.
 * @param reason 1 to 200 characters, for the people who reconcile.
 * @param asReported as `linkTransaction`.
 * @throws ServiceError `transaction_not_found`, `transaction_conflict` (also for another reason than the first).
 */
export const declareUndelivered = (
  service: Service,
  terminal: Terminal,
  transactionId: string,
  reason: string,
  cashier: string | null = null,
  asReported?: AsReported,
): Promise<Transaction> => {
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
    isReplay: (row) => row.undelivered_reason === reason,
  };
  return replyToReport(
    service,
    terminal,
    transition,
    { status: "undelivered", undeliveredReason: reason, cashier, handOutId: null },
    asReported,
  );
};
