/** Shared parts of the tables: their frame and its states, and formats of times and amounts. */
import { Alert, Button, Loader } from "@mantine/core";
import type { ReactNode } from "react";
import type { Status } from "../contract/transaction.ts";
import type { Loaded } from "./session.ts";

const isLanguage = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
};
/** The browser's languages, without invalid tags such as `en-US@posix`. */
const languages = navigator.languages.filter(isLanguage);
const dateTime = new Intl.DateTimeFormat(languages, { dateStyle: "short", timeStyle: "short" });
const exact = new Intl.DateTimeFormat(languages, { dateStyle: "medium", timeStyle: "medium" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });
const count = new Intl.NumberFormat(languages);

/** Formats a whole number. */
export const number = (value: number): string => count.format(value);

/** Formats an amount with its currency. */
export const money = (amount: string, currency: string): string =>
  new Intl.NumberFormat(languages, { style: "currency", currency, currencyDisplay: "code" }).format(
    // Passed as a string, so that no float is involved.
    amount as Intl.StringNumericLiteral,
  );

/** Formats a time with seconds. */
export const exactTime = (time: string): string => exact.format(Date.parse(time));

/** Formats how long ago a time was, in one unit. */
export const ago = (time: string, now = Date.now()): string => {
  const minutes = Math.max(0, Math.floor((now - Date.parse(time)) / 60_000));
  if (minutes < 1) return "now";
  if (minutes < 60) return relative.format(-minutes, "minute");
  if (minutes < 48 * 60) return relative.format(-Math.floor(minutes / 60), "hour");
  return relative.format(-Math.floor(minutes / 1440), "day");
};

/** Shows a time and how long ago it was. */
export const When = ({ time }: { readonly time: string }) => (
  <time dateTime={time} title={exactTime(time)}>
    {dateTime.format(Date.parse(time))} <small>{ago(time)}</small>
  </time>
);

/** `act` needs somebody, `wait` continues by itself, `done` is fine, `off` is over. */
export type Tone = "act" | "wait" | "done" | "off";

/** A coloured label. */
export const Tag = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className="tag" data-tone={tone}>
    {children}
  </span>
);

/** The label and the tone of each status. */
export const statuses: Readonly<Record<Status, { readonly label: string; readonly tone: Tone }>> = {
  requested: { label: "Asked for", tone: "wait" },
  ready: { label: "Ready to be scanned", tone: "wait" },
  awaiting_sca: { label: "Waits for the customer", tone: "wait" },
  settling: { label: "Being paid", tone: "wait" },
  settled: { label: "Paid, no word of the cash", tone: "act" },
  linked: { label: "Handed out", tone: "done" },
  undelivered: { label: "Paid, not handed out", tone: "act" },
  declined: { label: "Declined by the bank", tone: "off" },
  rejected: { label: "Rejected at the till", tone: "off" },
  canceled: { label: "Cancelled", tone: "off" },
  expired: { label: "Expired", tone: "off" },
  failed: { label: "Not paid", tone: "off" },
};

/** A column: its heading, how to render a row's cell, and whether it holds figures. */
export type Column<Row> = readonly [head: string, cell: (row: Row) => ReactNode, kind?: "figures"];

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly foot?: readonly ReactNode[];
}

/** A table with sticky headings. */
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
  readonly tools?: ReactNode;
  /** Text shown instead of an empty table; null: not empty. */
  readonly empty: (data: T) => string | null;
  readonly children: (data: T) => ReactNode;
}

/** The frame of a table: title, tools, and the data or its loading, empty or error state. */
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
