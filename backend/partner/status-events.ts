/**
 * Sends status events (conventions, "Partner calls"): at least once each, for up to three days, in any order. In a queue of
 * their own with slots of their own, so that they never delay a Settle order.
 */

import { createBackground } from "../background.ts";
import type { Service, StatusEvents } from "../context.ts";
import { partnerCallTimeoutMs } from "../contract/partner.ts";
import { all } from "../store/store.ts";
import type { StatusEventsTable } from "../store/tables/withdrawals.ts";
import { deliverEvent } from "./deliver-event.ts";
import { claimDue } from "./due.ts";
import { Lane } from "./lanes.ts";
import { endOldLeases } from "./old-leases.ts";
import { createQueueReport } from "./queue-report.ts";
import {
  claimFirstTries,
  claimRetries,
  endEventLeases,
  eventLeaseMs,
  maxPlausibleDueAheadMs,
  ownTry,
  partnersWithEvents,
  statusEventsState,
} from "./status-event-store.ts";

/** First tries in flight to one partner from this process: a customer has seconds to approve, so they wait for nothing. */
const firstTriesPerPartner = 128;
/** Retries in flight to one partner from this process. */
const retriesPerPartner = 8;
/** Events that have failed have slots of their own: however many hang, a new one goes out at once. */
type EventLanes = Readonly<Record<"firstTries" | "retries", Lane<StatusEventsTable>>>;
/** Events of other processes are looked for this much less often than Settle orders. */
const pollsSkipped = 4;
/** Transitions of one moment are looked for together. */
const gatherMs = 10;
const failurePauseMs = 2_000;

/** The queue sends nothing before `start`. @param service read later: it is still in the making. */
export const createStatusEvents = (
  service: () => Service,
  workerId: string,
): StatusEvents & { start(): void; stop(): Promise<void> } => {
  const lanes = new Map<string, EventLanes>();
  let stopped = true;

  const reportQueue = createQueueReport(service, statusEventsState({}), (state) =>
    service().telemetry.statusEvents(state),
  );

  const lanesOf = (partnerId: string) => {
    const own = lanes.get(partnerId) ?? {
      firstTries: new Lane<StatusEventsTable>(firstTriesPerPartner),
      retries: new Lane<StatusEventsTable>(retriesPerPartner),
    };
    lanes.set(partnerId, own);
    return own;
  };

  const poll = async () => {
    let pauseMs = service().options.pollMs * pollsSkipped;
    try {
      const now = service().clock.now();
      const maxPlausibleDueAt = now + maxPlausibleDueAheadMs;
      const partners = await service().store.read(() => all(partnersWithEvents({ now, maxPlausibleDueAt })));
      await Promise.all(partners.map(({ id }) => claim(id)));
      await reportQueue(now);
    } catch (error) {
      service().log.error({ err: error }, "status events could not be read and will be tried again");
      pauseMs = Math.max(pauseMs, failurePauseMs);
    }
    background.runIn(pauseMs);
  };
  const background = createBackground(() => service().clock, poll);

  const claim = async (partnerId: string) => {
    if (stopped) return;
    const { firstTries, retries } = lanesOf(partnerId);
    for (const [lane, claims] of [[firstTries, claimFirstTries] as const, [retries, claimRetries] as const]) {
      try {
        const events = await lane.claim((limit) => leaseDue(service(), claims, partnerId, workerId, limit));
        for (const event of events) launch(lane, event);
      } finally {
        launchWaiting(lane);
      }
    }
  };

  const launch = (lane: Lane<StatusEventsTable>, event: StatusEventsTable) => {
    const call = async () => {
      const againInMs = await deliverEvent(service(), event);
      if (againInMs !== null) background.runIn(againInMs);
    };
    background.track(lane.run(call).finally(() => useFreeSlot(lane)));
  };

  /** Also after a claim: what came while it kept the slots may have nothing in flight that would call for it. */
  const launchWaiting = (lane: Lane<StatusEventsTable>) => {
    if (stopped) return;
    for (const event of lane.takeWaiting(service().clock.now() + partnerCallTimeoutMs)) launch(lane, event);
  };

  const useFreeSlot = (lane: Lane<StatusEventsTable>) => {
    launchWaiting(lane);
    if (!stopped && lane.wantsClaim) background.runIn(0);
  };

  return {
    send(event) {
      if (stopped) return;
      const now = service().clock.now();
      const own = { ...event, ...ownTry, due_at: now + eventLeaseMs, created_at: now, last_error: null };
      const lane = lanesOf(event.partner_id).firstTries;
      if (lane.free > 0) launch(lane, own);
      else lane.wait(own);
    },
    wake() {
      if (!stopped) background.runIn(gatherMs);
    },
    start() {
      if (!stopped) return;
      stopped = false;
      background.track(endOldLeases(service(), endEventLeases).then(poll));
    },
    async stop() {
      stopped = true;
      background.cancel();
      await background.idle();
    },
  };
};

const leaseDue = (
  { store, clock }: Service,
  claims: typeof claimFirstTries | typeof claimRetries,
  partner: string,
  worker: string,
  limit: number,
) =>
  store.write(() => {
    const now = clock.now();
    const maxPlausibleDueAt = now + maxPlausibleDueAheadMs;
    return claimDue(claims, { partner, now, maxPlausibleDueAt, limit, leasedUntil: now + eventLeaseMs, worker });
  });
