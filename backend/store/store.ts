/**
 * The store as the rest of the service sees it. A unit of work is an async function over a transaction; several that arrive
 * together may share a commit, without knowing of each other. Its statements are built by Kysely once for each dialect and then
 * only bound: the hot path never builds SQL.
 */

import {
  type CompiledQuery,
  DummyDriver,
  type InsertObject,
  Kysely,
  type Dialect as KyselyDialect,
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
import type { Status } from "../contract/transaction.ts";
import type { Cancel } from "../ports.ts";
import { columnsOf, type Database, type RowOf } from "./schema.ts";

/** What a statement brought. */
export interface Rows {
  readonly rows: readonly unknown[];
  /** Rows inserted, updated or deleted by a statement without RETURNING. */
  readonly changes: number;
}

/** The transaction that a unit of work runs in. After the unit's end, and after any unit that shares it has failed, every call throws. */
export interface Tx {
  /** Of the store. */
  readonly dialect: Dialect;
  /** First row or undefined: `const row = await tx.first(byId({ id }))`. */
  first<R>(query: Query<R>): Promise<R | undefined>;
  /** All rows. */
  all<R>(query: Query<R>): Promise<readonly R[]>;
  /** How many rows a statement without RETURNING changed. */
  run(query: Query<unknown>): Promise<number>;
  /**
   * Runs a statement whose answer the unit does not need: on PostgreSQL it travels with the statements that follow and with
   * the COMMIT. What fails in it fails the unit, which may be done by then.
   */
  runUnawaited(query: Query<unknown>): void;
  /** Says that a withdrawal was changed, and what it is from the commit on; see `Store.onChange`. */
  changed(transactionId: string, row?: Withdrawal): void;
}

type Withdrawal = RowOf<"withdrawals">;
/** The withdrawals that a commit has changed. */
export type Changed = Map<string, Withdrawal | undefined>;

/** A unit of work. It awaits nothing but its statements: others wait for their turn meanwhile. */
export type UnitOfWork<T> = (tx: Tx) => Promise<T>;

/** A unique index refused a row; catch it around `write`, the unit is rolled back. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super("a unique index refused the row", { cause });
    this.name = "UniqueViolation";
  }
}

/** The database cannot be used by this program; thrown at start, before anything in it is touched. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused";
  /** `other`: only its sentence says. */
  readonly why: "newer_database" | "database_in_use" | "other_environment" | "other";
  constructor(message: string, options: ErrorOptions & { readonly why?: StoreRefused["why"] } = {}) {
    super(message, options);
    this.why = options.why ?? "other";
  }
}

/** A database, SQLite or PostgreSQL. */
export interface Store {
  readonly dialect: Dialect;
  /**
   * Runs a unit atomically; resolves (or rejects with what the unit threw) only after a durable commit. Decide inside:
   * `UPDATE … WHERE status = … RETURNING`. A unit that throws leaves nothing behind. It may run more than once
   * (PostgreSQL repeats it after a deadlock), so it has no effects but its statements.
   * @throws ServiceError `unavailable` when the commit failed: nothing of the unit is there (on PostgreSQL a connection
   * lost during COMMIT leaves that open; every verb can be repeated).
   * @param about the withdrawal that the unit writes about, where it writes about no other and waits for nobody else's
   * lock: a fleet's store may commit units about different withdrawals together. Default: a transaction of its own.
   */
  write<T>(unit: UnitOfWork<T>, about?: string): Promise<T>;
  /**
   * Runs a unit of SELECTs outside of the write queue. Never sees what is not committed.
   * @param isShort it looks up single rows by their keys: a fleet's store sends such units together. Default: false.
   */
  read<T>(unit: UnitOfWork<T>, isShort?: boolean): Promise<T>;
  /**
   * Calls `run` after each commit, by any process, that said `changed(transactionId)`: with the row where this process has made
   * it, as it was then. Without one it may be called for nothing, and says no more than "read again".
   * @param status what the caller has seen, and waits to see replaced: a fleet's store compares many of them at once
   * instead of waking each. Default: woken by every look.
   */
  onChange(transactionId: string, run: (row?: Withdrawal) => void, status?: Status): Cancel;
  /** Commits what is queued, then lets go of the database. */
  close(): Promise<void>;
}

/**
 * Runs a unit over whatever answers its statements.
 * @param changed gets what it said to have changed.
 * @param unawaited gets the answers that it has not waited for, in order; what failed in them has failed the unit.
 */
