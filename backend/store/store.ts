/**
 * The store's interface. A unit of work is an async function over a transaction; units that arrive together may share a
 * commit without knowing of each other. Kysely builds each statement once per dialect; the hot path only binds values.
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
  type SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
  ValueNode,
} from "kysely";
import { dayMs } from "../contract/times.ts";
import type { Status } from "../contract/transaction.ts";
import type { Cancel } from "../ports.ts";
import { columnsOf, type Database, type RowOf } from "./schema.ts";

/** A statement's result. */
export interface Rows {
  readonly rows: readonly unknown[];
  /** Rows inserted, updated or deleted by a statement without RETURNING. */
  readonly changes: number;
}

/** The transaction that a unit of work runs in. Every call throws after the unit's end, or once a unit that shares it has failed. */
export interface Tx {
  readonly dialect: Dialect;
  /** First row or undefined: `const row = await tx.first(byId({ id }))`. */
  first<R>(query: Query<R>): Promise<R | undefined>;
  all<R>(query: Query<R>): Promise<readonly R[]>;
  /** Runs a statement without RETURNING; returns the number of changed rows. */
  run(query: Query<unknown>): Promise<number>;
  /**
   * Runs a statement without waiting for its answer: on PostgreSQL it is sent along with later statements and the
   * COMMIT. Its failure fails the unit, which may have returned by then.
   * @returns as `run`, for use after the commit.
   */
  runUnawaited(query: Query<unknown>): Promise<number>;
  /** Reports a changed withdrawal, and its row after the commit; see `Store.onChange`. @param written what nothing changes any more. */
  changed(transactionId: string, row?: Withdrawal, written?: Written): void;
}

/** A row that a commit has written for good: how it is found, and its hash. */
export interface Written {
  readonly find: Query<{ readonly hash: string | null }>;
  readonly hash: string | null;
}

type Withdrawal = RowOf<"withdrawals">;
/** The withdrawals that a commit has changed. */
export type Changed = Map<string, Withdrawal | undefined>;

/** A unit of work. It must await only its statements, as others wait for their turn. */
export type UnitOfWork<T> = (tx: Tx) => Promise<T>;

/** A unique index refused a row. Catch it around `write`; the unit is rolled back. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super("a unique index refused the row", { cause });
    this.name = "UniqueViolation";
  }
}

/** The database cannot be used by this program; thrown at start, before anything in it is touched. */
export class StoreRefused extends Error {
  override readonly name = "StoreRefused";
  /** `other`: see the message. */
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
   * Runs a unit atomically; resolves (or rejects with what the unit threw) only after a durable commit. Decide inside
   * it: `UPDATE … WHERE status = … RETURNING`. A unit that throws is rolled back. It may run several times (PostgreSQL
   * repeats it after a deadlock), so it must have no other effects than its statements.
   * @throws ServiceError `unavailable` when the commit failed: nothing of the unit is there (on PostgreSQL a connection
   * lost during COMMIT leaves that open; every verb can be repeated).
   * @param about the withdrawal that the unit writes about, if it writes about no other and waits for no locks:
   * PostgreSQL may then commit units about different withdrawals together. Default: a transaction of its own.
   */
  write<T>(unit: UnitOfWork<T>, about?: string): Promise<T>;
  /**
   * Runs a unit of SELECTs outside of the write queue. Sees only committed data.
   * @param isShort it reads single rows by key: PostgreSQL sends such units together. Default: false.
   */
  read<T>(unit: UnitOfWork<T>, isShort?: boolean): Promise<T>;
  /**
   * Calls `run` after each commit by any process that reported `changed(transactionId)`; with the row if this process
   * made the commit. Without a row it only means "read again", and may be needless.
   * @param status the status that the caller has seen: PostgreSQL then wakes it only for another one. Default: woken by
   * every poll.
   */
  onChange(transactionId: string, run: (row?: Withdrawal) => void, status?: Status): Cancel;
  /**
   * Takes what was overwritten and deleted out of SQLite's log of writes, once it is out of the file (`secure_delete`). PostgreSQL does so in
   * its own time, by VACUUM.
   * @returns false: for seconds another process has read, or the disk did not take it.
   */
  emptyLog(): Promise<boolean>;
  /**
   * Names the database server as it runs now: another name after a restart, a failover, or a copy in its place. Null where the engine does
   * not tell. Absent on SQLite, whose file one process has.
   */
  server?(): string | null;
  /** Commits what is queued, then closes the database. */
  close(): Promise<void>;
}

