/** The journal's chain: each row's hash covers the hash before, the sequence, the time and the body (sha256, hex). */
import { hash } from "node:crypto";
import type { DamagedEntry, JournalEntry } from "../ports.ts";

export const firstLink = "0".repeat(64);

export interface Row extends JournalEntry {
  readonly previous: string;
  readonly hash: string;
}

/** `previous|sequence|at|body`: no part but the body can hold the separator. */
export const linkHash = (previous: string, entry: JournalEntry): string =>
  hash("sha256", `${previous}|${entry.sequence}|${entry.at}|${entry.body}`);

/** Adds one entry behind `previous`. */
export const makeRow = (previous: string, entry: JournalEntry): Row => ({
  ...entry,
  previous,
  hash: linkHash(previous, entry),
});

export interface Checked {
  readonly entries: readonly JournalEntry[];
  readonly damaged: readonly DamagedEntry[];
}

/** Whether the next row holds, and was written behind a row with this hash. */
const isConfirmedByNext = (own: string, next: Row | undefined): boolean =>
  next !== undefined && next.previous === own && linkHash(next.previous, next) === next.hash;

export interface ChainChecker {
  /** Checks the next row; `next` is the one behind it, if there is one. True when its content is sound. */
  take(row: Row, next: Row | undefined): boolean;
  /** So many rows could not be read at all: the chain goes on behind them. */
  skip(sequence: number): void;
}

/**
 * Checks rows in order. A row whose own hash does not hold is quarantined, unless the next row vouches for its content
 * (then only the stored hash was hit). A row that does not follow the one before shows a gap, and is itself sound.
 */
export const createChainChecker = (
  start: { readonly sequence: number; readonly hash: string },
  onDamage: (damaged: DamagedEntry) => void,
): ChainChecker => {
  let expected = start.sequence + 1;
  let before: string | null = start.hash;
  return {
    take(row, next) {
      if (row.sequence !== expected) {
        onDamage({ sequence: expected, why: "gap" });
        before = null;
      }
      expected = row.sequence + 1;
      const own = linkHash(row.previous, row);
      const sound = own === row.hash || isConfirmedByNext(own, next);
      const follows = before === null || row.previous === before;
      if (own !== row.hash || !follows) onDamage({ sequence: row.sequence, why: "hash" });
      before = sound ? own : null;
      return sound;
    },
    skip(sequence) {
      onDamage({ sequence, why: "unreadable" });
      expected = sequence + 1;
      before = null;
    },
  };
};

/** Checks rows that are all in memory. */
export const checkRows = (
  rows: readonly Row[],
  start: { readonly sequence: number; readonly hash: string },
): Checked => {
  const damaged: DamagedEntry[] = [];
  const checker = createChainChecker(start, (one) => damaged.push(one));
  const entries = rows
    .filter((row, at) => checker.take(row, rows[at + 1]))
    .map(({ sequence, at, body }) => ({ sequence, at, body }));
  return { entries, damaged };
};
