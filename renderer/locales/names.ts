import type { Language } from "../../preload/languages.ts";

/** Each in its own words, so that whoever needs it can find it. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  it: "Italiano",
};
