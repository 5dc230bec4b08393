/** A page about a day, week, month or year of the calendar: picks it, asks, shows the answer. Days are `2026-11-22` texts. Among them the books. */

import { Button } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { t } from "i18next";
import { type ReactNode, useState } from "react";
import { codeText } from "../../backend/contract/ids.ts";
import type { Amount, BookLine, BooksView, BookTotal, Command, PaidFigures } from "../../preload/contract.ts";
import { PickOne } from "../ui/controls.tsx";
import { DataTable, Facts } from "../ui/data-table.tsx";
import { DateField } from "../ui/fields.tsx";
import { amountText, dayText, minorText, momentText, numberText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Query } from "../ui/query.tsx";
import { booksSheet, totalsSheet } from "./csv-columns.ts";
import classes from "./history.module.css";
import { ClearedBy } from "./history.tsx";
import { SaveSheet } from "./save-sheet.tsx";
import { discrepancyText, findingText, outcomeText } from "./words.ts";

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

interface BookLinesProps {
  readonly lines: readonly BookLine[];
  /** False where the service was not asked or did not answer: then nothing is said about what it knows. */
  readonly hasService: boolean;
}

/** Each difference with both sides and what to do, or what a manager did. */
export const BookLines = ({ lines, hasService }: BookLinesProps) => {
  const side = (money: Amount | null, end: string) => (
    <>
      {money && amountText(money)}
      <small>{end}</small>
    </>
  );
  const moment = ({ at, transactionId, terminalReference }: BookLine) => (
    <>
      {momentText(at)}
      <small>{codeText(transactionId)}</small>
      {terminalReference !== null && (
        <small className={classes.ownId} title={terminalReference}>
          {terminalReference}
        </small>
      )}
    </>
  );
  const what = ({ cleared, explanation, noted }: BookLine) => (
    <>
      {cleared === null ? t(`books.explain.${explanation}`) : <ClearedBy cleared={cleared} />}
      {noted !== null && <small>{t("books.noted", { what: discrepancyText(noted, t) })}</small>}
    </>
  );
  const unknownThere = hasService ? t("books.unknownThere") : "–";
  return (
    <DataTable
      rows={lines}
      keyOf={({ transactionId, at }) => `${transactionId} ${at}`}
      columns={[
        [t("history.time"), moment],
        [
          t("books.here"),
          ({ here }) => (here ? side(here.money, outcomeText(here.outcome, t)) : t("books.unknownHere")),
        ],
        [t("books.there"), ({ there }) => (there ? side(there.money, findingText(there, t)) : unknownThere)],
        [t("books.what"), what],
      ]}
    />
  );
};

/** Cash handed out, as both sides count it; a row a currency. */
const BookTotals = ({ totals }: { readonly totals: readonly BookTotal[] }) => {
  if (totals.length === 0) return null;
  return (
    <table className={page.table}>
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
                {minorText(here.sumMinor, currency)} ({numberText(here.count)})
              </td>
              <td>{there === null ? "–" : `${minorText(there.sumMinor, currency)} (${numberText(there.count)})`}</td>
              <td className={difference === null || difference === 0 ? undefined : classes.differs}>
                {difference === null ? "–" : minorText(difference, currency)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
};

/** A year's report is for the service's own tools. */
const offered: readonly Period[] = ["day", "week", "month"];

/** What this terminal knows of the days that are picked beside what the service found, and what to do about each difference. */
export const BooksPage = () => (
  <PeriodPage<BooksView> offered={offered} queryOf={(range) => ({ type: "get_books", ...range })}>
    {(books) => <Shown books={books} />}
  </PeriodPage>
);

const Shown = ({ books }: { readonly books: BooksView }) => {
  const { service, totals, agreeing, lines, leftOut, elsewhere, from, to } = books;
  const isAvailable = service === "available";
  const open = lines.filter(({ cleared }) => cleared === null);
  const done = lines.filter(({ cleared }) => cleared !== null);
  return (
    <div className={page.stack}>
      {service !== "available" && (
        <p className={page.caution} role="status">
          {t(`books.${service}`)}
        </p>
      )}
      <BookTotals totals={totals} />
      {isAvailable && <p>{t("books.agree", { count: agreeing })}</p>}
      {open.length === 0 ? (
        <p>{t(isAvailable ? (done.length === 0 ? "books.clean" : "books.allCleared") : "books.cleanHere")}</p>
      ) : (
        <BookLines lines={open} hasService={isAvailable} />
      )}
      {done.length > 0 && (
        <>
          <h3>{t("books.cleared")}</h3>
          <BookLines lines={done} hasService={isAvailable} />
        </>
      )}
      {leftOut > 0 && <p>{t("books.leftOut", { count: leftOut })}</p>}
      {elsewhere.lines > 0 && (
        <p className={page.soft}>{t("books.elsewhere", { count: elsewhere.lines, open: elsewhere.unresolved })}</p>
      )}
      <div className={page.row}>
        <SaveSheet
          name={t("books.title")}
          period={{ from, to }}
          what={t("csv.sums")}
          sheet={(context) => totalsSheet(context, books)}
        />
        {lines.length > 0 && (
          <SaveSheet
            name={t("books.title")}
            period={{ from, to }}
            what={t("csv.differences")}
            sheet={(context) => booksSheet(context, books)}
          />
        )}
      </div>
    </div>
  );
};
