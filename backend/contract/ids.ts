/**
 * Transaction ids (conventions, "Names, amounts, times"): 16 characters of Crockford base 32, the last one a check
 * character over the first 15. Free of dependencies, so that the screens can test an id without loading a schema library.
 *
 * The check is a weighted sum over GF(32) (x⁵ + x² + 1): character i of the first 15 counts α^(15−i) times and the check
 * character once, and the sum of a right id is zero. All weights differ and none is zero, so every single wrong
 * character and every swap of two characters changes the sum.
 */

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
export const transactionIdLength = 16;

const valueByCharacter = new Map([...alphabet].map((character, value) => [character, value]));

/** α·x in GF(32). */
const timesAlpha = (x: number): number => {
  const shifted = x << 1;
  return shifted & 32 ? shifted ^ 0b100101 : shifted;
};

/** Horner's rule: ((x₀α + x₁)α + …)α, which gives the last of the 15 the weight α and the first α¹⁵. */
const checkValue = (values: readonly number[]): number => values.reduce((sum, value) => timesAlpha(sum ^ value), 0);

/** Makes an id of 75 random bits; `random` holds at least 15 bytes from a CSPRNG. */
export const makeTransactionId = (random: Uint8Array): string => {
  const values = [...random.subarray(0, transactionIdLength - 1)].map((byte) => byte & 31);
  if (values.length < transactionIdLength - 1) throw new RangeError("a transaction id needs 15 random bytes");
  return [...values, checkValue(values)].map((value) => alphabet[value]).join("");
};

/** Whether `text` is an id by length, alphabet (upper case) and check character. Allocates nothing: every call asks it. */
export const isTransactionId = (text: string): boolean => {
  if (text.length !== transactionIdLength) return false;
  let sum = 0;
  for (let at = 0; at < transactionIdLength; at += 1) {
    const value = valueByCharacter.get(text.charAt(at));
    if (value === undefined) return false;
    if (at === transactionIdLength - 1) return sum === value;
    sum = timesAlpha(sum ^ value);
  }
  return false;
};

/** What a person typed, as Crockford reads it: any case, spaces and hyphens dropped, O as 0, I and L as 1. */
export const normalizeTypedId = (text: string): string =>
  text.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");

/** `7F3K 9Q2M …`: groups of four, as a person reads an id aloud. */
export const groupId = (id: string): string => id.replace(/(.{4})(?=.)/g, "$1 ");
