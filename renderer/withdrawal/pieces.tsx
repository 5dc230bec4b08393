import { useTranslation } from "react-i18next";
import { formatAmount } from "../../backend/contract/money.ts";
import type { Amount } from "../../preload/contract.ts";
import { notesAndCoins } from "../../preload/notes-and-coins.ts";
import { amountText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./withdrawal.module.css";

/** The notes and coins of an amount; shown where the screen has room for them. */
export const Pieces = ({ money }: { readonly money: Amount }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const pieces = notesAndCoins(money);
  if (pieces === null) return null;
  return (
    <ul className={classes.pieces} aria-label={t("pieces.title")}>
      {pieces.map(({ valueMinor, count }) => (
        <li key={valueMinor}>
          <strong>{count} ×</strong>{" "}
          {amountText({ amount: formatAmount(valueMinor, money.currency), currency: money.currency }, language)}
        </li>
      ))}
    </ul>
  );
};
