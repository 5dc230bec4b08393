import type { Service } from "../context.ts";
import type { DefiniteAnswer } from "../partner/answer.ts";
import { deleteHeldOrder, orderId, outbox, unansweredOrder } from "../partner/orders.ts";
import { raiseContradiction } from "../partner/send.ts";
import type { OutboxTable } from "../store/schema.ts";
import { one, send, type UnitOfWork } from "../store/store.ts";
import { oneOrArchived } from "./closed.ts";
import { endAgreedDispute, recordDispute } from "./dispute.ts";
import { byPartner, type Cause, recordNote } from "./history.ts";
import { awaitsBank } from "./lifecycle.ts";
import { payRestored } from "./restored.ts";
import { failDeclined, type Row, settleAccepted, type UpdatedRow } from "./store.ts";
import { countTransition, recordOwnTransition } from "./transition.ts";

type Values = Parameters<typeof settleAccepted>[0];

function* accept(order: OutboxTable, values: Values): UnitOfWork<UpdatedRow | undefined> {
  yield* send(outbox.delete({ id: order.id }));
  return yield* one(settleAccepted(values));
}

function* decline(
  { id, claimed_by: worker, attempts }: OutboxTable,
  values: Values,
): UnitOfWork<UpdatedRow | undefined> {
  const held = yield* one(deleteHeldOrder({ id, worker, attempts }));
  return held === undefined ? undefined : yield* one(failDeclined(values));
}

/**
 * What a bank says after it has said the opposite: money and books differ, and only people can put that right. A no to a
 * try that has lost the order is kept as one, and told to nobody until the later try is answered.
 */
const contradicts = ({ status, disputed_at }: Row, answer: DefiniteAnswer): boolean => {
  if (answer === "accepted") return status === "failed";
  const isFirstNo = status === "settling" && disputed_at === null;
  return isFirstNo || status === "settled" || status === "linked" || status === "undelivered";
};

const ofAnyAge = { before: Number.MAX_SAFE_INTEGER, future: Number.MAX_SAFE_INTEGER } as const;

/** The bank's word on what a terminal reported again after a restore: a yes ends the matter, a no is for an operator. */
function* answerRestored(service: Service, values: Values, answer: DefiniteAnswer, cause: Cause) {
  const { id, now } = values;
  const paid = answer === "accepted" ? yield* one(payRestored(values)) : undefined;
  if (paid) {
    yield* recordNote(service, "dispute_closed", paid, now, cause, answer);
    return { updated: undefined, event: null, isContradiction: false };
  }
  // A no counts from the try that holds the order, as everywhere.
  const isHeldByLaterTry = yield* one(unansweredOrder({ id: orderId(id), ...ofAnyAge }));
  if (!isHeldByLaterTry) yield* recordDispute(service, id, answer, now, cause);
  return { updated: undefined, event: null, isContradiction: !isHeldByLaterTry };
}

/**
 * A definite answer to Settle order, in one commit with the end of its outbox row. The first one counts; one that contradicts it
 * goes into the history, makes the finding `disputed` and raises an alarm. A no counts only from the try that holds the
 * order: where a later one is under way the bank may be booking it.
 */
export const settleAnswered = async (service: Service, order: OutboxTable, answer: DefiniteAnswer): Promise<void> => {
  const id = order.transaction_id;
  const { updated, event, isContradiction } = await service.store.write(function* () {
    const now = service.clock.now();
    const values = { id, now, attempts: order.attempts };
    const updated = yield* answer === "accepted" ? accept(order, values) : decline(order, values);
    const cause = byPartner({ partnerId: order.partner_id }, order.attempts);
    if (updated === undefined) {
      const latest = yield* oneOrArchived(id);
      if (latest?.status === "linked" && awaitsBank(latest))
        return yield* answerRestored(service, values, answer, cause);
      const contradicted = latest !== undefined && contradicts(latest, answer);
      if (contradicted) yield* recordDispute(service, id, answer, now, cause);
      return { updated, event: null, isContradiction: contradicted && latest.status !== "settling" };
    }
    const event = yield* recordOwnTransition(service, updated, "settling", now, cause);
    const saidNoBefore = updated.disputed_at !== null;
    const isContradiction = saidNoBefore && answer === "accepted";
    if (isContradiction) yield* recordDispute(service, id, answer, now, cause);
    else if (saidNoBefore) yield* endAgreedDispute(service, id, now, cause);
    return { updated, event, isContradiction };
  }, id);
  if (updated) countTransition(service, "settling", updated, event);
  if (isContradiction) raiseContradiction(service, order, answer);
};
