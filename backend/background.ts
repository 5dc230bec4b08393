/** Work that runs beside the requests, and a way to wait for it on stop. */
import type { Cancel, Clock, Log } from "./ports.ts";

/**
 * One background task on one timer; `idle` waits for what is running.
 * @param clock read when needed: the service that holds it may still be under construction.
 */
export const createBackground = (clock: () => Clock, task: () => Promise<void>) => {
  const underWay = new Set<Promise<void>>();
  let timer: { readonly at: number; readonly delayMs: number; readonly cancel: Cancel } | null = null;
  let canceled = false;

  /** An overdue timer fires when the process gets to it; after a jump of the clock, within its own delay. */
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

    /** Resolves when nothing is under way. */
    async idle(): Promise<void> {
      while (underWay.size > 0) await Promise.allSettled([...underWay]);
    },
  };
};

/** Waits. */
export const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => void clock.after(ms, resolve));

/** Waits, or until `signal` is aborted. @returns whether it was not. */
export const pauseUnless = (signal: AbortSignal, clock: Clock, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const end = () => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve(!signal.aborted);
    };
    const cancel = clock.after(signal.aborted ? 0 : Math.max(0, ms), end);
    signal.addEventListener("abort", end);
  });

/** A task that runs repeatedly. */
export interface Repeated {
  /** Resolves after the current run, which can check `isStopping`. */
  stop(): Promise<void>;
}

/**
 * Runs the task after `firstAfterMs` (null: now, on no timer), then each time after the milliseconds it returned. It
 * must not reject.
 */
export const repeat = (
  clock: Clock,
  firstAfterMs: number | null,
  task: (isStopping: () => boolean) => Promise<number>,
): Repeated => {
  let isStopping = false;
  const run = async (): Promise<void> => background.runIn(await task(() => isStopping));
  const background = createBackground(() => clock, run);
  if (firstAfterMs === null) background.track(run());
  else background.runIn(firstAfterMs);
  return {
    async stop() {
      isStopping = true;
      background.cancel();
      await background.idle();
    },
  };
};

/** Runs a task at once and then each `everyMs`; a failure is logged as `failed`, and the next run is another try. */
export const watch = (
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  everyMs: number,
  failed: string,
  task: () => Promise<void>,
): Repeated =>
  repeat(clock, 0, async () => {
    await task().catch((error: unknown) => log.warn({ err: error }, failed));
    return everyMs;
  });

/** How often a scan starts from the beginning, to find rows that were committed long after their due time or released by a process that died. */
const wholeLookEveryMs = 60_000;

/**
 * Where a scan for due rows starts: after what the last one has dealt with, so that dead rows which a dump's old
 * snapshot keeps alive are not read each time. At the start, every minute and when time ran back it starts from the
 * beginning; such a full scan that fails is tried again after a minute.
 * @param overlapMs how late after its due time a row may be committed and still be found by the next scan.
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
    /** Everything due until `now` is dealt with. */
    passed(now: number): void {
      passedAt = now;
    },
  };
};
