/** What the manager asks of the journal: the list of withdrawals, and whether every entry is sound. */
import type { HistoryLine, JournalHealth } from "../../../preload/contract.ts";
import type { DamagedEntry, Journal } from "../ports.ts";
import { historyEntriesMax } from "../state/bounds.ts";
import type { DurableEvent } from "../state/events.ts";
import { createHistory, type History, readEvent } from "../state/history.ts";

export interface JournalQueries {
  /** Newest first, those begun before the withdrawal `before`. */
  history(before: string | null, limit: number): readonly HistoryLine[];
  /** @param damaged what the start of this run found. */
  health(damaged: readonly DamagedEntry[]): JournalHealth;
  /** Keeps the list up with what is written meanwhile. */
  take(events: readonly DurableEvent[], at: number): void;
  /** Another book's journal is in use now. */
  forget(): void;
}

export const createJournalQueries = (journal: Journal): JournalQueries => {
  /** Made when the manager first looks at it. */
  let history: History | null = null;
  return {
    history(before, limit) {
      if (history === null) {
        history = createHistory();
        for (const entry of journal.read(historyEntriesMax).entries) {
          const event = readEvent(entry);
          if (typeof event !== "string") history.take(event, entry.at);
        }
      }
      return history.list(before, limit);
    },
    health(damagedAtStart) {
      const { entries, damaged } = journal.verify();
      const unread = damagedAtStart.filter(({ why }) => why === "json" || why === "schema");
      return { entries, damaged: [...damaged, ...unread] };
    },
    take(events, at) {
      for (const event of events) history?.take(event, at);
    },
    forget() {
      history = null;
    },
  };
};
