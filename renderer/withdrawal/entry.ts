/** A code while it is typed, validated before anything is sent. */
import { groupId, isTransactionId, normalizeTypedId, transactionIdLength } from "../../backend/contract/ids.ts";
import { settingBounds } from "../../preload/choices.ts";
import type { Settings } from "../../preload/contract.ts";
import { idFault } from "../scan/scan.ts";

/** Result of the validation; `missing` counts characters. */
export type Entry =
  | { readonly state: "partial"; readonly missing: number }
  | { readonly state: "right" | "foreign" }
  | { readonly state: "wrong" }
  | { readonly state: "bad_character"; readonly character: string };

/** Longest text: the length of the longest id. */
export const entryLengthMax = settingBounds.foreignIdLength.max;

/** Removes control characters, blanks and hyphens, which a paste may bring, and what exceeds the longest id. */
export const cleanEntry = (text: string, foreignIds: Settings["foreignIds"]): string => {
  const visible = text.replace(/[\p{Cc}\p{Cf}\s-]/gu, "").slice(0, entryLengthMax);
  return foreignIds === null ? normalizeTypedId(visible) : visible;
};

/** Groups of four while it can be one of our ids; ids of another network stay ungrouped. */
export const showEntry = (text: string, foreignIds: Settings["foreignIds"]): string =>
  foreignIds === null || isTransactionId(normalizeTypedId(text)) ? groupId(text) : text;

const unusedCharacter = /[^0-9A-HJKMNP-TV-Z]/;

/** Validates a cleaned entry by length, alphabet and check character. */
export const validateEntry = (text: string, foreignIds: Settings["foreignIds"]): Entry => {
  const own = normalizeTypedId(text);
  if (isTransactionId(own)) return { state: "right" };
  if (foreignIds !== null) {
    if (idFault(text, { foreignIds }) === null) return { state: "foreign" };
    const lengthMin = Math.min(foreignIds.lengthMin, transactionIdLength);
    return text.length < lengthMin ? { state: "partial", missing: lengthMin - text.length } : { state: "wrong" };
  }
  const unused = unusedCharacter.exec(own)?.[0];
  if (unused !== undefined) return { state: "bad_character", character: unused };
  if (own.length < transactionIdLength) return { state: "partial", missing: transactionIdLength - own.length };
  return { state: "wrong" };
};
