/** What saved tables say beside their data, for tests that read them as a spreadsheet would. */
import i18next, { type TFunction } from "i18next";
import type { Language } from "../preload/contract.ts";
import type { SheetContext } from "../renderer/history/csv-columns.ts";
import { textsOf } from "../renderer/texts/index.ts";
import { type Sheet, sheetText } from "../renderer/ui/csv-file.ts";

const shop = { shop: "Café Weiß", terminal: "Theke 1" } as const;

/** The real words of a language. */
export const sheetContext = async (
  language: Language,
  nameOf = (code: string): string => code,
): Promise<SheetContext> => {
  const translation = await textsOf[language]();
  const instance = i18next.createInstance();
  await instance.init({
    lng: language,
    resources: { [language]: { translation } },
    interpolation: { escapeValue: false },
  });
  return { t: instance.t as TFunction, language, ...shop, nameOf };
};

/** The program's words instead: a key is its own text. */
export const plainContext: SheetContext = {
  t: ((key: string) => key) as unknown as TFunction,
  language: "en",
  ...shop,
  nameOf: (code) => code,
};

/** A quoted cell, with its quotes doubled, or one without quotes; none at the line's end. */
const cell = /(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/gy;

const cellsOf = (line: string): readonly string[] =>
  [...`${line},`.matchAll(cell)].slice(0, -1).map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? "");

/** The lines of the file, under the heads of its columns; for cells without line breaks. */
export const tableOf = (sheet: Sheet): readonly Readonly<Record<string, string>>[] => {
  const [head = "", ...lines] = sheetText(sheet, "en").slice(1).split("\r\n").slice(0, -1);
  const names = cellsOf(head);
  return lines.map((line) => Object.fromEntries(cellsOf(line).map((text, at) => [names[at], text])));
};
