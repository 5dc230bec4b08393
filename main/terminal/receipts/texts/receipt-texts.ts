import type { Language } from "../../../../preload/contract.ts";
import { de } from "./de.ts";
import { en, type ReceiptTexts } from "./en.ts";
import { fr } from "./fr.ts";
import { it } from "./it.ts";

/** Leaving a language out is a type error. */
export const receiptTexts: Readonly<Record<Language, ReceiptTexts>> = { en, de, fr, it };
