/** CSV files that a screen offers for download. */
import type { CsvValue } from "../../backend/contract/csv.ts";
import { formatAmount } from "../../backend/contract/money.ts";

/** Minor units as a CSV decimal with a point; may be negative. */
export const minorCell = (minor: number, currency: string): CsvValue => ({
  decimal: `${minor < 0 ? "-" : ""}${formatAmount(Math.abs(minor), currency)}`,
});

/** Downloads the text as a file. @param name without `.csv`. */
export const saveCsv = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(url);
};
