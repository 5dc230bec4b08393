import type { Service, Terminal } from "../context.ts";
import type { Transaction } from "../contract/transaction.ts";
import { withdrawalColumns } from "../store/columns.ts";
import { statement } from "../store/statement.ts";
import { byTerminal, countsEvent } from "./history.ts";
import { move } from "./transition.ts";

const linkSettled = statement("link_settled", (db, p: { id: string; merchant: string; device: string; now: number }) =>
  db
    .updateTable("withdrawals")
    .set({ status: "linked", linked_at: p.now, ...countsEvent })
    .where("id", "=", p.id)
    .where("merchant_id", "=", p.merchant)
    .where("device_id", "=", p.device)
    .where("status", "=", "settled")
    .returning(withdrawalColumns),
);

/**
 * The cash was handed out (interface 4.7). Again: the transaction as it is.
 * @throws ServiceError `transaction_not_found` (also for another device), `transaction_conflict` before `settled` or
 * after another end.
 */
export const linkTransaction = (service: Service, terminal: Terminal, transactionId: string): Promise<Transaction> =>
  move(service, {
    transactionId,
    isVisibleTo: (row) =>
      row.merchant_id === terminal.merchantId && (row.device_id === null || row.device_id === terminal.deviceId),
    update: (now) => linkSettled({ id: transactionId, merchant: terminal.merchantId, device: terminal.deviceId, now }),
    cause: byTerminal(terminal),
    from: () => "settled",
    isReplay: (row) => row.status === "linked",
  });
