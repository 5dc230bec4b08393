/** Texts of the desktop program's dialogs. A missing language is a type error. */
import type { Language } from "../../preload/choices.ts";
import de from "./texts/de.json" with { type: "json" };
import en from "./texts/en.json" with { type: "json" };
import fr from "./texts/fr.json" with { type: "json" };
import it from "./texts/it.json" with { type: "json" };

/** The texts by language. */
export const dialogTexts: Readonly<Record<Language, typeof en>> = { en, de, fr, it };
