import type { TFunction } from "i18next";
import type { Discrepancy } from "../../preload/contract.ts";
import { discrepancies } from "../../preload/words.ts";

const isKnown = (code: string): code is Discrepancy => (discrepancies as readonly string[]).includes(code);

const textOf = (code: Discrepancy, t: TFunction): string =>
  code === "undelivered_by_another" ? t("discrepancies.by_another") : t(`discrepancies.${code}`);

/** The core's comma-separated codes as text; a code of a newer program is shown as it is. */
export const discrepancyText = (codes: string, t: TFunction): string =>
  codes
    .split(", ")
    .map((code) => (isKnown(code) ? textOf(code, t) : code))
    .join("; ");
