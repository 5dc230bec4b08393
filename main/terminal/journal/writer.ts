/** Appends events to the journal, and retries failed writes. */
import type { JournalHealth } from "../../../preload/contract.ts";
import { journalTryMs } from "../bounds.ts";
import type { Cancel, Clock, DamagedEntry, Journal, Ports, VerifyProgress } from "../ports.ts";
import { compareAnchors } from "../service/answer.ts";
import { type DurableEvent, writeEvent } from "../withdrawal/events.ts";
import type { Moment } from "../withdrawal/state.ts";

/** Ports and callbacks of the writer; `at` is the entry's time, milliseconds since the epoch. */
interface JournalWriterOptions extends Pick<Ports, "journal" | "clock" | "log"> {
  readonly momentNow: () => Moment;
  /** Called when the journal becomes writable or stops being so. */
  readonly onHealth: (isWritable: boolean, moment: Moment) => void;
  readonly onWritten: (entries: number) => void;
}

/** The only place that appends to the journal. A failed write is retried every `journalTryMs`. */
export const createJournalWriter = (options: JournalWriterOptions) => {
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

  /** False if the journal could not be written: nothing has happened then. */
  const write = (events: readonly DurableEvent[], moment: Moment): boolean => {
    const entries = [...kept, ...events];
    try {
      journal.append(moment.wallMs, entries.map(writeEvent));
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
    options.onWritten(entries.length);
    return true;
  };

  return {
    write,
    /** Like `write`; if it fails, the events are queued before the next entry. */
    writeOrKeep(events: readonly DurableEvent[], moment: Moment): void {
      if (!write(events, moment)) kept = [...kept, ...events];
    },
    /** Entries since the last checkpoint, earlier runs included. */
    get sinceCheckpoint(): number {
      return sinceCheckpoint;
    },
    get failing(): boolean {
      return failingSince !== null;
    },
    checkpointed(): void {
      sinceCheckpoint = 0;
    },
    /** Call after a journal was read, with the number of entries since its checkpoint; drops entries queued for another one. */
    reset(entries: number): void {
      kept = [];
      sinceCheckpoint = entries;
    },
    stop(): void {
      failingSince = null;
      cancelRetry?.();
    },
  };
};

/** Checks every entry, slice by slice; a second call meanwhile shares the result. */
type JournalCheck = (damaged: readonly DamagedEntry[], askService: () => Promise<unknown>) => Promise<JournalHealth>;

/** @param onProgress called after each slice, and with null at the end. */
export const createJournalCheck = (
  journal: Journal,
  clock: Clock,
  onProgress: (progress: VerifyProgress | null) => void,
): JournalCheck => {
  let checking: Promise<JournalHealth> | null = null;

  const check: JournalCheck = async (damagedAtStart, askService) => {
    const anchors = compareAnchors(await askService().catch(() => null), (sequence) => journal.linkOf(sequence));
    const steps = journal.verifySlices();
    for (;;) {
      const step = steps.next();
      if (step.done) {
        const unread = damagedAtStart.filter(({ why }) => why === "json" || why === "schema");
        return { entries: step.value.entries, damaged: [...step.value.damaged, ...unread], anchors };
      }
      onProgress(step.value);
      if (step.value.checked < step.value.total) await new Promise<void>((resolve) => clock.after(0, resolve));
    }
  };

  return (damagedAtStart, askService) => {
    checking ??= check(damagedAtStart, askService).finally(() => {
      checking = null;
      onProgress(null);
    });
    return checking;
  };
};
