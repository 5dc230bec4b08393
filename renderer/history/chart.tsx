/** A bar chart with the same figures as a table beside it: who cannot see the one reads the other. */
import { BarChart } from "@mantine/charts";
import classes from "./figures.module.css";

/** One bar. */
export interface Bar {
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
