/** Sets up i18next with all languages at hand: the terminal switches at once and needs no network for it. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { type Language, languages } from "../../preload/choices.ts";
import { de } from "./de.ts";
import { en, type Texts } from "./en.ts";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

/** Leaving a language out is a type error. */
export const texts: Readonly<Record<Language, Texts>> = { en, de };

/** What the system's language is for the terminal, until its settings are known. */
export const systemLanguage = (): Language =>
  languages.find((language) => navigator.language.startsWith(language)) ?? "en";

export const startTexts = async (): Promise<void> => {
  await i18next.use(initReactI18next).init({
    lng: systemLanguage(),
    fallbackLng: "en",
    resources: Object.fromEntries(languages.map((language) => [language, { translation: texts[language] }])),
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  });
};

/** Follows the till's setting; also tells the browser and screen readers which language the page is in. */
export const setLanguage = (language: Language): void => {
  document.documentElement.lang = language;
  if (i18next.language !== language) void i18next.changeLanguage(language);
};
