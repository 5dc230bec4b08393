/** One call of one Settle order, and what becomes of its row. */
import type { Service } from "../context.ts";
import { partnerCallTimeoutMs, settleOrderPath } from "../contract/partner.ts";
import type { DefiniteAnswer, PartnerAnswer } from "../contract/partner-answer.ts";
import type { OutboxTable } from "../store/schema.ts";
import { run } from "../store/store.ts";
import { callPartner } from "./call.ts";
import { retryPauseMs } from "./retry.ts";
import { leaseMs, postponeOrder } from "./settle-order.ts";

/** Keeps a definite answer and deletes the order's row, in one commit. */
export type OnSettleAnswer = (service: Service, order: OutboxTable, answer: DefiniteAnswer) => Promise<void>;

/**
 * Sends a leased order once. Never rejects.
 * @returns milliseconds until the order may be claimed again; `null` when it is done.
 */
export const deliver = async (
  service: Service,
  order: OutboxTable,
  onAnswer: OnSettleAnswer,
): Promise<number | null> => {
  try {
    const answer = await callPartner(service, {
      kind: "settle",
      partnerId: order.partner_id,
      transactionId: order.transaction_id,
      partnerReference: order.partner_reference,
      path: settleOrderPath,
      id: order.id,
      body: order.body,
      attempt: order.attempts,
      timeoutMs: partnerCallTimeoutMs,
    });
    if (answer.kind === "none") return await postpone(service, order, answer);
    await onAnswer(service, order, answer.kind);
    return null;
  } catch (error) {
    // The row is still there: after its lease it is sent again, under the same id.
    service.log.error({ err: error, transaction_id: order.transaction_id }, "an answer could not be written");
    return leaseMs;
  }
};

type NoAnswer = Extract<PartnerAnswer, { kind: "none" }>;

const postpone = async (service: Service, order: OutboxTable, { why, retryAfterMs = 0 }: NoAnswer): Promise<number> => {
  const pauseMs = Math.max(retryAfterMs, retryPauseMs("settle", order.attempts - 1, service.random.fraction()));
  const dueAt = Math.ceil(service.clock.now() + pauseMs);
  const { id, claimed_by: worker, attempts } = order;
  await service.store.write(() => run(postponeOrder({ id, worker, attempts, dueAt, error: why })));
  return pauseMs;
};
