/** A table that the screen saves as a file. */
import type { CsvValue } from "../../backend/contract/csv.ts";
import { formatAmount } from "../../backend/contract/money.ts";

/** Whole minor units as a decimal with a point, also below nothing. */
export const minorCell = (minor: number, currency: string): CsvValue => ({
  decimal: `${minor < 0 ? "-" : ""}${formatAmount(Math.abs(minor), currency)}`,
});

/** Offers the text as a download. @param name without its ending. */
export const saveCsv = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(url);
};
