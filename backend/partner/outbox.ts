/**
 * Sends Settle orders until each has a definite answer: own ones at once, those of a dead process or after a pause by
 * claiming them with a lease. Every partner has its own places in flight, so one that hangs holds up nobody else.
 */

import type { Service, SettleQueue } from "../context.ts";
import { partnerCallTimeoutMs, settleOrderPath, settleRetryMs } from "../contract/partner.ts";
import type { Cancel } from "../ports.ts";
import type { OutboxTable } from "../store/schema.ts";
import { all, one, run } from "../store/store.ts";
import { settleAnswered } from "../withdrawals/settle-answered.ts";
import { callPartner } from "./call.ts";
import {
  claimOrders,
  duePartners,
  leaseMs,
  maxPlausibleDueAheadMs,
  outboxState,
  postponeOrder,
  releaseOrders,
} from "./settle-order.ts";

/** Own orders that wait for a free place; the rest is left to the claim after the lease. */
const waitingMax = 1_000;
const stateEveryMs = 5_000;
/** After a failure of the store: no use in asking it four times a second. */
const failurePauseMs = 2_000;

interface Lane {
  inFlight: number;
  /** Claims under way, counted as places so that two polls do not both take the free ones. */
  claiming: number;
  /** The last claim got all it asked for, so there may be more. */
  backlog: boolean;
  readonly waiting: OutboxTable[];
}

/** Pause before the n-th retry, n from 0: 0.5 s, doubled each time, and up to half as much again; 60 s at most. */
export const retryPauseMs = (retries: number, fraction: number): number => {
  const doubled = settleRetryMs.first * 2 ** Math.min(retries, 20);
  return Math.min(settleRetryMs.most / 1.5, doubled) * (1 + fraction / 2);
};

/** @param service as it is being made: the queue is read from it only later. */
export const createOutbox = (service: () => Service, workerId: string): SettleQueue & { start(): void } => {
  const lanes = new Map<string, Lane>();
  const busy = new Set<Promise<void>>();
  let stopped = true;
  let stateAt = Number.NEGATIVE_INFINITY;
  let timer: { readonly at: number; readonly cancel: Cancel } | null = null;

  const laneOf = (partnerId: string): Lane => {
    const lane = lanes.get(partnerId) ?? { inFlight: 0, claiming: 0, backlog: false, waiting: [] };
    lanes.set(partnerId, lane);
    return lane;
  };
  const freeIn = (lane: Lane) => service().options.partnerInFlightMax - lane.inFlight - lane.claiming;

  const track = (work: Promise<void>) => {
    busy.add(work);
    void work.finally(() => busy.delete(work));
  };

  /** Looks again after `delayMs`, or sooner if that was planned already. */
  const arm = (delayMs: number) => {
    if (stopped) return;
    const { clock } = service();
    const at = clock.now() + delayMs;
    if (timer && timer.at <= at && timer.at > clock.now()) return;
    timer?.cancel();
    timer = {
      at,
      cancel: clock.after(delayMs, () => {
        timer = null;
        track(poll());
      }),
    };
  };

  const poll = async () => {
    let pauseMs = service().options.pollMs;
    try {
      const now = service().clock.now();
      const far = now + maxPlausibleDueAheadMs;
      const partners = await service().store.read(() => all(duePartners({ now, far })));
      await Promise.all(partners.map(({ id }) => claim(id)));
      await reportQueueMetrics(now);
    } catch (error) {
      service().log.error({ err: error }, "the outbox could not be read and will be tried again");
      pauseMs = Math.max(pauseMs, failurePauseMs);
    }
    arm(pauseMs);
  };

  const claim = async (partnerId: string) => {
    const lane = laneOf(partnerId);
    const places = freeIn(lane);
    if (places <= 0 || stopped) return;
    lane.claiming += places;
    let orders: readonly OutboxTable[] = [];
    try {
      orders = await service().store.write(() => {
        const now = service().clock.now();
        const leased = { leasedUntil: now + leaseMs, worker: workerId };
        return all(
          claimOrders({ partner: partnerId, now, far: now + maxPlausibleDueAheadMs, limit: places, ...leased }),
        );
      });
    } finally {
      lane.claiming -= places;
    }
    lane.backlog = orders.length >= places;
    for (const order of orders) launch(lane, order);
  };

  const reportQueueMetrics = async (now: number) => {
    if (now - stateAt < stateEveryMs && now >= stateAt) return;
    stateAt = now;
    const state = await service().store.read(() => one(outboxState({})));
    service().telemetry.outbox(Number(state?.depth ?? 0), Math.max(0, now - Number(state?.oldest ?? now)));
  };

  const launch = (lane: Lane, order: OutboxTable) => {
    lane.inFlight += 1;
    track(
      deliver(order).finally(() => {
        lane.inFlight -= 1;
        next(lane, order.partner_id);
      }),
    );
  };

  /** A place is free: the longest-waiting own order whose lease still covers a call, else whatever can be claimed. */
  const next = (lane: Lane, partnerId: string) => {
    if (stopped) return;
    const latest = service().clock.now() + partnerCallTimeoutMs;
    for (let order = lane.waiting.shift(); order; order = lane.waiting.shift()) {
      if (order.due_at > latest) return launch(lane, order);
    }
    if (!lane.backlog || lane.claiming > 0 || lane.inFlight * 2 > service().options.partnerInFlightMax) return;
    lane.backlog = false;
    track(claim(partnerId).catch(() => arm(service().options.pollMs)));
  };

  const deliver = async (order: OutboxTable) => {
    try {
      const answer = await callPartner(service(), {
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
      if (answer.kind === "none") await postpone(order, answer.why);
      else await settleAnswered(service(), order, answer.kind);
    } catch (error) {
      // The row is still there: after its lease it is sent again, under the same id.
      service().log.error({ err: error, transaction_id: order.transaction_id }, "an answer could not be kept");
      arm(leaseMs);
    }
  };

  const postpone = async (order: OutboxTable, why: string) => {
    const pauseMs = retryPauseMs(order.attempts - 1, service().random.fraction());
    const dueAt = Math.ceil(service().clock.now() + pauseMs);
    const values = { id: order.id, worker: workerId, attempts: order.attempts, dueAt, error: why };
    await service().store.write(() => run(postponeOrder(values)));
    arm(pauseMs);
  };

  return {
    workerId,

    send(order) {
      if (stopped) return;
      const lane = laneOf(order.partner_id);
      if (freeIn(lane) > 0) launch(lane, order);
      else if (lane.waiting.length < waitingMax) lane.waiting.push(order);
    },

    start() {
      if (!stopped) return;
      stopped = false;
      track(
        (async () => {
          if (service().store.dialect === "sqlite") {
            // Alone with its file: what a process before this one had leased need not wait for the end of the lease.
            await service()
              .store.write(() => run(releaseOrders({ now: service().clock.now() })))
              .catch(() => {});
          }
          await poll();
        })(),
      );
    },

    async stop() {
      stopped = true;
      timer?.cancel();
      timer = null;
      while (busy.size > 0) await Promise.allSettled([...busy]);
    },
  };
};
