/** Encodes lines of paper as ESC/POS bytes for one printer. */
import ReceiptPrinterEncoder, { type ReceiptPrinterEncoderOptions } from "@point-of-sale/receipt-printer-encoder";
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { amountFormat, currencyCodes } from "../../../backend/contract/money.ts";
import { languages } from "../../../preload/choices.ts";
import type { PaperLine, Settings } from "../../../preload/contract.ts";

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
/** All kinds of spaces that amounts contain. */
const spaces = /[\s\u00a0\u2007\u202f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name must not hold a printer's command
const controls = /[\u0000-\u001f\u007f-\u009f]/g;

/** Maps non-ASCII currency signs as our languages write them (`€`, `£GB`, `CN¥`) to ISO codes. */
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
  // Slow, because it formats every currency in every language: done once, and only if a sign is missing.
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

/** Replaces characters that the printer does not have. @param isPrintable whether the printer has a character. */
export const spell = (text: string, isPrintable: (character: string) => boolean): string =>
  [...withCodes(text.replace(spaces, " ").replace(controls, "").normalize("NFC"), isPrintable)]
    .map((character) => {
      if (isPrintable(character)) return character;
      return spelled[character] ?? (character.normalize("NFD").replace(marks, "") || "");
    })
    .map((piece) => [...piece].map((character) => (isPrintable(character) ? character : "?")).join(""))
    .join("");

/** Breaks lines at spaces; a word that is too long is split. */
export const wrap = (text: string, columns: number): readonly string[] => {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    let rest = word;
    if (line !== "" && line.length + 1 + rest.length > columns) {
      lines.push(line);
      line = "";
    }
    while (rest.length > columns) {
      lines.push(rest.slice(0, columns));
      rest = rest.slice(columns);
    }
    line = line === "" ? rest : `${line} ${rest}`;
  }
  return [...lines, line];
};

/** Label left, value right; the value on separate lines if both do not fit. */
export const pairLines = (label: string, value: string, columns: number): readonly string[] => {
  if (label.length + 1 + value.length <= columns) return [label + value.padStart(columns - label.length)];
  return [...wrap(label, columns), ...wrap(value, columns).map((line) => line.padStart(columns))];
};

/** Printer settings needed for encoding. */
export type Paper = Pick<Exclude<Settings["printer"], { kind: "none" }>, "model" | "columns" | "codePage">;

/** Lines from the print head to the cutter; for printers that the encoder does not know. */
const genericFeedLines = 4;
const unprintable = 0x3f;

const encoderFor = ({ model, columns }: Paper): ReceiptPrinterEncoder => {
  const options: ReceiptPrinterEncoderOptions = { columns, newline: "\n", autoFlush: false };
  return new ReceiptPrinterEncoder(
    model === "generic"
      ? { ...options, language: "esc-pos", feedBeforeCut: genericFeedLines }
      : { ...options, printerModel: model },
  );
};

/** If the model lacks the code page, the encoder chooses. */
const withCodePage = (encoder: ReceiptPrinterEncoder, { codePage }: Paper): ReceiptPrinterEncoder => {
  try {
    return encoder.codepage(codePage);
  } catch {
    return encoder.codepage("auto");
  }
};

const printableBy = (paper: Paper): ((character: string) => boolean) => {
  const known = new Map<string, boolean>();
  return (character) => {
    const before = known.get(character);
    if (before !== undefined) return before;
    const ascii = character >= " " && character <= "~";
    const isKnown = ascii || !withCodePage(encoderFor(paper), paper).text(character).encode().includes(unprintable);
    known.set(character, isKnown);
    return isKnown;
  };
};

/** Thinnest readable bar, in dots; the encoder's width 1. */
const moduleDots = 2;
const quietModules = 20;

/** Width with 11 modules per character, plus start, check and stop. */
const code128Dots = (text: string): number => ((text.length + 2) * 11 + 13 + quietModules) * moduleDots;

const barHeightDots = 72;
const qrModuleDots = 5;

/** The bytes of one print job. */
export const encodePaper = (lines: readonly PaperLine[], paper: Paper): Uint8Array => {
  const encoder = withCodePage(encoderFor(paper).initialize(), paper);
  const { columns, printableWidth } = encoder;
  const isPrintable = printableBy(paper);
  const text = (value: string): string => spell(value, isPrintable);
  const large = (value: string): void => {
    encoder.align("center").bold(true).size(2, 2);
    for (const line of wrap(text(value), Math.floor(columns / 2))) encoder.line(line);
    encoder.size(1, 1).bold(false).align("left");
  };
  for (const line of lines) {
    switch (line.kind) {
      case "text": {
        if (line.style === "large") {
          large(line.text);
          break;
        }
        encoder.align(line.align ?? "left").bold(line.style !== undefined);
        for (const part of wrap(text(line.text), columns)) encoder.line(part);
        encoder.bold(false).align("left");
        break;
      }
      case "pair":
        encoder.bold(line.style === "bold");
        for (const part of pairLines(text(line.label), text(line.value), columns)) encoder.line(part);
        encoder.bold(false);
        break;
      case "code":
        encoder.align("center");
        if (code128Dots(line.value) <= printableWidth)
          encoder.barcode(line.value, "code128", { height: barHeightDots, width: moduleDots - 1, text: "none" });
        else encoder.qrcode(line.value, { model: 2, size: qrModuleDots, errorlevel: "m" });
        encoder.align("left");
        break;
      case "rule":
        encoder.line("-".repeat(columns));
        break;
      case "space":
        encoder.newline();
        break;
      case "cut":
        encoder.cut("partial");
        break;
      default:
        assertNever(line);
    }
  }
  return encoder.encode();
};
