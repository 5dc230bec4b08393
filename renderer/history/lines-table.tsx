import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { HistoryLine } from "../../preload/contract.ts";
import { amountText, momentText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import { codeText } from "../withdrawal/facts.ts";
import { DiscrepancyNote } from "./discrepancy-note.tsx";
import classes from "./history.module.css";
import { ResultMark } from "./result-mark.tsx";

interface LinesTableProps {
  readonly lines: readonly HistoryLine[];
  readonly open: (withdrawalId: string) => void;
}

/** One page of the list. */
export const LinesTable = ({ lines, open }: LinesTableProps) => {
  const { t } = useTranslation();
  const hasPeople = lines.some(({ people }) => people.length > 0);
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th>{t("history.time")}</th>
          <th className={classes.amount}>{t("history.amount")}</th>
          <th>{t("history.result")}</th>
          {hasPeople && <th>{t("history.cashier")}</th>}
          <th>{t("history.code")}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <Row key={line.withdrawalId} line={line} hasPeople={hasPeople} open={open} />
        ))}
      </tbody>
    </table>
  );
};

interface RowProps {
  readonly line: HistoryLine;
  readonly hasPeople: boolean;
  readonly open: (withdrawalId: string) => void;
}

const Row = ({ line, hasPeople, open }: RowProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <tr>
      <td>{momentText(line.at, language)}</td>
      <td className={classes.amount}>{line.money ? amountText(line.money, language) : "–"}</td>
      <td>
        <ResultMark line={line} />
        {(line.discrepancy !== null || line.cleared !== null) && (
          <DiscrepancyNote noted={line.discrepancy} cleared={line.cleared} />
        )}
      </td>
      {hasPeople && <td className={classes.code}>{line.people.join(", ")}</td>}
      <td className={classes.code}>{codeText(line.transactionId)}</td>
      <td className={classes.open}>
        <Button
          size="compact-md"
          variant="default"
          aria-label={`${t("history.story")}: ${codeText(line.transactionId)}`}
          onClick={() => open(line.withdrawalId)}
        >
          {t("history.story")}
        </Button>
      </td>
    </tr>
  );
};
