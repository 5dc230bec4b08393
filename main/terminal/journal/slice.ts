/** A bounded part of a journal, for those who read it from its beginning without holding it in memory. */
import type { JournalSlice } from "../ports.ts";
import { checkRows, type Row } from "./chain.ts";
import type { JournalKeys } from "./keys.ts";
import type { StoredRows } from "./stored-rows.ts";

/** One by one, where a page is damaged: those that can be read. */
const readSingly = (rows: StoredRows, from: number, count: number): readonly Row[] =>
  Array.from({ length: count }, (_, at) => from + at).flatMap((sequence) => {
    try {
      return rows.slice(sequence, 1).filter((row) => row.sequence === sequence);
    } catch {
      return [];
    }
  });

/** At most `limit` rows from `from` on, archived ones included. */
export const readSlice = (rows: StoredRows, keys: JournalKeys | null, from: number, limit: number): JournalSlice => {
  let found: readonly Row[];
  try {
    // One more than asked for: it vouches for the last one.
    found = rows.slice(from, limit + 1);
  } catch {
    found = readSingly(rows, from, limit);
  }
  const last = found.slice(0, limit).at(-1);
  if (last === undefined) return { entries: [], last: null, hasMore: false };
  const { entries } = checkRows(found, rows.startOf(found[0]?.sequence ?? from), keys);
  return {
    entries: entries.filter(({ sequence }) => sequence <= last.sequence),
    last: { sequence: last.sequence, at: last.at, hash: last.hash },
    hasMore: found.length > limit,
  };
};
