/** Fields for notes and coins, and the sum of what is in them. */

import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { faceValuesOf, totalOf } from "../../preload/notes-and-coins.ts";
import { useLanguage } from "../ui/use-language.ts";
import { type CountDraft, countOf, typedAmount, typedPieces } from "./count-draft.ts";
import classes from "./day.module.css";
import { minorText } from "./money-text.ts";

interface CountFieldsProps {
  readonly currency: string;
  readonly draft: CountDraft;
  readonly change: (draft: CountDraft) => void;
  /** Stands beside the sum. */
  readonly children?: ReactNode;
}

/** The fields for a count of the drawer. */
export const CountFields = ({ currency, draft, change, children }: CountFieldsProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const count = countOf(draft, currency);
  return (
    <div className={classes.count}>
      <div className={classes.faces}>
        {faceValuesOf(currency).map((valueMinor) => {
          const text = draft.pieces[valueMinor] ?? "";
          return (
            <TextInput
              key={valueMinor}
              size="md"
              inputMode="numeric"
              autoComplete="off"
              label={minorText(valueMinor, currency, language)}
              value={text}
              error={typedPieces(text) === null}
              onChange={(event) =>
                change({ ...draft, pieces: { ...draft.pieces, [valueMinor]: event.currentTarget.value } })
              }
            />
          );
        })}
        <TextInput
          size="md"
          inputMode="decimal"
          autoComplete="off"
          label={t("day.otherSum")}
          value={draft.other}
          error={typedAmount(draft.other, currency) === null}
          onChange={(event) => change({ ...draft, other: event.currentTarget.value })}
        />
      </div>
      <div className={classes.sum}>
        <p className={classes.total} role="status">
          {count === null ? t("day.wrong") : t("day.total", { sum: minorText(totalOf(count), currency, language) })}
        </p>
        {children}
      </div>
    </div>
  );
};
