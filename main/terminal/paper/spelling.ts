/** What a printer's characters cannot show is spelled out with those it has. */

const spelled: Readonly<Record<string, string>> = {
  "€": "EUR",
  "£": "GBP",
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

/** @param isPrintable whether the printer has one character. */
export const spell = (text: string, isPrintable: (character: string) => boolean): string =>
  [...text.replace(spaces, " ").replace(controls, "").normalize("NFC")]
    .map((character) => {
      if (isPrintable(character)) return character;
      return spelled[character] ?? (character.normalize("NFD").replace(marks, "") || "");
    })
    .map((piece) => [...piece].map((character) => (isPrintable(character) ? character : "?")).join(""))
    .join("");