/**
 * Runs a unit with a function that answers its statements.
 * @param changed collects the withdrawals that it reports as changed. @param unawaited collects unawaited answers in
 * order; a failure in them fails the unit. A unit of reads has neither.
 */
export const runUnit = async <T>(
  unit: UnitOfWork<T>,
  answer: (query: Query<unknown>) => Rows | Promise<Rows>,
  dialect: Dialect,
  changed: Changed = new Map(),
  unawaited: Promise<unknown>[] = [],
): Promise<T> => {
  let hasEnded = false;
  const ask = (query: Query<unknown>): Rows | Promise<Rows> => {
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
        const answered = (async () => ask(query))();
        unawaited.push(answered);
        const changes = answered.then((rows) => rows.changes);
        changes.catch(() => {});
        return changes;
      },
      changed: (transactionId, row) => void changed.set(transactionId, row),
    });
  } finally {
    hasEnded = true;
  }
};

/** Waiters of this process for changes of withdrawals; one instance per store. */
export const createChanges = () => {
  type Run = (row?: Withdrawal) => void;
  const waiting = new Map<string, Set<{ readonly run: Run; readonly status: Status | undefined }>>();
  return {
    /** @param status the status that the reader has seen, to be woken by another; without it, by every poll. */
    on(transactionId: string, run: Run, status?: Status): Cancel {
      const entry = { run, status };
      const entries = waiting.get(transactionId) ?? new Set();
      waiting.set(transactionId, entries.add(entry));
      return () => {
        entries.delete(entry);
        if (entries.size === 0 && waiting.get(transactionId) === entries) waiting.delete(transactionId);
      };
    },
    notify(transactionId: string, row?: Withdrawal): void {
      for (const { run } of [...(waiting.get(transactionId) ?? [])]) run(row);
    },
    /** Wakes those who have seen another status than this. */
    notifyUnless(transactionId: string, status: string): void {
      for (const each of [...(waiting.get(transactionId) ?? [])]) if (each.status !== status) each.run();
    },
    /** Up to `most` of the awaited withdrawals, in rotation. */
    inTurn(most: number): readonly string[] {
      const some = [...waiting.entries().take(most)];
      for (const [transactionId, entries] of some) {
        waiting.delete(transactionId);
        waiting.set(transactionId, entries);
      }
      return some.map(([transactionId]) => transactionId);
    },
    get size(): number {
      return waiting.size;
    },
  };
};
/** See `createChanges`. */
export type Changes = ReturnType<typeof createChanges>;

/** The SQL dialect. */
export type Dialect = "sqlite" | "postgres";
/** Column values on both stores. */
export type Value = string | number | null;
/** The values of a statement's placeholders, by name. */
export type Values = Readonly<Record<string, Value>>;
type Compilable<R> = { compile(): CompiledQuery<R> };

interface Sql {
  readonly text: string;
  readonly values: readonly Value[];
  /** Distinguishes texts of the same name. Default: only one. */
  readonly variant?: string | undefined;
}

/** One statement with its values; `R` is the type of its rows. */
export interface Query<R> {
  readonly kind: "query";
  /** The same name and variant always have the same text, so it can be prepared once. Null for SQL that is built each time. */
  readonly name: string | null;
  sql(dialect: Dialect): Sql;
  /** For statements that wait for locks: in a shared transaction they are sent in ascending order. Default: 0. */
  readonly lockOrder?: number;
  /** Whether units in a shared transaction share one answer if they send it with equal values in one turn. Default: false. */
  readonly isShared?: boolean;
  /** Stands for it in a shared transaction, whose units run again alone if it fails. Default: itself. */
  readonly whenShared?: Query<R>;
  /** Never set; only carries the rows' type. */
  readonly row?: R;
}

/** Stands for a value while the SQL is built. */
class Placeholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** SQLite has one writer at a time, and no locks on rows. */
class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitSelectQuery({ endModifiers: _, ...node }: SelectQueryNode): void {
    super.visitSelectQuery(node);
  }
}

/** Kysely without a connection, for compiling only. */
const builderFor = (parts: Omit<KyselyDialect, "createDriver">) =>
  new Kysely<Database>({ dialect: { ...parts, createDriver: () => new DummyDriver() } });
