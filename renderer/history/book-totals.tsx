import { useTranslation } from "react-i18next";
import type { BookTotal } from "../../preload/contract.ts";
import { minorText } from "../drawer/money-text.ts";
import { numberText } from "../ui/figure-text.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./books.module.css";

/** Cash handed out, as both sides count it; a row a currency. */
export const BookTotals = ({ totals }: { readonly totals: readonly BookTotal[] }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  if (totals.length === 0) return null;
  return (
    <table className={classes.totals}>
      <thead>
        <tr>
          <th>{t("books.handedOut")}</th>
          <th>{t("books.here")}</th>
          <th>{t("books.there")}</th>
          <th>{t("books.difference")}</th>
        </tr>
      </thead>
      <tbody>
        {totals.map(({ currency, here, there }) => {
          const difference = there === null ? null : here.sumMinor - there.sumMinor;
          return (
            <tr key={currency}>
              <th>{currency}</th>
              <td>
                {minorText(here.sumMinor, currency, language)} ({numberText(here.count, language)})
              </td>
              <td>
                {there === null
                  ? "–"
                  : `${minorText(there.sumMinor, currency, language)} (${numberText(there.count, language)})`}
              </td>
              <td data-differs={difference === null || difference === 0 ? undefined : true}>
                {difference === null ? "–" : minorText(difference, currency, language)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
};
