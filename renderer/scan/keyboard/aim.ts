import type { Symbology } from "../../../preload/contract.ts";

/** ISO/IEC 15424: a bracket, the symbology's letter, a modifier. Scanners send it before the text when they are configured to. */
const letters: Readonly<Record<string, Symbology>> = {
  C: "code128",
  Q: "qr",
  z: "aztec",
  d: "datamatrix",
  L: "pdf417",
  E: "ean13",
  I: "itf",
  A: "code39",
};

/** Takes an AIM identifier off the front of a text. */
export const stripAim = (text: string): { readonly text: string; readonly symbology: Symbology | null } => {
  const [identifier, letter] = /^\]([A-Za-z])[0-9A-Za-z]/.exec(text) ?? [];
  if (identifier === undefined || letter === undefined) return { text, symbology: null };
  return { text: text.slice(identifier.length), symbology: letters[letter] ?? null };
};
