/** Languages of the terminal, as BCP 47 names them. A new one needs its texts in `renderer/texts` before it compiles. */
export const languages = ["en", "de", "fr", "it"] as const;
/** A language of the terminal. */
export type Language = (typeof languages)[number];

/** The locale by which each language formats numbers and dates, on screens and on paper. */
export const localeOf: Readonly<Record<Language, string>> = { en: "en-GB", de: "de-DE", fr: "fr-FR", it: "it-IT" };
