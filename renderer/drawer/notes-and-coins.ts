/** Which notes and coins make an amount, the fewest first: a suggestion for whoever counts, never more than that. */
import { isCurrencyCode, minorDigits, parseAmount } from "../../backend/contract/money.ts";
import type { Amount } from "../../preload/contract.ts";

interface Pieces {
  /** As the wire spells amounts. */
  readonly value: string;
  readonly count: number;
}

/** What drawers hold of each currency; a note nobody keeps in a drawer (EUR 500, CHF 1000) is left out. */
const faceValues: Readonly<Record<string, readonly number[]>> = {
  EUR: [200, 100, 50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01],
  CHF: [200, 100, 50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05],
  GBP: [50, 20, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01],
  USD: [100, 50, 20, 10, 5, 1, 0.25, 0.1, 0.05, 0.01],
};

/** Null where the currency's notes are not known or the amount cannot be made of them. */
export const notesAndCoins = ({ amount, currency }: Amount): readonly Pieces[] | null => {
  const values = faceValues[currency];
  const minor = isCurrencyCode(currency) ? parseAmount(amount, currency) : null;
  if (values === undefined || minor === null) return null;
  const digits = minorDigits(currency);
  let rest = minor;
  const pieces = values.flatMap((value) => {
    const valueMinor = Math.round(value * 10 ** digits);
    const count = Math.floor(rest / valueMinor);
    rest -= count * valueMinor;
    return count === 0 ? [] : [{ value: value.toFixed(digits), count }];
  });
  return rest === 0 ? pieces : null;
};
