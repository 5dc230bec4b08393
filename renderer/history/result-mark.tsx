/** A withdrawal's outcome by colour and in words. Green and red are reserved for "give cash" and "do not". */
import { useTranslation } from "react-i18next";
import type { HistoryLine } from "../../preload/contract.ts";
import classes from "./history.module.css";

/** A coloured mark with the outcome's name. */
export const ResultMark = ({ line }: { readonly line: HistoryLine }) => {
  const { t } = useTranslation();
  return (
    <span className={classes.mark} data-result={line.result}>
      {line.outcome ? t(`outcomes.${line.outcome}`) : t("history.inProgress")}
    </span>
  );
};
