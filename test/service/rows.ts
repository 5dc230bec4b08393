/** The rows of a database: to compare them, or to put it back to them. */
import { sql } from "kysely";
import type { Database } from "../../backend/store/schema.ts";
import { adhoc, type Store, type Value } from "../../backend/store/store.ts";

/** A table of the service. */
export type Table = keyof Database;
/** By table. */
export type Rows<Some extends Table = Table> = Readonly<Record<Some, readonly Readonly<Record<string, Value>>[]>>;

const namesIn = {
  sqlite: "SELECT name, 0 AS part FROM sqlite_master WHERE type = 'table'",
  postgres: `SELECT relname AS name, relispartition::int AS part FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') ORDER BY name`,
};

/** What there is to hold rows; rows of partitions are found in their table. */
export const tablesOf = async (store: Store): Promise<{ readonly tables: Table[]; readonly partitions: string[] }> => {
  const names = sql.raw<{ readonly name: Table; readonly part: number }>(namesIn[store.dialect]);
  const found = await store.read((tx) => tx.all(adhoc((db) => ({ compile: () => names.compile(db) }))));
  const { tables = [], partitions = [] } = Object.groupBy(found, ({ part }) => (part ? "partitions" : "tables"));
  return { tables: tables.map(({ name }) => name), partitions: partitions.map(({ name }) => name) };
};

/** What these tables hold. */
export const rowsOf = <Some extends Table>(store: Store, tables: readonly Some[]): Promise<Rows<Some>> =>
  store.read(async (tx) => {
    const rows: [Some, readonly object[]][] = [];
    for (const table of tables) rows.push([table, await tx.all(adhoc((db) => db.selectFrom(table).selectAll()))]);
    return Object.fromEntries(rows) as Rows<Some>;
  });

/** What one of them holds. */
export const rowsIn = async <One extends Table>(store: Store, table: One) => (await rowsOf(store, [table]))[table];

/** These tables hold these rows again, and no others. */
export const putBack = (store: Store, rows: Partial<Rows>): Promise<void> =>
  store.write(async (tx) => {
    for (const [table, those] of Object.entries(rows) as [Table, readonly Record<string, Value>[]][]) {
      await tx.run(adhoc((db) => db.deleteFrom(table)));
      for (const row of those) await tx.run(adhoc((db) => db.insertInto(table).values(row)));
    }
  });
