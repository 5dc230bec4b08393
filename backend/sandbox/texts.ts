/** Texts of the sandbox's pages. A missing language is a type error. */
import type { Language } from "../websdk/texts/languages.ts";
import { de } from "./texts/de.ts";
import { en, type SandboxTexts } from "./texts/en.ts";
import { fr } from "./texts/fr.ts";
import { it } from "./texts/it.ts";

/** The texts by language. */
export const sandboxTexts: Readonly<Record<Language, SandboxTexts>> = { en, de, fr, it };
