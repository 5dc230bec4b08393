/** What this terminal knows beside what the service found, and what to do about each difference. */
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { BooksView } from "../../preload/contract.ts";
import { saveCsv } from "../ui/csv-file.ts";
import { BookLines } from "./book-lines.tsx";
import { BookTotals } from "./book-totals.tsx";
import classes from "./books.module.css";
import { booksCsv } from "./books-csv.ts";
import type { Period } from "./period.ts";
import { PeriodPage } from "./period-page.tsx";

/** A year's report is for the service's own tools. */
const offered: readonly Period[] = ["day", "week", "month"];

/** Sums and differences of the days that are picked. */
export const BooksPage = () => (
  <PeriodPage<BooksView>
    className={classes.books}
    offered={offered}
    queryOf={(range) => ({ type: "get_books", ...range })}
  >
    {(books) => <Shown books={books} />}
  </PeriodPage>
);

const Shown = ({ books }: { readonly books: BooksView }) => {
  const { t } = useTranslation();
  const { service, totals, agreeing, lines, leftOut, elsewhere, from, to } = books;
  const isAvailable = service === "available";
  const open = lines.filter(({ cleared }) => cleared === null);
  const done = lines.filter(({ cleared }) => cleared !== null);
  return (
    <div className={classes.shown}>
      {service !== "available" && (
        <p className={classes.half} role="status">
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
