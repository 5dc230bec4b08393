/** What the manager asks of the journal: the list of withdrawals, and whether every entry is sound. */
import type { DayReport, HistoryLine, JournalHealth } from "../../../preload/contract.ts";
import type { Clock, DamagedEntry, Journal, VerifyProgress } from "../ports.ts";
import { historyEntriesMax } from "../state/bounds.ts";
import type { DurableEvent } from "../state/events.ts";
import { createHistory, type History, type PrintedBefore, readEvent } from "../state/history.ts";
import { compareAnchors } from "./anchors.ts";

/** Read-only; each reads the journal anew. */
export interface JournalQueries {
  /** Newest first, those begun before the withdrawal `before`. */
  history(before: string | null, limit: number): readonly HistoryLine[];
  /** The closed days, newest first. */
  days(): readonly DayReport[];
  /** What a reprint of a withdrawal's receipt is made of; null when the list does not have it. */
  printedBefore(withdrawalId: string): PrintedBefore | null;
  /**
   * Checks every entry, a slice at a time, and lets the program go on between two. A second question meanwhile gets the
   * same answer.
   * @param damaged what the start of this run found.
   * @param askService for the links that it was given; resolves with the body of its answer.
   */
  health(damaged: readonly DamagedEntry[], askService: () => Promise<unknown>): Promise<JournalHealth>;
  /** Keeps the list up with what is written meanwhile. */
  take(events: readonly DurableEvent[], at: number): void;
  /** Another book's journal is in use now. */
  forget(): void;
}

/** @param onProgress called after each slice of a check, and null at its end. */
export const createJournalQueries = (
  journal: Journal,
  clock: Clock,
  onProgress: (progress: VerifyProgress | null) => void,
): JournalQueries => {
  let checking: Promise<JournalHealth> | null = null;

  const check = async (
    damagedAtStart: readonly DamagedEntry[],
    askService: () => Promise<unknown>,
  ): Promise<JournalHealth> => {
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

  /** Made when the manager first looks at it. */
  let history: History | null = null;
  const loadHistory = (): History => {
    if (history !== null) return history;
    history = createHistory();
    for (const entry of journal.read(historyEntriesMax).entries) {
      const event = readEvent(entry);
      if (typeof event !== "string") history.take(event, entry.at);
    }
    return history;
  };

  return {
    history: (before, limit) => loadHistory().list(before, limit),
    days: () => loadHistory().days(),
    printedBefore: (withdrawalId) => loadHistory().printedBefore(withdrawalId),
    health(damagedAtStart, askService) {
      checking ??= check(damagedAtStart, askService).finally(() => {
        checking = null;
        onProgress(null);
      });
      return checking;
    },
    take(events, at) {
      for (const event of events) history?.take(event, at);
    },
    forget() {
      history = null;
    },
  };
};
