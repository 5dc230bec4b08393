/** CSV after RFC 4180, safe to open in a spreadsheet: what would be read as a formula gets an apostrophe in front. */

/**
 * Also behind a semicolon or a tab: spreadsheets of many countries part their cells there, and take neither a line's end nor
 * a quote within such a cell for part of a text.
 */
const startsFormula = /(?<=^|[;\t\r\n])(?=(?:[^\S\t\r\n]|")*[=+\-@\uff0b\uff0d\uff1d\uff20])|^(?=[\t\r\n])/g;
const needsQuotes = /[",\r\n]/;

/** A cell: a text, a number, a decimal that keeps its digits (`-0.10`), or nothing. */
export type CsvValue = string | number | null | { readonly decimal: string };

/** A field as RFC 4180 has it; one that a spreadsheet would take for a formula gets an apostrophe. */
export const csvField = (value: CsvValue): string => {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  if (typeof value === "object") return /^-?\d+(\.\d+)?$/.test(value.decimal) ? value.decimal : csvField(value.decimal);
  const text = value.replace(startsFormula, "'");
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** A line of a CSV file. */
export const csvLine = (fields: readonly CsvValue[]): string => `${fields.map(csvField).join(",")}\r\n`;
