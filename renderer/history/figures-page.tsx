/** Sums, counts, ends and times of a day, a week, a month or a year. Loaded when it is first opened, with what it draws with. */
import "@mantine/charts/styles.layer.css";
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { FiguresView } from "../../preload/contract.ts";
import { saveCsv } from "../ui/csv-file.ts";
import { numberText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import { Chart, PaidCharts, TimeChart } from "./charts.tsx";
import { figuresCsv } from "./csv.ts";
import classes from "./history.module.css";
import { type Period, PeriodPage, periods } from "./period-page.tsx";

/** Charts and their tables. */
export const FiguresPage = () => (
  <PeriodPage<FiguresView>
    className={classes.figures}
    offered={periods}
    queryOf={(range) => ({ type: "get_figures", ...range })}
  >
    {(figures, period) => <Shown figures={figures} period={period} />}
  </PeriodPage>
);

const Shown = ({ figures, period }: { readonly figures: FiguresView; readonly period: Period }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const { withdrawals, paid, ends, scanToCash, approval, from, to, timeZone } = figures;
  if (withdrawals === 0) return <p className={classes.none}>{t("figures.none")}</p>;
  const number = (value: number): string => numberText(value, language);
  return (
    <div className={classes.figuresShown} data-shown={from}>
      {paid.map((one) => (
        <PaidCharts key={one.currency} paid={one} period={period} />
      ))}
      <Chart
        title={t("figures.ends")}
        nameHead={t("figures.end")}
        valueHead={t("figures.number")}
        isLying
        bars={ends.map(({ outcome, count }) => ({
          name: outcome === null ? t("history.inProgress") : t(`outcomes.${outcome}`),
          value: count,
          text: number(count),
        }))}
        format={number}
      />
      <TimeChart title={t("figures.scanToCash")} durations={scanToCash} />
      <TimeChart title={t("figures.approval")} durations={approval} />
      <p className={classes.figuresScope}>{t("figures.scope", { zone: timeZone })}</p>
      <Button size="lg" variant="default" onClick={() => saveCsv(`figures-${from}-${to}`, figuresCsv(figures))}>
        {t("history.csv")}
      </Button>
    </div>
  );
};
