/** Runs at most `atOnce` tasks and lets at most `waiting` queue; one more is refused instead of piling up. */
import { ServiceError } from "../service-error.ts";

export interface BoundedQueue {
  /** @throws ServiceError `too_many_requests` when the queue is full. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

export const createBoundedQueue = (limits: { readonly atOnce: number; readonly waiting: number }): BoundedQueue => {
  const queue: (() => void)[] = [];
  let running = 0;
  const enter = (): Promise<void> | undefined => {
    if (running < limits.atOnce) {
      running++;
      return undefined;
    }
    if (queue.length >= limits.waiting)
      throw new ServiceError("too_many_requests", "Too many sign-ins at once", { retryAfterSeconds: 1 });
    return new Promise((resolve) => queue.push(resolve));
  };
  /** A place is handed to the next in line, so `running` stays as it is. */
  const leave = () => {
    const next = queue.shift();
    if (next === undefined) running--;
    else next();
  };
  return {
    async run(task) {
      await enter();
      try {
        return await task();
      } finally {
        leave();
      }
    },
  };
};
