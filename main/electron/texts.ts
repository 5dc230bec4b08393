/** The texts of the desktop program's dialogs: a language without one of them is a type error. */
import type { Language } from "../../preload/languages.ts";
import de from "./texts/de.json" with { type: "json" };
import en from "./texts/en.json" with { type: "json" };
import fr from "./texts/fr.json" with { type: "json" };
import it from "./texts/it.json" with { type: "json" };

/** By language. */
export const dialogTexts: Readonly<Record<Language, typeof en>> = { en, de, fr, it };
