/** Starts the effects that are due, each key once at a time, and sleeps until the next one is. */
import type { Effect } from "./effects.ts";
import type { Cancel, Clock } from "./ports.ts";

/** More effects than this in one go is a defect: it is told, and the till breathes before it goes on. */
const startsMax = 1_000;
const breathMs = 1_000;

export interface Pump {
  /** Looks at what is due now; called after every change of state. */
  turn(): void;
  /** The effect with this key has been answered: the key may come again. */
  settle(key: string): void;
  stop(): void;
}

export const createPump = (options: {
  readonly clock: Clock;
  readonly effects: () => readonly Effect[];
  /** Must call `settle` once, at once or later. */
  readonly start: (effect: Effect) => void;
  readonly onRunaway: (key: string) => void;
}): Pump => {
  const { clock } = options;
  const underWay = new Set<string>();
  let sleep: { readonly untilMs: number; readonly cancel: Cancel } | null = null;
  let turning = false;
  let stopped = false;

  const wakeAt = (untilMs: number): void => {
    if (sleep !== null && sleep.untilMs === untilMs) return;
    sleep?.cancel();
    sleep = null;
    if (untilMs === Number.POSITIVE_INFINITY) return;
    const cancel = clock.after(untilMs - clock.monotonicMs(), () => {
      sleep = null;
      turn();
    });
    sleep = { untilMs, cancel };
  };

  const turn = (): void => {
    if (turning || stopped) return;
    turning = true;
    try {
      for (let starts = 0; ; starts++) {
        const nowMs = clock.monotonicMs();
        const waiting = options.effects().filter(({ key }) => !underWay.has(key));
        const due = waiting.find(({ notBeforeMs }) => notBeforeMs <= nowMs);
        if (due === undefined) {
          wakeAt(waiting.reduce((least, { notBeforeMs }) => Math.min(least, notBeforeMs), Number.POSITIVE_INFINITY));
          return;
        }
        if (starts >= startsMax) {
          options.onRunaway(due.key);
          wakeAt(nowMs + breathMs);
          return;
        }
        underWay.add(due.key);
        options.start(due);
      }
    } finally {
      turning = false;
    }
  };

  return {
    turn,
    settle(key) {
      underWay.delete(key);
      turn();
    },
    stop() {
      stopped = true;
      sleep?.cancel();
      sleep = null;
    },
  };
};
