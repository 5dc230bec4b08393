/**
 * Sends status events (conventions, "Partner calls"): at least once each, for up to three days, in any order. In a queue of
 * their own with slots of their own, so that they never delay a Settle order.
 */
import type { Service, StatusEvents } from "../context.ts";
import { partnerCallTimeoutMs } from "../contract/partner.ts";
import { retryAfterMs } from "../contract/partner-answer.ts";
import { eventLifetimeMs } from "../contract/status-events.ts";
import { all, one, run } from "../store/store.ts";
import type { StatusEventsTable } from "../store/tables/withdrawals.ts";
import { createBackground } from "./background.ts";
import { partnerAddress, signingKeys } from "./bound-partners.ts";
import { Lane } from "./lanes.ts";
import { partnerById } from "./partner-store.ts";
import { retryPauseMs } from "./retry.ts";
import { calendarOf, signedHeaders } from "./sign.ts";
import {
  claimEvents,
  deleteEvent,
  eventLeaseMs,
  ownTry,
  partnersWithEvents,
  postponeEvent,
} from "./status-event-store.ts";

/** Calls in flight to one partner from this process. */
const slotsPerPartner = 8;
/** Events of other processes are looked for this much less often than Settle orders. */
const pollsSkipped = 4;
/** Moves of one moment are looked for together. */
const gatherMs = 10;
const failurePauseMs = 2_000;

/** The queue sends nothing before `start`. @param service read later: it is still in the making. */
export const createStatusEvents = (
  service: () => Service,
  workerId: string,
): StatusEvents & { start(): void; stop(): Promise<void> } => {
  const lanes = new Map<string, Lane<StatusEventsTable>>();
  let stopped = true;

  const laneOf = (partnerId: string) => {
    const lane = lanes.get(partnerId) ?? new Lane<StatusEventsTable>(slotsPerPartner);
    lanes.set(partnerId, lane);
    return lane;
  };

  const poll = async () => {
    let pauseMs = service().options.pollMs * pollsSkipped;
    try {
      const partners = await service().store.read(() => all(partnersWithEvents({ now: service().clock.now() })));
      await Promise.all(partners.map(({ id }) => claim(id)));
    } catch (error) {
      service().log.error({ err: error }, "status events could not be read and will be tried again");
      pauseMs = Math.max(pauseMs, failurePauseMs);
    }
    background.runIn(pauseMs);
  };
  const background = createBackground(() => service().clock, poll);

  const claim = async (partnerId: string) => {
    if (stopped) return;
    const lane = laneOf(partnerId);
    const events = await lane.claim((limit) => claimDue(service(), partnerId, workerId, limit));
    for (const event of events) launch(lane, event);
  };

  const launch = (lane: Lane<StatusEventsTable>, event: StatusEventsTable) => {
    const call = async () => {
      const againInMs = await deliverEvent(service(), event);
      if (againInMs !== null) background.runIn(againInMs);
    };
    background.track(lane.run(call).finally(() => useFreeSlot(lane)));
  };

  const useFreeSlot = (lane: Lane<StatusEventsTable>) => {
    if (stopped) return;
    const waiting = lane.nextWaiting(service().clock.now() + partnerCallTimeoutMs);
    if (waiting) launch(lane, waiting);
    else if (lane.wantsClaim) background.runIn(0);
  };

  return {
    send(event) {
      if (stopped) return;
      const now = service().clock.now();
      const own = { ...event, ...ownTry, due_at: now + eventLeaseMs, created_at: now, last_error: null };
      const lane = laneOf(event.partner_id);
      if (lane.free > 0) launch(lane, own);
      else lane.wait(own);
    },
    wake() {
      if (!stopped) background.runIn(gatherMs);
    },
    start() {
      if (!stopped) return;
      stopped = false;
      background.track(poll());
    },
    async stop() {
      stopped = true;
      background.cancel();
      await background.idle();
    },
  };
};

const claimDue = ({ store, clock }: Service, partner: string, worker: string, limit: number) =>
  store.write(() => {
    const now = clock.now();
    return all(claimEvents({ partner, now, limit, leasedUntil: now + eventLeaseMs, worker }));
  });

/** Sends one event once. Never rejects. @returns milliseconds until its next try; `null` when it is done with. */
const deliverEvent = async (service: Service, event: StatusEventsTable): Promise<number | null> => {
  try {
    const problem = await sendEvent(service, event);
    const tooOld = service.clock.now() - event.created_at >= eventLifetimeMs;
    if (problem === null || tooOld) {
      if (problem !== null)
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

/** @returns `null` when the bank has taken it: any status of success does. */
const sendEvent = async (service: Service, event: StatusEventsTable): Promise<Problem | null> => {
  const startedAt = service.clock.now();
  const problem = await post(service, event).catch((error: unknown) => ({
    why: error instanceof Error ? error.message.slice(0, 200) : "failed",
    retryAfterMs: 0,
  }));
  const outcome = problem === null ? "accepted" : "none";
  service.telemetry.partnerCall("event", outcome, Math.max(0, service.clock.now() - startedAt));
  return problem;
};

const post = async (service: Service, event: StatusEventsTable): Promise<Problem | null> => {
  const partner = await service.store.read(() => one(partnerById({ id: event.partner_id })));
  const address = partnerAddress(service.options, event.partner_id, partner);
  // A bank that wants no events any more has taken them all.
  if (!partner?.events_url || address === null) return null;
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
