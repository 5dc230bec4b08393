/** Buttons that save what is on the page as a table for a spreadsheet. */

import { Button } from "@mantine/core";
import { t } from "i18next";
import { usePersonName } from "../people/authority.tsx";
import { type Sheet, saveSheet } from "../ui/csv-file.ts";
import { useLanguage, useProfile, useSnapshotStore } from "../ui/terminal.tsx";
import type { SheetContext } from "./csv-columns.ts";

/** What the tables of this terminal say, in the language of the screens. */
export const useSheetContext = (): SheetContext => {
  const language = useLanguage();
  const nameOf = usePersonName();
  const shop = useProfile()?.name ?? "";
  const terminal = useSnapshotStore((store) => store.snapshot?.header.device ?? "");
  return { t, language, shop, terminal, nameOf };
};

interface SaveSheetProps {
  /** The file's name begins so. */
  readonly name: string;
  /** Both days, in the file's name. */
  readonly period?: Readonly<{ from: string; to: string }>;
  /** Where a page has more than one table. */
  readonly what?: string;
  readonly sheet: (context: SheetContext) => Sheet;
}

/** One table, one file. */
export const SaveSheet = ({ name, period, what, sheet }: SaveSheetProps) => {
  const context = useSheetContext();
  const label = what === undefined ? t("csv.save") : t("csv.saveWhat", { what });
  const words = [name, what, period?.from, period?.to].filter((word) => word !== undefined);
  return <Button onClick={() => saveSheet(words, sheet(context), context.language)}>{label}</Button>;
};
