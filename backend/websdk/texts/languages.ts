/** Languages of the customer's pages as BCP 47 codes, in the order in which they are offered. */
export const languages = ["en", "de", "fr", "it"] as const;
/** One of `languages`. */
export type Language = (typeof languages)[number];

/** Each in its own words, so that whoever needs it can find it. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  it: "Italiano",
};
