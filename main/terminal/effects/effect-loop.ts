/** Runs the effects that are due and brings their answers back into the core, until it is stopped. */
import type { Reply } from "../../../preload/contract.ts";
import type { Ports } from "../ports.ts";
import type { ServiceClient } from "../service/client.ts";
import { appendRetryMs } from "../state/bounds.ts";
import type { Event } from "../state/events.ts";
import type { Internal } from "../state/inputs.ts";
import type { Moment, State } from "../state/state.ts";
import { effectsOf } from "./due.ts";
import { createPump } from "./pump.ts";
import { run } from "./runner.ts";
import type { Effect } from "./work.ts";

/** What the loop reads from and reports to the core. */
interface LoopCore {
  readonly state: State;
  momentNow(): Moment;
  apply(events: readonly Event[]): boolean;
  handle(input: Internal): Reply | null;
  show(): void;
}

/** The running effects of one terminal. */
export interface EffectLoop {
  /** Starts what has become due; called after every change of state. */
  turn(): void;
  /** Reports to the core that the machine slept; called before anything that a person pressed. */
  checkSleep(): void;
  stop(): void;
}

const ofEarlierKey = (input: Internal): Internal =>
  "answer" in input && input.answer !== null ? { ...input, answer: { ...input.answer, ofEarlierKey: true } } : input;

/** Makes the loop; nothing runs before the first `turn`. */
export const createEffectLoop = (core: LoopCore, client: ServiceClient, ports: Ports): EffectLoop => {
  const { clock, drawer, journal, log, printer, timeZone } = ports;
  let stopped = false;

  /** An answer whose consequence could not be written is decided again later. */
  const handleAnswer = (key: string, input: Internal): void => {
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
    const marked = (input: Internal): Internal => (core.state.keyNumber === keyNumber ? input : ofEarlierKey(input));
    run(work, core.state, core.momentNow(), {
      client,
      drawer,
      printer,
      timeZone,
      clock,
      journal,
    }).then(
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
    turn: pump.turn,
    checkSleep: pump.checkLate,
    stop() {
      stopped = true;
      pump.stop();
    },
  };
};
