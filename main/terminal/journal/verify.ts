/** Checks a whole journal a slice at a time, so that the program goes on meanwhile and little of it is in memory at once. */
import type { DamagedEntry, Verified, VerifyProgress } from "../ports.ts";
import { chainBegin, createChainChecker, type Row } from "./chain.ts";
import { columns, type JournalDatabase, toRow } from "./database.ts";
import type { JournalKeys } from "./keys.ts";

const sliceRows = 500;
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

  const readSlice = (from: number): Row[] | null => {
    try {
      return slice.all(from).map(toRow);
    } catch {
      return null;
    }
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
    const rows = readSlice(from);
    if (rows === null) from = takeSingly(from);
    else {
      for (const [at, row] of rows.slice(0, sliceRows).entries()) take(row, rows[at + 1]);
      const last = rows.slice(0, sliceRows).at(-1)?.sequence ?? total;
      from = Math.max(from, last) + 1;
    }
    yield { checked: Math.min(total, from - 1), total };
  }
  checker.end();
  return { entries, damaged, unchecked: checker.unchecked };
};
