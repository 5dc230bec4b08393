import { isTransactionId } from "../../../backend/contract/ids.ts";
import type { Settings, Symbology } from "../../../preload/contract.ts";
import { luhn, mod10Gs1, mod43, mod97 } from "./check-digits.ts";

/** What the manager's settings say about codes that count. */
export type ScanRules = Pick<Settings, "symbologies" | "fixedLength" | "foreignIds">;
export type ForeignIds = NonNullable<Settings["foreignIds"]>;

/** Why a text does not count. */
export type Fault = "symbology_off" | "length" | "alphabet" | "check";

const alphabets: Readonly<Record<ForeignIds["alphabet"], RegExp>> = {
  digits: /^\d+$/,
  alphanumeric: /^[0-9A-Za-z]+$/,
  crockford: /^[0-9A-HJKMNP-TV-Z]+$/,
};

const checks: Readonly<Record<ForeignIds["check"], (text: string) => boolean>> = {
  none: () => true,
  luhn,
  mod10_gs1: mod10Gs1,
  mod97,
  mod43,
};

const foreignFault = (text: string, pattern: ForeignIds): Fault | null => {
  if (text.length < pattern.lengthMin || text.length > pattern.lengthMax) return "length";
  if (!alphabets[pattern.alphabet].test(text)) return "alphabet";
  return checks[pattern.check](text) ? null : "check";
};

const ownFault = (text: string): Fault | null => {
  if (text.length !== 16) return "length";
  if (!alphabets.crockford.test(text)) return "alphabet";
  return isTransactionId(text) ? null : "check";
};

/** Whether a text is an id of ours, or of the network that the manager described: null when it is, else the nearest fault. */
export const idFault = (text: string, rules: Pick<ScanRules, "foreignIds">): Fault | null => {
  const own = ownFault(text);
  if (own === null || rules.foreignIds === null) return own;
  return foreignFault(text, rules.foreignIds);
};

/** ITF and Code 39 give cut-off texts again and again, with nothing in the symbol against it. */
const needsFixedLength = (symbology: Symbology): boolean => symbology === "itf" || symbology === "code39";

/**
 * The symbologies that are worth looking for. ITF and Code 39 are on only with a fixed length, and only where an id's check
 * character can catch what the length does not.
 */
export const symbologiesInUse = (rules: ScanRules): readonly Symbology[] =>
  rules.symbologies.filter(
    (symbology) => !needsFixedLength(symbology) || (rules.fixedLength !== null && rules.foreignIds?.check !== "none"),
  );

/** Whether a text read from a symbol of this kind counts: null when it does. Two reads of bars must agree as well: see `agreement.ts`. */
export const readFault = (text: string, symbology: Symbology, rules: ScanRules): Fault | null => {
  if (!symbologiesInUse(rules).includes(symbology)) return "symbology_off";
  if (needsFixedLength(symbology) && text.length !== rules.fixedLength) return "length";
  return idFault(text, rules);
};
