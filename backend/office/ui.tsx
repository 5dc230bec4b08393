/** What the tables share: their frame with its states, and how times and amounts are written. */
import { Alert, Button, Loader } from "@mantine/core";
import type { ReactNode } from "react";
import type { Loaded } from "./session.ts";

const isLanguage = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
};
/** As the reader's browser writes them; a system may name what is no language, such as `en-US@posix`. */
const languages = navigator.languages.filter(isLanguage);
const dateTime = new Intl.DateTimeFormat(languages, { dateStyle: "short", timeStyle: "short" });
const exact = new Intl.DateTimeFormat(languages, { dateStyle: "medium", timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });
const count = new Intl.NumberFormat(languages);

/** A whole number. */
export const number = (value: number): string => count.format(value);

/** A decimal text with its currency. */
export const money = (amount: string, currency: string): string =>
  new Intl.NumberFormat(languages, { style: "currency", currency, currencyDisplay: "code" }).format(
    // The text itself, not a float of it.
    amount as Intl.StringNumericLiteral,
  );

/** With seconds. */
export const exactTime = (time: string): string => exact.format(Date.parse(time));

/** How long ago, in one unit. */
export const ago = (time: string, now = Date.now()): string => {
  const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / 60_000));
  if (minutes < 1) return "now";
  if (minutes < 60) return relative.format(-minutes, "minute");
  if (minutes < 48 * 60) return relative.format(-Math.floor(minutes / 60), "hour");
  return relative.format(-Math.floor(minutes / 1440), "day");
};

/** A time, with how long ago. */
export const When = ({ time }: { readonly time: string }) => (
  <time dateTime={time} title={exactTime(time)}>
    {dateTime.format(Date.parse(time))} <small>{ago(time)}</small>
  </time>
);

/** A word with a colour behind it: `act` somebody has to, `wait` it goes on by itself, `done` all is well, `off` it is over. */
export const Tag = ({
  tone,
  children,
}: {
  readonly tone: "act" | "wait" | "done" | "off";
  readonly children: ReactNode;
}) => (
  <span className="tag" data-tone={tone}>
    {children}
  </span>
);

/** A column: its head, its cell of a row, whether figures stand in it. */
export type Column<Row> = readonly [head: string, cell: (row: Row) => ReactNode, kind?: "figures"];

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** The last row, of sums. */
  readonly foot?: readonly ReactNode[];
}

/** Rows under heads that stay in sight. */
export const Table = <Row,>({ caption, columns, rows, keyOf, foot }: TableProps<Row>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard has to get there
  <section className="table" aria-label={caption} tabIndex={0}>
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map(([head, , kind]) => (
            <th key={head} scope="col" data-kind={kind}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(([head, cell, kind]) => (
              <td key={head} data-kind={kind}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      {foot && (
        <tfoot>
          <tr>
            {columns.map(([head, , kind], at) => (
              <td key={head} data-kind={kind}>
                {foot[at]}
              </td>
            ))}
          </tr>
        </tfoot>
      )}
    </table>
  </section>
);

interface ViewProps<T> {
  readonly loaded: Loaded<T>;
  readonly title: string;
  /** What stands beside the title: filters, buttons. */
  readonly tools?: ReactNode;
  /** Said in place of the table where there is nothing; null: there is something. */
  readonly empty: (data: T) => string | null;
  readonly children: (data: T) => ReactNode;
}

/** A title, tools, and what was read: or that it is being read, that there is nothing, or why it could not be read. */
export const View = <T,>({ loaded, title, tools, empty, children }: ViewProps<T>) => {
  const { data, problem, isLoading, at, again } = loaded;
  const nothing = data === null ? null : empty(data);
  return (
    <section className="view" aria-labelledby="view" aria-busy={isLoading}>
      <div className="tools">
        <h2 id="view">{title}</h2>
        {tools}
        <div className="fresh">
          <span role="status">
            {isLoading ? "Reading …" : at !== null && `As of ${new Date(at).toLocaleTimeString(languages)}`}
          </span>
          <Button onClick={again} disabled={isLoading}>
            Refresh
          </Button>
        </div>
      </div>
      <div>
        {problem !== null && (
          <Alert color="red" title={data === null ? "This could not be read" : "This could not be read anew"}>
            {problem}{" "}
            {data !== null && at !== null && `What you see is of ${new Date(at).toLocaleTimeString(languages)}.`}
          </Alert>
        )}
      </div>
      {data === null && problem === null && (
        <div className="nothing">
          <Loader aria-hidden />
        </div>
      )}
      {data !== null && (nothing === null ? children(data) : <p className="nothing">{nothing}</p>)}
    </section>
  );
};
