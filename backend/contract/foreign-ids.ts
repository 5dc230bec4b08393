/**
 * Ids of foreign networks: length, alphabet and check character(s), checked before any network call. Used by both the
 * terminal's core and its scanner, so that they agree.
 */

/** Alphabets of foreign ids. */
export const foreignIdAlphabets = ["digits", "alphanumeric", "crockford"] as const;
/** Check algorithms of foreign ids. */
export const foreignIdChecks = ["none", "luhn", "mod10_gs1", "mod97", "mod43"] as const;

/** Form of a network's ids, as set by a manager. */
interface ForeignIdPattern {
  /** In characters, check character(s) included. */
  readonly lengthMin: number;
  readonly lengthMax: number;
  readonly alphabet: (typeof foreignIdAlphabets)[number];
  readonly check: (typeof foreignIdChecks)[number];
}

const alphabets: Readonly<Record<ForeignIdPattern["alphabet"], RegExp>> = {
  digits: /^\d+$/,
  alphanumeric: /^[0-9A-Za-z]+$/,
  crockford: /^[0-9A-HJKMNP-TV-Z]+$/,
};

/** The digits of `text` from the right, or null where it is not two digits or more. */
const digitsFromEnd = (text: string): readonly number[] | null =>
  /^\d{2,}$/.test(text) ? [...text].reverse().map(Number) : null;

/** Luhn (ISO/IEC 7812-1): from the right, every second digit counts double, with its digits added. */
const luhn = (text: string): boolean => {
  const digits = digitsFromEnd(text);
  if (!digits) return false;
  const sum = digits.reduce((total, digit, place) => {
    const weighted = place % 2 === 1 ? digit * 2 : digit;
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return sum % 10 === 0;
};

/** GS1 (EAN-13, ITF-14, SSCC): from the right, every second digit counts three times. */
const mod10Gs1 = (text: string): boolean => {
  const digits = digitsFromEnd(text);
  if (!digits) return false;
  return digits.reduce((sum, digit, place) => sum + digit * (place % 2 === 1 ? 3 : 1), 0) % 10 === 0;
};

/** ISO 7064 MOD 97-10 as in ISO 11649: letters of either case count as 10 to 35; the remainder must be 1. */
const mod97 = (text: string): boolean => {
  if (!/^[0-9A-Za-z]{3,}$/.test(text)) return false;
  let remainder = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
};

const alphabet43 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%";

/** Code 39's optional check character: the sum of all the others, modulo 43; letters of either case. */
const mod43 = (text: string): boolean => {
  const values = [...text.toUpperCase()].map((character) => alphabet43.indexOf(character));
  if (values.length < 2 || values.includes(-1)) return false;
  return values.slice(0, -1).reduce((sum, value) => sum + value, 0) % 43 === values.at(-1);
};

const checks: Readonly<Record<ForeignIdPattern["check"], (text: string) => boolean>> = {
  none: () => true,
  luhn,
  mod10_gs1: mod10Gs1,
  mod97,
  mod43,
};

/** The first thing that is wrong with `text` as an id of the network, or null where it is one. */
export const foreignIdFault = (text: string, pattern: ForeignIdPattern): "length" | "alphabet" | "check" | null => {
  if (text.length < pattern.lengthMin || text.length > pattern.lengthMax) return "length";
  if (!alphabets[pattern.alphabet].test(text)) return "alphabet";
  return checks[pattern.check](text) ? null : "check";
};