const builders: Readonly<Record<Dialect, Kysely<Database>>> = {
  sqlite: builderFor({
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteCompiler(),
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

/** Puts constants into the statement's text, since SQLite binds each value anew at each call. */
const withConstants: KyselyPlugin = {
  transformQuery: ({ node }) => constants.transformNode(node),
  transformResult: async ({ result }) => result,
};

/** For `statement`, whose constants are our own; callers' input is always bound. */
const statementBuilders: typeof builders = { ...builders, sqlite: builders.sqlite.withPlugin(withConstants) };

/**
 * Declares a statement, at module level: `const byId = statement("merchant_by_id", (db, p: { id: string }) =>
 * db.selectFrom("merchants").select(merchantColumns).where("id", "=", p.id))`, then `await tx.first(byId({ id }))`. `p` holds
 * placeholders: use its fields only as values (never in `in (…)` lists or in JavaScript). `forUpdate()` is PostgreSQL's alone.
 * @param name unique in the program; also the prepared statement's name on PostgreSQL.
 * @param monthsOf put into the text (`isIn`), so that PostgreSQL plans for them; other months make another text. Default: none.
 */
export const statement = <P extends Values, R>(
  name: string,
  build: (db: Kysely<Database>, p: P, months: Span) => Compilable<R>,
  monthsOf?: (values: P) => Span,
): ((values: P) => Query<R>) => {
  const compile = (dialect: Dialect, months: Span) => {
    const placeholders = new Proxy({}, { get: (_, key) => new Placeholder(String(key)) }) as P;
    const { sql: text, parameters } = build(statementBuilders[dialect], placeholders, months).compile();
    return { text, parameters, months, variant: monthsOf && `${months.from}_${months.to}` };
  };
  const compiled: Partial<Record<Dialect, ReturnType<typeof compile>>> = {};
  return (values) => ({
    kind: "query",
    name,
    sql(dialect) {
      const months = monthsOf === undefined ? always : monthsOf(values);
      let known = compiled[dialect];
      if (known?.months.from !== months.from || known.months.to !== months.to) {
        known = compile(dialect, months);
        compiled[dialect] = known;
      }
      const { text, parameters, variant } = known;
      return {
        text,
        values: parameters.map((each) => (each instanceof Placeholder ? bound(name, values, each) : toValue(each))),
        variant,
      };
    },
  });
};

/**
 * Declares an INSERT that leaves rows alone that are there already. For each row that it inserts PostgreSQL's log would have a second
 * record; so in a shared transaction such a row, which is rare, is refused instead, and the units run again alone.
 * @param build with `isAlone` false it has no `ON CONFLICT`.
 */
export const insertUnlessThere = <P extends Values, R>(
  name: string,
  build: (db: Kysely<Database>, p: P, isAlone: boolean) => Compilable<R>,
): ((values: P) => Query<R>) => {
  const alone = statement<P, R>(name, (db, p) => build(db, p, true));
  const outright = statement<P, R>(`${name}_outright`, (db, p) => build(db, p, false));
  return (values) => ({ ...alone(values), whenShared: outright(values) });
};

/** A period in epoch milliseconds; `to` is exclusive. */
export type Span = { readonly from: number; readonly to: number };
const always: Span = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** The start (UTC) of the month `count` months after a time's. */
export const monthStart = (at: number, count: number): number => {
  const day = new Date(at);
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + count);
};

/** The previous, current and next month (UTC), used as literals so that PostgreSQL plans for three partitions only. */
export const monthsAround = ({ now }: { readonly now: number }): Span => ({
  from: monthStart(now, -1),
  to: monthStart(now, 2),
});

/** The month (UTC) of now and of a day ago, in the same way: where nearly all lies of a withdrawal that is under way. */
export const monthsLately = ({ now }: { readonly now: number }): Span => ({
  from: monthStart(now - dayMs, 0),
  to: monthStart(now, 1),
});

/** SQL condition: a column is within the period. */
export const isIn = (column: string, { from, to }: Span) =>
  sql<boolean>`(${sql.ref(column)} >= ${sql.lit(from)} and ${sql.ref(column)} < ${sql.lit(to)})`;

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

/** An INSERT of a row from placeholders named like its columns. @param leftOut columns that get their default. */
export const insertRow = <Name extends keyof Database>(
  db: Kysely<Database>,
  table: Name,
  p: Values,
  ...leftOut: readonly (keyof Database[Name] & string)[]
) => {
  const row = Object.fromEntries(columnsOf(table, ...leftOut).map((name) => [name, p[name]]));
  return db.insertInto(table).values(row as unknown as InsertObject<Database, Name>);
};
