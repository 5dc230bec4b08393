/** Sets up i18next. Each language is a file of its own, loaded when it is chosen: the page starts with the one it needs. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { type Language, languages } from "../../preload/languages.ts";
import { type AllTexts, textsFrom } from "./texts-from.ts";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: AllTexts };
  }
}

/** Leaving a language out is a type error. */
export const textsOf: Readonly<Record<Language, () => Promise<AllTexts>>> = {
  en: async () => textsFrom(await import("./areas/en.ts")),
  fr: async () => textsFrom(await import("./areas/fr.ts")),
  it: async () => textsFrom(await import("./areas/it.ts")),
  de: async () => textsFrom(await import("./areas/de.ts")),
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
  await i18next.use(initReactI18next).init({
    fallbackLng: false,
    resources: {},
    interpolation: { escapeValue: false },
    react: { useSuspense: false, bindI18nStore: "added" },
  });
  await setLanguage(systemLanguage());
};
