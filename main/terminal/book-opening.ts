/** At every start and enrolment: the journal of the enrolled book is put in use, and no other one's reports are ever sent. */
import type { ProtectedSettings } from "../../preload/contract.ts";
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
import { differing, protectedOf, strictest } from "./state/protected-settings.ts";
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
  /** An empty journal where something of an earlier one is left: it was deleted, or emptied. */
  const missing = (replayed: Replayed): readonly DurableEvent[] =>
    replayed.entries === 0 && ports.hasEarlierLife === true ? [{ type: "journal_missing" }] : [];

  const file = protectedOf(initial.settings);
  const isDoubtful = (replayed: Replayed): boolean => replayed.damaged.length > 0 || missing(replayed).length > 0;
  /** The settings about authority and cash by one journal; by the file where it never had any. */
  const heldBy = (replayed: Replayed): ProtectedSettings =>
    replayed.state.protectedSettings ?? (isDoubtful(replayed) ? strictest(file) : file);
  const opened = (book: Book, replayed: Replayed, adopted: boolean, settings = heldBy(replayed)): DurableEvent => ({
    type: "book_opened",
    book,
    tag: tag(replayed),
    adopted,
    settings,
  });
  /** What else is to be written about them. */
  const settingsEvents = (replayed: Replayed, settings: ProtectedSettings): readonly DurableEvent[] => {
    const { protectedSettings: recorded } = replayed.state;
    const ends = differing(settings, file);
    const why = recorded !== null ? "other_shop" : isDoubtful(replayed) ? "unknown" : "upgrade";
    // A terminal that belongs to no service yet goes by its file.
    const isSaid =
      recorded === null ? device === null && why === "upgrade" : differing(settings, recorded).length === 0;
    return [
      ...(isSaid ? [] : [{ type: "settings_recorded", settings, why } as const]),
      ...(ends.length === 0 ? [] : [{ type: "act", act: "settings_not_obeyed", about: ends.join(", ") } as const]),
    ];
  };

  /** What is unresolved beside goes into the same write as the first entries. */
  const ready = (replayed: Replayed, first: readonly DurableEvent[], held = heldBy(replayed)): BookOpening => {
    const isOpened = first.some(({ type }) => type === "book_opened");
    const settings = settingsEvents(replayed, held).filter(({ type }) => !(isOpened && type === "settings_recorded"));
    const beside = device === null ? [] : fromOtherBooks(replayed.state, ports, initial, now);
    return {
      kind: "ready",
      replayed: { ...replayed, state: { ...replayed.state, changedSettings: differing(held, file) } },
      first: [...first, ...settings, ...beside],
    };
  };

  /** Puts the wanted book's journal in use. @param held the settings until now; null where that journal's own count. */
  const change = (wanted: Book, aside: string | null, held: ProtectedSettings | null): BookOpening => {
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
    const settings = held ?? heldBy(replayed);
    const first = book === null ? [opened(wanted, replayed, false, settings)] : deviceChange(replayed.state, wanted);
    return ready(replayed, first, settings);
  };

  const replayed = readJournal();
  if (device === null) return ready(replayed, missing(replayed));
  const wanted = bookOf(device, training);
  const { book } = replayed.state;
  if (book !== null) {
    if (!isSameBook(book, wanted)) return change(wanted, bookName(book), heldBy(replayed));
    return ready(replayed, deviceChange(replayed.state, wanted));
  }
  if (replayed.entries === 0) {
    if (journal.others().includes(bookName(wanted))) return change(wanted, null, null);
    return ready(replayed, [opened(wanted, replayed, false), ...missing(replayed)]);
  }
  // A journal of a version that did not say whose it is.
  if (choice === "set_aside") return change(wanted, `unknown-${now.wallMs}`, heldBy(replayed));
  if (choice === null && !provesBook(replayed.names, device)) {
    const found = { ...originOf(replayed.names), open: [...replayed.state.open.values()].filter(isUndecided).length };
    return { kind: "blocked", blocked: { why: "other_journal", found } };
  }
  return ready(replayed, [opened(wanted, replayed, true), ...leaveOthers(replayed.state, replayed.names, device)]);
};
