/** The display's words by language: small enough to be there at once, so that a language never has to be waited for. */
import type { Language } from "../../../preload/languages.ts";
import type { CustomerTexts } from "./customer-texts.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";

/** A language without its words is a type error. */
export const customerTexts: Readonly<Record<Language, CustomerTexts>> = { en, de, fr, it };
