import type { Service, Terminal } from "../context.ts";
import type { Transaction } from "../contract/transaction.ts";
import { byTerminal } from "./history.ts";
import { linkSettled } from "./store/transitions.ts";
import { isVisibleToTerminal, replyAfterTransition } from "./transition.ts";

/**
 * The cash was handed out (interface 4.7). Again: the transaction as it is.
 * @throws ServiceError `transaction_not_found` (also for another device), `transaction_conflict` before `settled` or
 * after another end.
 * @param cashier the code of whoever handed it out; of a repeat it changes nothing.
 */
export const linkTransaction = (
  service: Service,
  terminal: Terminal,
  transactionId: string,
  cashier: string | null = null,
): Promise<Transaction> =>
  replyAfterTransition(service, {
    transactionId,
    isVisibleTo: isVisibleToTerminal(terminal),
    update: (now) =>
      linkSettled({ id: transactionId, merchant: terminal.merchantId, device: terminal.deviceId, cashier, now }),
    cause: byTerminal(terminal, cashier),
    from: () => "settled",
    isReplay: (row) => row.status === "linked",
  });
