import type { Language } from "../../../../preload/contract.ts";
import { de, deReport } from "./de.ts";
import { en, enReport, type ReceiptTexts, type ReportTexts } from "./en.ts";
import { fr, frReport } from "./fr.ts";
import { it, itReport } from "./it.ts";

/** Leaving a language out is a type error. */
export const receiptTexts: Readonly<Record<Language, ReceiptTexts>> = { en, de, fr, it };

/** Leaving a language out is a type error. */
export const reportTexts: Readonly<Record<Language, ReportTexts>> = {
  en: enReport,
  de: deReport,
  fr: frReport,
  it: itReport,
};
