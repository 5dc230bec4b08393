/**
 * Sends Settle orders until each has a definite answer: own ones at once, those of a dead process or after a pause by
 * claiming them with a lease (conventions, "Partner calls").
 */

import { createBackground } from "../background.ts";
import type { Service, SettleQueue } from "../context.ts";
import { partnerCallTimeoutMs } from "../contract/partner.ts";
import { all } from "../store/store.ts";
import type { OutboxTable } from "../store/tables/withdrawals.ts";
import { deliver, type OnSettleAnswer } from "./deliver.ts";
import { claimDue } from "./due.ts";
import { Lane } from "./lanes.ts";
import { endOldLeases } from "./old-leases.ts";
import { claimOrders, duePartners, endLeases, leaseMs, maxPlausibleDueAheadMs, outboxState } from "./outbox-store.ts";
import { createQueueReport } from "./queue-report.ts";

/** Orders that are due for so long were left by the process whose work they are. */
const leftOverMs = 1_000;
/** After a failure of the store: no use in asking it four times a second. */
const failurePauseMs = 2_000;

/** What the queue is made of. */
export interface OutboxParts {
  /** The service as it is being made: it is read only later. */
  readonly service: () => Service;
  /** Under this name rows are leased. */
  readonly workerId: string;
  /** What to do with a definite answer. */
  readonly onAnswer: OnSettleAnswer;
}

/** The queue sends nothing before `start`. */
export const createOutbox = ({ service, workerId, onAnswer }: OutboxParts): SettleQueue & { start(): void } => {
  const lanes = new Map<string, Lane<OutboxTable>>();
  let stopped = true;
  /** From the beginning of a stop on: a call that cannot end by then is left to the next process. */
  let drainUntil = Number.POSITIVE_INFINITY;
  const reportQueue = createQueueReport(service, outboxState({}), (state) => service().telemetry.outbox(state));

  const laneOf = (partnerId: string): Lane<OutboxTable> => {
    const lane = lanes.get(partnerId) ?? new Lane<OutboxTable>(service().options.partnerInFlightMax);
    lanes.set(partnerId, lane);
    return lane;
  };

  const poll = async () => {
    let pauseMs = service().options.pollMs;
    try {
      const now = service().clock.now();
      const maxPlausibleDueAt = now + maxPlausibleDueAheadMs;
      const partners = await service().store.read(() => all(duePartners({ now, maxPlausibleDueAt })));
      await Promise.all(partners.filter(({ id }) => service().owns(`orders of ${id}`)).map(({ id }) => claim(id)));
      if (partners.some(({ id }) => !service().owns(`orders of ${id}`))) await claimLeftOvers(now);
      await reportQueue(now);
    } catch (error) {
      service().log.error({ err: error }, "the outbox could not be read and will be tried again");
      pauseMs = Math.max(pauseMs, failurePauseMs);
    }
    background.runIn(pauseMs);
  };
  const background = createBackground(() => service().clock, poll);

  const mayCall = () => !stopped && service().clock.now() + partnerCallTimeoutMs <= drainUntil;

  /** The owner of a bank's orders is dead, or has no free slot. */
  const claimLeftOvers = async (now: number) => {
    const values = { now: now - leftOverMs, maxPlausibleDueAt: now + maxPlausibleDueAheadMs };
    const partners = await service().store.read(() => all(duePartners(values)));
    await Promise.all(partners.map(({ id }) => claim(id)));
  };

  const claim = async (partnerId: string) => {
    if (stopped || drainUntil !== Number.POSITIVE_INFINITY) return;
    const lane = laneOf(partnerId);
    try {
      const orders = await lane.claim((limit) => leaseDue(service(), partnerId, workerId, limit));
      for (const order of orders) launch(lane, order);
    } finally {
      launchWaiting(lane);
    }
  };

  const launch = (lane: Lane<OutboxTable>, order: OutboxTable) => {
    const call = async () => {
      const againInMs = await deliver(service(), order, onAnswer, () => stopped);
      if (againInMs !== null) background.runIn(againInMs);
    };
    background.track(lane.run(call).finally(() => useFreeSlot(lane, order.partner_id)));
  };

  /** Also after a claim: what came while it kept the slots may have nothing in flight that would call for it. */
  const launchWaiting = (lane: Lane<OutboxTable>) => {
    if (!mayCall()) return;
    for (const order of lane.takeWaiting(service().clock.now() + partnerCallTimeoutMs)) launch(lane, order);
  };

  const useFreeSlot = (lane: Lane<OutboxTable>, partnerId: string) => {
    launchWaiting(lane);
    // A claim that fails is made up for by the next poll.
    if (lane.wantsClaim) background.track(claim(partnerId).catch(() => undefined));
  };

  return {
    workerId,

    send(order) {
      if (!mayCall()) return;
      const lane = laneOf(order.partner_id);
      if (lane.free > 0) launch(lane, order);
      else lane.wait(order);
    },

    start() {
      if (!stopped) return;
      stopped = false;
      background.track(endOldLeases(service(), endLeases).then(poll));
    },

    drain(untilMs) {
      drainUntil = untilMs;
      background.cancel();
    },

    async stop() {
      stopped = true;
      background.cancel();
      await background.idle();
    },
  };
};

/** Leases what is due to one partner, so that no other process sends it meanwhile. */
const leaseDue = ({ store, clock }: Service, partner: string, worker: string, limit: number) =>
  store.write(() => {
    const now = clock.now();
    const maxPlausibleDueAt = now + maxPlausibleDueAheadMs;
    return claimDue(claimOrders, { partner, now, maxPlausibleDueAt, limit, leasedUntil: now + leaseMs, worker });
  });
