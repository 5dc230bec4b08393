/** A page about a day, week, month or year of the calendar: picks it, asks, shows the answer. Days are `2026-11-22` texts. */

import { Button } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { t } from "i18next";
import { type ReactNode, useState } from "react";
import type { Command, PaidFigures } from "../../preload/contract.ts";
import { PickOne } from "../ui/controls.tsx";
import { Facts } from "../ui/data-table.tsx";
import { DateField } from "../ui/fields.tsx";
import { dayText, minorText, numberText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Query } from "../ui/query.tsx";
import classes from "./history.module.css";

/** What can be looked at at once. */
export const periods = ["day", "week", "month", "year"] as const;
/** One of `periods`. */
export type Period = (typeof periods)[number];

/** A range of days, its last one included. */
interface DayRange {
  readonly from: string;
  readonly to: string;
}

const dayMs = 86_400_000;
const toMs = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const toDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The day on the wall of this machine. */
export const dayOf = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");

/** The period that has this day in it; a week begins on Monday. */
export const rangeOf = (period: Period, day: string): DayRange => {
  const date = new Date(toMs(day));
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (period) {
    case "day":
      return { from: day, to: day };
    case "week": {
      const monday = toMs(day) - ((date.getUTCDay() + 6) % 7) * dayMs;
      return { from: toDay(monday), to: toDay(monday + 6 * dayMs) };
    }
    case "month":
      return { from: toDay(Date.UTC(year, month, 1)), to: toDay(Date.UTC(year, month + 1, 0)) };
    default:
      return { from: toDay(Date.UTC(year, 0, 1)), to: toDay(Date.UTC(year, 11, 31)) };
  }
};

/** A day of the period before (-1) or after (1). */
export const shifted = (period: Period, day: string, by: 1 | -1): string => {
  const { from, to } = rangeOf(period, day);
  return toDay(by === 1 ? toMs(to) + dayMs : toMs(from) - dayMs);
};

interface PeriodPageProps<T> {
  readonly offered: readonly Period[];
  readonly queryOf: (range: DayRange) => Command;
  readonly children: (answer: T, period: Period) => ReactNode;
}

/** Asks about the days that are picked, today first, and shows the answer. */
export const PeriodPage = <T,>({ offered, queryOf, children }: PeriodPageProps<T>) => {
  const [period, setPeriod] = useState<Period>("day");
  const [day, setDay] = useState(() => dayOf(new Date()));
  const { from, to } = rangeOf(period, day);
  return (
    <div className={page.stack}>
      <div className={page.row}>
        <PickOne
          label={t("figures.period")}
          options={offered.map((value) => [value, t(`figures.${value}`)])}
          picked={period}
          pick={setPeriod}
        />
        <div className={page.row}>
          <Button aria-label={t("figures.earlier")} onClick={() => setDay(shifted(period, day, -1))}>
            <IconChevronLeft aria-hidden />
          </Button>
          <DateField label={t("figures.date")} isLabelHidden value={day} change={(typed) => typed && setDay(typed)} />
          <Button aria-label={t("figures.later")} onClick={() => setDay(shifted(period, day, 1))}>
            <IconChevronRight aria-hidden />
          </Button>
          <Button onClick={() => setDay(dayOf(new Date()))}>{t("figures.today")}</Button>
        </div>
        <h2>{from === to ? dayText(from, "full") : `${dayText(from, "full")} – ${dayText(to, "full")}`}</h2>
      </div>
      <Query<T> key={`${period} ${day}`} command={queryOf({ from, to })}>
        {(answer) => children(answer, period)}
      </Query>
    </div>
  );
};

/** Sum, number and average of the cash that was handed out. */
export const PaidTotals = ({ paid: { currency, count, sumMinor } }: { readonly paid: PaidFigures }) => (
  <Facts
    className={classes.totals}
    rows={[
      [t("figures.sum"), minorText(sumMinor, currency)],
      [t("figures.count"), numberText(count)],
      [t("figures.average"), minorText(count === 0 ? 0 : Math.round(sumMinor / count), currency)],
    ]}
  />
);
