/** At every start and enrolment: the journal of the enrolled book is put in use, and no other one's reports are ever sent. */
import type { Core } from "./core.ts";
import { type Replayed, replay } from "./journal/replay.ts";
import type { Ports } from "./ports.ts";
import { type Book, bookName, bookOf, isSameBook, isSameDevice, originOf, provesBook } from "./state/book.ts";
import type { DurableEvent } from "./state/events.ts";
import { isUndecided } from "./state/manager-problems.ts";
import { hash } from "./state/partner-id.ts";
import type { ProblemRecord } from "./state/problem-record.ts";
import { addProblem } from "./state/problems.ts";
import { type Device, factsOf, initialState, type Moment, type State } from "./state/state.ts";
import { usableSettings } from "./state/usable-settings.ts";

/** The journal of the enrolled book, read; or why nothing can be begun. */
export type BookOpening =
  | { readonly kind: "ready"; readonly replayed: Replayed; readonly first: readonly DurableEvent[] }
  | { readonly kind: "blocked"; readonly blocked: NonNullable<State["blocked"]> };

/** The manager's answer about a journal that does not say whose it is. */
export type JournalChoice = "adopt" | "set_aside" | null;

/** What of another book's journal stays visible here: its problems, and what nobody decided. */
const carriedFrom = ({ book, open, problems }: State, atWallMs: number): DurableEvent | null => {
  const all = [...open.values()]
    .filter((one) => one.decided || isUndecided(one))
    .reduce((all, one) => addProblem(all, factsOf(one), "in_other_journal", atWallMs), problems);
  if (all.size === 0) return null;
  const otherShop = book?.merchantId ?? "";
  const carried = [...all.values()].map((one): ProblemRecord => ({ ...one, otherShop: one.otherShop ?? otherShop }));
  return { type: "carried_over", from: otherShop, problems: carried.map((one) => ({ ...one, about: [...one.about] })) };
};

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
    ...initialState(usableSettings(ports.settings.load(), training), device, training),
    screenNumber: core.state.screenNumber,
    probes: core.state.probes,
  };
  const readJournal = (): Replayed => replay(initial, journal, now);
  const tag = (replayed: Replayed): string => replayed.state.installation?.tag ?? hash(ports.ids.next());
  const opened = (book: Book, replayed: Replayed, adopted: boolean): DurableEvent => ({
    type: "book_opened",
    book,
    tag: tag(replayed),
    adopted,
  });

  /** Puts the wanted book's journal in use; what was unresolved in the one before stays visible. */
  const change = (wanted: Book, aside: string | null, before: State | null): BookOpening => {
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
    const carried = before === null ? null : carriedFrom(before, now.wallMs);
    const first = book === null ? [opened(wanted, replayed, false)] : [];
    return { kind: "ready", replayed, first: carried === null ? first : [...first, carried] };
  };

  const replayed = readJournal();
  if (device === null) return { kind: "ready", replayed, first: [] };
  const wanted = bookOf(device, training);
  const { book } = replayed.state;
  if (book !== null) {
    if (!isSameBook(book, wanted)) return change(wanted, bookName(book), replayed.state);
    const changed = !isSameDevice(book, wanted) || book.serviceUrl !== wanted.serviceUrl;
    return { kind: "ready", replayed, first: changed ? [{ type: "device_changed", book: wanted }] : [] };
  }
  if (replayed.entries === 0) {
    const name = bookName(wanted);
    const others = journal.others();
    const last = others.find((other) => other !== name);
    const before = last === undefined ? null : stateOfOther(initial, ports, last, now);
    if (others.includes(name)) return change(wanted, null, before);
    const carried = before === null ? null : carriedFrom(before, now.wallMs);
    return {
      kind: "ready",
      replayed,
      first: [opened(wanted, replayed, false), ...(carried === null ? [] : [carried])],
    };
  }
  // A journal of a version that did not say whose it is.
  if (choice === "set_aside") return change(wanted, `unknown-${now.wallMs}`, replayed.state);
  if (choice === null && !provesBook(replayed.names, device)) {
    const found = { ...originOf(replayed.names), open: [...replayed.state.open.values()].filter(isUndecided).length };
    return { kind: "blocked", blocked: { why: "other_journal", found } };
  }
  return { kind: "ready", replayed, first: [opened(wanted, replayed, true), ...leaveOthers(replayed.state, device)] };
};

/** Where a manager adopts a mixed journal: what another shop or terminal began is left to the books, and never sent. */
const leaveOthers = ({ open }: State, device: Device): readonly DurableEvent[] =>
  [...open.values()]
    .filter((one) => one.stage.kind !== "review" && !provesBook([one], device))
    .map((one) => ({
      type: "decided",
      of: factsOf(one),
      decision: "leave_to_books",
      actor: "terminal",
      note: "another shop's or terminal's",
    }));

const stateOfOther = (initial: State, ports: Ports, name: string, now: Moment): State | null => {
  try {
    const { entries, damaged } = ports.journal.readOther(name);
    return replay(initial, { ...ports.journal, read: () => ({ entries, damaged }) }, now).state;
  } catch {
    return null;
  }
};
