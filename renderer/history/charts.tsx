/** A bar chart with the same figures as a table beside it: who cannot see the one reads the other. */
import { BarChart } from "@mantine/charts";
import { useTranslation } from "react-i18next";
import type { Durations, Language, PaidFigures, Slot } from "../../preload/contract.ts";
import { dayText, minorText, numberText, secondsText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./history.module.css";
import type { Period } from "./period-page.tsx";

/** One bar. */
interface Bar {
  /** Short, under the bar. */
  readonly name: string;
  /** As the table has it; the short one by default. */
  readonly fullName?: string;
  readonly value: number;
  /** The value in words. */
  readonly text: string;
}

interface ChartProps {
  readonly title: string;
  /** Heads of the table's columns. */
  readonly nameHead: string;
  readonly valueHead: string;
  readonly bars: readonly Bar[];
  /** Bars to the right, for long names. */
  readonly isLying?: boolean;
  readonly format: (value: number) => string;
}

/** Nothing moves: a figure stands as soon as it is there. */
const barProps = { isAnimationActive: false } as const;
const heightPx = 230;
const lyingBarPx = 44;

/** Drawn in one colour, since there is one series. */
export const Chart = ({ title, nameHead, valueHead, bars, isLying = false, format }: ChartProps) => (
  <figure className={classes.chart}>
    <figcaption>{title}</figcaption>
    <div className={classes.drawing} aria-hidden>
      <BarChart
        h={isLying ? Math.max(120, bars.length * lyingBarPx + 40) : heightPx}
        data={bars.map(({ name, value }) => ({ name, value }))}
        dataKey="name"
        series={[{ name: "value", label: valueHead, color: "var(--accent)" }]}
        orientation={isLying ? "vertical" : "horizontal"}
        valueFormatter={format}
        barProps={barProps}
        barChartProps={{ accessibilityLayer: false }}
        tooltipProps={{ isAnimationActive: false }}
        yAxisProps={{ width: isLying ? 190 : 76 }}
        xAxisProps={{ minTickGap: 4 }}
        gridAxis={isLying ? "y" : "x"}
        maxBarWidth={44}
        textColor="var(--ink-soft)"
        gridColor="var(--line-strong)"
      />
    </div>
    <div className={classes.numbers}>
      <table>
        <thead>
          <tr>
            <th>{nameHead}</th>
            <th>{valueHead}</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ name, fullName, text }) => (
            <tr key={name}>
              <td>{fullName ?? name}</td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </figure>
);

interface TimeChartProps {
  readonly title: string;
  readonly durations: Durations;
}

/** One chart, or a sentence where nothing was measured. */
export const TimeChart = ({ title, durations }: TimeChartProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const { medianMs, p90Ms, buckets } = durations;
  if (medianMs === null || p90Ms === null)
    return (
      <p className={classes.unmeasured}>
        {title}: {t("figures.notMeasured")}
      </p>
    );
  const half = t("figures.half", { time: secondsText(medianMs, language) });
  const most = t("figures.most", { time: secondsText(p90Ms, language) });
  return (
    <Chart
      title={`${title}: ${half}, ${most}`}
      nameHead={t("story.time")}
      valueHead={t("figures.number")}
      bars={buckets.map(({ belowMs, count }) => ({
        name: belowMs === null ? t("figures.longer") : `< ${secondsText(belowMs, language)}`,
        fullName: belowMs === null ? t("figures.longer") : t("figures.below", { time: secondsText(belowMs, language) }),
        value: count,
        text: numberText(count, language),
      }))}
      format={(count) => numberText(count, language)}
    />
  );
};

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
      <dl className={classes.figuresTotals}>
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
