/** The guide's text in each language, each a file of its own that is loaded when it is needed. */
import type { Language } from "../../../preload/contract.ts";
import type { Guide } from "../guide.ts";

/** Leaving a language out is a type error. */
export const guideOf: Readonly<Record<Language, () => Promise<Guide>>> = {
  en: async () => (await import("./guide-en.ts")).en,
  de: async () => (await import("./guide-de.ts")).de,
  fr: async () => (await import("./guide-fr.ts")).fr,
  it: async () => (await import("./guide-it.ts")).it,
};
