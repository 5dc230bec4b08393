/** The check rules that ids of foreign networks use. Each answers whether the last character(s) of `text` fit the rest. */

const digitsOf = (text: string): readonly number[] | null =>
  /^\d{2,}$/.test(text) ? [...text].map((digit) => Number(digit)) : null;

/** Luhn (ISO/IEC 7812-1): from the right, every second digit counts double, with its digits added. */
export const luhn = (text: string): boolean => {
  const digits = digitsOf(text);
  if (!digits) return false;
  const sum = digits.toReversed().reduce((total, digit, place) => {
    const doubled = digit * 2;
    return total + (place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
};

/** GS1 (EAN-13, ITF-14, SSCC): from the right, every second digit counts three times. */
export const mod10Gs1 = (text: string): boolean => {
  const digits = digitsOf(text);
  if (!digits) return false;
  return digits.toReversed().reduce((sum, digit, place) => sum + digit * (place % 2 === 0 ? 1 : 3), 0) % 10 === 0;
};

/** ISO 7064 MOD 97-10 as in ISO 11649: letters count as two digits, the whole leaves 1. */
export const mod97 = (text: string): boolean => {
  if (!/^[0-9A-Z]{3,}$/.test(text)) return false;
  let remainder = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
};

const alphabet43 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-. $/+%";

/** Code 39's optional check character: the sum of all the others, modulo 43. */
export const mod43 = (text: string): boolean => {
  const values = [...text].map((character) => alphabet43.indexOf(character));
  if (values.length < 2 || values.includes(-1)) return false;
  return values.slice(0, -1).reduce((sum, value) => sum + value, 0) % 43 === values.at(-1);
};
