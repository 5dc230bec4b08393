/** The sandbox's own pages in each language of the phone pages. Leaving one out is a type error. */
import type { Language } from "../websdk/texts/languages.ts";
import { de } from "./texts/de.ts";
import { en, type SandboxTexts } from "./texts/en.ts";
import { fr } from "./texts/fr.ts";
import { it } from "./texts/it.ts";

/** All languages of the sandbox. */
export const sandboxTexts: Readonly<Record<Language, SandboxTexts>> = { en, de, fr, it };
