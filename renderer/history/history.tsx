import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { HistoryLine } from "../../preload/contract.ts";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";
import { useCommands } from "../ui/command-context.tsx";
import { amountText, momentText } from "../ui/format.ts";
import { Query } from "../ui/query.tsx";
import { useLanguage } from "../ui/use-language.ts";
import { useQuery } from "../ui/use-query.ts";
import { codeText } from "../withdrawal/facts.ts";
import { discrepancyText } from "./discrepancy.ts";
import classes from "./history.module.css";

const pageLines = 50;

/** The latest withdrawals of this terminal, newest first, a page at a time. */
export const History = () => {
  const { state, refetch } = useQuery<readonly HistoryLine[]>({ type: "list_history", before: null, limit: pageLines });
  return (
    <Query state={state} again={refetch}>
      {(lines) => <Lines first={lines} />}
    </Query>
  );
};

const Lines = ({ first }: { readonly first: readonly HistoryLine[] }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const prints = useSnapshotStore((store) => store.snapshot?.settings.printer.kind !== "none");
  const [lines, setLines] = useState(first);
  const [hasMore, setHasMore] = useState(first.length === pageLines);
  const more = async (): Promise<void> => {
    const before = lines.at(-1)?.withdrawalId ?? null;
    const reply = await commands.dispatch({ type: "list_history", before, limit: pageLines });
    if (!reply.ok) return;
    const older = (reply.data ?? []) as readonly HistoryLine[];
    setLines([...lines, ...older]);
    setHasMore(older.length === pageLines);
  };
  if (lines.length === 0) return <p className={classes.empty}>{t("history.empty")}</p>;
  return (
    <div className={classes.history}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th>{t("history.time")}</th>
            <th className={classes.amount}>{t("history.amount")}</th>
            <th>{t("history.result")}</th>
            <th>{t("history.by")}</th>
            <th>{t("history.code")}</th>
            {prints && <th>{t("history.receipt")}</th>}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <Row key={line.withdrawalId} line={line} prints={prints} />
          ))}
        </tbody>
      </table>
      <p className={classes.scope}>{t("history.scope")}</p>
      {hasMore && (
        <Button size="lg" variant="default" onClick={() => void more()}>
          {t("history.more")}
        </Button>
      )}
    </div>
  );
};

const Row = ({ line, prints }: { readonly line: HistoryLine; readonly prints: boolean }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <tr>
      <td>{momentText(line.at, language)}</td>
      <td className={classes.amount}>{line.money ? amountText(line.money, language) : "–"}</td>
      <td data-open={line.outcome === null || undefined}>
        {line.outcome ? t(`outcomes.${line.outcome}`) : t("history.inProgress")}
        {line.discrepancy !== null && (
          <strong className={classes.discrepancy}>
            {t("history.discrepancy", { what: discrepancyText(line.discrepancy, t) })}
          </strong>
        )}
      </td>
      <td className={classes.code}>{line.people.join(", ") || "–"}</td>
      <td className={classes.code}>{codeText(line.transactionId)}</td>
      {prints && <td>{line.outcome === "handed_out" && <Reprint withdrawalId={line.withdrawalId} />}</td>}
    </tr>
  );
};

/** Prints the receipt once more, marked as a copy. */
const Reprint = ({ withdrawalId }: { readonly withdrawalId: string }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [isSent, setSent] = useState(false);
  const print = async (copy: "customer" | "shop"): Promise<void> => {
    setSent((await commands.dispatch({ type: "print_receipt", withdrawalId, copy })).ok);
  };
  return (
    <span className={classes.reprint}>
      {(["customer", "shop"] as const).map((copy) => (
        <Button key={copy} size="compact-md" variant="default" onClick={() => void print(copy)}>
          {t(`printing.${copy}`)}
        </Button>
      ))}
      <span role="status">{isSent ? t("history.sentToPrinter") : ""}</span>
    </span>
  );
};
