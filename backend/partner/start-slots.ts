/** Start orders under way from this process: bounded for each partner, and waited for by a stop, whoever still listens. */
import type { StartSlots } from "../context.ts";
import { ServiceError } from "../service-error.ts";

/** @param slotsMax for each partner. */
export const createStartSlots = (slotsMax: number): StartSlots => {
  const taken = new Map<string, number>();
  const waiting: (() => void)[] = [];
  const stopping = new AbortController();
  const wakeWhenEmpty = () => {
    if (taken.size === 0) for (const wake of waiting.splice(0)) wake();
  };

  return {
    acquire(partnerId) {
      const count = taken.get(partnerId) ?? 0;
      if (stopping.signal.aborted) throw new ServiceError("unavailable", "The service is stopping. Ask again.");
      if (count >= slotsMax) {
        throw new ServiceError("unavailable", "The bank is slow to answer. Ask again.", { retryAfterSeconds: 5 });
      }
      taken.set(partnerId, count + 1);
      return () => {
        const left = (taken.get(partnerId) ?? 1) - 1;
        if (left > 0) taken.set(partnerId, left);
        else taken.delete(partnerId);
        wakeWhenEmpty();
      };
    },

    stopping: stopping.signal,

    stop() {
      stopping.abort();
      return new Promise((resolve) => {
        waiting.push(resolve);
        wakeWhenEmpty();
      });
    },
  };
};
