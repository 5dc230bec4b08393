/** The journal read back into a state: parsed, applied in order, what does not parse is reported and left out. */
import type { DamagedEntry, Journal, JournalEntry } from "../ports.ts";
import type { Names } from "../withdrawal/adoption.ts";
import { type DurableEvent, readEvent } from "../withdrawal/events.ts";
import { evolve } from "../withdrawal/evolve.ts";
import type { Moment, State } from "../withdrawal/state.ts";
import type { Facts } from "../withdrawal/withdrawal.ts";

/** What could not be read at the start, and up to where each withdrawal was. */
interface UnreadEntries {
  /** Entries that are sound and that this version does not understand. */
  readonly unknown: readonly JournalEntry[];
  readonly lost: readonly DamagedEntry[];
  /** The last entry about each withdrawal. */
  readonly lastOf: ReadonlyMap<string, number>;
}

const mayConcern = (withdrawalId: string, { unknown, lost, lastOf }: UnreadEntries): boolean =>
  unknown.some(({ body }) => body.includes(withdrawalId)) ||
  lost.some(({ sequence, why }) => sequence === 0 || why === "key" || sequence > (lastOf.get(withdrawalId) ?? 0));

/** Marks them in the state: cash is not offered for them. */
export const markDoubtful = (state: State, unread: UnreadEntries): State => {
  if (unread.unknown.length === 0 && unread.lost.length === 0) return state;
  const open = new Map(
    [...state.open].map(([id, one]) => [id, mayConcern(id, unread) ? { ...one, doubtful: true } : one]),
  );
  return { ...state, open, hasUnreadEntries: state.hasUnreadEntries || unread.unknown.length > 0 };
};

/** What the entries come to; `damaged` are those that took no part in it. */
export interface Replayed {
  readonly state: State;
  /** One withdrawal's names for each pair of shop and terminal that the entries carry. */
  readonly names: readonly Names[];
  readonly damaged: readonly DamagedEntry[];
  readonly entries: number;
}

type Readable = Pick<Journal, "read">;

const factsIn = (event: DurableEvent): readonly Facts[] => {
  if (event.type === "checkpoint") return event.open.map(({ facts }) => facts);
  return "withdrawal" in event ? [event.withdrawal] : [];
};

const namesIn = (event: DurableEvent): readonly Names[] => [
  ...factsIn(event),
  ...(event.type === "checkpoint" ? event.ownIds.map((terminalReference) => ({ terminalReference, shop: "" })) : []),
];

/** Starts at the last checkpoint; one that this version cannot read is no start, then everything is read. */
const readAll = (journal: Readable): ReturnType<Journal["read"]> => {
  try {
    const read = journal.read();
    const entries = [...read.entries];
    const [first] = entries;
    const usable = first === undefined || typeof readEvent(first) !== "string";
    return usable ? { ...read, entries } : journal.read(Number.MAX_SAFE_INTEGER);
  } catch {
    return { entries: [], damaged: [{ sequence: 0, why: "unreadable" }] };
  }
};

/** An entry's age by the wall clock becomes a place on the monotonic one; a clock that went back makes it new. */
const momentOf = (entry: JournalEntry, now: Moment): Moment => ({
  wallMs: entry.at,
  monotonicMs: now.monotonicMs - Math.max(0, now.wallMs - entry.at),
});

/** Never throws: a journal that cannot be read leaves the initial state and says so. */
export const replay = (initial: State, journal: Readable, now: Moment): Replayed => {
  const { entries, damaged: found } = readAll(journal);
  const damaged: DamagedEntry[] = [...found];
  const unknown: JournalEntry[] = [];
  const lastOf = new Map<string, number>();
  let state = initial;
  const names = new Map<string, Names>();
  let count = 0;
  for (const entry of entries) {
    const event = readEvent(entry);
    if (typeof event === "string") {
      damaged.push({ sequence: entry.sequence, why: event });
      unknown.push(entry);
    } else {
      for (const { withdrawalId } of factsIn(event)) lastOf.set(withdrawalId, entry.sequence);
      state = evolve(state, event, momentOf(entry, now));
      for (const { terminalReference, shop } of namesIn(event))
        names.set(`${terminalReference.split(".")[0]} ${shop}`, { terminalReference, shop });
    }
    count += 1;
  }
  state = markDoubtful(state, { unknown, lost: found, lastOf });
  return { state, names: [...names.values()], damaged, entries: count };
};
