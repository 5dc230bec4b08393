/** What this terminal knows beside what the service found, and what to do about each difference. */
import { Button } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { BooksView } from "../../preload/contract.ts";
import { dayOf, type Period, rangeOf } from "../figures/period.ts";
import { PickPeriod } from "../figures/pick-period.tsx";
import { saveCsv } from "../ui/csv-file.ts";
import { Query } from "../ui/query.tsx";
import { useQuery } from "../ui/use-query.ts";
import { BookLines } from "./book-lines.tsx";
import { BookTotals } from "./book-totals.tsx";
import classes from "./books.module.css";
import { booksCsv } from "./books-csv.ts";

/** A year's report is for the service's own tools. */
const offered: readonly Period[] = ["day", "week", "month"];

/** Today first. */
export const BooksPage = () => {
  const [[period, day], pick] = useState<readonly [Period, string]>(() => ["day", dayOf(new Date())]);
  return (
    <div className={classes.books}>
      <PickPeriod
        offered={offered}
        period={period}
        day={day}
        pick={(nextPeriod, nextDay) => pick([nextPeriod, nextDay])}
      />
      <Asked key={`${period} ${day}`} period={period} day={day} />
    </div>
  );
};

const Asked = ({ period, day }: { readonly period: Period; readonly day: string }) => {
  const { state, refetch } = useQuery<BooksView>({ type: "get_books", ...rangeOf(period, day) });
  return (
    <Query state={state} again={refetch}>
      {(books) => <Shown books={books} />}
    </Query>
  );
};

const Shown = ({ books }: { readonly books: BooksView }) => {
  const { t } = useTranslation();
  const { service, totals, agreeing, lines, leftOut, elsewhere, from, to } = books;
  const isAvailable = service === "available";
  return (
    <div className={classes.shown}>
      {service !== "available" && (
        <p className={classes.half} role="status">
          {t(`books.${service}`)}
        </p>
      )}
      <BookTotals totals={totals} />
      {isAvailable && <p>{t("books.agree", { count: agreeing })}</p>}
      {lines.length === 0 ? (
        <p>{t(isAvailable ? "books.clean" : "books.cleanHere")}</p>
      ) : (
        <BookLines lines={lines} hasService={isAvailable} />
      )}
      {leftOut > 0 && <p>{t("books.leftOut", { count: leftOut })}</p>}
      {elsewhere.lines > 0 && (
        <p className={classes.elsewhere}>
          {t("books.elsewhere", { count: elsewhere.lines, open: elsewhere.unresolved })}
        </p>
      )}
      <Button size="lg" variant="default" onClick={() => saveCsv(`books-${from}-${to}`, booksCsv(books))}>
        {t("history.csv")}
      </Button>
    </div>
  );
};
