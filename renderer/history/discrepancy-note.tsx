/** The discrepancy of a withdrawal, and whether a manager has cleared it up. */
import { useTranslation } from "react-i18next";
import type { Cleared } from "../../preload/contract.ts";
import { usePersonName } from "../people/authority.tsx";
import { momentText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./history.module.css";
import { discrepancyText } from "./words.ts";

interface DiscrepancyNoteProps {
  /** The core's codes, comma-separated; null where only the end was unclear. */
  readonly noted: string | null;
  readonly cleared: Cleared | null;
}

/** One line: to clear up, or cleared up. */
export const DiscrepancyNote = ({ noted, cleared }: DiscrepancyNoteProps) => {
  const { t } = useTranslation();
  const what = discrepancyText(noted ?? "unclear", t);
  return cleared === null ? (
    <strong className={classes.mark} data-result="to_clear">
      {t("history.discrepancy", { what })}
    </strong>
  ) : (
    <span className={page.soft}>{t("history.cleared", { what })}</span>
  );
};

/** Who cleared it up, when, and the note. */
export const ClearedBy = ({ cleared }: { readonly cleared: Cleared }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const who = usePersonName()(cleared.by);
  return (
    <span className={page.soft}>
      {t("history.clearedBy", { who, when: momentText(cleared.at, language) })} <q>{cleared.note}</q>
    </span>
  );
};
