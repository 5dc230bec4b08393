/** Checks a whole journal a slice at a time, so that the program goes on meanwhile and little of it is in memory at once. */
import type { DamagedEntry, Verified, VerifyProgress } from "../ports.ts";
import { chainBegin, createChainChecker, type Row } from "./chain.ts";
import { columns, type JournalDatabase, toRow } from "./database.ts";
import type { JournalKeys } from "./keys.ts";

const sliceRows = 200;
/** More damage than this is counted and no longer listed. */
const damagedMax = 1_000;

/** @param known losses that repairs noted: named once, before what is found now. */
export const verifySlices = function* (
  database: JournalDatabase,
  known: readonly DamagedEntry[],
  keys: JournalKeys | null,
): Generator<VerifyProgress, Verified> {
  const slice = database.prepare(`${columns} WHERE sequence >= ? ORDER BY sequence LIMIT ${sliceRows + 1}`);
  const one = database.prepare(`${columns} WHERE sequence = ?`);
  const total = Number(database.prepare("SELECT max(sequence) AS last FROM journal").get()?.last ?? 0);
  const lost = new Set(known.map(({ sequence }) => sequence));
  const damaged: DamagedEntry[] = [...known];
  const checker = createChainChecker(chainBegin, keys, (found) => {
    if (!lost.has(found.sequence) && damaged.length < damagedMax) damaged.push(found);
  });
  let entries = 0;
  const take = (row: Row, next: Row | undefined): void => {
    if (checker.take(row, next)) entries += 1;
  };

  /** One row after the other, so that no slice is in memory as a whole. `next`: the sequence to go on with. */
  const takeSlice = (from: number): { readonly next: number; readonly isDamaged: boolean } => {
    let before: Row | null = null;
    let count = 0;
    try {
      for (const read of slice.iterate(from)) {
        const row = toRow(read);
        if (before !== null) take(before, row);
        before = row;
        count += 1;
        // The one behind the slice only vouches for the last one in it.
        if (count > sliceRows) return { next: row.sequence, isDamaged: false };
      }
    } catch {
      if (before !== null) take(before, undefined);
      return { next: before === null ? from : before.sequence + 1, isDamaged: true };
    }
    if (before !== null) take(before, undefined);
    return { next: total + 1, isDamaged: false };
  };

  /** Row by row, where a page is damaged: what it hides is named, and what lies beside it is checked. */
  const takeSingly = (from: number): number => {
    const until = Math.min(total, from + sliceRows - 1);
    for (let sequence = from; sequence <= until; sequence++) {
      try {
        const row = one.get(sequence);
        if (row !== undefined) take(toRow(row), undefined);
      } catch {
        checker.skip(sequence);
      }
    }
    return until + 1;
  };

  for (let from = 1; from <= total; ) {
    const { next, isDamaged } = takeSlice(from);
    from = isDamaged ? takeSingly(next) : next;
    yield { checked: Math.min(total, from - 1), total };
  }
  checker.end();
  return { entries, damaged, unchecked: checker.unchecked };
};
