/** The terminal's journal from its first reading to its end: read at once, put to work by `start`, tried again while it cannot be opened. */
import type { ProtectedSettings } from "../../preload/contract.ts";
import { journalTryMs } from "./bounds.ts";
import type { Core } from "./core.ts";
import { type Replayed, replay } from "./journal/replay.ts";
import type { Cancel, DamagedEntry, Device, Ports } from "./ports.ts";
import { deviceChange, leaveOthers, originOf, provesBook } from "./withdrawal/adoption.ts";
import { type Book, bookName, bookOf, hash, isSameBook } from "./withdrawal/book.ts";
import type { DurableEvent } from "./withdrawal/events.ts";
import { addProblem, isUndecided } from "./withdrawal/problems.ts";
import { differing, protectedOf, strictest, usableSettings } from "./withdrawal/settings.ts";
import { initialState, type Moment, type ProblemRecord, type State, surroundingsOf } from "./withdrawal/state.ts";
import { factsOf, pendingReport } from "./withdrawal/withdrawal.ts";

interface OtherBook {
  readonly name: string;
  readonly state: State;
}

const readOthers = ({ journal, log }: Ports, initial: State, now: Moment): readonly OtherBook[] =>
  journal.others().flatMap((name) => {
    try {
      const read = journal.readOther(name);
      const { state } = replay(initial, { read: () => read }, now);
      return [{ name: state.book === null ? name : bookName(state.book), state }];
    } catch (error) {
      log("warn", "a journal beside this one cannot be read", { name, error: String(error) });
      return [];
    }
  });

/** Its own problems, and what is open and nobody decided. What it shows of others is theirs to tell. */
const unresolvedIn = ({ name, state }: OtherBook, atWallMs: number): readonly ProblemRecord[] => {
  const own = new Map([...state.problems].filter(([, { otherShop }]) => otherShop === null));
  const all = [...state.open.values()]
    .filter((one) => one.decided || isUndecided(one))
    .reduce((so, one) => addProblem(so, factsOf(one), "in_other_journal", atWallMs), own as State["problems"]);
  const otherShop = state.book?.merchantId ?? "";
  return [...all.values()].map((one) => ({ ...one, otherShop, otherBook: name }));
};

const isShownAlready = (own: State, { facts, about }: ProblemRecord): boolean =>
  own.acknowledgedElsewhere.has(facts.withdrawalId) ||
  own.open.has(facts.withdrawalId) ||
  own.problems.get(facts.withdrawalId)?.about.join() === about.join();

const carriedFrom = (own: State, other: OtherBook, atWallMs: number): readonly DurableEvent[] => {
  const unresolved = unresolvedIn(other, atWallMs);
  const still = new Set(unresolved.map(({ facts }) => facts.withdrawalId));
  const problems = unresolved
    .filter((one) => !isShownAlready(own, one))
    .map((one) => ({ ...one, about: [...one.about] }));
  const resolved = [...own.problems.values()]
    .filter(({ otherBook, facts }) => otherBook === other.name && !still.has(facts.withdrawalId))
    .map(({ facts }) => facts.withdrawalId);
  if (problems.length === 0 && resolved.length === 0) return [];
  return [{ type: "carried_over", from: other.state.book?.merchantId ?? "", problems, resolved }];
};

/** What a manager acknowledged while another book was in use counts here too. */
const acknowledgedIn = (own: State, { state }: OtherBook): readonly DurableEvent[] =>
  [...state.acknowledgedElsewhere]
    .filter(([withdrawalId]) => own.problems.get(withdrawalId)?.otherShop === null)
    .map(([withdrawalId, { actor, note }]) => ({ type: "acknowledged", withdrawalId, actor, note }));

/** @param initial the state that a journal is read into. */
const fromOtherBooks = (own: State, ports: Ports, initial: State, now: Moment): readonly DurableEvent[] =>
  readOthers(ports, initial, now).flatMap((other) => [
    ...acknowledgedIn(own, other),
    ...carriedFrom(own, other, now.wallMs),
  ]);

/** The journal of the enrolled book, read; or why nothing can be begun. */
type BookOpening =
  | { readonly kind: "ready"; readonly replayed: Replayed; readonly first: readonly DurableEvent[] }
  | { readonly kind: "blocked"; readonly blocked: NonNullable<State["blocked"]> };

/** The manager's answer about a journal that does not say whose it is. */
type JournalChoice = "adopt" | "set_aside" | null;

/**
 * Opens the journal of the enrolled book and replays it; another book's journal is put aside and a new one begun. Never
 * throws.
 */
const openBook = (core: Core, ports: Ports, device: Device | null, choice: JournalChoice): BookOpening => {
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

interface OpenedJournal {
  /** Events that its first entry behind the old ones says. */
  readonly first: readonly DurableEvent[];
  readonly damaged: readonly DamagedEntry[];
}

/** The journal's life in this run. */
export type JournalStart = ReturnType<typeof createJournalStart>;

/** Nothing is read before `read`. @param onStarted what the journal says is in force: effects may begin. */
export const createJournalStart = (
  core: Core,
  ports: Ports,
  loadDevice: () => Device | null,
  onStarted: () => void,
) => {
  const { clock, log } = ports;
  let opened: OpenedJournal | null = null;
  let isStarted = false;
  let cancelRetry: Cancel | null = null;

  const readJournal = (choice: JournalChoice): void => {
    const opening = openBook(core, ports, loadDevice(), choice);
    if (opening.kind === "blocked") {
      const isWritable = opening.blocked.why !== "journal_unavailable";
      core.apply([
        { type: "blocked", blocked: opening.blocked },
        { type: "journal_health_changed", isWritable },
      ]);
      return;
    }
    const { replayed, first } = opening;
    opened = { first, damaged: replayed.damaged };
    core.replace({ ...replayed.state, journalFailing: core.writer.failing, ...surroundingsOf(core.state) });
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
    core.applyAndQueueWrite(first, moment);
    if (damaged.length > 0) log("warn", "damaged journal entries", { damaged: damaged.slice(0, 20) });
    const waiting = [...core.state.open.values()].filter((one) => pendingReport(one) !== null).length;
    log("info", "the terminal starts", { open: core.state.open.size, waiting });
    core.checkpoint(core.state.damagedEntries + damaged.length, moment);
    core.apply([{ type: "started", damagedEntries: damaged.length }], moment);
    onStarted();
  };

  return {
    /** Null while the journal is not read. */
    get opened(): OpenedJournal | null {
      return opened;
    },
    /** Reads it once; what it says is done only after `start`. */
    read: () => readJournal(null),
    /** Puts what was read to work, or tries again and again until it can be read. */
    start(): void {
      isStarted = true;
      begin();
    },
    /** Reads the journal again: after an enrolment, or after a manager's answer about another one's journal. */
    reopen(choice: JournalChoice = null): void {
      opened = null;
      begin(choice);
    },
    /** No further try. */
    stop(): void {
      isStarted = false;
      cancelRetry?.();
    },
  };
};
