/** Runs at most `atOnce` tasks and lets at most `waiting` queue; one more is refused instead of piling up. */
import pLimit from "p-limit";
import { ServiceError } from "../service-error.ts";

/** Runs work with a bound on how much runs and how much waits. */
export interface BoundedQueue {
  /** @throws ServiceError `too_many_requests` when the queue is full. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

/** @param limits how many run at once, and how many may wait; one more is refused. */
export const createBoundedQueue = (limits: { readonly atOnce: number; readonly waiting: number }): BoundedQueue => {
  const limit = pLimit(limits.atOnce);
  return {
    async run(task) {
      // p-limit starts a task a moment later: until then those that will run at once stand in its queue too.
      if (limit.activeCount + limit.pendingCount >= limits.atOnce + limits.waiting)
        throw new ServiceError("too_many_requests", "Too many secrets are being checked", { retryAfterSeconds: 1 });
      return limit(task);
    },
  };
};
