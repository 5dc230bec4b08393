/** Replaces characters that a printer does not have by others that it has. */
import { amountFormat, currencyCodes } from "../../../backend/contract/money.ts";
import { languages } from "../../../preload/languages.ts";

const spelled: Readonly<Record<string, string>> = {
  ß: "ss",
  ẞ: "SS",
  ł: "l",
  Ł: "L",
  ø: "o",
  Ø: "O",
  đ: "d",
  Đ: "D",
  æ: "ae",
  Æ: "AE",
  œ: "oe",
  Œ: "OE",
  "’": "'",
  "‘": "'",
  "“": '"',
  "”": '"',
  "„": '"',
  "«": '"',
  "»": '"',
  "–": "-",
  "—": "-",
  "−": "-",
  "…": "...",
  "×": "x",
  "·": ".",
};

const marks = /\p{M}/gu;
/** Spaces of all kinds, as amounts have them. */
const spaces = /[\s\u00a0\u2007\u202f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name must not hold a printer's command
const controls = /[\u0000-\u001f\u007f-\u009f]/g;

/** Maps currency signs that not every printer has, as our languages write them (`€`, `£GB`, `CN¥`), to ISO codes. */
const findReplacements = (): ReadonlyMap<string, string> =>
  new Map(
    languages.flatMap((language) =>
      currencyCodes.flatMap((code): [string, string][] => {
        const parts = amountFormat("1", code, language).formatToParts(1);
        const sign = parts.find(({ type }) => type === "currency")?.value.replace(spaces, " ") ?? code;
        return /[^ -~]/.test(sign) ? [[sign, code]] : [];
      }),
    ),
  );
let replacements: ReadonlyMap<string, string> | null = null;

/** Replaces currency signs by their codes; a code before the number needs a space. */
const withCodes = (text: string, isPrintable: (character: string) => boolean): string => {
  if (![...text].some((character) => /\p{Sc}/u.test(character) && !isPrintable(character))) return text;
  // Formats every currency in every language: only for a printer that lacks a sign, and only once.
  replacements ??= findReplacements();
  const longestFirst = [...replacements].sort(([one], [other]) => other.length - one.length);
  return longestFirst.reduce(
    (written, [sign, code]) =>
      [...sign].every(isPrintable)
        ? written
        : written.replaceAll(sign, (_, at: number) => (/\d/.test(written[at + sign.length] ?? "") ? `${code} ` : code)),
    text,
  );
};

/** The text in characters that the printer has. @param isPrintable whether it has one character. */
export const spell = (text: string, isPrintable: (character: string) => boolean): string =>
  [...withCodes(text.replace(spaces, " ").replace(controls, "").normalize("NFC"), isPrintable)]
    .map((character) => {
      if (isPrintable(character)) return character;
      return spelled[character] ?? (character.normalize("NFD").replace(marks, "") || "");
    })
    .map((piece) => [...piece].map((character) => (isPrintable(character) ? character : "?")).join(""))
    .join("");
