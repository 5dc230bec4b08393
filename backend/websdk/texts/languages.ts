/** Languages of the customer's pages as BCP 47 codes, in the order offered. */
export const languages = ["en", "de", "fr", "it"] as const;
/** One of `languages`. */
export type Language = (typeof languages)[number];

/** Names in their own language. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  it: "Italiano",
};
