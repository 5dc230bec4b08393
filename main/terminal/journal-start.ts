/** The terminal's journal from its first reading to its end: read at once, put to work by `start`, tried again while it cannot be opened. */

import { type JournalChoice, openBook } from "./book-opening.ts";
import type { Core } from "./core.ts";
import type { Cancel, DamagedEntry, Ports } from "./ports.ts";
import type { Device } from "./state/book.ts";
import { journalTryMs } from "./state/bounds.ts";
import type { DurableEvent } from "./state/events.ts";
import { pendingReport } from "./state/state.ts";

/** What there is to do about a journal that was read. */
export interface OpenedJournal {
  /** Events that its first entry behind the old ones says. */
  readonly first: readonly DurableEvent[];
  readonly damaged: readonly DamagedEntry[];
}

/** The journal's life in this run. */
export interface JournalStart {
  /** Null while the journal is not read. */
  readonly opened: OpenedJournal | null;
  /** Reads it once; what it says is done only after `start`. */
  read(): void;
  /** Puts what was read to work, or tries again and again until it can be read. */
  start(): void;
  /** Reads the journal again: after an enrolment, or after a manager's answer about another one's journal. */
  reopen(choice?: JournalChoice): void;
  /** No further try. */
  stop(): void;
}

/** What the start of a journal works with. */
export interface JournalStartOptions {
  readonly core: Core;
  readonly ports: Ports;
  readonly loadDevice: () => Device | null;
  /** What the journal says is in force: effects may begin. */
  readonly onStarted: () => void;
}

/** Nothing is read before `read`. */
export const createJournalStart = ({ core, ports, loadDevice, onStarted }: JournalStartOptions): JournalStart => {
  const { clock, log } = ports;
  let opened: OpenedJournal | null = null;
  let isStarted = false;
  let cancelRetry: Cancel | null = null;

  const readJournal = (choice: JournalChoice): void => {
    const opening = openBook(core, ports, loadDevice(), choice);
    if (opening.kind === "blocked") {
      const takes = opening.blocked.why !== "journal_unavailable";
      core.apply([
        { type: "blocked", blocked: opening.blocked },
        { type: "journal_health_changed", takes },
      ]);
      return;
    }
    const { replayed, first } = opening;
    opened = { first, damaged: replayed.damaged };
    const { people, ownService, phoneAccess } = core.state;
    core.replace({ ...replayed.state, journalFailing: core.writer.failing, people, ownService, phoneAccess });
    core.writer.reset(replayed.entries);
  };

  /** Starts what the journal says; while it cannot be opened, tries again and again. */
  const begin = (choice: JournalChoice = null): void => {
    cancelRetry?.();
    if (!isStarted) return;
    if (opened === null) readJournal(choice);
    if (opened === null) {
      if (core.state.blocked?.why === "journal_unavailable") cancelRetry = clock.after(journalTryMs, () => begin());
      return;
    }
    const { first, damaged } = opened;
    const moment = core.momentNow();
    core.applyOrKeep(first, moment);
    if (damaged.length > 0) log("warn", "damaged journal entries", { damaged: damaged.slice(0, 20) });
    const waiting = [...core.state.open.values()].filter((one) => pendingReport(one) !== null).length;
    log("info", "the terminal starts", { open: core.state.open.size, waiting });
    core.checkpoint(core.state.damagedEntries + damaged.length, moment);
    core.apply([{ type: "started", damagedEntries: damaged.length }], moment);
    onStarted();
  };

  return {
    get opened() {
      return opened;
    },
    read: () => readJournal(null),
    start() {
      isStarted = true;
      begin();
    },
    reopen(choice = null) {
      opened = null;
      begin(choice);
    },
    stop() {
      isStarted = false;
      cancelRetry?.();
    },
  };
};
