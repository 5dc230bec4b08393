/** The notes and coins of each currency. No schema library here: the screens load this file too. */

/** So many of one note or coin. */
export interface Pieces {
  /** In minor units. */
  readonly valueMinor: number;
  readonly count: number;
}

/** Minor units of all counted pieces and of what was counted as a sum. */
export const totalOf = (count: { readonly pieces: readonly Pieces[]; readonly otherMinor: number }): number =>
  count.pieces.reduce((sum, { valueMinor, count: pieces }) => sum + valueMinor * pieces, count.otherMinor);

const notes = [20_000, 10_000, 5_000, 2_000, 1_000, 500] as const;

/** Face values in minor units; notes that no drawer holds (EUR 500, CHF 1000) are left out. */
const faceValues: Readonly<Record<string, readonly number[]>> = {
  EUR: [...notes, 200, 100, 50, 20, 10, 5, 2, 1],
  CHF: [...notes, 200, 100, 50, 20, 10, 5],
  GBP: [...notes.slice(2), 200, 100, 50, 20, 10, 5, 2, 1],
  USD: [...notes.slice(1), 100, 25, 10, 5, 1],
};

/** The currencies that a shop can choose for its drawer; the first is the default. */
export const drawerCurrencies: readonly string[] = Object.keys(faceValues);

/** Largest first; none for a currency whose notes are not known. */
export const faceValuesOf = (currency: string): readonly number[] => faceValues[currency] ?? [];

/** The smallest note in minor units; anything below is a coin. */
const leastNote: Readonly<Record<string, number>> = { EUR: 500, CHF: 1_000, GBP: 500, USD: 100 };

/** Whether a piece of this value is a note. */
export const isNote = (valueMinor: number, currency: string): boolean =>
  valueMinor >= (leastNote[currency] ?? Number.POSITIVE_INFINITY);
