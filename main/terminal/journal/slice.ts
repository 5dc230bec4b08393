/** A bounded part of a journal, for those who read it from its beginning without holding it in memory. */
import type { JournalSlice } from "../ports.ts";
import { type ChainStart, checkRows, type Row } from "./chain.ts";
import type { JournalKeys } from "./keys.ts";
import type { StoredRows } from "./stored-rows.ts";

/**
 * One by one, where a page is damaged: those that can be read, and one more. Ends behind `limit` in a row that cannot: the last
 * page may be the damaged one, and nobody knows then where the journal ends.
 */
const readSingly = (rows: StoredRows, from: number, limit: number): readonly Row[] => {
  const found: Row[] = [];
  let hidden = 0;
  for (let sequence = from; found.length <= limit && hidden < limit; sequence += 1) {
    try {
      const [row] = rows.slice(sequence, 1);
      if (row === undefined) break;
      found.push(row);
      sequence = row.sequence;
      hidden = 0;
    } catch {
      hidden += 1;
    }
  }
  return found;
};

/** What a slice goes on from; where the row before its first one cannot be read, that one says what it follows. */
const startOf = (rows: StoredRows, { sequence, previous }: Row): ChainStart => {
  try {
    return rows.startOf(sequence);
  } catch {
    return { sequence: sequence - 1, hash: previous, keyId: null };
  }
};

/** At most `limit` rows from `from` on, archived ones included. */
export const readSlice = (rows: StoredRows, keys: JournalKeys | null, from: number, limit: number): JournalSlice => {
  let found: readonly Row[];
  try {
    // One more than asked for: it vouches for the last one.
    found = rows.slice(from, limit + 1);
  } catch {
    found = readSingly(rows, from, limit);
  }
  const [first] = found;
  const last = found.slice(0, limit).at(-1);
  if (first === undefined || last === undefined) return { entries: [], last: null, hasMore: false };
  const { entries } = checkRows(found, startOf(rows, first), keys);
  return {
    entries: entries.filter(({ sequence }) => sequence <= last.sequence),
    last: { sequence: last.sequence, at: last.at, hash: last.hash },
    hasMore: found.length > limit,
  };
};
