/** Opens and replays the terminal's journal, starts the terminal from it, and retries while it cannot be opened. */
import type { JournalOrigin, ProtectedSettings } from "../../preload/contract.ts";
import { journalTryMs } from "./bounds.ts";
import type { Core } from "./core.ts";
import type { Cancel, DamagedEntry, Device, Journal, JournalEntry, Ports } from "./ports.ts";
import { type Book, bookName, bookOf, hash, installationOf, isSameBook, isSameDevice } from "./withdrawal/book.ts";
import { type DurableEvent, readEvent } from "./withdrawal/events.ts";
import { evolve } from "./withdrawal/evolve.ts";
import { addProblem, isReadElsewhere, isUndecided } from "./withdrawal/problems.ts";
import { differing, protectedOf, strictest, usableSettings } from "./withdrawal/settings.ts";
import { initialState, type Moment, type ProblemRecord, type State, type Surroundings } from "./withdrawal/state.ts";
import { type Facts, factsOf, pendingReport } from "./withdrawal/withdrawal.ts";

/** What could not be read at start, and the first readable entry of each withdrawal. */
interface UnreadEntries {
  /** Sound entries that this version does not understand. */
  readonly unknown: readonly JournalEntry[];
  readonly lost: readonly DamagedEntry[];
  readonly firstOf: ReadonlyMap<string, number>;
}

/** Entries behind a lost one end no doubt: a start that did not know of it may have written them. */
const mayConcern = (withdrawalId: string, { unknown, lost, firstOf }: UnreadEntries): boolean =>
  unknown.some(({ body }) => body.includes(withdrawalId)) ||
  lost.some(({ sequence, why }) => sequence === 0 || why === "key" || sequence > (firstOf.get(withdrawalId) ?? 0));

/** Marks withdrawals that unread entries may concern: no cash is offered for them. */
export const markDoubtful = (state: State, unread: UnreadEntries): State => {
  if (unread.unknown.length === 0 && unread.lost.length === 0) return state;
  const open = new Map(
    [...state.open].map(([id, one]) => [id, mayConcern(id, unread) ? { ...one, doubtful: true } : one]),
  );
  return { ...state, open, hasUnreadEntries: state.hasUnreadEntries || unread.unknown.length > 0 };
};

type Readable = Pick<Journal, "read">;

const factsIn = (event: DurableEvent): readonly Facts[] => {
  if (event.type === "checkpoint") return event.open.map(({ facts }) => facts);
  return "withdrawal" in event ? [event.withdrawal] : [];
};

const namesIn = (event: DurableEvent): readonly Names[] => [
  ...factsIn(event),
  ...(event.type === "checkpoint" ? event.ownIds.map((terminalReference) => ({ terminalReference, shop: "" })) : []),
];

const isCheckpoint = (entry: JournalEntry): boolean => {
  const event = readEvent(entry);
  return typeof event !== "string" && event.type === "checkpoint";
};

/** Starts at the last checkpoint that this version can read; reads everything if there is none. */
const readAll = (journal: Readable): ReturnType<Journal["read"]> => {
  const read = journal.read(undefined, isCheckpoint);
  const entries = [...read.entries];
  const [first] = entries;
  const usable = first === undefined || typeof readEvent(first) !== "string";
  return usable ? { ...read, entries } : journal.read(Number.MAX_SAFE_INTEGER);
};

/** Converts an entry's age by the wall clock to the monotonic clock; if the clock went back, the age is zero. */
const momentOf = (entry: JournalEntry, now: Moment): Moment => ({
  wallMs: entry.at,
  monotonicMs: now.monotonicMs - Math.max(0, now.wallMs - entry.at),
});

