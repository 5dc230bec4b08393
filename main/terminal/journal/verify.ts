/** Checks a whole journal a slice at a time, archived years included, so that the program goes on meanwhile and little of it is in memory at once. */

import type { JournalDatabase } from "../database-port.ts";
import type { DamagedEntry, Verified, VerifyProgress } from "../ports.ts";
import { archivePath, type JournalPlace } from "./archive-file.ts";
import type { ArchiveFile } from "./archive-marker.ts";
import { type ChainChecker, type ChainStart, chainBegin, createChainChecker, type Row } from "./chain.ts";
import { columns, prepareRows, toRow } from "./database.ts";
import type { JournalKeys } from "./keys.ts";
import { archivesOf } from "./stored-rows.ts";

const sliceRows = 200;
/** More damage than this is counted and no longer listed. */
const damagedMax = 1_000;

/** Takes the rows of one file in slices; each step says with which sequence the next one goes on. */
const takeFile = function* (
  file: JournalDatabase,
  first: number,
  through: number,
  take: (row: Row, next: Row | undefined) => void,
  skip: ChainChecker["skip"],
): Generator<number, void> {
  const rows = prepareRows(file, `WHERE sequence >= ? AND sequence <= ? ORDER BY sequence LIMIT ${sliceRows + 1}`);
  const one = file.prepare(`${columns} WHERE sequence = ?`);

  /** One row after the other, so that no slice is in memory as a whole. `next`: the sequence to go on with. */
  const takeSlice = (from: number): { readonly next: number; readonly isDamaged: boolean } => {
    let before: Row | null = null;
    let count = 0;
    try {
      for (const row of rows(from, through)) {
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
    return { next: through + 1, isDamaged: false };
  };

  /** Row by row, where a page is damaged: what it hides is named, and what lies beside it is checked. */
  const takeSingly = (from: number): number => {
    const until = Math.min(through, from + sliceRows - 1);
    for (let sequence = from; sequence <= until; sequence++) {
      try {
        const row = one.get(sequence);
        if (row !== undefined) take(toRow(row), undefined);
      } catch {
        skip(sequence);
      }
    }
    return until + 1;
  };

  for (let from = first; from <= through; ) {
    const { next, isDamaged } = takeSlice(from);
    from = isDamaged ? takeSingly(next) : next;
    yield Math.min(through + 1, from);
  }
};

/** Counts and names what a check finds; losses that are known are named once. */
const createFindings = (start: ChainStart, known: readonly DamagedEntry[], keys: JournalKeys | null) => {
  const lost = new Set(known.map(({ sequence }) => sequence));
  const damaged: DamagedEntry[] = [];
  let entries = 0;
  const checker = createChainChecker(start, keys, (found) => {
    if (!lost.has(found.sequence) && damaged.length < damagedMax) damaged.push(found);
  });
  return {
    checker,
    damaged,
    take(row: Row, next: Row | undefined): void {
      if (checker.take(row, next)) entries += 1;
    },
    get entries() {
      return entries;
    },
  };
};

/** Checks one archived file by itself, from where it begins to its last entry. */
export const verifyArchive = function* (
  file: JournalDatabase,
  start: ChainStart,
  through: number,
  known: readonly DamagedEntry[],
  keys: JournalKeys | null,
): Generator<VerifyProgress, Verified> {
  const found = createFindings(start, known, keys);
  const first = start.sequence + 1;
  const total = through - start.sequence;
  for (const next of takeFile(file, first, through, found.take, found.checker.skip))
    yield { checked: next - first, total };
  return { entries: found.entries, damaged: found.damaged, unchecked: found.checker.unchecked };
};

const endOf = ({ through, hash, key }: ArchiveFile): ChainStart => ({ sequence: through, hash, keyId: key });

/** Null when the file is not there, or is none. */
const openArchive = ({ path, open }: JournalPlace, archive: ArchiveFile): JournalDatabase | null => {
  try {
    return open(archivePath(path, archive), "read");
  } catch {
    return null;
  }
};

/**
 * @param place null for a journal in memory, which has no archive.
 * @param known losses that repairs noted: named once, before what is found now.
 */
export const verifySlices = function* (
  database: JournalDatabase,
  place: JournalPlace | null,
  known: readonly DamagedEntry[],
  keys: JournalKeys | null,
): Generator<VerifyProgress, Verified> {
  const total = Number(database.prepare("SELECT max(sequence) AS last FROM journal").get()?.last ?? 0);
  const found = createFindings(chainBegin, known, keys);
  const { checker } = found;
  const archives = archivesOf(database);
  for (const archive of place === null ? [] : archives) {
    const file = openArchive(place as JournalPlace, archive);
    if (file === null) checker.skipTo(archive.first, endOf(archive));
    else
      try {
        for (const next of takeFile(file, archive.first, archive.through, found.take, checker.skip))
          yield { checked: next - 1, total };
      } catch {
        checker.skipTo(archive.first, endOf(archive));
      } finally {
        file.close();
      }
  }
  const through = archives.at(-1)?.through ?? 0;
  for (const next of takeFile(database, through + 1, total, found.take, checker.skip))
    yield { checked: next - 1, total };
  checker.end();
  return { entries: found.entries, damaged: [...known, ...found.damaged], unchecked: checker.unchecked };
};
