import type { cashReasons } from "../../../preload/choices.ts";
import type { Language } from "../../../preload/contract.ts";
import de from "./texts/de.json" with { type: "json" };
import en from "./texts/en.json" with { type: "json" };
import fr from "./texts/fr.json" with { type: "json" };
import it from "./texts/it.json" with { type: "json" };

/** What stands on receipts and day reports, in one language. */
export interface PaperTexts {
  readonly receipt: typeof en.receipt;
  readonly report: typeof en.report & { readonly reasons: Readonly<Record<(typeof cashReasons)[number], string>> };
}

/** A language without one of its texts is a type error. */
export const paperTexts: Readonly<Record<Language, PaperTexts>> = { en, de, fr, it };
