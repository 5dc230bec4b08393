import type { Service } from "../withdrawals/context.ts";
import type { PartnerCall } from "./call.ts";

/** Silence is ordinary once or twice; then somebody has to look. */
const silentAttemptsBeforeAlarm = 3;
/** These say that the call went to the wrong place or with the wrong secret: that never mends itself. */
const misconfigured: readonly string[] = ["http_401", "http_403", "http_404", "http_405", "not_json", "no_address"];
/** A bank that is down with ten thousand orders waiting is one line now and then; the metrics count them all. */
const logEveryMs = 10_000;

const loggedAt = new WeakMap<Service, Map<string, number>>();

/** A call without a usable answer: counted and logged when it is more than a hiccup. */
export const raiseAlarm = (service: Service, call: PartnerCall, why: string): void => {
  if (call.attempt < silentAttemptsBeforeAlarm && !misconfigured.includes(why)) return;
  service.telemetry.partnerAlarm(call.kind, why);
  const times = loggedAt.get(service) ?? new Map<string, number>();
  loggedAt.set(service, times);
  const now = service.clock.now();
  const sinceMs = now - (times.get(call.partnerId) ?? Number.NEGATIVE_INFINITY);
  if (sinceMs >= 0 && sinceMs < logEveryMs) return;
  times.set(call.partnerId, now);
  service.log.error(
    { partner: call.partnerId, transaction_id: call.transactionId, call: call.kind, attempt: call.attempt, why },
    "the partner gives no usable answer; its calls are repeated",
  );
};
