import type { Service } from "../context.ts";
import type { PartnerCallKind } from "../contract/partner.ts";
import type { OutboxTable } from "../store/tables/withdrawals.ts";

/** A bank that is down with ten thousand orders waiting is one line now and then; the metrics count them all. */
const logEveryMs = 10_000;

const loggedAt = new WeakMap<Service, Map<string, number>>();

interface FailedCall {
  readonly kind: PartnerCallKind;
  readonly partnerId: string;
  readonly transactionId: string;
  readonly attempt: number;
}

/** A call without a usable answer. A line for each partner, kind of call and reason: silence must not hide a wrong secret. */
export const raiseAlarm = (service: Service, call: FailedCall, why: string): void => {
  service.telemetry.partnerAlarm(call.kind, why);
  const times = loggedAt.get(service) ?? new Map<string, number>();
  loggedAt.set(service, times);
  const now = service.clock.now();
  const key = `${call.partnerId}\n${call.kind}\n${why}`;
  const sinceMs = now - (times.get(key) ?? Number.NEGATIVE_INFINITY);
  if (sinceMs >= 0 && sinceMs < logEveryMs) return;
  times.set(key, now);
  service.log.error(
    { partner: call.partnerId, transaction_id: call.transactionId, call: call.kind, attempt: call.attempt, why },
    "the partner gives no usable answer; its calls are repeated",
  );
};

/** Two definite answers that differ: the first one stands, and somebody has to look at it with the bank. */
export const raiseContradiction = (service: Service, order: OutboxTable, answer: "accepted" | "declined"): void => {
  service.telemetry.partnerAlarm("settle", `${answer}_after_the_opposite`);
  service.log.error(
    { partner: order.partner_id, transaction_id: order.transaction_id, call: "settle", answer },
    "the partner contradicts its first answer; the first one stands",
  );
};
