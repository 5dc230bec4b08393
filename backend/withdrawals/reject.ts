import type { Service, Terminal } from "../context.ts";
import type { Reason } from "../contract/reasons.ts";
import { isClosed, type Transaction } from "../contract/transaction.ts";
import { rejectOpen } from "./store.ts";
import { byTerminal, isVisibleToTerminal, replyAfterTransition } from "./transition.ts";

/**
 * The cashier gives up, or the customer did not approve in time (interface 4.6). A transaction closed without cash is
 * returned as it is.
 * @param reason `sca_timeout` where the terminal's own time-out ran out (conventions, "Deadlines that people see").
 * @throws ServiceError `transaction_not_found` (also for another device once it is confirmed), `transaction_conflict`
 * where money may have moved.
 */
export const rejectTransaction = (
  service: Service,
  terminal: Terminal,
  transactionId: string,
  reason: Reason = "cashier_rejected",
): Promise<Transaction> =>
  replyAfterTransition(service, {
    transactionId,
    isVisibleTo: isVisibleToTerminal(terminal),
    update: (now) =>
      rejectOpen({ id: transactionId, merchant: terminal.merchantId, device: terminal.deviceId, reason, now }),
    cause: byTerminal(terminal),
    // Not by the time of the confirmation: the end of what is disputed gives it one.
    from: (updated) => (updated.device_id === null ? "ready" : "awaiting_sca"),
    isReplay: (row) => isClosed(row.status),
  });
