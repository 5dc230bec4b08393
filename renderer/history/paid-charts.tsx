/** Cash handed out in one currency: its sum and count, by hour, and by day or month. */
import { useTranslation } from "react-i18next";
import type { Language, PaidFigures, Slot } from "../../preload/contract.ts";
import { minorText } from "../drawer/money-text.ts";
import { dayText, numberText } from "../ui/figure-text.ts";
import { useLanguage } from "../ui/use-language.ts";
import { type Bar, Chart } from "./chart.tsx";
import classes from "./figures.module.css";
import type { Period } from "./period.ts";

interface Named extends Slot {
  readonly name: string;
  readonly fullName?: string;
}

/** From the first hour with a withdrawal to the last: a shop is not open all night. */
const openHours = (byHour: readonly Slot[]): readonly Named[] => {
  const hours = byHour.map((slot, hour) => ({ ...slot, hour }));
  const busy = hours.filter(({ count }) => count > 0).map(({ hour }) => hour);
  const [first, last] = [Math.min(...busy), Math.max(...busy)];
  return hours
    .filter(({ hour }) => hour >= first && hour <= last)
    .map((slot) => ({ ...slot, name: String(slot.hour), fullName: `${slot.hour}:00–${slot.hour + 1}:00` }));
};

const byMonth = (byDay: PaidFigures["byDay"], language: Language): readonly Named[] => {
  const months = new Map<string, Slot>();
  for (const { day, count, sumMinor } of byDay) {
    const before = months.get(day.slice(0, 7)) ?? { count: 0, sumMinor: 0 };
    months.set(day.slice(0, 7), { count: before.count + count, sumMinor: before.sumMinor + sumMinor });
  }
  return [...months].map(([month, slot]) => ({ ...slot, name: dayText(`${month}-01`, "month", language) }));
};

const daysOf = ({ byDay }: PaidFigures, period: Period, language: Language): readonly Named[] => {
  if (period === "year") return byMonth(byDay, language);
  return byDay.map(({ day, ...slot }) => ({
    ...slot,
    name: dayText(day, period === "week" ? "weekday" : "short", language),
    fullName: dayText(day, "full", language),
  }));
};

interface PaidChartsProps {
  readonly paid: PaidFigures;
  readonly period: Period;
}

/** Two charts for each view: what is counted and what it comes to have scales of their own. */
export const PaidCharts = ({ paid, period }: PaidChartsProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const { currency } = paid;
  const sums = (slots: readonly Named[]): readonly Bar[] =>
    slots.map(({ sumMinor, ...slot }) => ({ ...slot, value: sumMinor, text: minorText(sumMinor, currency, language) }));
  const counts = (slots: readonly Named[]): readonly Bar[] =>
    slots.map(({ count, ...slot }) => ({ ...slot, value: count, text: numberText(count, language) }));
  const hours = openHours(paid.byHour);
  const days = daysOf(paid, period, language);
  const isYear = period === "year";
  const money = (minor: number): string => minorText(minor, currency, language);
  const whole = (count: number): string => numberText(count, language);
  const nameHead = t(isYear ? "figures.month" : "figures.day");
  return (
    <>
      <dl className={classes.totals}>
        <div>
          <dt>{t("figures.sum")}</dt>
          <dd>{money(paid.sumMinor)}</dd>
        </div>
        <div>
          <dt>{t("figures.count")}</dt>
          <dd>{whole(paid.count)}</dd>
        </div>
        <div>
          <dt>{t("figures.average")}</dt>
          <dd>{money(Math.round(paid.sumMinor / paid.count))}</dd>
        </div>
      </dl>
      {period !== "day" && (
        <>
          <Chart
            title={t(isYear ? "figures.byMonth" : "figures.byDay")}
            nameHead={nameHead}
            valueHead={t("figures.sum")}
            bars={sums(days)}
            format={money}
          />
          <Chart
            title={t(isYear ? "figures.countByMonth" : "figures.countByDay")}
            nameHead={nameHead}
            valueHead={t("figures.count")}
            bars={counts(days)}
            format={whole}
          />
        </>
      )}
      <Chart
        title={t("figures.byHour")}
        nameHead={t("figures.hour")}
        valueHead={t("figures.sum")}
        bars={sums(hours)}
        format={money}
      />
      <Chart
        title={t("figures.countByHour")}
        nameHead={t("figures.hour")}
        valueHead={t("figures.count")}
        bars={counts(hours)}
        format={whole}
      />
    </>
  );
};
