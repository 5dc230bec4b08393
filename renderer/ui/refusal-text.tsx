import { useTranslation } from "react-i18next";
import type { Refusal } from "../../preload/contract.ts";
import page from "./page.module.css";

/** Why the last command of a form or button was refused; empty while there is nothing to say. */
export const RefusalText = ({ refusal }: { readonly refusal: Refusal | null }) => {
  const { t } = useTranslation();
  return (
    <p role="alert" className={page.caution}>
      {refusal && t(`refusals.${refusal}`)}
    </p>
  );
};
