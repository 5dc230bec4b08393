/** Sums, counts and ends of a day, a week, a month or a year, as bars. Loaded when it is first opened, with what it draws with. */
import { t } from "i18next";
import "@mantine/charts/styles.layer.css";
import { BarChart } from "@mantine/charts";
import type { FiguresView, PaidFigures, Slot } from "../../preload/contract.ts";
import { dayText, minorText, numberText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { figuresSheet } from "./csv-columns.ts";
import classes from "./history.module.css";
import { PaidTotals, type Period, PeriodPage, periods } from "./period-page.tsx";
import { SaveSheet } from "./save-sheet.tsx";
import { outcomeText } from "./words.ts";

interface Bar {
  readonly name: string;
  readonly value: number;
}

interface ChartProps {
  readonly title: string;
  readonly valueName: string;
  readonly bars: readonly Bar[];
  /** Bars to the right, for long names. */
  readonly isLying?: boolean;
  readonly format: (value: number) => string;
}

const still = { isAnimationActive: false } as const;
const wholeNumbers = { allowDecimals: false } as const;
/** A label at each line: the library leaves out labels that it takes for too close, together with their lines. */
const everyFigure = { ...wholeNumbers, interval: 0 } as const;
/** Room for half of the topmost figure. */
const margin = { top: 10 };
const heightPx = 200;
const lyingBarPx = 36;

/** Bars in one colour, since there is one series, and a list of them for screen readers. */
const Chart = ({ title, valueName, bars, isLying = false, format }: ChartProps) => (
  <figure className={page.card}>
    <figcaption>{title}</figcaption>
    <div aria-hidden>
      <BarChart
        h={isLying ? Math.max(110, bars.length * lyingBarPx + 40) : heightPx}
        data={bars.map(({ name, value }) => ({ name, value }))}
        dataKey="name"
        series={[{ name: "value", label: valueName, color: "var(--accent)" }]}
        orientation={isLying ? "vertical" : "horizontal"}
        valueFormatter={format}
        barProps={still}
        barChartProps={{ accessibilityLayer: false, margin }}
        tooltipProps={still}
        yAxisProps={{ width: isLying ? 190 : 76, ...everyFigure }}
        xAxisProps={{ minTickGap: 4, ...(isLying ? everyFigure : wholeNumbers) }}
        gridAxis={isLying ? "y" : "x"}
        maxBarWidth={44}
        textColor="var(--ink-soft)"
        gridColor="var(--line-strong)"
      />
    </div>
    <ul className="visually-hidden">
      {bars.map(({ name, value }) => (
        <li key={name}>
          {name}: {format(value)}
        </li>
      ))}
    </ul>
  </figure>
);

interface Named extends Slot {
  readonly name: string;
}

/** From the first hour with a withdrawal to the last: a shop is not open all night. */
const openHours = (byHour: readonly Slot[]): readonly Named[] => {
  const busy = byHour.flatMap(({ count }, hour) => (count > 0 ? [hour] : []));
  const [first, last] = [Math.min(...busy), Math.max(...busy)];
  return byHour.map((slot, hour) => ({ ...slot, name: `${hour}–${hour + 1}` })).slice(first, last + 1);
};

const byMonth = (byDay: PaidFigures["byDay"]): readonly Named[] => {
  const months = new Map<string, Slot>();
  for (const { day, count, sumMinor } of byDay) {
    const before = months.get(day.slice(0, 7)) ?? { count: 0, sumMinor: 0 };
    months.set(day.slice(0, 7), { count: before.count + count, sumMinor: before.sumMinor + sumMinor });
  }
  return [...months].map(([month, slot]) => ({ ...slot, name: dayText(`${month}-01`, "month") }));
};

const daysOf = ({ byDay }: PaidFigures, period: Period): readonly Named[] =>
  period === "year"
    ? byMonth(byDay)
    : byDay.map(({ day, ...slot }) => ({
        ...slot,
        name: dayText(day, period === "week" ? "weekday" : "short"),
      }));

/** Sums and counts in a chart each, since their scales differ. */
const PaidCharts = ({ paid, period }: { readonly paid: PaidFigures; readonly period: Period }) => {
  const { currency } = paid;
  const money = (minor: number): string => minorText(minor, currency);
  const whole = (count: number): string => numberText(count);
  const slots = period === "day" ? openHours(paid.byHour) : daysOf(paid, period);
  const by = period === "day" ? "Hour" : period === "year" ? "Month" : "Day";
  const counts = (of: readonly Named[]): readonly Bar[] => of.map(({ name, count }) => ({ name, value: count }));
  return (
    <>
      <Chart
        title={t(`figures.by${by}`)}
        valueName={t("figures.sum")}
        bars={slots.map(({ name, sumMinor }) => ({ name, value: sumMinor }))}
        format={money}
      />
      <Chart title={t(`figures.countBy${by}`)} valueName={t("figures.count")} bars={counts(slots)} format={whole} />
      {period !== "day" && (
        <Chart
          title={t("figures.countByHour")}
          valueName={t("figures.count")}
          bars={counts(openHours(paid.byHour))}
          format={whole}
        />
      )}
    </>
  );
};

/** The figures, and a table of them to save. */
export const FiguresPage = () => (
  <PeriodPage<FiguresView> offered={periods} queryOf={(range) => ({ type: "get_figures", ...range })}>
    {(figures, period) => <Shown figures={figures} period={period} />}
  </PeriodPage>
);

const Shown = ({ figures, period }: { readonly figures: FiguresView; readonly period: Period }) => {
  const { withdrawals, paid, ends, from, to, timeZone } = figures;
  if (withdrawals === 0) return <p className={page.soft}>{t("figures.none")}</p>;
  return (
    <div className={page.stack} data-shown={from}>
      {paid.map((one) => (
        <PaidTotals key={one.currency} paid={one} />
      ))}
      <div className={classes.charts}>
        {paid.map((one) => (
          <PaidCharts key={one.currency} paid={one} period={period} />
        ))}
        <Chart
          title={t("figures.ends")}
          valueName={t("figures.number")}
          isLying
          bars={ends.map(({ outcome, count }) => ({ name: outcomeText(outcome, t), value: count }))}
          format={(value) => numberText(value)}
        />
      </div>
      <p className={page.soft}>{t("figures.scope", { zone: timeZone })}</p>
      {paid.length > 0 && (
        <SaveSheet
          name={t("figures.title")}
          period={{ from, to }}
          sheet={(context) => figuresSheet(context, figures)}
        />
      )}
    </div>
  );
};