/** The state after all entries that this version can read. @throws what reading throws: a journal that cannot be read is not an empty one. */
export const replay = (initial: State, journal: Readable, now: Moment) => {
  const { entries, damaged: found } = readAll(journal);
  const damaged: DamagedEntry[] = [...found];
  const unknown: JournalEntry[] = [];
  const firstOf = new Map<string, number>();
  let state = initial;
  const names = new Map<string, Names>();
  let count = 0;
  for (const entry of entries) {
    const event = readEvent(entry);
    if (typeof event === "string") {
      damaged.push({ sequence: entry.sequence, why: event });
      unknown.push(entry);
    } else {
      for (const { withdrawalId } of factsIn(event))
        if (!firstOf.has(withdrawalId)) firstOf.set(withdrawalId, entry.sequence);
      state = evolve(state, event, momentOf(entry, now));
      for (const { terminalReference, shop } of namesIn(event))
        names.set(`${terminalReference.split(".")[0]} ${shop}`, { terminalReference, shop });
    }
    count += 1;
  }
  state = markDoubtful(state, { unknown, lost: found, firstOf });
  return {
    state,
    /** One entry's names for each pair of shop and terminal. */
    names: [...names.values()],
    /** Skipped. */
    damaged,
    entries: count,
  };
};
type Replayed = ReturnType<typeof replay>;

/** `shop` is the shop's name, or its id if the service gave no name. */
export type Names = Pick<Facts, "terminalReference" | "shop">;

const deviceInReference = (terminalReference: string): string => terminalReference.split(".")[0] ?? "";

/** Collects shops and terminals named in the entries. */
export const originOf = (names: Iterable<Names>): JournalOrigin => {
  const shops = new Set<string>();
  const terminals = new Set<string>();
  for (const { terminalReference, shop } of names) {
    if (shop !== "") shops.add(shop);
    terminals.add(deviceInReference(terminalReference));
  }
  return { shops: [...shops], terminals: [...terminals] };
};

const isOfDevice = ({ terminalReference }: Names, { deviceId }: Device): boolean =>
  installationOf(deviceId, terminalReference) !== null;

const isShopItself = ({ shop }: Names, { merchantId }: Device): boolean => shop === "" || shop === merchantId;

/** Whether entries prove to be this device's: all references carry its name, and the shop is always given by its id. */
export const provesBook = (names: Iterable<Names>, device: Device): boolean => {
  for (const one of names) if (!isOfDevice(one, device) || !isShopItself(one, device)) return false;
  return true;
};

/** The terminal's own decision to leave a withdrawal to the books. */
const left = (one: Facts, note: string): DurableEvent => ({
  type: "decided",
  withdrawal: factsOf(one),
  decision: "leave_to_books",
  actor: "terminal",
  note,
});

/** Leaves withdrawals of another shop or terminal to the books; a single name besides the id counts as the shop's own. */
export const leaveOthers = (
  { open }: Pick<State, "open">,
  names: readonly Names[],
  device: Device,
): readonly DurableEvent[] => {
  const called = new Set(names.filter((one) => !isShopItself(one, device)).map(({ shop }) => shop));
  const isOurs = (one: Names): boolean => isOfDevice(one, device) && (isShopItself(one, device) || called.size === 1);
  return [...open.values()]
    .filter((one) => one.stage.kind !== "review" && !isOurs(one))
    .map((one) => left(one, "another shop's or terminal's"));
};

/**
 * Empty if nothing changes. Another device cannot report what the previous one confirmed, so that is left to the books.
 * Write these events together: after a crash in between, the rest would be sent under the new name.
 */
export const deviceChange = ({ book, open }: Pick<State, "book" | "open">, next: Book): readonly DurableEvent[] => {
  if (book === null) return [];
  const sameDevice = isSameDevice(book, next);
  if (sameDevice && book.serviceUrl === next.serviceUrl) return [];
  const behind = sameDevice ? [] : [...open.values()].filter((one) => one.decided || isUndecided(one));
  return [{ type: "device_changed", book: next }, ...behind.map((one) => left(one, "another device was enrolled"))];
};

type OtherBook = ReturnType<typeof readOthers>[number];

const readOthers = ({ journal, log }: Ports, initial: State, now: Moment) =>
  journal.others().flatMap((name) => {
    try {
      const read = journal.readOther(name, isCheckpoint);
      // An earlier copy of this journal: a program that synchronizes folders, or a person, has laid it there.
      if (read.head != null && journal.linkOf(read.head.sequence) === read.head.hash) return [];
      const { state, damaged } = replay(initial, { read: () => read }, now);
      return [{ name: state.book === null ? name : bookName(state.book), state, isWhole: damaged.length === 0 }];
    } catch (error) {
      log("warn", "a journal beside this one cannot be read", { name, error: String(error) });
      // What it has is not known, whatever an older copy of it says.
      return [{ name, state: initial, isWhole: false }];
    }
  });

