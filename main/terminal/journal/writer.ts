/** Appends events to the journal. What it did not take is tried again until it does, whatever the cashier presses meanwhile. */
import type { Cancel, Clock, Journal, Ports } from "../ports.ts";
import { journalTryMs } from "../state/bounds.ts";
import type { DurableEvent } from "../state/events.ts";
import type { Moment } from "../state/state.ts";

/** The one place from which the terminal appends. */
export interface JournalWriter {
  /** False when the journal took nothing: then nothing has happened. */
  write(events: readonly DurableEvent[], moment: Moment): boolean;
  /** As `write`; when it fails, the events go before the next entry that is taken. */
  writeOrKeep(events: readonly DurableEvent[], moment: Moment): void;
  /** Entries since the last checkpoint, those of earlier runs included. */
  readonly sinceCheckpoint: number;
  /** Whether the last try failed. */
  readonly failing: boolean;
  /** A checkpoint was written. */
  checkpointed(): void;
  /** The journal was read, with so many entries behind its last checkpoint; what another one did not take is not for it. */
  reset(entries: number): void;
  stop(): void;
}

/** Ports and callbacks of the writer; `at` is the entry's time, milliseconds since the epoch. */
export interface JournalWriterOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Ports["log"];
  readonly momentNow: () => Moment;
  /** The journal begins or ceases to take entries. */
  readonly onHealth: (takes: boolean, moment: Moment) => void;
  readonly onWritten: (events: readonly DurableEvent[], at: number) => void;
}

/** Starts with nothing to write; a failed write is tried again every `journalTryMs`. */
export const createJournalWriter = (options: JournalWriterOptions): JournalWriter => {
  const { journal, clock, log, momentNow } = options;
  let kept: readonly DurableEvent[] = [];
  let sinceCheckpoint = 0;
  let failingSince: Moment | null = null;
  let cancelRetry: Cancel | null = null;

  const retryLater = (): void => {
    cancelRetry = clock.after(journalTryMs, () => {
      if (failingSince === null) return;
      const now = momentNow();
      const failedForMs = Math.round(now.monotonicMs - failingSince.monotonicMs);
      if (!write([{ type: "journal_recovered", failedForMs }], now)) retryLater();
    });
  };

  const write = (events: readonly DurableEvent[], moment: Moment): boolean => {
    const entries = [...kept, ...events];
    try {
      journal.append(
        moment.wallMs,
        entries.map((event) => JSON.stringify(event)),
      );
    } catch (error) {
      log("error", "the journal took no entry", { error: String(error), types: entries.map(({ type }) => type) });
      if (failingSince === null) {
        failingSince = moment;
        options.onHealth(false, moment);
        retryLater();
      }
      return false;
    }
    if (failingSince !== null) {
      failingSince = null;
      options.onHealth(true, moment);
    }
    kept = [];
    sinceCheckpoint += entries.length;
    options.onWritten(events, moment.wallMs);
    return true;
  };

  return {
    write,
    writeOrKeep(events, moment) {
      if (!write(events, moment)) kept = [...kept, ...events];
    },
    get sinceCheckpoint() {
      return sinceCheckpoint;
    },
    get failing() {
      return failingSince !== null;
    },
    checkpointed() {
      sinceCheckpoint = 0;
    },
    reset(entries) {
      kept = [];
      sinceCheckpoint = entries;
    },
    stop() {
      failingSince = null;
      cancelRetry?.();
    },
  };
};
