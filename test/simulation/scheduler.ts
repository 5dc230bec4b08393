/** Virtual time: one queue of what happens next. The same plan runs the same steps in the same order on any machine. */
import { createHeap, type Entry } from "./heap.ts";

/** Makes that what was planned does not happen; later it does nothing. */
export type Cancel = () => void;

/** The only time that there is in a story. */
export interface Scheduler {
  /** Virtual milliseconds since the run began. */
  now(): number;
  at(time: number, run: () => void): Cancel;
  after(delayMs: number, run: () => void): Cancel;
  /** Runs step after step, each until all its promises have settled, while `goesOn` says so; false when the queue ran empty. */
  run(goesOn: () => boolean): Promise<boolean>;
  /** Ends the run: its next step throws this. */
  fail(problem: unknown): void;
  /** When the next step is due; null when there is none. */
  nextAt(): number | null;
}

/** Steps between two turns of the real event loop. */
const stepsPerMacrotask = 2_000;

/** Called from a macrotask, runs all promise reactions that are due: an immediate for each step would cost more than the step. */
const settle = (process as unknown as { _tickCallback(): void })._tickCallback.bind(process);

const inMacrotask = <T>(run: () => T): Promise<T> =>
  new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(run());
      } catch (problem) {
        reject(problem);
      }
    });
  });

/** Begins at 0 with nothing planned. */
export const createScheduler = (): Scheduler => {
  const heap = createHeap();
  let now = 0;
  let order = 0;
  let failure: { readonly problem: unknown } | null = null;

  const schedule = (time: number, run: () => void): Cancel => {
    const entry: Entry = { at: Math.max(time, now), order: order++, run, canceled: false };
    heap.push(entry);
    return () => {
      entry.canceled = true;
    };
  };
  const next = (): Entry | undefined => {
    while (heap.first()?.canceled) heap.pop();
    return heap.first();
  };

  const someSteps = (goesOn: () => boolean): "more" | "over" | "empty" => {
    settle();
    for (let steps = 0; steps < stepsPerMacrotask; steps++) {
      if (failure !== null) throw failure.problem;
      if (!goesOn()) return "over";
      if (!next()) return "empty";
      const entry = heap.pop();
      if (!entry) return "empty";
      now = entry.at;
      entry.run();
      settle();
    }
    return "more";
  };

  return {
    now: () => now,
    at: schedule,
    after: (delayMs, run) => schedule(now + Math.max(0, delayMs), run),
    run: async (goesOn) => {
      for (;;) {
        const how = await inMacrotask(() => someSteps(goesOn));
        if (how !== "more") return how === "over";
      }
    },
    fail: (problem) => {
      failure ??= { problem };
    },
    nextAt: () => next()?.at ?? null,
  };
};
