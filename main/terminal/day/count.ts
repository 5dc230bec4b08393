/** Sums and differences of counted cash, and which pieces make an amount. Whole minor units. */

import type { CashCount } from "../../../preload/contract.ts";
import { type Pieces, totalOf } from "../../../preload/notes-and-coins.ts";

/** Nothing counted. */
export const noCash: CashCount = { pieces: [], otherMinor: 0 };

/** So many combinations are looked at; beyond them it is not known whether an amount can be made. */
const triesMax = 20_000;

/**
 * Exactly this amount of the pieces there are, with as many of the large ones as possible. Null when it cannot be made;
 * `unknown` when that would take too long to find out.
 */
export const compose = (amountMinor: number, from: readonly Pieces[]): readonly Pieces[] | null | "unknown" => {
  const sorted = from.filter(({ count }) => count > 0).sort((one, other) => other.valueMinor - one.valueMinor);
  /** What all pieces from this one on come to. */
  const sums = sorted.map((_, at) =>
    sorted.slice(at).reduce((sum, { valueMinor, count }) => sum + valueMinor * count, 0),
  );
  const dead = new Set<string>();
  let tries = 0;
  const take = (at: number, restMinor: number): readonly Pieces[] | null => {
    if (restMinor === 0) return [];
    const piece = sorted[at];
    if (piece === undefined || restMinor > (sums[at] ?? 0) || tries >= triesMax) return null;
    const key = `${at}:${restMinor}`;
    if (dead.has(key)) return null;
    for (let count = Math.min(piece.count, Math.floor(restMinor / piece.valueMinor)); count >= 0; count--) {
      tries += 1;
      const rest = take(at + 1, restMinor - count * piece.valueMinor);
      if (rest !== null) return count === 0 ? rest : [{ valueMinor: piece.valueMinor, count }, ...rest];
    }
    dead.add(key);
    return null;
  };
  return take(0, amountMinor) ?? (tries >= triesMax ? "unknown" : null);
};

const countsOf = (pieces: readonly Pieces[]): Map<number, number> =>
  new Map(pieces.map(({ valueMinor, count }) => [valueMinor, count]));

/** @param sign 1 adds, -1 takes away; null when more would be taken than there is. */
export const combine = (one: readonly Pieces[], other: readonly Pieces[], sign: 1 | -1): readonly Pieces[] | null => {
  const counts = countsOf(one);
  for (const { valueMinor, count } of other) counts.set(valueMinor, (counts.get(valueMinor) ?? 0) + sign * count);
  const pieces = [...counts].map(([valueMinor, count]) => ({ valueMinor, count }));
  return pieces.some(({ count }) => count < 0) ? null : pieces.filter(({ count }) => count > 0);
};

/**
 * What to take out of a count so that `stayMinor` stays: the largest pieces first, exactly where the pieces allow it, else
 * the most that leaves no less than that.
 */
export const proposeTakeOut = (count: CashCount, stayMinor: number): CashCount => {
  const excess = totalOf(count) - stayMinor;
  if (excess <= 0) return noCash;
  // What was not counted by pieces goes first: it is no change for customers.
  const otherMinor = Math.min(excess, count.otherMinor);
  const exact = compose(excess - otherMinor, count.pieces);
  if (Array.isArray(exact)) return { pieces: exact, otherMinor };
  let rest = excess - otherMinor;
  const pieces = [...count.pieces]
    .sort((one, other) => other.valueMinor - one.valueMinor)
    .flatMap(({ valueMinor, count: there }) => {
      const taken = Math.min(there, Math.floor(rest / valueMinor));
      rest -= taken * valueMinor;
      return taken === 0 ? [] : [{ valueMinor, count: taken }];
    });
  return { pieces, otherMinor };
};
