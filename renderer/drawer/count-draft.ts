/** What is typed while cash is counted: text until it is right. */
import { formatAmount, minorDigits } from "../../backend/contract/money.ts";
import { cashBounds } from "../../preload/choices.ts";
import type { CashCount } from "../../preload/contract.ts";
import { faceValuesOf } from "../../preload/notes-and-coins.ts";

/** The fields as they were typed; empty ones count as zero. */
export interface CountDraft {
  /** By value in minor units. */
  readonly pieces: Readonly<Record<number, string>>;
  readonly other: string;
}

/** Nothing typed yet. */
export const emptyCount: CountDraft = { pieces: {}, other: "" };

/** `12`, `12,5` or `12.50` in minor units; 0 for nothing; null for anything else. */
export const typedAmount = (text: string, currency: string): number | null => {
  const trimmed = text.trim();
  if (trimmed === "") return 0;
  const digits = minorDigits(currency);
  const match = /^(\d{1,12})(?:[.,](\d*))?$/.exec(trimmed);
  const fraction = match?.[2] ?? "";
  if (match === null || fraction.length > digits) return null;
  const minor = Number(`${match[1]}${fraction.padEnd(digits, "0")}`);
  return minor <= cashBounds.amountMinor.max ? minor : null;
};

/** How many of one note or coin; 0 for nothing, null for what is no number of them. */
export const typedPieces = (text: string): number | null => {
  const trimmed = text.trim();
  if (trimmed === "") return 0;
  return /^\d{1,5}$/.test(trimmed) ? Number(trimmed) : null;
};

/** The count, or null while something in it is wrong. */
export const countOf = (draft: CountDraft, currency: string): CashCount | null => {
  const otherMinor = typedAmount(draft.other, currency);
  const pieces = faceValuesOf(currency).map((valueMinor) => ({
    valueMinor,
    count: typedPieces(draft.pieces[valueMinor] ?? ""),
  }));
  if (otherMinor === null || pieces.some(({ count }) => count === null)) return null;
  return {
    pieces: pieces.flatMap(({ valueMinor, count }) => (count === null || count === 0 ? [] : [{ valueMinor, count }])),
    otherMinor,
  };
};

/** A stored count as the content of the fields. */
export const draftOf = ({ pieces, otherMinor }: CashCount, currency: string): CountDraft => ({
  pieces: Object.fromEntries(pieces.map(({ valueMinor, count }) => [valueMinor, String(count)])),
  other: otherMinor === 0 ? "" : formatAmount(otherMinor, currency),
});

/** Whether nothing was typed in any field. */
export const isEmptyDraft = ({ pieces, other }: CountDraft): boolean =>
  other.trim() === "" && Object.values(pieces).every((text) => text.trim() === "");
