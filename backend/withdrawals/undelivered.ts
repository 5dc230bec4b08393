import type { Service, Terminal } from "../context.ts";
import type { Transaction } from "../contract/transaction.ts";
import { byTerminal } from "./history.ts";
import { settledToUndelivered } from "./store/transitions.ts";
import { isVisibleToTerminal, replyAfterTransition } from "./transition.ts";

/**
 * Extension: paid by the bank, but no cash was handed out; the payment is due back. From `settled` only, by the device
 * that confirmed. The same reason again: the transaction as it is.
 * @param reason 1 to 200 characters, for the people who reconcile.
 * @throws ServiceError `transaction_not_found`, `transaction_conflict` (also for another reason than the first).
 */
export const declareUndelivered = (
  service: Service,
  terminal: Terminal,
  transactionId: string,
  reason: string,
  cashier: string | null = null,
): Promise<Transaction> =>
  replyAfterTransition(service, {
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
  });
