/** Sets up i18next. Each language is a file of its own, loaded when it is chosen: the page starts with the one it needs. */
import i18next from "i18next";
import { type Language, languages } from "../../preload/choices.ts";

/** All texts of one language, as `t` finds them. English is the one by which every other is measured. */
export type Texts = typeof import("./en/screens.json");

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: Texts };
  }
}

/** Leaving a language out is a type error. */
export const textsOf: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import("./en/screens.json", { with: { type: "json" } })).default,
  fr: async () => (await import("./fr/screens.json", { with: { type: "json" } })).default,
  it: async () => (await import("./it/screens.json", { with: { type: "json" } })).default,
  de: async () => (await import("./de/screens.json", { with: { type: "json" } })).default,
};

/** Each in its own words, so that whoever needs it can find it. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  it: "Italiano",
};

/** What the system's language is for the terminal, until its settings are known. */
export const systemLanguage = (): Language =>
  languages.find((language) => navigator.language.startsWith(language)) ?? "en";

let wanted: Language | null = null;

/** Follows the terminal's setting; also tells the browser and screen readers which language the page is in. The last call wins. */
export const setLanguage = async (language: Language): Promise<void> => {
  if (wanted === language) return;
  wanted = language;
  if (!i18next.hasResourceBundle(language, "translation"))
    i18next.addResourceBundle(language, "translation", await textsOf[language]());
  if (wanted !== language) return;
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
};

/** Resolves when the texts of the system's language are there. */
export const startTexts = async (): Promise<void> => {
  await i18next.init({
    fallbackLng: false,
    resources: {},
    interpolation: { escapeValue: false },
  });
  await setLanguage(systemLanguage());
};
