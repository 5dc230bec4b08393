import type { Client, Service } from "../context.ts";
import type { Status, Transaction } from "../contract/transaction.ts";
import { insertOrder } from "../partner/settle-order.ts";
import { withdrawalColumns } from "../store/columns.ts";
import type { OutboxTable } from "../store/schema.ts";
import { statement } from "../store/statement.ts";
import { byPartner, countsEvent } from "./history.ts";
import type { Row } from "./rows.ts";
import { toTransaction } from "./to-transaction.ts";
import { applyTransition, type Transition } from "./transition.ts";

export type ScaOutcome = "approved" | "denied";

interface Resolve {
  readonly id: string;
  readonly partner: string;
  readonly now: number;
  readonly [key: string]: string | number;
}

const approve = statement("sca_approve", (db, p: Resolve) =>
  db
    .updateTable("withdrawals")
    .set({ status: "settling", deadline_at: null, ...countsEvent })
    .where("id", "=", p.id)
    .where("partner_id", "=", p.partner)
    .where("status", "=", "awaiting_sca")
    .where("deadline_at", ">", p.now)
    .returning(withdrawalColumns),
);

const deny = statement("sca_deny", (db, p: Resolve) =>
  db
    .updateTable("withdrawals")
    .set({ status: "canceled", reason: "sca_denied", closed_at: p.now, deadline_at: null, ...countsEvent })
    .where("id", "=", p.id)
    .where("partner_id", "=", p.partner)
    .where("status", "=", "awaiting_sca")
    .where("deadline_at", ">", p.now)
    .returning(withdrawalColumns),
);

/** Where an approval has led; only an approval leads a withdrawal that needs SCA there. */
const afterApproval: readonly Status[] = ["settling", "settled", "linked", "undelivered", "failed"];

const wasResolvedSo = (row: Row, outcome: ScaOutcome): boolean =>
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
  const update = outcome === "approved" ? approve : deny;
  const move: Transition = {
    transactionId,
    isVisibleTo: (row) => row.partner_id === client.partnerId,
    update: (now) => update({ id: transactionId, partner: client.partnerId, now }),
    cause: byPartner(client),
    from: () => "awaiting_sca",
    *inSameTransaction(moved, now) {
      order = moved.status === "settling" ? yield* insertOrder(moved, now, service.settleQueue.workerId) : null;
    },
    isReplay: (row) => wasResolvedSo(row, outcome),
  };
  const { kind, row } = await applyTransition(service, move);
  if (kind === "moved" && order) service.settleQueue.send(order);
  return toTransaction(row);
};
