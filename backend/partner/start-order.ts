import type { Service } from "../context.ts";
import { formatAmount } from "../contract/money.ts";
import {
  holdMarginMs,
  partnerCallTimeoutMs,
  type StartOrder,
  startOrderPath,
  startOrderWindowMs,
} from "../contract/partner.ts";
import type { PartnerAnswer } from "../contract/partner-answer.ts";
import type { WithdrawalsTable } from "../store/tables/withdrawals.ts";
import { callPartner, notSent } from "./call.ts";
import { retryPauseMs } from "./retry.ts";

/**
 * Start order (interface 4.2): tried until a definite answer or until 15 s after the request, under one `webhook-id`.
 * @param storeName the merchant's name, as the customer knows the shop.
 */
export const startOrder = async (
  service: Service,
  row: WithdrawalsTable,
  storeName: string,
): Promise<{ readonly answer: PartnerAnswer; readonly attempts: number }> => {
  const order: StartOrder = {
    userId: row.user_id,
    amount: formatAmount(row.amount, row.currency),
    dateOfTransaction: new Date(row.created_at).toISOString(),
    expiryTimeOfTheOrder: new Date(row.expires_at + service.options.scaTimeoutMs + holdMarginMs).toISOString(),
    svcTransactionReferenceId: row.id,
    store: storeName,
  };
  const body = JSON.stringify(order);
  const endAt = row.created_at + startOrderWindowMs;
  let answer = notSent;
  for (let attempt = 1; ; attempt += 1) {
    const leftMs = endAt - service.clock.now();
    if (leftMs <= 0 || leftMs > startOrderWindowMs) return { answer, attempts: attempt - 1 };
    answer = await callPartner(service, {
      kind: "start",
      partnerId: row.partner_id,
      transactionId: row.id,
      partnerReference: row.partner_reference,
      path: startOrderPath,
      id: `start_${row.id}`,
      body,
      attempt,
      afterUnansweredTry: attempt > 1,
      timeoutMs: Math.min(partnerCallTimeoutMs, leftMs),
    });
    if (answer.kind !== "none" || service.startSlots.stopping.aborted) return { answer, attempts: attempt };
    const backoffMs = retryPauseMs("start", attempt - 1, service.random.fraction());
    const delayMs = Math.min(Math.max(answer.retryAfterMs ?? 0, backoffMs), endAt - service.clock.now());
    await pause(service, delayMs);
    if (service.startSlots.stopping.aborted) return { answer, attempts: attempt };
  }
};

/** Ends early when the service is stopping. */
const pause = ({ clock, startSlots }: Service, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      cancel();
      startSlots.stopping.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    startSlots.stopping.addEventListener("abort", end);
  });
