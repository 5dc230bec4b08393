import { useTranslation } from "react-i18next";
import type { PaidFigures } from "../../preload/contract.ts";
import { minorText, numberText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./history.module.css";

interface PaidProps {
  readonly paid: PaidFigures;
}

/** Sum, number and average of the cash that was handed out. */
export const PaidTotals = ({ paid: { currency, count, sumMinor } }: PaidProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const totals = [
    [t("figures.sum"), minorText(sumMinor, currency, language)],
    [t("figures.count"), numberText(count, language)],
    [t("figures.average"), minorText(count === 0 ? 0 : Math.round(sumMinor / count), currency, language)],
  ] as const;
  return (
    <dl className={classes.totals}>
      {totals.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
};
