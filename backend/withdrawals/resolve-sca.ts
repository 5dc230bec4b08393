import type { Client, Service } from "../context.ts";
import type { Status, Transaction } from "../contract/transaction.ts";
import { insertOrder } from "../partner/orders.ts";
import { ServiceError } from "../service-error.ts";
import type { Tx } from "../store/store.ts";
import { shownOrArchived } from "./closed.ts";
import { endDisputeAgreed } from "./dispute.ts";
import { awaitsBank } from "./lifecycle.ts";
import { refuseIfLost } from "./lost-commits.ts";
import { approvalOf, holdRestored, noteApproval } from "./restored.ts";
import { type Approved, approveSca, denySca, type ShownRow, type UpdatedRow } from "./store.ts";
import {
  approvalTerms,
  byPartner,
  recordNote,
  replyAfterTransition,
  type Transition,
  toTransaction,
} from "./transition.ts";

/** What the customer did in the bank's app. */
type ScaOutcome = "approved" | "denied";

/** Statuses that a withdrawal with SCA reaches only by an approval. */
const afterApproval: readonly Status[] = ["settling", "settled", "linked", "undelivered", "failed"];

const wasResolvedSo = (row: ShownRow, outcome: ScaOutcome): boolean =>
  outcome === "denied"
    ? row.reason === "sca_denied"
    : row.sca_required === 1 && afterApproval.includes(row.status) && !awaitsBank(row);

/**
 * Extension: the result of the customer's SCA in the bank's app. An approval writes the Settle order in the same commit
 * and sends it. A repeat returns the transaction as it is.
 * @throws ServiceError `transaction_not_found`, `transaction_conflict` before the confirmation, after the deadline,
 * after another end.
 */
export const resolveSca = async (
  service: Service,
  client: Client,
  transactionId: string,
  outcome: ScaOutcome,
): Promise<Transaction> => {
  const update = outcome === "approved" ? approveSca : denySca;
  const transition: Transition = {
    transactionId,
    isVisibleTo: (row) => row.partner_id === client.partnerId,
    update: (now) => update({ id: transactionId, partner: client.partnerId, now }),
    cause: byPartner(client),
    terms: (updated) => (outcome === "approved" ? approvalTerms(updated, service.keys.history) : null),
    from: () => "awaiting_sca",
    ...(outcome === "approved" && {
      bank: client.partnerId,
      async inSameTransaction(_: Tx, updated: UpdatedRow) {
        refuseIfLost(service, (updated as Approved).looked);
      },
    }),
    isReplay: (row) => wasResolvedSo(row, outcome),
  };
  try {
    return await replyAfterTransition(service, transition);
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.code === "transaction_conflict";
    const again = isRefused && outcome === "approved" ? await approveAgain(service, client, transactionId) : null;
    if (again === null) throw error;
    return again;
  }
};

/**
 * Handles an approval repeated after a restore: it is recorded, and pays only what a terminal has reported as handed out.
 * @returns null if it was not ended by a restore.
 */
const approveAgain = async (service: Service, client: Client, id: string): Promise<Transaction | null> => {
  const { row, order } = await service.store.write(async (tx) => {
    const now = service.clock.now();
    const change = { tx, keys: service.keys, now, cause: byPartner(client) };
    const held = (await tx.first(holdRestored({ id }))) ?? (await shownOrArchived(tx, id, now));
    const isKnown = held !== undefined && (await tx.first(approvalOf({ id, askedAt: held.created_at }))) !== undefined;
    const updated = isKnown ? undefined : await tx.first(noteApproval({ id, partner: client.partnerId, now }));
    if (updated === undefined) return { row: isKnown ? await shownOrArchived(tx, id, now) : undefined, order: null };
    await recordNote(change, "approved", updated, "approved");
    if (updated.status === "undelivered") await endDisputeAgreed(change, id, "approved");
    const isDue = updated.status === "linked";
    return { row: updated, order: isDue ? await insertOrder(tx, updated, now, service.settleQueue.workerId) : null };
  });
  if (order) service.settleQueue.send(order);
  return row === undefined ? null : toTransaction(row);
};