export const runUnit = async <T>(
  unit: UnitOfWork<T>,
  answer: (query: Query<unknown>) => Rows | Promise<Rows>,
  changed: Changed,
  unawaited: Promise<unknown>[],
  dialect: Dialect,
): Promise<T> => {
  let hasEnded = false;
  const ask = async (query: Query<unknown>): Promise<Rows> => {
    if (hasEnded) throw new Error("a unit of work asked for a statement after its end");
    return answer(query);
  };
  try {
    return await unit({
      dialect,
      first: async <R>(query: Query<R>) => (await ask(query)).rows[0] as R | undefined,
      all: async <R>(query: Query<R>) => (await ask(query)).rows as readonly R[],
      run: async (query) => (await ask(query)).changes,
      runUnawaited(query) {
        const answered = ask(query);
        answered.catch(() => {});
        unawaited.push(answered);
      },
      changed: (transactionId, row) => void changed.set(transactionId, row),
    });
  } finally {
    hasEnded = true;
  }
};

/** Who waits in this process for which transaction to change; one for each store. */
export const createChanges = () => {
  type Run = (row?: Withdrawal) => void;
  const waiting = new Map<string, Set<{ readonly run: Run; readonly status: Status | undefined }>>();
  return {
    /** @param status what the waiting reader has seen, to be woken by another; without one it is woken by every look. */
    on(transactionId: string, run: Run, status?: Status): Cancel {
      const entry = { run, status };
      const entries = waiting.get(transactionId) ?? new Set();
      waiting.set(transactionId, entries.add(entry));
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && waiting.get(transactionId) === entries) waiting.delete(transactionId);
      };
    },
    /** The transaction was changed. */
    notify(transactionId: string, row?: Withdrawal): void {
      for (const { run } of [...(waiting.get(transactionId) ?? [])]) run(row);
    },
    /** The transaction has this status now: wakes those who have seen another. */
    notifyUnless(transactionId: string, status: string): void {
      for (const each of [...(waiting.get(transactionId) ?? [])]) if (each.status !== status) each.run();
    },
    /** At most so many of the transactions that are waited for, in turn: each comes up again after all others. */
    inTurn(most: number): readonly string[] {
      const some = [...waiting.entries().take(most)];
      for (const [transactionId, entries] of some) {
        waiting.delete(transactionId);
        waiting.set(transactionId, entries);
      }
      return some.map(([transactionId]) => transactionId);
    },
    /** Transactions that are waited for. */
    get size(): number {
      return waiting.size;
    },
  };
};
/** What waits for changes. */
export type Changes = ReturnType<typeof createChanges>;

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
  /** Tells texts of one name apart. Default: there is one. */
  readonly variant?: string;
}

/** One statement with its values; `R` is the type of its rows. */
export interface Query<R> {
  readonly kind: "query";
  /** Same text under the same name and variant: what can be prepared once. Null for SQL that is built again each time. */
  readonly name: string | null;
  sql(dialect: Dialect): Sql;
  /** For a statement that waits for a lock: where units share a transaction it is sent in ascending order. Default: 0. */
  readonly lockOrder?: number;
  /** Where units that share a transaction ask this with the same values in one turn, one answer is for all of them. Default: false. */
  readonly isShared?: boolean;
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

/** Kysely without a connection: it only compiles. */
const builderFor = (parts: Omit<KyselyDialect, "createDriver">) =>
  new Kysely<Database>({ dialect: { ...parts, createDriver: () => new DummyDriver() } });
const builders: Readonly<Record<Dialect, Kysely<Database>>> = {
  sqlite: builderFor({
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }),
  postgres: builderFor({
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
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
 * @param literalsOf numbers that stand in the text (`sql.lit`), so that PostgreSQL plans for them: each makes a text of its own.
 */
export const statement = <P extends Values, R, L extends object = object>(
  name: string,
  build: (db: Kysely<Database>, p: P, dialect: Dialect, literals: L) => Compilable<R>,
  literalsOf: (values: P) => L = () => ({}) as L,
): ((values: P) => Query<R>) => {
  const compiled: Partial<Record<Dialect, { variant: string; text: string; parameters: readonly unknown[] }>> = {};
  const compile = (dialect: Dialect, literals: L, variant: string) => {
    const placeholders = new Proxy({}, { get: (_, key) => new Placeholder(String(key)) }) as P;
    const { sql, parameters } = build(statementBuilders[dialect], placeholders, dialect, literals).compile();
    return { variant, text: sql, parameters };
  };
  return (values) => ({
    kind: "query",
    name,
    sql(dialect) {
      const literals = literalsOf(values);
      const variant = Object.values(literals).join("_");
      let known = compiled[dialect];
      if (known?.variant !== variant) {
        known = compile(dialect, literals, variant);
        compiled[dialect] = known;
      }
      const { text, parameters } = known;
      return {
        text,
        values: parameters.map((each) => (each instanceof Placeholder ? bound(name, values, each) : toValue(each))),
        ...(variant === "" ? {} : { variant }),
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
