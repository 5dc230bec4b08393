/** People here are as slow as in virtual time, and their time runs faster than the machine's. */
import type { Scheduler } from "../scheduler.ts";

/** A scheduler of the simulation over real time. */
export interface PacedClock {
  readonly scheduler: Pick<Scheduler, "now" | "after" | "at">;
  /** Nothing that is planned happens any more. */
  stop(): void;
}

/** `pace`: real milliseconds for one of theirs. */
export const createPacedClock = (pace: number): PacedClock => {
  const began = performance.now();
  const timers = new Set<NodeJS.Timeout>();
  let isOver = false;
  const now = (): number => (performance.now() - began) / pace;
  const after = (delayMs: number, run: () => void): (() => void) => {
    if (isOver) return () => {};
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, delayMs * pace);
    timers.add(timer);
    return () => {
      timers.delete(timer);
      clearTimeout(timer);
    };
  };
  return {
    scheduler: { now, after, at: (time, run) => after(Math.max(0, time - now()), run) },
    stop: () => {
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
};

/** Real milliseconds. */
export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
