/** Queries that are built by Kysely once for each dialect and then only bound: the hot path never builds SQL. */
import {
  type CompiledQuery,
  DummyDriver,
  type InsertObject,
  Kysely,
  type KyselyPlugin,
  OperationNodeTransformer,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from "kysely";
import { columnsOf, type Database } from "./schema.ts";

/** Which of the two stores a statement is for. */
export type Dialect = "sqlite" | "postgres";
/** What a column can hold on both stores. */
export type Value = string | number | null;
/** The values of a statement's placeholders, by name. */
export type Values = Readonly<Record<string, Value>>;
type Compilable<R> = { compile(): CompiledQuery<R> };

/** A statement as a driver takes it. */
interface Sql {
  readonly text: string;
  readonly values: readonly Value[];
}

/** One statement with its values; `R` is the type of its rows. */
export interface Query<R> {
  readonly kind: "query";
  /** Same text under the same name: what can be prepared once. Null for SQL that is built again each time. */
  readonly name: string | null;
  sql(dialect: Dialect): Sql;
  /** For a statement that waits for a lock: where units share a transaction it is sent in ascending order. Default: 0. */
  readonly lockOrder?: number;
  /** Never set; carries the type of the rows. */
  readonly row?: R;
}

/** Stands for a value while the SQL is built. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Kysely for each dialect, without a connection: it only compiles. */
const builders: Readonly<Record<Dialect, Kysely<Database>>> = {
  sqlite: new Kysely<Database>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
};

class Constants extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return node.value instanceof Placeholder ? node : ValueNode.createImmediate(node.value);
  }
}

const constants = new Constants();

/** What is the same in every call of a statement stands in its text: SQLite is handed each value anew at each call. */
const withConstants: KyselyPlugin = {
  transformQuery: ({ node }) => constants.transformNode(node),
  transformResult: async ({ result }) => result,
};

/** For statements, whose values are placeholders or words of our own; what a caller has sent is bound. */
const statementBuilders: typeof builders = { ...builders, sqlite: builders.sqlite.withPlugin(withConstants) };

/**
 * Declares a statement, at module level: `const byId = statement("merchant_by_id", (db, p: { id: string }) =>
 * db.selectFrom("merchants").select(merchantColumns).where("id", "=", p.id))`, then `await tx.first(byId({ id }))`.
 * `p` holds placeholders: use its fields only as values (never in `in (…)` lists or in JavaScript).
 * @param name unique in the program; the name of the prepared statement on PostgreSQL.
 */
export const statement = <P extends Values, R>(
  name: string,
  build: (db: Kysely<Database>, p: P, dialect: Dialect) => Compilable<R>,
): ((values: P) => Query<R>) => {
  const compiled: Partial<Record<Dialect, { text: string; parameters: readonly unknown[] }>> = {};
  const compile = (dialect: Dialect) => {
    const placeholders = new Proxy({}, { get: (_, key) => new Placeholder(String(key)) }) as P;
    const { sql, parameters } = build(statementBuilders[dialect], placeholders, dialect).compile();
    return { text: sql, parameters };
  };
  return (values) => ({
    kind: "query",
    name,
    sql(dialect) {
      compiled[dialect] ??= compile(dialect);
      const { text, parameters } = compiled[dialect];
      return {
        text,
        values: parameters.map((each) => (each instanceof Placeholder ? bound(name, values, each) : toValue(each))),
      };
    },
  });
};

/** A query whose shape depends on the call (filters, lists); built each time. */
export const adhoc = <R>(build: (db: Kysely<Database>, dialect: Dialect) => Compilable<R>): Query<R> => ({
  kind: "query",
  name: null,
  sql(dialect) {
    const { sql, parameters } = build(builders[dialect], dialect).compile();
    return { text: sql, values: parameters.map(toValue) };
  },
});

const bound = (name: string, values: Values, placeholder: Placeholder): Value => {
  const value = values[placeholder.name];
  if (value === undefined) throw new TypeError(`statement ${name} got no value for ${placeholder.name}`);
  return value;
};

const toValue = (parameter: unknown): Value => {
  if (typeof parameter === "string" || typeof parameter === "number" || parameter === null) return parameter;
  throw new TypeError(`no column holds a ${typeof parameter}`);
};

/** An INSERT of a row, from placeholders that have the names of its columns. @param leftOut what gets its default. */
export const insertRow = <Name extends keyof Database>(
  db: Kysely<Database>,
  table: Name,
  p: Values,
  ...leftOut: readonly (keyof Database[Name] & string)[]
) => {
  const row = Object.fromEntries(columnsOf(table, ...leftOut).map((name) => [name, p[name]]));
  return db.insertInto(table).values(row as unknown as InsertObject<Database, Name>);
};
