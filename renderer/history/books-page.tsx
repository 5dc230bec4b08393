/** What this terminal knows beside what the service found, and what to do about each difference. */

import { t } from "i18next";
import { codeText } from "../../backend/contract/ids.ts";
import type { Amount, BookLine, BooksView, BookTotal } from "../../preload/contract.ts";
import { DataTable } from "../ui/data-table.tsx";
import { amountText, minorText, momentText, numberText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { booksSheet, totalsSheet } from "./csv-columns.ts";
import classes from "./history.module.css";
import { ClearedBy } from "./history.tsx";
import { type Period, PeriodPage } from "./period-page.tsx";
import { SaveSheet } from "./save-sheet.tsx";
import { discrepancyText, findingText, outcomeText } from "./words.ts";

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

/** Sums and differences of the days that are picked. */
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
