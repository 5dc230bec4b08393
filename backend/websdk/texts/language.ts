/** Chooses the language: the chosen one, else the browser's, else English. */
import { de } from "./de.ts";
import { en, type Texts } from "./en.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";
import { type Language, languages } from "./languages.ts";

const textsByLanguage: Readonly<Record<Language, Texts>> = { en, de, fr, it };

/** Cookie with the chosen language. */
export const languageCookie = "tillcash_language";
const acceptLanguageCharactersMax = 200;

const known = (code: string | undefined): Language | null =>
  languages.find((language) => language === code?.toLowerCase()) ?? null;

/** The best of our languages by RFC 9110 §12.5.4: the highest weight wins. */
const fromAcceptLanguage = (header: string): Language | null => {
  const wishes = header
    .slice(0, acceptLanguageCharactersMax)
    .split(",")
    .flatMap((part, order) => {
      const [range = "", ...parameters] = part.trim().split(";");
      const language = known(range.trim().split("-")[0]);
      const weight = Number(
        parameters
          .map((text) => text.trim())
          .find((text) => text.startsWith("q="))
          ?.slice(2) ?? 1,
      );
      return language !== null && weight > 0 ? [{ language, weight, order }] : [];
    });
  return wishes.sort((a, b) => b.weight - a.weight || a.order - b.order)[0]?.language ?? null;
};

/**
 * The texts for a reader: `chosen` is the language in the address or cookie, `acceptLanguage` the header's value (RFC
 * 9110); English when neither names a known one.
 */
export const chooseTexts = (chosen: string | undefined, acceptLanguage: string | undefined): Texts =>
  textsByLanguage[known(chosen) ?? fromAcceptLanguage(acceptLanguage ?? "") ?? "en"];
