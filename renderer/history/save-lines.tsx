import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { HistoryFilter, HistoryLine } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { saveCsv } from "../ui/csv-file.ts";
import { linesCsv, linesHead } from "./history-csv.ts";

/** Lines per request. */
const sliceLines = 200;

/** Saves every line that matches the filter as CSV, requested a slice at a time. */
export const SaveLines = ({ filter }: { readonly filter: HistoryFilter }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [count, setCount] = useState<number | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const save = async (): Promise<void> => {
    const parts = [linesHead];
    let before: string | null = null;
    setFailed(false);
    for (let total = 0; ; ) {
      setCount(total);
      const reply = await commands.dispatch({ type: "list_history", before, limit: sliceLines, filter });
      if (!reply.ok) {
        setFailed(true);
        break;
      }
      const lines = (reply.data ?? []) as readonly HistoryLine[];
      parts.push(linesCsv(lines));
      total += lines.length;
      before = lines.at(-1)?.withdrawalId ?? null;
      if (lines.length < sliceLines) {
        saveCsv("withdrawals", parts.join(""));
        break;
      }
    }
    setCount(null);
  };
  return (
    <>
      <Button size="lg" variant="default" disabled={count !== null} onClick={() => void save()}>
        {t("history.csv")}
      </Button>
      <span role="status">
        {count !== null ? t("history.saving", { count }) : hasFailed ? t("history.partial") : ""}
      </span>
    </>
  );
};
