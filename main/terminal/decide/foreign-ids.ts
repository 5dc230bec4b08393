/** Ids of a foreign network, by the pattern the manager set: length, alphabet and check rule, before any network call. */

import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Settings } from "../../../preload/contract.ts";

type Pattern = NonNullable<Settings["foreignIds"]>;

const alphabets: Readonly<Record<Pattern["alphabet"], RegExp>> = {
  digits: /^\d+$/,
  alphanumeric: /^[0-9A-Za-z]+$/,
  crockford: /^[0-9A-HJKMNP-TV-Z]+$/,
};

const code39 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%";

const digitsFromEnd = (text: string): readonly number[] => [...text].reverse().map(Number);

const luhn = (text: string): boolean =>
  digitsFromEnd(text).reduce((sum, digit, at) => {
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    return sum + (doubled > 9 ? doubled - 9 : doubled);
  }, 0) %
    10 ===
  0;

const gs1 = (text: string): boolean =>
  digitsFromEnd(text).reduce((sum, digit, at) => sum + digit * (at % 2 === 1 ? 3 : 1), 0) % 10 === 0;

/** ISO 7064 MOD 97-10: letters count as 10 to 35, the whole is 1 modulo 97. */
const mod97 = (text: string): boolean =>
  [...text.toUpperCase()].reduce((rest, character) => {
    const value = Number.parseInt(character, 36);
    return (rest * (value > 9 ? 100 : 10) + value) % 97;
  }, 0) === 1;

const mod43 = (text: string): boolean => {
  const values = [...text.toUpperCase()].map((character) => code39.indexOf(character));
  const sum = values.slice(0, -1).reduce((total, value) => total + value, 0);
  return !values.includes(-1) && sum % 43 === values.at(-1);
};

const checked = (rule: Pattern["check"], text: string): boolean => {
  switch (rule) {
    case "none":
      return true;
    case "luhn":
      return /^\d+$/.test(text) && luhn(text);
    case "mod10_gs1":
      return /^\d+$/.test(text) && gs1(text);
    case "mod97":
      return mod97(text);
    case "mod43":
      return mod43(text);
    default:
      return assertNever(rule);
  }
};

/** Whether a text is an id of the foreign network. */
export const matchesForeign = (pattern: Pattern, text: string): boolean =>
  text.length >= pattern.lengthMin &&
  text.length <= pattern.lengthMax &&
  alphabets[pattern.alphabet].test(text) &&
  checked(pattern.check, text);
