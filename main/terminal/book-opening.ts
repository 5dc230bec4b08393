/** At every start and enrolment: the journal of the enrolled book is put in use, and no other one's reports are ever sent. */
import type { Core } from "./core.ts";
import { type Replayed, replay } from "./journal/replay.ts";
import { fromOtherBooks } from "./other-books.ts";
import type { Ports } from "./ports.ts";
import { leaveOthers, originOf, provesBook } from "./state/adoption.ts";
import { type Book, bookName, bookOf, isSameBook } from "./state/book.ts";
import { deviceChange } from "./state/device-change.ts";
import type { DurableEvent } from "./state/events.ts";
import { initialState } from "./state/initial-state.ts";
import { isUndecided } from "./state/manager-problems.ts";
import { hash } from "./state/partner-id.ts";
import type { Device, State } from "./state/state.ts";
import { usableSettings } from "./state/usable-settings.ts";

/** The journal of the enrolled book, read; or why nothing can be begun. */
export type BookOpening =
  | { readonly kind: "ready"; readonly replayed: Replayed; readonly first: readonly DurableEvent[] }
  | { readonly kind: "blocked"; readonly blocked: NonNullable<State["blocked"]> };

/** The manager's answer about a journal that does not say whose it is. */
export type JournalChoice = "adopt" | "set_aside" | null;

/**
 * Opens the journal of the enrolled book and replays it; another book's journal is put aside and a new one begun. Never
 * throws.
 */
export const openBook = (core: Core, ports: Ports, device: Device | null, choice: JournalChoice): BookOpening => {
  const { journal, training } = ports;
  const unavailable: BookOpening = { kind: "blocked", blocked: { why: "journal_unavailable" } };
  const opening = journal.open();
  if (opening.kind === "newer") {
    ports.log("error", "the journal was written by a newer program", { format: opening.format });
    return { kind: "blocked", blocked: { why: "journal_newer" } };
  }
  if (opening.kind !== "open") {
    ports.log("error", "the journal cannot be opened", { error: opening.error });
    return unavailable;
  }
  const now = core.momentNow();
  const initial: State = {
    ...initialState(usableSettings(ports.settings.load(), training), device, training, ports.shop.load()),
    screenNumber: core.state.screenNumber,
    probes: core.state.probes,
    keyNumber: core.state.keyNumber,
    wrongSettings: ports.settings.wrong(),
  };
  const readJournal = (): Replayed => replay(initial, journal, now);
  const tag = (replayed: Replayed): string => replayed.state.installation?.tag ?? hash(ports.ids.next());
  const opened = (book: Book, replayed: Replayed, adopted: boolean): DurableEvent => ({
    type: "book_opened",
    book,
    tag: tag(replayed),
    adopted,
  });

  /** An empty journal where something of an earlier one is left: it was deleted, or emptied. */
  const missing = (replayed: Replayed): readonly DurableEvent[] =>
    replayed.entries === 0 && ports.hasEarlierLife === true ? [{ type: "journal_missing" }] : [];

  /** What is unresolved beside goes into the same write as the first entries. */
  const ready = (replayed: Replayed, first: readonly DurableEvent[]): BookOpening => ({
    kind: "ready",
    replayed,
    first: [...first, ...fromOtherBooks(replayed.state, ports, initial, now)],
  });

  /** Puts the wanted book's journal in use. */
  const change = (wanted: Book, aside: string | null): BookOpening => {
    try {
      journal.switchTo(bookName(wanted), aside);
    } catch (error) {
      ports.log("error", "the journal of the enrolled shop cannot be put in use", { error: String(error) });
      return unavailable;
    }
    const replayed = readJournal();
    const { book } = replayed.state;
    if (book !== null && !isSameBook(book, wanted)) {
      ports.log("error", "the journal put in use is another shop's", { found: book.merchantId });
      // Nothing that is still under way is written into it.
      journal.close();
      return unavailable;
    }
    return ready(replayed, book === null ? [opened(wanted, replayed, false)] : deviceChange(replayed.state, wanted));
  };

  const replayed = readJournal();
  if (device === null) return { kind: "ready", replayed, first: missing(replayed) };
  const wanted = bookOf(device, training);
  const { book } = replayed.state;
  if (book !== null) {
    if (!isSameBook(book, wanted)) return change(wanted, bookName(book));
    return ready(replayed, deviceChange(replayed.state, wanted));
  }
  if (replayed.entries === 0) {
    if (journal.others().includes(bookName(wanted))) return change(wanted, null);
    return ready(replayed, [opened(wanted, replayed, false), ...missing(replayed)]);
  }
  // A journal of a version that did not say whose it is.
  if (choice === "set_aside") return change(wanted, `unknown-${now.wallMs}`);
  if (choice === null && !provesBook(replayed.names, device)) {
    const found = { ...originOf(replayed.names), open: [...replayed.state.open.values()].filter(isUndecided).length };
    return { kind: "blocked", blocked: { why: "other_journal", found } };
  }
  return ready(replayed, [opened(wanted, replayed, true), ...leaveOthers(replayed.state, replayed.names, device)]);
};
