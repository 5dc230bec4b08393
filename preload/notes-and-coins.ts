/** The notes and coins that drawers hold, without a schema library: the core counts with them, the screens show them. */
import { isCurrencyCode, parseAmount } from "../backend/contract/money.ts";

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

/** What drawers hold of each currency, in minor units; a note nobody keeps in a drawer (EUR 500, CHF 1000) is left out. */
const faceValues: Readonly<Record<string, readonly number[]>> = {
  EUR: [...notes, 200, 100, 50, 20, 10, 5, 2, 1],
  CHF: [...notes, 200, 100, 50, 20, 10, 5],
  GBP: [...notes.slice(2), 200, 100, 50, 20, 10, 5, 2, 1],
  USD: [...notes.slice(1), 100, 25, 10, 5, 1],
};

/** What a shop can choose for its drawer; the first is offered. */
export const drawerCurrencies: readonly string[] = Object.keys(faceValues);

/** Largest first; none for a currency whose notes are not known. */
export const faceValuesOf = (currency: string): readonly number[] => faceValues[currency] ?? [];

/** Null where the currency's notes are not known or the amount cannot be made of them: the fewest pieces, a suggestion. */
export const notesAndCoins = (money: {
  readonly amount: string;
  readonly currency: string;
}): readonly Pieces[] | null => {
  const { amount, currency } = money;
  const values = faceValuesOf(currency);
  const minor = isCurrencyCode(currency) ? parseAmount(amount, currency) : null;
  if (values.length === 0 || minor === null) return null;
  let rest = minor;
  const pieces = values.flatMap((valueMinor) => {
    const count = Math.floor(rest / valueMinor);
    rest -= count * valueMinor;
    return count === 0 ? [] : [{ valueMinor, count }];
  });
  return rest === 0 ? pieces : null;
};
