/** Which open withdrawals an entry that cannot be read may be about: it may have been their hand-out. */
import type { DamagedEntry, JournalEntry } from "../ports.ts";
import type { State } from "../state/state.ts";

/** What could not be read at the start, and up to where each withdrawal was. */
export interface UnreadEntries {
  /** Entries that are sound and that this version does not understand. */
  readonly unknown: readonly JournalEntry[];
  /** Entries whose content is lost. */
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
