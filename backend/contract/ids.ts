/**
 * Transaction ids (conventions, "Names, amounts, times"): 16 characters of Crockford base 32, the last one a check
 * character over the first 15. Free of dependencies, so that the screens can test an id without loading a schema library.
 */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Crockford base 32: a character for the lowest five bits of each number. */
export const toBase32 = (numbers: Iterable<number>): string =>
  Array.from(numbers, (number) => alphabet[number & 31]).join("");

/** Characters of a `transaction_id`, the check character included. */
export const transactionIdLength = 16;
/** Characters of an enrolment code, without the hyphens in which it is shown. */
const enrolmentCodeLength = 12;

/** α·x in GF(32), by x⁵ + x² + 1. */
const timesAlpha = (x: number): number => {
  const shifted = x << 1;
  return shifted & 32 ? shifted ^ 0b100101 : shifted;
};

/**
 * Horner's rule: ((x₀α + x₁)α + …)α, so that each character has its own non-zero weight: any single wrong character and
 * any swap changes the sum.
 */
const checkValue = (values: readonly number[]): number => values.reduce((sum, value) => timesAlpha(sum ^ value), 0);

/** `length` characters, the last one the check character over the others; each takes five bits of a random byte. */
const makeChecked = (random: Uint8Array, length: number): string => {
  const values = [...random.subarray(0, length - 1)].map((byte) => byte & 31);
  if (values.length < length - 1) throw new RangeError(`${length} characters need ${length - 1} random bytes`);
  return toBase32([...values, checkValue(values)]);
};

/** Checks length, alphabet (upper case) and check character. */
const isChecked = (text: string, length: number): boolean => {
  if (text.length !== length) return false;
  let sum = 0;
  for (const character of text) {
    const value = alphabet.indexOf(character);
    if (value === -1) return false;
    sum = timesAlpha(sum ^ value);
  }
  // The check character is the sum over those before it, and adding it gives 0.
  return sum === 0;
};

/** Makes an id of 75 random bits; `random` holds at least 15 bytes from a CSPRNG. */
export const makeTransactionId = (random: Uint8Array): string => makeChecked(random, transactionIdLength);

/** Whether `text` is a transaction id, in upper case and without spaces. */
export const isTransactionId = (text: string): boolean => isChecked(text, transactionIdLength);

/** Makes a one-time enrolment code of 55 random bits; `random` holds at least 11 bytes from a CSPRNG. */
export const makeEnrolmentCode = (random: Uint8Array): string => makeChecked(random, enrolmentCodeLength);

/** Whether `text` is an enrolment code, in upper case and without spaces (see `normalizeTypedId` for typed ones). */
export const isEnrolmentCode = (text: string): boolean => isChecked(text, enrolmentCodeLength);

/** Normalizes a typed id as Crockford specifies: any case, spaces and hyphens dropped, O as 0, I and L as 1. */
export const normalizeTypedId = (text: string): string =>
  text.toUpperCase().replace(/[\s-]/g, "").replaceAll("O", "0").replace(/[IL]/g, "1");

/** `7F3K 9Q2M …`: groups of four, easier to read aloud. */
export const groupId = (id: string): string => id.replace(/(.{4})(?=.)/g, "$1 ");

/** The code as phones show it: ours in groups of four, ids of another network ungrouped. */
export const codeText = (id: string): string => (isTransactionId(id) ? groupId(id) : id);

/** Whether a text is a valid id of a shop, bank or device: 1 to 64 letters, digits, `.`, `_` and `-`, starting with a letter or digit. */
export const isOwnerId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text);
