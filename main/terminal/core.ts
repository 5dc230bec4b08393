/** The core's only mutable state: for each input it decides, writes durable events to the journal, evolves the state and shows it. */
import type { Reply, Snapshot } from "../../preload/contract.ts";
import { decide } from "./flow.ts";
import { createJournalWriter } from "./journal/writer.ts";
import type { Ports } from "./ports.ts";
import { type DurableEvent, type Event, isDurable, makeCheckpoint, type RecordedEvent } from "./withdrawal/events.ts";
import { evolve } from "./withdrawal/evolve.ts";
import { type Actor, type Input, terminalActor } from "./withdrawal/inputs.ts";
import { snapshotOf } from "./withdrawal/screens.ts";
import type { Moment, State } from "./withdrawal/state.ts";

/** An event that already names its actor keeps it. */
const recorded = (event: DurableEvent, { code }: Actor): RecordedEvent => ({ actor: code, ...event });

/** See `createCore`. */
export type Core = ReturnType<typeof createCore>;

/** @param checkpointEvery journal entries between two checkpoints. */
export const createCore = (
  ports: Ports,
  initial: State,
  checkpointEvery: number,
  onWritten: (entries: number) => void,
) => {
  const { clock, ids } = ports;
  const listeners = new Set<(snapshot: Snapshot) => void>();
  let state = initial;
  let revision = 0;
  const momentNow = (): Moment => ({ wallMs: clock.now(), monotonicMs: clock.monotonicMs() });

  const snapshot = (): Snapshot => snapshotOf(state, momentNow(), revision);

  let isShowing = false;
  /** Sends the current snapshot to all listeners. If a listener changes the state, the others get the first snapshot before the next one. */
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

  /** All or nothing: durable events are on disk before the state changes. False if the journal could not be written. */
  const apply = (events: readonly Event[], moment = momentNow(), actor = terminalActor): boolean => {
    const all = events.map((event) => (isDurable(event) ? recorded(event, actor) : event));
    const durable = all.filter(isDurable);
    if (durable.length > 0 && !writer.write(durable, moment)) return false;
    evolveAll(all, moment);
    return true;
  };

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
    replace(next: State): void {
      state = next;
      ports.settings.hold?.(state.settings);
      show();
    },
    apply,
    /** Like `apply`, for facts: if the journal cannot be written, the events are queued before the next entry. */
    applyAndQueueWrite(events: readonly DurableEvent[], moment: Moment, actor = terminalActor): void {
      if (events.length === 0) return;
      const entries = events.map((event) => recorded(event, actor));
      writer.writeOrKeep(entries, moment);
      evolveAll(entries, moment);
    },
    /** Handles one input; null if the journal could not be written, and then nothing has happened. */
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
