import type { Client, Service } from "../context.ts";
import type { Status, Transaction } from "../contract/transaction.ts";
import { insertOrder } from "../partner/outbox-store.ts";
import type { OutboxTable } from "../store/tables/withdrawals.ts";
import { byPartner } from "./history.ts";
import type { ShownRow } from "./store/reads.ts";
import { approveSca, denySca } from "./store/transitions.ts";
import type { ToSettle } from "./store/updated-row.ts";
import { toTransaction } from "./to-transaction.ts";
import { applyTransition, type Transition } from "./transition.ts";

/** What the customer did in the bank's app. */
export type ScaOutcome = "approved" | "denied";

/** Where an approval has led; only an approval leads a withdrawal that needs SCA there. */
const afterApproval: readonly Status[] = ["settling", "settled", "linked", "undelivered", "failed"];

const wasResolvedSo = (row: ShownRow, outcome: ScaOutcome): boolean =>
  outcome === "denied" ? row.reason === "sca_denied" : row.sca_required === 1 && afterApproval.includes(row.status);

/**
 * Extension: what the customer did in the bank's app. An approval writes the Settle order in the same commit and sends
 * it. The same outcome again: the transaction as it is.
 * @throws ServiceError `transaction_not_found`, `transaction_conflict` before the confirmation, after the deadline, after
 * another end.
 */
export const resolveSca = async (
  service: Service,
  client: Client,
  transactionId: string,
  outcome: ScaOutcome,
): Promise<Transaction> => {
  let order: OutboxTable | null = null;
  const update = outcome === "approved" ? approveSca : denySca;
  const transition: Transition = {
    transactionId,
    isVisibleTo: (row) => row.partner_id === client.partnerId,
    update: (now) => update({ id: transactionId, partner: client.partnerId, now }),
    cause: byPartner(client),
    from: () => "awaiting_sca",
    *inSameTransaction(updated, now) {
      order =
        updated.status === "settling"
          ? yield* insertOrder(updated as ToSettle, now, service.settleQueue.workerId)
          : null;
    },
    isReplay: (row) => wasResolvedSo(row, outcome),
  };
  const { kind, row } = await applyTransition(service, transition);
  if (kind === "applied" && order) service.settleQueue.send(order);
  return toTransaction(row);
};
