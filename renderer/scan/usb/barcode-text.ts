import type { Symbology } from "../../../preload/contract.ts";
import { stripAim } from "../keyboard/interpret.ts";

const names: Readonly<Record<string, Symbology>> = {
  code128: "code128",
  "gs1-128": "code128",
  "qr-code": "qr",
  "aztec-code": "aztec",
  "data-matrix": "datamatrix",
  pdf417: "pdf417",
  ean13: "ean13",
  "interleaved-2-of-5": "itf",
  code39: "code39",
};

/** The package gives a name, or an object with one. */
const symbologyOf = (given: unknown): Symbology | null => {
  if (typeof given === "object" && given !== null && "symbology" in given) return symbologyOf(given.symbology);
  return typeof given === "string" ? (names[given] ?? null) : null;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is control characters that scanners frame texts with.
const framing = /[\u0000-\u001c\u001e\u001f\u007f]+/;

/**
 * What a scanner in HID or serial mode sent, cleaned, barcode by barcode: a serial scanner's texts arrive glued together when
 * two come within the package's 300 ms, and framed by control characters (STX, ETX, CR, LF). They come apart here; GS stays, for
 * it is part of a text.
 */
export const textsOf = (value: string, symbology: unknown) =>
  value
    .split(framing)
    .filter((part) => part !== "")
    .map((part) => {
      const stripped = stripAim(part);
      return { text: stripped.text, symbology: stripped.symbology ?? symbologyOf(symbology) };
    });
