import type { TFunction } from "i18next";
import type { en } from "../locales/en.ts";

type Known = keyof typeof en.discrepancies;

const known: ReadonlySet<string> = new Set<Known>([
  "link_refused",
  "undelivered_refused",
  "not_found",
  "confirm_conflict",
  "confirm_unclear",
  "status_unclear",
  "not_settled_any_more",
  "amount_changed",
  "unclear",
  "left_to_books",
  "in_other_journal",
  "unreadable_entry",
]);
const isKnown = (code: string): code is Known => known.has(code);

/** The core's codes, several with commas between them, in words; a code that has none is shown as it is. */
export const discrepancyText = (codes: string, t: TFunction): string =>
  codes
    .split(", ")
    .map((code) => {
      if (isKnown(code)) return t(`discrepancies.${code}`);
      return code.endsWith("_by_another") ? t("discrepancies.by_another") : code;
    })
    .join("; ");
