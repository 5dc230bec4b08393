/** CSV after RFC 4180, safe to open in a spreadsheet: what would be read as a formula gets an apostrophe in front. */

/** Separator and decimal mark of a file. */
export interface CsvForm {
  readonly separator: "," | ";";
  readonly decimalMark: "." | ",";
}

/** For programs and English spreadsheets. */
const plainForm: CsvForm = { separator: ",", decimalMark: "." };

/**
 * Matches also after a semicolon or a tab, and after a comma in a file with another separator: spreadsheets of many
 * countries split cells there, and ignore line ends and quotes within such a cell.
 */
const startsFormula = (partsAt: string): RegExp =>
  new RegExp(
    `(?<=^|[${partsAt}\\t\\r\\n])(?=(?:[^\\S\\t\\r\\n]|")*[=+\\-@\\uff0b\\uff0d\\uff1d\\uff20])|^(?=[\\t\\r\\n])`,
    "g",
  );
const formulas = { ",": startsFormula(";"), ";": startsFormula(",;") } as const;
const needsQuotes = { ",": /[",\r\n]/, ";": /[";\r\n]/ } as const;

/** A cell: a text, a number, a decimal that keeps its digits (`-0.10`), or nothing. */
export type CsvValue = string | number | null | { readonly decimal: string };

/** A field as RFC 4180 has it; one that a spreadsheet would take for a formula gets an apostrophe. */
const csvField = (value: CsvValue, form = plainForm): string => {
  const { separator, decimalMark } = form;
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  if (typeof value === "object")
    return /^-?\d+(\.\d+)?$/.test(value.decimal)
      ? value.decimal.replace(".", decimalMark)
      : csvField(value.decimal, form);
  const text = value.replace(formulas[separator], "'");
  return needsQuotes[separator].test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/**
 * The rows of a file as a spreadsheet saves it: comma-separated, or semicolon-separated where the first line has no
 * commas. @throws Error for a quote that does not end.
 */
export const readCsv = (text: string): readonly [first: readonly string[], ...(readonly string[])[]] => {
  const [first = ""] = text.split(/\r?\n/, 1);
  const separator = first.includes(";") && !first.includes(",") ? ";" : ",";
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r?\\n|$)`, "y");
  const rows: [string[], ...string[][]] = [[]];
  while (cell.lastIndex < text.length || rows.at(-1)?.length === 0) {
    const found = cell.exec(text);
    if (found === null) throw new Error(`line ${rows.length} has a quote that is not doubled or does not end`);
    const [, quoted, plain = "", end] = found;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === separator && cell.lastIndex === text.length) rows.at(-1)?.push("");
    if (end !== separator && cell.lastIndex < text.length) rows.push([]);
    if (end === "") break;
  }
  return rows;
};

/** A line of a CSV file. */
export const csvLine = (fields: readonly CsvValue[], form = plainForm): string =>
  `${fields.map((field) => csvField(field, form)).join(form.separator)}\r\n`;
