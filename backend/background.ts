/** Work that runs beside the requests: one timer, and a list of what is under way, so that a stop can wait for it. */
import type { Cancel, Clock } from "./ports.ts";

/**
 * Work beside the requests, one timer for it, and an end to wait for.
 * @param clock read when it is needed: the service that holds it may still be in the making.
 */
export const createBackground = (clock: () => Clock, task: () => Promise<void>) => {
  const underWay = new Set<Promise<void>>();
  let timer: { readonly at: number; readonly delayMs: number; readonly cancel: Cancel } | null = null;
  let canceled = false;

  /** A timer that is overdue fires when the busy process comes to it; after a jump of the clock, within its own delay. */
  const isPlannedBy = (at: number, now: number, delayMs: number): boolean =>
    timer !== null && (timer.at > now ? timer.at <= at : timer.delayMs <= delayMs);

  /** Counts `work` as under way until it ends. It must not reject. */
  const track = (work: Promise<void>): void => {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
  };

  return {
    track,

    /** Runs the task in `delayMs`, or earlier if that was planned already. Nothing after `cancel`. */
    runIn(delayMs: number): void {
      if (canceled) return;
      const now = clock().now();
      const at = now + delayMs;
      if (isPlannedBy(at, now, delayMs)) return;
      timer?.cancel();
      const cancel = clock().after(delayMs, () => {
        timer = null;
        track(task());
      });
      timer = { at, delayMs, cancel };
    },

    /** No more runs of the task; what is under way goes on. */
    cancel(): void {
      canceled = true;
      timer?.cancel();
      timer = null;
    },

    /** Ends when nothing is under way any more. */
    async idle(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled([...underWay]);
    },
  };
};

/** Work that is done again and again. */
export interface Repeated {
  /** Resolves after the current run, which can check `isStopping`. */
  stop(): Promise<void>;
}

/** Runs the task in `firstAfterMs`, then always after as many milliseconds as it has answered. It must not reject. */
export const repeat = (
  clock: Clock,
  firstAfterMs: number,
  task: (isStopping: () => boolean) => Promise<number>,
): Repeated => {
  let isStopping = false;
  const background: ReturnType<typeof createBackground> = createBackground(
    () => clock,
    async () => background.runIn(await task(() => isStopping)),
  );
  background.runIn(firstAfterMs);
  return {
    async stop() {
      isStopping = true;
      background.cancel();
      await background.idle();
    },
  };
};

/** A look from the beginning, for what no other look can see: committed long after its time, or given back by a process that died over it. */
const wholeLookEveryMs = 60_000;

/**
 * From when on a look at due times reads: on from the look before. What was passed has been dealt with, and while a dump holds an old
 * snapshot each look would read all of its dead rows again. From the beginning at the start, every minute, and when time has run back. A
 * look from the beginning that failed, for it can take too long then, is tried again in a minute; those in between go on.
 * @param overlapMs how long after its due time a row may be committed and still be seen by the next look.
 */
export const createWatermark = (overlapMs: number) => {
  let passedAt = Number.POSITIVE_INFINITY;
  let wholeAt = Number.NEGATIVE_INFINITY;
  return {
    /** Epoch milliseconds, 0 for the beginning. */
    from(now: number): number {
      if (now >= passedAt && now - wholeAt < wholeLookEveryMs) return passedAt - overlapMs;
      wholeAt = now;
      return 0;
    },
    /** All that is due until `now` has been dealt with. */
    passed(now: number): void {
      passedAt = now;
    },
  };
};
