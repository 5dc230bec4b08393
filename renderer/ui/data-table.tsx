/** Tables and lists of facts, from what they show. */
import type { ReactNode } from "react";
import page from "./page.module.css";

type Column<Row> = readonly [head: string, cell: (row: Row, at: number) => ReactNode, className?: string | undefined];

interface DataTableProps<Row> {
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, at: number) => string | number;
  /** A false one is left out; the column of buttons has an empty head. */
  readonly columns: readonly (Column<Row> | false)[];
}

/** A table, row by row. */
export const DataTable = <Row,>({ rows, keyOf, columns }: DataTableProps<Row>) => {
  const shown = columns.filter((column) => column !== false);
  return (
    <table className={page.table}>
      <thead>
        <tr>
          {shown.map(([head, , name]) => {
            const Head = head === "" ? "td" : "th";
            return (
              <Head key={head} className={name}>
                {head}
              </Head>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={keyOf(row, at)}>
            {shown.map(([head, cell, name]) => (
              <td key={head} className={name}>
                {cell(row, at)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
};

/** Names with their values. */
export interface FactsProps {
  /** One without a value is left out; a sum may stand below a line. */
  readonly rows: readonly (readonly [name: string, value: string | null | undefined, isSum?: boolean])[];
  /** Default: names and values in two columns. */
  readonly className?: string | undefined;
}

/** Names and their values. */
export const Facts = ({ rows, className = page.facts }: FactsProps) => (
  <dl className={className}>
    {rows.map(
      ([name, value, isSum]) =>
        value && (
          <div key={name} data-sum={isSum || undefined}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
    )}
  </dl>
);
