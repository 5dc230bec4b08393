/**
 * Starts the effects that are due, each key once at a time, and sleeps until the next one is. An effect that is still there
 * after its answer has come to nothing: it rests, so that it never keeps the others from their turn.
 */
import type { Reply } from "../../../preload/contract.ts";
import { appendRetryMs, wakeLateMs } from "../bounds.ts";
import type { Cancel, Clock, Ports } from "../ports.ts";
import type { ServiceClient } from "../service/client.ts";
import { type Effect, effectsOf } from "./effects-due.ts";
import { run } from "./effects-runner.ts";
import type { Event } from "./events.ts";
import type { EffectResult } from "./inputs.ts";
import type { Moment, State } from "./state.ts";

/** More effects than this in one go is a defect: it is logged, and the pump pauses before it goes on. */
const startsMax = 1_000;
const cooldownMs = 1_000;

const never = Number.NEGATIVE_INFINITY;

/** Makes a pump; it starts nothing before the first `turn`. */
export const createPump = (options: {
  readonly clock: Clock;
  readonly effects: () => readonly Effect[];
  /** `settle` follows, at once or later; until then the key counts as under way. */
  readonly start: (effect: Effect) => void;
  readonly onRunaway: (key: string) => void;
  /** A timer came this much too late, in milliseconds: the machine slept or stood still. */
  readonly onLate?: (lateMs: number) => void;
}) => {
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
    /** Looks at what is due now; called after every change of state. */
    turn,
    /** Says so when the timer it waits for should have fired long ago: the machine slept. */
    checkLate,
    /** The effect with this key has been answered. Should it still be there, it comes again after `restMs` at the soonest. */
    settle(key: string, restMs = cooldownMs): void {
      underWay.delete(key);
      resting.set(key, clock.monotonicMs() + restMs);
      turn();
    },
    stop(): void {
      stopped = true;
      sleep?.cancel();
      sleep = null;
    },
  };
};

interface LoopCore {
  readonly state: State;
  momentNow(): Moment;
  apply(events: readonly Event[]): boolean;
  handle(input: EffectResult): Reply | null;
  show(): void;
}

const ofEarlierKey = (input: EffectResult): EffectResult =>
  "answer" in input && input.answer !== null ? { ...input, answer: { ...input.answer, ofEarlierKey: true } } : input;

/** Makes the loop; nothing runs before the first `turn`. */
export const createEffectLoop = (core: LoopCore, client: ServiceClient, ports: Ports) => {
  const { clock, log } = ports;
  let stopped = false;

  /** An answer whose consequence could not be written is decided again later. */
  const handleAnswer = (key: string, input: EffectResult): void => {
    if (stopped) return;
    if (core.handle(input) === null) clock.after(appendRetryMs, () => handleAnswer(key, input));
    else pump.settle(key);
  };

  const start = ({ key, work }: Effect): void => {
    if (work.kind === "repaint") {
      core.show();
      pump.settle(key, Number.POSITIVE_INFINITY);
      return;
    }
    if (work.kind === "dispatch") {
      handleAnswer(key, work.input);
      return;
    }
    const { keyNumber } = core.state;
    const marked = (input: EffectResult): EffectResult =>
      core.state.keyNumber === keyNumber ? input : ofEarlierKey(input);
    run(work, core.state, core.momentNow(), { ...ports, client }).then(
      (input) => (input === null ? pump.settle(key) : handleAnswer(key, marked(input))),
      (error: unknown) => {
        log("error", "an effect failed", { key, error: String(error) });
        clock.after(appendRetryMs, () => pump.settle(key));
      },
    );
  };

  const pump = createPump({
    clock,
    effects: () => effectsOf(core.state),
    start,
    onRunaway: (key) => log("error", "an effect comes again and again", { key }),
    onLate(lateMs) {
      if (stopped) return;
      log("info", "the machine slept or stood still", { lateMs: Math.round(lateMs) });
      core.apply([{ type: "resumed" }]);
    },
  });

  return {
    /** Starts what has become due; called after every change of state. */
    turn: pump.turn,
    /** Reports to the core that the machine slept; called before anything that a person pressed. */
    checkSleep: pump.checkLate,
    stop(): void {
      stopped = true;
      pump.stop();
    },
  };
};
