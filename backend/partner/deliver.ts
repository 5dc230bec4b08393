/** One call of one Settle order, and what becomes of its row. */
import type { Service } from "../context.ts";
import { partnerCallTimeoutMs, settleOrderPath } from "../contract/partner.ts";
import type { DefiniteAnswer, PartnerAnswer } from "../contract/partner-answer.ts";
import { one, run } from "../store/store.ts";
import type { OutboxTable } from "../store/tables/withdrawals.ts";
import { callPartner, notSent } from "./call.ts";
import { leaseMs, postponeOrder, recordSending } from "./outbox-store.ts";
import { retryPauseMs } from "./retry.ts";

/** Keeps a definite answer and deletes the order's row, in one commit. */
export type OnSettleAnswer = (service: Service, order: OutboxTable, answer: DefiniteAnswer) => Promise<void>;

/** A database that is away while a bank answers: the answer is kept in memory for about two minutes. */
const answerTriesMax = 60;
const answerPauseMs = { first: 100, max: 2_000 } as const;

/**
 * Sends a leased order once, unless a call that begins now could outlast the lease. Never rejects.
 * @param isStopping whether an answer that cannot be written is to be given up.
 * @returns milliseconds until the order may be claimed again; `null` when it is done.
 */
export const deliver = async (
  service: Service,
  order: OutboxTable,
  onAnswer: OnSettleAnswer,
  isStopping: () => boolean,
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
      afterUnansweredTry: order.unsent_attempts !== order.attempts,
      timeoutMs: partnerCallTimeoutMs,
      maySend: () => maySend(service, order),
    });
    if (answer === notSent) return Math.max(0, order.due_at - service.clock.now());
    if (answer.kind === "none") return await postpone(service, order, answer);
    await keepAnswer(service, () => onAnswer(service, order, answer.kind), isStopping);
    return null;
  } catch (error) {
    // The row is still there: after its lease it is sent again, under the same id.
    service.log.error({ err: error, transaction_id: order.transaction_id }, "an answer could not be written");
    return leaseMs;
  }
};

/** Whether the order is still this process's to send; one that never went out is recorded as sent before it goes. */
const maySend = async ({ store, clock }: Service, order: OutboxTable): Promise<boolean> => {
  const outlastsCall = () => clock.now() + partnerCallTimeoutMs <= order.due_at;
  if (!outlastsCall()) return false;
  const { id, claimed_by: worker, attempts } = order;
  if (order.unsent_attempts !== attempts) return true;
  const held = await store.write(() => one(recordSending({ id, worker, attempts }))).catch(() => undefined);
  return held !== undefined && outlastsCall();
};

/** A bank that is asked again may not say it again: what it has said is written as soon as the database takes it. */
const keepAnswer = async ({ clock, log }: Service, write: () => Promise<void>, isStopping: () => boolean) => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (tries >= answerTriesMax || isStopping()) throw error;
      if (tries === 1) log.error({ err: error }, "a bank's answer could not be written and will be tried again");
      const pauseMs = Math.min(answerPauseMs.max, answerPauseMs.first * 2 ** tries);
      await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
    }
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
