/** CSV files that a screen offers for download, as a spreadsheet of the language's countries opens them. */
import { type CsvForm, type CsvValue, csvLine } from "../../backend/contract/csv.ts";
import { formatAmount } from "../../backend/contract/money.ts";
import type { Language } from "../../preload/contract.ts";

/** One table, in a file of its own. */
export interface Sheet {
  readonly head: readonly string[];
  readonly rows: readonly (readonly CsvValue[])[];
}

const commas: CsvForm = { separator: ",", decimalMark: "." };
const semicolons: CsvForm = { separator: ";", decimalMark: "," };
const formOf: Readonly<Record<Language, CsvForm>> = { en: commas, de: semicolons, fr: semicolons, it: semicolons };

/** The file, with the mark by which a spreadsheet knows that it is UTF-8. */
export const sheetText = ({ head, rows }: Sheet, language: Language): string =>
  `\ufeff${[head, ...rows].map((row) => csvLine(row, formOf[language])).join("")}`;

/** Minor units as a CSV decimal; may be negative. */
export const minorCell = (minor: number, currency: string): CsvValue => ({
  decimal: `${minor < 0 ? "-" : ""}${formatAmount(Math.abs(minor), currency)}`,
});

// Sweden writes dates in the one form that the spreadsheets of every country read as a date.
const local = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });

/** This machine's date and time as `2026-11-20 17:45:12`. @param at milliseconds since the epoch, or ISO 8601. */
export const timeCell = (at: number | string): string => local.format(new Date(at));

/** Downloads a text as a file. */
export const saveFile = (name: string, type: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
};

/** Downloads the table as a file. @param words of the file's name, without `.csv`. */
export const saveSheet = (words: readonly string[], sheet: Sheet, language: Language): void => {
  const name = words
    .join("-")
    .toLocaleLowerCase(language)
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-");
  saveFile(`${name}.csv`, "text/csv", sheetText(sheet, language));
};
