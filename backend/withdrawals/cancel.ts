import type { Client, Service } from "../context.ts";
import type { Transaction } from "../contract/transaction.ts";
import { cancelReady } from "./store.ts";
import { byPartner, replyAfterTransition } from "./transition.ts";

/**
 * Extension: the customer gives up before the cashier confirms. A repeat returns the transaction as it is.
 * @throws ServiceError `transaction_not_found`, `transaction_conflict` once it is confirmed or closed otherwise.
 */
export const cancelWithdrawal = (service: Service, client: Client, transactionId: string): Promise<Transaction> =>
  replyAfterTransition(service, {
    transactionId,
    isVisibleTo: (row) => row.partner_id === client.partnerId,
    update: (now) => cancelReady({ id: transactionId, partner: client.partnerId, now }),
    cause: byPartner(client),
    from: () => "ready",
    isReplay: (row) => row.reason === "user_canceled",
  });
