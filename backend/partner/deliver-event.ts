/** One call of one status event, and what becomes of its row. */
import type { Service } from "../context.ts";
import { partnerCallTimeoutMs } from "../contract/partner.ts";
import { retryAfterMs } from "../contract/partner-answer.ts";
import { eventLifetimeMs } from "../contract/status-events.ts";
import { one, run } from "../store/store.ts";
import type { StatusEventsTable } from "../store/tables/withdrawals.ts";
import { raiseAlarm } from "./alarm.ts";
import { partnerAddress, partnerProblems, signingKeys } from "./bound-partners.ts";
import { partnerById } from "./partner-store.ts";
import { retryPauseMs } from "./retry.ts";
import { calendarOf, signedHeaders } from "./sign.ts";
import { deleteEvent, eventLeaseMs, postponeEvent } from "./status-event-store.ts";

/** About two hours: a machine that slept for three days, or whose clock jumped by them, has not tried for three days. */
export const eventTriesMin = 20;

/** Sends one event once. Never rejects. @returns milliseconds until its next try; `null` when it is done with. */
export const deliverEvent = async (service: Service, event: StatusEventsTable): Promise<number | null> => {
  try {
    const problem = await sendEvent(service, event);
    const tooOld = service.clock.now() - event.created_at >= eventLifetimeMs && event.attempts >= eventTriesMin;
    if (problem === null || problem === "unwanted" || tooOld) {
      if (problem !== null && problem !== "unwanted")
        service.log.error(
          { partner: event.partner_id, event: event.id, why: problem.why },
          "a status event was given up",
        );
      await service.store.write(() => run(deleteEvent({ id: event.id })));
      return null;
    }
    const usualMs = retryPauseMs("event", event.attempts - 1, service.random.fraction());
    const pauseMs = Math.max(problem.retryAfterMs, usualMs);
    const dueAt = Math.ceil(service.clock.now() + pauseMs);
    const { id, claimed_by: worker, attempts } = event;
    await service.store.write(() => run(postponeEvent({ id, worker, attempts, dueAt, error: problem.why })));
    return pauseMs;
  } catch (error) {
    // The row is still there: after its lease it is sent again, under the same id.
    service.log.error({ err: error, event: event.id }, "what became of a status event could not be written");
    return eventLeaseMs;
  }
};

/** Why the bank has not taken an event, and how long it asked to be left alone (`Retry-After`, 60 s at most). */
interface Problem {
  readonly why: string;
  readonly retryAfterMs: number;
}

/** `null`: the bank has taken it, as any status of success says; `unwanted`: it takes no events any more. */
type Outcome = Problem | "unwanted" | null;

const sendEvent = async (service: Service, event: StatusEventsTable): Promise<Outcome> => {
  const startedAt = service.clock.now();
  const outcome = await post(service, event).catch((error: unknown) => ({
    why: error instanceof Error ? error.message.slice(0, 200) : "failed",
    retryAfterMs: 0,
  }));
  if (outcome === "unwanted") return outcome;
  const answer = outcome === null ? "accepted" : "none";
  service.telemetry.partnerCall("event", answer, Math.max(0, service.clock.now() - startedAt));
  if (outcome !== null) {
    const { partner_id: partnerId, transaction_id: transactionId, attempts: attempt } = event;
    raiseAlarm(service, { kind: "event", partnerId, transactionId, attempt }, outcome.why);
  }
  return outcome;
};

const post = async (service: Service, event: StatusEventsTable): Promise<Outcome> => {
  const partner = await service.store.read(() => one(partnerById({ id: event.partner_id })));
  if (!partner?.events_url) return "unwanted";
  const address = partnerAddress(service.options, event.partner_id, partner);
  if (partnerProblems(partner.id, partner, service.options).length > 0) return { why: "not_usable", retryAfterMs: 0 };
  if (address === null) return { why: "no_address", retryAfterMs: 0 };
  const now = service.clock.now();
  const { status, retryAfter } = await service.transport.post({
    url: partner.events_url,
    headers: {
      ...signedHeaders(
        signingKeys(service.options, address, partner, now),
        event.id,
        calendarOf(service.clock),
        event.body,
      ),
      ...(event.partner_reference === null ? {} : { "partner-reference": event.partner_reference }),
    },
    body: event.body,
    timeoutMs: partnerCallTimeoutMs,
  });
  if (status >= 200 && status < 300) return null;
  return { why: `http_${status}`, retryAfterMs: retryAfterMs(status, retryAfter, service.clock.now()) };
};
