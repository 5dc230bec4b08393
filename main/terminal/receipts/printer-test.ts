/** A slip that shows whether the printer is set up right: its width, its characters, its barcodes. It is no receipt. */
import type { Language } from "../../../preload/languages.ts";
import { centered, cut, type PaperLine, plain, rule, title } from "../paper/paper-line.ts";
import { paperTexts } from "./receipt-texts.ts";

/** What the languages of the terminal need beyond plain letters. */
const letters = "\u00e4\u00f6\u00fc\u00df \u00e9\u00e8\u00ea\u00e0\u00e7\u00f4 \u0142 \u20ac 0123456789";

/** The lines of the test, in the terminal's language. */
export const printerTestLines = (language: Language): readonly PaperLine[] => {
  const { test, testNext } = paperTexts[language].receipt;
  return [title(test), rule, centered(letters), plain(testNext), { kind: "code", value: "TEST" }, rule, cut];
};
