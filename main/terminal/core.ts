/** The only mutable thing in the core: one input at a time is decided, what is durable is journaled, then the state evolves and is shown. */
import type { Reply, Snapshot } from "../../preload/contract.ts";
import { decide } from "./flow.ts";
import { createJournalWriter } from "./journal/writer.ts";
import type { Ports } from "./ports.ts";
import { type DurableEvent, type Event, isDurable, makeCheckpoint, type RecordedEvent } from "./withdrawal/events.ts";
import { evolve } from "./withdrawal/evolve.ts";
import { type Actor, type Input, terminalActor } from "./withdrawal/inputs.ts";
import { snapshotOf } from "./withdrawal/screens.ts";
import type { Moment, State } from "./withdrawal/state.ts";

/** What a person said about a withdrawal names that person already. */
const recorded = (event: DurableEvent, { code }: Actor): RecordedEvent => ({ actor: code, ...event });

/** The state and the one way to change it. */
export type Core = ReturnType<typeof createCore>;

/** Reads and writes nothing before the first input. @param checkpointEvery entries between two checkpoints. */
export const createCore = (
  ports: Ports,
  initial: State,
  checkpointEvery: number,
  onWritten: (events: readonly DurableEvent[], at: number) => void,
) => {
  const { clock, ids } = ports;
  const listeners = new Set<(snapshot: Snapshot) => void>();
  let state = initial;
  let revision = 0;
  const momentNow = (): Moment => ({ wallMs: clock.now(), monotonicMs: clock.monotonicMs() });

  const snapshot = (): Snapshot => snapshotOf(state, momentNow(), revision);

  let isShowing = false;
  /** Sends the present snapshot to every listener; where one of them causes the next, everybody is shown this one first. */
  const show = (): void => {
    revision += 1;
    if (isShowing) return;
    isShowing = true;
    try {
      for (let shown = -1; shown !== revision && listeners.size > 0; ) {
        shown = revision;
        const shownNow = snapshot();
        for (const listener of listeners) listener(shownNow);
      }
    } finally {
      isShowing = false;
    }
  };

  const evolveAll = (events: readonly Event[], moment: Moment): void => {
    const before = state;
    state = events.reduce((evolved, event) => evolve(evolved, event, moment), state);
    if (state.shop !== null && state.shop !== before.shop) ports.shop.save(state.shop);
    if (state.settings !== before.settings) ports.settings.hold?.(state.settings);
    if (state !== before) show();
  };

  const writer = createJournalWriter({
    ...ports,
    momentNow,
    onHealth: (isWritable, moment) => evolveAll([{ type: "journal_health_changed", isWritable }], moment),
    onWritten,
  });

  /** All or nothing: what is durable is on disk before the state knows of it. False when the journal took nothing. */
  const apply = (events: readonly Event[], moment = momentNow(), actor = terminalActor): boolean => {
    const all = events.map((event) => (isDurable(event) ? recorded(event, actor) : event));
    const durable = all.filter(isDurable);
    if (durable.length > 0 && !writer.write(durable, moment)) return false;
    evolveAll(all, moment);
    return true;
  };

  /** Writes a checkpoint when enough entries lie behind the last one. */
  const checkpoint = (damagedEntries: number, moment: Moment): void => {
    if (writer.sinceCheckpoint <= checkpointEvery || state.hasUnreadEntries) return;
    if (writer.write([makeCheckpoint(state, damagedEntries, moment)], moment)) writer.checkpointed();
  };

  return {
    get state(): State {
      return state;
    },
    writer,
    momentNow,
    /** Puts a replayed state in place of the present one. */
    replace(next: State): void {
      state = next;
      ports.settings.hold?.(state.settings);
      show();
    },
    apply,
    /** As `apply`, for what is true already: when the journal takes nothing, it goes before the next entry that is taken. */
    applyAndQueueWrite(events: readonly DurableEvent[], moment: Moment, actor = terminalActor): void {
      if (events.length === 0) return;
      const entries = events.map((event) => recorded(event, actor));
      writer.writeOrKeep(entries, moment);
      evolveAll(entries, moment);
    },
    /** Decides about one input; null when the journal did not take what had to be written: nothing has happened. */
    handle(input: Input, actor = terminalActor): Reply | null {
      const moment = momentNow();
      const fresh = {
        get id() {
          return ids.next();
        },
        get fraction() {
          return ids.fraction();
        },
      };
      const { events, reply } = decide(state, input, moment, fresh, actor);
      if (!apply(events, moment, actor)) return null;
      if (state.activeScreen.kind === "idle" && state.open.size === 0) checkpoint(state.damagedEntries, moment);
      return reply;
    },
    checkpoint,
    show,
    snapshot,
    subscribe(listener: (snapshot: Snapshot) => void): () => void {
      listeners.add(listener);
      listener(snapshot());
      return () => {
        listeners.delete(listener);
      };
    },
    close(): void {
      writer.stop();
      listeners.clear();
    },
  };
};
