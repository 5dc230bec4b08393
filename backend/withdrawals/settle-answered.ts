import { appendAuditIfKeyed } from "../access/audit.ts";
import type { LeasedEvent, Service } from "../context.ts";
import { makeTransactionId } from "../contract/ids.ts";
import { isClosed } from "../contract/transaction.ts";
import { type DefiniteAnswer, type Dispute, noAfterSilence, unanswered } from "../partner/answer.ts";
import { deleteHeldOrder, type Order, orderId, outbox, unansweredOrder } from "../partner/orders.ts";
import { raiseDispute } from "../partner/send.ts";
import type { RowOf } from "../store/schema.ts";
import type { Tx } from "../store/store.ts";
import { firstOf, holdOne, oneOrArchived } from "./closed.ts";
import { endDisputeAgreed, recordDispute } from "./dispute.ts";
import { eventsOf } from "./history.ts";
import { awaitsBank, expiries } from "./lifecycle.ts";
import { withLaterAnswer } from "./reconcile.ts";
import { payRestored } from "./restored.ts";
import { entryOfLine, insertReport, orderedEvent } from "./restored-reports.ts";
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
  const [found] = await withLaterAnswer(tx, [row]);
  return found?.later_answer === "declined";
};

const ofAnyAge = { before: Number.MAX_SAFE_INTEGER, future: Number.MAX_SAFE_INTEGER } as const;

/**
 * The bank's answer on a report repeated after a restore: a yes ends the dispute, unless the bank has said no to it as well; a no is for an
 * operator.
 */
async function answerRestored(change: Change, values: Values, latest: Row, answer: DefiniteAnswer) {
  const { tx } = change;
  const { id } = values;
  // Also where an operator has closed the line since, or a restore has said more.
  const saidNoBefore = (await tx.all(eventsOf({ id, askedAt: latest.created_at }))).some(
    ({ kind, reason }) => kind === "contradicted" && reason === "declined",
  );
  const paid = answer === "accepted" ? await tx.first(payRestored(values)) : undefined;
  if (paid) {
    await recordNote(change, "dispute_closed", paid, answer);
    if (saidNoBefore) await recordDispute(change, id, answer);
    return { updated: undefined, event: null, why: saidNoBefore ? answer : null };
  }
  // As always, a no counts only from the try that holds the order. Another is kept for what that one is answered.
  const isHeldByLaterTry = await tx.first(unansweredOrder({ id: orderId(id), ...ofAnyAge }));
  if (!isHeldByLaterTry || !saidNoBefore) await recordDispute(change, id, answer);
  return { updated: undefined, event: null, why: isHeldByLaterTry ? null : answer };
}

/** Whether an earlier try may have been booked, so that a no is not the last word and somebody has to ask. */
const isAfterSilence = ({ attempts, unsent_attempts }: Order, definite = 1): boolean =>
  attempts > definite && unsent_attempts !== attempts;

/** What this process and its bank know of an order that the database has forgotten with its withdrawal, as a line of the report. */
async function keepForgotten({ tx, now, cause }: Change, service: Service, order: Order, isPaid: boolean) {
  const { transaction_id, merchant_id, amount, currency } = order;
  if (merchant_id === undefined || amount === undefined || currency === undefined) return;
  const at = Math.min(now, order.created_at);
  const line: RowOf<"restored_reports"> = {
    id: makeTransactionId(service.random.bytes(15)),
    transaction_id,
    merchant_id,
    device_id: "",
    status: isPaid ? "settled" : "settling",
    undelivered_reason: null,
    transaction_id_partner: order.terminal_reference ?? "",
    amount,
    currency,
    confirmed_at: at,
    settled_at: isPaid ? now : null,
    reported_at: now,
    cashier: null,
    created_at: now,
    closed_at: null,
    hand_out_id: null,
    other_hand_out_id: null,
  };
  if ((await tx.first(insertReport(line))) === undefined) return;
  const actor = `partner ${cause.actorId}`;
  await appendAuditIfKeyed(tx, service, now, { ...entryOfLine(line), event: orderedEvent, actor, address: null });
}

/**
 * After a failover this process may know of an order what the database does not: nobody repeats it, and the bank may have paid.
 * @param latest the withdrawal, if that is still known. @returns why somebody has to ask the bank; null: it is not so.
 */
async function recordForgotten(
  change: Change,
  service: Service,
  order: Order,
  latest: Row | undefined,
  answer: DefiniteAnswer | null,
): Promise<Dispute | null> {
  const isLastWord = answer === "declined" && !isAfterSilence(order);
  const hadNoOrder =
    latest === undefined || latest.status in expiries || (isClosed(latest.status) && latest.status !== "failed");
  if (isLastWord || !hadNoOrder) return null;
  // Another process has it, and goes on asking.
  if (await change.tx.first(unansweredOrder({ id: order.id, ...ofAnyAge }))) return null;
  const why = answer === null ? unanswered : answer === "declined" ? noAfterSilence : answer;
  if (latest === undefined) await keepForgotten(change, service, order, answer === "accepted");
  else await recordDispute(change, latest.id, why);
  return why;
}

/** What an answer has changed, and why somebody has to ask the bank. */
interface Applied {
  readonly updated: UpdatedRow | undefined;
  readonly event: LeasedEvent | null;
  readonly why: Dispute | null;
}

/**
 * Applies a definite answer to Settle order and deletes its outbox row, in one commit. The first answer counts; a
 * contradicting one goes into the history, makes the finding `disputed` and raises an alarm. A no counts only from the
 * try that holds the order, as the bank may be booking a later one. @param answer null: there is none, and this process no longer holds
 * the order.
 */
export const settleAnswered = async (
  service: Service,
  order: Order,
  answer: DefiniteAnswer | null,
  address: string | null = null,
) => {
  const id = order.transaction_id;
  const { updated, event, why } = await service.store.write(async (tx): Promise<Applied> => {
    const now = service.clock.now();
    const values = { id, now, attempts: order.attempts };
    const updated = answer && (await (answer === "accepted" ? accept : decline)(tx, order, values));
    const cause = byPartner({ partnerId: order.partner_id }, order.attempts);
    const change: Change = { tx, keys: service.keys, now, cause, address };
    if (!updated) {
      await firstOf(tx, holdOne, { id });
      const latest = await oneOrArchived(tx, id, now);
      if (answer && latest?.status === "linked" && awaitsBank(latest))
        return await answerRestored(change, values, latest, answer);
      if (!answer || !latest || !contradicts(latest, answer))
        return { updated: undefined, event: null, why: await recordForgotten(change, service, order, latest, answer) };
      await recordDispute(change, id, answer);
      return { updated: undefined, event: null, why: latest.status === "settling" ? null : answer };
    }
    const event = await recordTransition(change, updated, "settling", "us");
    const saidNoBefore = await hasSaidNo(tx, updated);
    const onNo = isAfterSilence(order, saidNoBefore ? 2 : 1) ? noAfterSilence : null;
    const onYes = saidNoBefore ? answer : null;
    const why: Dispute | null = answer === "declined" ? onNo : onYes;
    if (why !== null) await recordDispute(change, id, why);
    else if (saidNoBefore) await endDisputeAgreed(change, id, "declined");
    return { updated, event, why };
  }, id);
  if (updated) countTransition(service, "settling", updated, event);
  if (why !== null) raiseDispute(service, order, why);
};
