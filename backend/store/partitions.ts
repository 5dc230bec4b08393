/** Tables that grow with the years, in PostgreSQL's partitions by time; on SQLite, and on engines without partitions, each is one table. */
import { sql } from "kysely";

/** From `since` on and before `until`, epoch milliseconds. */
export interface Months {
  readonly since: number;
  readonly until: number;
}

/** The month (UTC) before, the one and the one after. Literals of a statement that looks there first: PostgreSQL then plans for three partitions. */
export const monthsAround = ({ now }: { readonly now: number }): Months => {
  const at = new Date(now);
  const monthAfter = (count: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + count);
  return { since: monthAfter(-1), until: monthAfter(2) };
};

/** Whether a column lies in them. */
export const isIn = (column: string, { since, until }: Months) =>
  sql<boolean>`(${sql.ref(column)} >= ${sql.lit(since)} and ${sql.ref(column)} < ${sql.lit(until)})`;
