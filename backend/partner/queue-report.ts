import type { Service } from "../context.ts";
import type { Query } from "../store/statement.ts";
import { one } from "../store/store.ts";
import type { QueueState } from "../telemetry.ts";

const everyMs = 5_000;

/**
 * Reports how long a queue is and since when its oldest row waits, every five seconds, from the one process of the fleet
 * whose work that is; the others report null.
 * @param query `oldest` in epoch milliseconds, null for an empty queue.
 * @returns to be called after each poll.
 */
export const createQueueReport = (
  service: () => Service,
  query: Query<{ depth: number; oldest: number | null }>,
  show: (state: QueueState | null) => void,
): ((now: number) => Promise<void>) => {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async (now) => {
    if (now - reportedAt < everyMs && now >= reportedAt) return;
    reportedAt = now;
    if (!service().owns("queue metrics")) return show(null);
    const state = await service().store.read(() => one(query));
    show({ depth: Number(state?.depth ?? 0), oldestAgeMs: Math.max(0, now - Number(state?.oldest ?? now)) });
  };
};
