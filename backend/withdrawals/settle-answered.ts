import type { Service } from "../context.ts";
import { isClosed } from "../contract/transaction.ts";
import { type DefiniteAnswer, noAfterSilence } from "../partner/answer.ts";
import { deleteHeldOrder, orderId, outbox, unansweredOrder } from "../partner/orders.ts";
import { raiseDispute } from "../partner/send.ts";
import type { RowOf } from "../store/schema.ts";
import type { Tx } from "../store/store.ts";
import { firstOf, holdOne, oneOrArchived } from "./closed.ts";
import { endDisputeAgreed, recordDispute } from "./dispute.ts";
import { awaitsBank, expiries } from "./lifecycle.ts";
import { withLaterAnswer } from "./reconcile.ts";
import { payRestored } from "./restored.ts";
import { failDeclined, type Row, settleAccepted, type UpdatedRow } from "./store.ts";
import { byPartner, type Change, countTransition, recordNote, recordTransition } from "./transition.ts";

type Values = Parameters<typeof settleAccepted>[0];

async function accept(tx: Tx, order: RowOf<"outbox">, values: Values): Promise<UpdatedRow | undefined> {
  tx.runUnawaited(outbox.delete({ id: order.id }));
  return tx.first(settleAccepted(values));
}

async function decline(tx: Tx, { id, claimed_by: worker, attempts }: RowOf<"outbox">, values: Values) {
  const held = await tx.first(deleteHeldOrder({ id, worker, attempts }));
  return held === undefined ? undefined : await tx.first(failDeclined(values));
}

/**
 * A bank's answer that contradicts its first one, or a withdrawal without money: money and books differ, and
 * people have to sort it out. A no to a try that no longer holds the order is recorded, and shows once the later try is
 * answered.
 */
const contradicts = ({ status, disputed_at }: Row, answer: DefiniteAnswer): boolean => {
  // Also before the approval: a failover may have forgotten it, and who sent the order has not.
  if (answer === "accepted") return isClosed(status) || status in expiries;
  const isFirstNo = status === "settling" && disputed_at === null;
  return isFirstNo || status === "settled" || status === "linked" || status === "undelivered";
};

/** Whether a try before was answered with no. A restore may have disputed it as well, and that is no word of the bank's. */
const hasSaidNo = async (tx: Tx, row: Row): Promise<boolean> => {
  if (row.disputed_at === null) return false;
  const [found] = await withLaterAnswer(tx, [row]);
  return found?.later_answer === "declined";
};

const ofAnyAge = { before: Number.MAX_SAFE_INTEGER, future: Number.MAX_SAFE_INTEGER } as const;

/** The bank's answer on a report repeated after a restore: a yes ends the dispute, a no is for an operator. */
async function answerRestored(change: Change, values: Values, answer: DefiniteAnswer) {
  const { tx } = change;
  const { id } = values;
  const paid = answer === "accepted" ? await tx.first(payRestored(values)) : undefined;
  if (paid) {
    await recordNote(change, "dispute_closed", paid, answer);
    return { updated: undefined, event: null, why: null };
  }
  // As always, a no counts only from the try that holds the order.
  const isHeldByLaterTry = await tx.first(unansweredOrder({ id: orderId(id), ...ofAnyAge }));
  if (!isHeldByLaterTry) await recordDispute(change, id, answer);
  return { updated: undefined, event: null, why: isHeldByLaterTry ? null : answer };
}

/**
 * Applies a definite answer to Settle order and deletes its outbox row, in one commit. The first answer counts; a
 * contradicting one goes into the history, makes the finding `disputed` and raises an alarm. A no counts only from the
 * try that holds the order, as the bank may be booking a later one.
 */
export const settleAnswered = async (
  service: Service,
  order: RowOf<"outbox">,
  answer: DefiniteAnswer,
  address: string | null = null,
) => {
  const id = order.transaction_id;
  const { updated, event, why } = await service.store.write(async (tx) => {
    const now = service.clock.now();
    const values = { id, now, attempts: order.attempts };
    const updated = await (answer === "accepted" ? accept : decline)(tx, order, values);
    const cause = byPartner({ partnerId: order.partner_id }, order.attempts);
    const change: Change = { tx, keys: service.keys, now, cause, address };
    if (updated === undefined) {
      await firstOf(tx, holdOne, { id });
      const latest = await oneOrArchived(tx, id, now);
      if (latest?.status === "linked" && awaitsBank(latest)) return await answerRestored(change, values, answer);
      const contradicted = latest !== undefined && contradicts(latest, answer);
      if (contradicted) await recordDispute(change, id, answer);
      return { updated, event: null, why: contradicted && latest.status !== "settling" ? answer : null };
    }
    const event = await recordTransition(change, updated, "settling", "us");
    const saidNoBefore = await hasSaidNo(tx, updated);
    // An unanswered try may have been booked, so somebody has to ask.
    const isAfterSilence = order.attempts > (saidNoBefore ? 2 : 1) && order.unsent_attempts !== order.attempts;
    const [onNo, onYes] = [isAfterSilence ? noAfterSilence : null, saidNoBefore ? answer : null] as const;
    const why = answer === "declined" ? onNo : onYes;
    if (why !== null) await recordDispute(change, id, why);
    else if (saidNoBefore) await endDisputeAgreed(change, id, "declined");
    return { updated, event, why };
  }, id);
  if (updated) countTransition(service, "settling", updated, event);
  if (why !== null) raiseDispute(service, order, why);
};
