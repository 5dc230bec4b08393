/** Sets up i18next with both languages at hand: a till switches at once and needs no network for it. */
import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { de } from "./de.ts";
import { en } from "./en.ts";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
  }
}

export const startTexts = async (): Promise<void> => {
  await i18next.use(initReactI18next).init({
    lng: navigator.language.startsWith("de") ? "de" : "en",
    fallbackLng: "en",
    resources: { en: { translation: en }, de: { translation: de } },
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  });
};

/** Follows the till's setting; also tells the browser and screen readers which language the page is in. */
export const setLanguage = (language: "en" | "de"): void => {
  document.documentElement.lang = language;
  if (i18next.language !== language) void i18next.changeLanguage(language);
};