/** Its own problems and undecided withdrawals, without those carried over from others. */
const unresolvedIn = ({ name, state }: OtherBook, atWallMs: number): readonly ProblemRecord[] => {
  const own = new Map([...state.problems].filter(([, { otherShop }]) => otherShop === null));
  const all = [...state.open.values()]
    .filter((one) => one.decided || isUndecided(one))
    .reduce((so, one) => addProblem(so, factsOf(one), "in_other_journal", atWallMs), own as State["problems"]);
  const otherShop = state.book?.merchantId ?? "";
  return [...all.values()].map((one) => ({ ...one, otherShop, otherBook: name }));
};

const isShownAlready = (own: State, one: ProblemRecord): boolean =>
  isReadElsewhere(own.acknowledgedElsewhere, one) ||
  own.open.has(one.facts.withdrawalId) ||
  own.problems.get(one.facts.withdrawalId)?.about.join() === one.about.join();

/** @param all also other copies of its book: what one of them has left open, or may have in an entry that cannot be read, is not resolved. */
const carriedFrom = (
  own: State,
  other: OtherBook,
  all: readonly OtherBook[],
  atWallMs: number,
): readonly DurableEvent[] => {
  const copies = all.filter(({ name }) => name === other.name);
  const still = new Set(copies.flatMap((one) => unresolvedIn(one, atWallMs)).map(({ facts }) => facts.withdrawalId));
  const isKnown = copies.every(({ isWhole }) => isWhole);
  const problems = unresolvedIn(other, atWallMs)
    .filter((one) => !isShownAlready(own, one))
    .map((one) => ({ ...one, about: [...one.about] }));
  const resolved = [...own.problems.values()]
    .filter(({ otherBook, facts }) => isKnown && otherBook === other.name && !still.has(facts.withdrawalId))
    .map(({ facts }) => facts.withdrawalId);
  if (problems.length === 0 && resolved.length === 0) return [];
  return [{ type: "carried_over", from: other.state.book?.merchantId ?? "", problems, resolved }];
};

/** Acknowledgements made while another book was in use also count here, for what was read there. */
const acknowledgedIn = (own: State, { state: { acknowledgedElsewhere } }: OtherBook): readonly DurableEvent[] =>
  [...acknowledgedElsewhere]
    .filter(([withdrawalId]) => {
      const one = own.problems.get(withdrawalId);
      return one?.otherShop === null && isReadElsewhere(acknowledgedElsewhere, one);
    })
    .map(([withdrawalId, { actor, note }]) => ({ type: "acknowledged", withdrawalId, actor, note }));

/** @param initial the state to replay a journal into. */
const fromOtherBooks = (own: State, ports: Ports, initial: State, now: Moment): readonly DurableEvent[] =>
  readOthers(ports, initial, now).flatMap((other, _, all) => [
    ...acknowledgedIn(own, other),
    ...carriedFrom(own, other, all, now.wallMs),
  ]);

/** The replayed journal of the enrolled book, or why the terminal is blocked. */
type BookOpening =
  | { readonly kind: "ready"; readonly replayed: Replayed; readonly first: readonly DurableEvent[] }
  | { readonly kind: "blocked"; readonly blocked: NonNullable<State["blocked"]> };

/** The manager's answer about a journal without an owner. */
type JournalChoice = "adopt" | "set_aside" | null;

/** Opens and replays the enrolled book's journal; another book's journal is set aside. Never throws. */
const openBook = (core: Core, ports: Ports, device: Device | null, choice: JournalChoice): BookOpening => {
  try {
    return openReadable(core, ports, device, choice);
  } catch (error) {
    ports.log("error", "the journal cannot be read", { error: String(error) });
    // The next try opens it anew, and repairs it where it is damaged.
    ports.journal.close();
    return unavailable;
  }
};

const unavailable: BookOpening = { kind: "blocked", blocked: { why: "journal_unavailable" } };

