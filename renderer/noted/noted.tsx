/** What was a problem about a withdrawal, and whether a manager has cleared it up: short in a list, whole where there is room. */
import { useTranslation } from "react-i18next";
import type { Cleared } from "../../preload/contract.ts";
import { useWho } from "../people/use-people.ts";
import { momentText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import { discrepancyText } from "./discrepancy.ts";
import classes from "./noted.module.css";

interface NotedProps {
  /** The core's words; null where only the end was unclear. */
  readonly noted: string | null;
  readonly cleared: Cleared | null;
}

/** One line: to be cleared up, or cleared up. */
export const Noted = ({ noted, cleared }: NotedProps) => {
  const { t } = useTranslation();
  const what = discrepancyText(noted ?? "unclear", t);
  return cleared === null ? (
    <strong className={classes.discrepancy}>{t("history.discrepancy", { what })}</strong>
  ) : (
    <span className={classes.cleared}>{t("history.cleared", { what })}</span>
  );
};

/** Who cleared it up, when, and in which words. */
export const ClearedBy = ({ cleared }: { readonly cleared: Cleared }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const who = useWho()(cleared.by);
  return (
    <span className={classes.clearedBy}>
      {t("history.clearedBy", { who, when: momentText(cleared.at, language) })} <q>{cleared.note}</q>
    </span>
  );
};
