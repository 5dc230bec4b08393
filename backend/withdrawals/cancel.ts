import type { Client, Service } from "../context.ts";
import type { Transaction } from "../contract/transaction.ts";
import { withdrawalColumns } from "../store/columns.ts";
import { statement } from "../store/statement.ts";
import { byPartner, countsEvent } from "./history.ts";
import { move } from "./transition.ts";

const cancelReady = statement("cancel_ready", (db, p: { id: string; partner: string; now: number }) =>
  db
    .updateTable("withdrawals")
    .set({ status: "canceled", reason: "user_canceled", closed_at: p.now, deadline_at: null, ...countsEvent })
    .where("id", "=", p.id)
    .where("partner_id", "=", p.partner)
    .where("status", "=", "ready")
    .where("deadline_at", ">", p.now)
    .returning(withdrawalColumns),
);

/**
 * Extension: the customer gives up before the cashier confirms. Again: the transaction as it is.
 * @throws ServiceError `transaction_not_found`, `transaction_conflict` once it is confirmed or closed otherwise.
 */
export const cancelWithdrawal = (service: Service, client: Client, transactionId: string): Promise<Transaction> =>
  move(service, {
    transactionId,
    isVisibleTo: (row) => row.partner_id === client.partnerId,
    update: (now) => cancelReady({ id: transactionId, partner: client.partnerId, now }),
    cause: byPartner(client),
    from: () => "ready",
    isReplay: (row) => row.reason === "user_canceled",
  });
