import { useTranslation } from "react-i18next";
import type { Refusal } from "../../preload/contract.ts";
import classes from "./day.module.css";

/** Why a form's last command was refused; keeps its room while there is nothing to say. */
export const RefusalText = ({ refusal }: { readonly refusal: Refusal | null }) => {
  const { t } = useTranslation();
  return (
    <p className={classes.refusal} role="alert">
      {refusal === null ? "" : t(`refusals.${refusal}`)}
    </p>
  );
};
