/**
 * Starts the effects that are due, each key once at a time, and sleeps until the next one is. An effect that is still there
 * after its answer has come to nothing: it rests, so that it never keeps the others from their turn.
 */

import type { Cancel, Clock } from "../ports.ts";
import { wakeLateMs } from "../state/bounds.ts";
import type { Effect } from "./work.ts";

/** More effects than this in one go is a defect: it is logged, and the pump pauses before it goes on. */
const startsMax = 1_000;
const cooldownMs = 1_000;

const never = Number.NEGATIVE_INFINITY;

/** Starts effects when they are due. */
export interface Pump {
  /** Looks at what is due now; called after every change of state. */
  turn(): void;
  /** Says so when the timer it waits for should have fired long ago: the machine slept. */
  checkLate(): void;
  /** The effect with this key has been answered. Should it still be there, it comes again after `restMs` at the soonest. */
  settle(key: string, restMs?: number): void;
  stop(): void;
}

/** Makes a pump; it starts nothing before the first `turn`. */
export const createPump = (options: {
  readonly clock: Clock;
  readonly effects: () => readonly Effect[];
  /** `settle` follows, at once or later; until then the key counts as under way. */
  readonly start: (effect: Effect) => void;
  readonly onRunaway: (key: string) => void;
  /** A timer came this much too late, in milliseconds: the machine slept or stood still. */
  readonly onLate?: (lateMs: number) => void;
}): Pump => {
  const { clock } = options;
  const underWay = new Set<string>();
  /** Answered keys and until when they rest; kept only while their effect is still there. */
  const resting = new Map<string, number>();
  let lastRunaway = "";
  let sleep: { readonly untilMs: number; readonly cancel: Cancel } | null = null;
  let turning = false;
  let stopped = false;

  const wakeAt = (untilMs: number): void => {
    if (sleep !== null && sleep.untilMs === untilMs) return;
    sleep?.cancel();
    sleep = null;
    if (untilMs === Number.POSITIVE_INFINITY) return;
    const cancel = clock.after(untilMs - clock.monotonicMs(), () => {
      checkLate();
      sleep = null;
      turn();
    });
    sleep = { untilMs, cancel };
  };

  const checkLate = (): void => {
    if (sleep === null) return;
    const lateMs = clock.monotonicMs() - sleep.untilMs;
    if (lateMs <= wakeLateMs) return;
    sleep.cancel();
    sleep = null;
    options.onLate?.(lateMs);
  };

  /** What is not under way, with the rest of what came to nothing. */
  const waitingNow = (nowMs: number): readonly Effect[] => {
    const all = options.effects();
    if (resting.size === 0) return all.filter(({ key }) => !underWay.has(key));
    const present = new Set(all.map(({ key }) => key));
    for (const key of resting.keys()) if (!present.has(key)) resting.delete(key);
    return all
      .filter(({ key }) => !underWay.has(key))
      .map((effect) => {
        const untilMs = resting.get(effect.key) ?? never;
        if (effect.notBeforeMs <= nowMs && untilMs > nowMs && Number.isFinite(untilMs)) reportRunaway(effect.key);
        return untilMs > effect.notBeforeMs ? { ...effect, notBeforeMs: untilMs } : effect;
      });
  };

  const reportRunaway = (key: string): void => {
    if (key !== lastRunaway) options.onRunaway(key);
    lastRunaway = key;
  };

  const turn = (): void => {
    if (turning || stopped) return;
    turning = true;
    try {
      for (let starts = 0; ; starts++) {
        const nowMs = clock.monotonicMs();
        const waiting = waitingNow(nowMs);
        const due = waiting.find(({ notBeforeMs }) => notBeforeMs <= nowMs);
        if (due === undefined) {
          wakeAt(waiting.reduce((least, { notBeforeMs }) => Math.min(least, notBeforeMs), Number.POSITIVE_INFINITY));
          return;
        }
        if (starts >= startsMax) {
          reportRunaway(due.key);
          wakeAt(nowMs + cooldownMs);
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
    checkLate,
    settle(key, restMs = cooldownMs) {
      underWay.delete(key);
      resting.set(key, clock.monotonicMs() + restMs);
      turn();
    },
    stop() {
      stopped = true;
      sleep?.cancel();
      sleep = null;
    },
  };
};
