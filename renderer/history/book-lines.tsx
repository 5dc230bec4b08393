import { useTranslation } from "react-i18next";
import type { BookLine } from "../../preload/contract.ts";
import { amountText, momentText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import { codeText } from "../withdrawal/facts.ts";
import classes from "./books.module.css";
import { ClearedBy } from "./discrepancy-note.tsx";
import { discrepancyText } from "./discrepancy-text.ts";

interface BookLinesProps {
  readonly lines: readonly BookLine[];
  /** False where the service was not asked or did not answer: then nothing is said about what it knows. */
  readonly hasService: boolean;
}

/** Each difference with both sides and what to do, or what a manager did. */
export const BookLines = ({ lines, hasService }: BookLinesProps) => {
  const { t } = useTranslation();
  return (
    <table className={classes.lines}>
      <thead>
        <tr>
          <th>{t("history.time")}</th>
          <th>{t("books.here")}</th>
          <th>{t("books.there")}</th>
          <th>{t("books.what")}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <Row key={`${line.transactionId} ${line.at}`} line={line} hasService={hasService} />
        ))}
      </tbody>
    </table>
  );
};

interface RowProps {
  readonly line: BookLine;
  readonly hasService: boolean;
}

const Row = ({ line, hasService }: RowProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const { at, here, there, explanation, noted, cleared, transactionId, partnerId } = line;
  return (
    <tr>
      <td>
        {momentText(at, language)}
        <small>{codeText(transactionId)}</small>
        {partnerId !== null && <small>{partnerId}</small>}
      </td>
      <td>
        {here === null ? (
          t("books.unknownHere")
        ) : (
          <>
            {amountText(here.money, language)}
            <small>{here.outcome === null ? t("history.inProgress") : t(`outcomes.${here.outcome}`)}</small>
          </>
        )}
      </td>
      <td>
        {there === null ? (
          hasService ? (
            t("books.unknownThere")
          ) : (
            "–"
          )
        ) : (
          <>
            {there.money && amountText(there.money, language)}
            <small>{there.finding === null ? there.status : t(`books.findings.${there.finding}`)}</small>
          </>
        )}
      </td>
      <td className={classes.explain}>
        {cleared === null ? t(`books.explain.${explanation}`) : <ClearedBy cleared={cleared} />}
        {noted !== null && <small>{t("books.noted", { what: discrepancyText(noted, t) })}</small>}
      </td>
    </tr>
  );
};