/** @throws what reading the journal throws. */
const openReadable = (core: Core, ports: Ports, device: Device | null, choice: JournalChoice): BookOpening => {
  const { journal, training } = ports;
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
  const fresh = initialState(usableSettings(ports.settings.load(), training), device, training, ports.shop.load());
  const initial: State = {
    ...fresh,
    // What printer and drawer were told for the book before is answered under numbers of its own.
    printing: { ...fresh.printing, nextNumber: core.state.printing.nextNumber },
    noSale: { ...fresh.noSale, number: core.state.noSale.number },
    screenNumber: core.state.screenNumber,
    probes: core.state.probes,
    keyNumber: core.state.keyNumber,
    wrongSettings: ports.settings.wrong(),
  };
  const readJournal = (): Replayed => replay(initial, journal, now);
  const tag = (replayed: Replayed): string => replayed.state.installation?.tag ?? hash(ports.ids.next());
  /** The journal is empty although other files show an earlier one: it was deleted or emptied. */
  const missing = (replayed: Replayed): readonly DurableEvent[] =>
    replayed.entries === 0 && ports.hasEarlierLife === true ? [{ type: "journal_missing" }] : [];

  const file = protectedOf(initial.settings);
  const isDoubtful = (replayed: Replayed): boolean => replayed.damaged.length > 0 || missing(replayed).length > 0;
  /** Settings about authority and cash from a journal, or from the file if the journal never had any. */
  const heldBy = (replayed: Replayed): ProtectedSettings =>
    replayed.state.protectedSettings ?? (isDoubtful(replayed) ? strictest(file) : file);
  const opened = (book: Book, replayed: Replayed, adopted: boolean, settings = heldBy(replayed)): DurableEvent => ({
    type: "book_opened",
    book,
    tag: tag(replayed),
    adopted,
    settings,
  });
  const settingsEvents = (replayed: Replayed, settings: ProtectedSettings): readonly DurableEvent[] => {
    const { protectedSettings: recorded } = replayed.state;
    const ends = differing(settings, file);
    const why = recorded !== null ? "other_shop" : isDoubtful(replayed) ? "unknown" : "upgrade";
    // A terminal without a service goes by its file.
    const isSaid =
      recorded === null ? device === null && why === "upgrade" : differing(settings, recorded).length === 0;
    return [
      ...(isSaid ? [] : [{ type: "settings_recorded", settings, why } as const]),
      ...(ends.length === 0 ? [] : [{ type: "act", act: "settings_not_obeyed", about: ends.join(", ") } as const]),
    ];
  };

  /** Unresolved withdrawals of other books are written together with the first entries. */
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

  /** Switches to the wanted book's journal. @param held the current settings; null: that journal's own apply. */
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
      // Keeps pending work from writing into it.
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
  // A journal of an early version, without an owner.
  if (choice === "set_aside") return change(wanted, `unknown-${now.wallMs}`, heldBy(replayed));
  if (choice === null && !provesBook(replayed.names, device)) {
    const found = { ...originOf(replayed.names), open: [...replayed.state.open.values()].filter(isUndecided).length };
    return { kind: "blocked", blocked: { why: "other_journal", found } };
  }
  return ready(replayed, [opened(wanted, replayed, true), ...leaveOthers(replayed.state, replayed.names, device)]);
};

interface OpenedJournal {
  /** Events to write first after the old entries. */
  readonly first: readonly DurableEvent[];
  readonly damaged: readonly DamagedEntry[];
}

/** See `createJournalStart`. */
export type JournalStart = ReturnType<typeof createJournalStart>;

/** Reads nothing before `read`. @param onStarted called when the journal's state is in force and effects may begin. */
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
    const { people, ownService, sandboxUrl, phoneAccess, update } = core.state;
    const surroundings: Surroundings = { people, ownService, sandboxUrl, phoneAccess, update };
    core.replace({ ...replayed.state, journalFailing: core.writer.failing, ...surroundings });
    core.writer.reset(replayed.entries);
  };

  /** Starts from the journal, or retries until it can be opened. */
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
    get opened(): OpenedJournal | null {
      return opened;
    },
    /** Reads the journal once; nothing takes effect before `start`. */
    read: () => readJournal(null),
    /** Starts from what was read, or retries until the journal can be read. */
    start(): void {
      isStarted = true;
      begin();
    },
    /** Reads the journal again, after an enrolment or a manager's answer about a journal without an owner. */
    reopen(choice: JournalChoice = null): void {
      opened = null;
      begin(choice);
    },
    stop(): void {
      isStarted = false;
      cancelRetry?.();
    },
  };
};
