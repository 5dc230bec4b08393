import { useTranslation } from "react-i18next";
import type { Refusal } from "../../preload/contract.ts";
import classes from "./setup.module.css";

/** Why the last command of a step was refused; keeps its room while there is nothing to say. */
export const RefusalLine = ({ refusal }: { readonly refusal: Refusal | null }) => {
  const { t } = useTranslation();
  return (
    <p role="alert" className={classes.trouble} data-empty={refusal === null || undefined}>
      {refusal && t(`refusals.${refusal}`)}
    </p>
  );
};
