/** The few things the SQLite store asks of an engine, so that a test can put one on a file system that loses power. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { isDeepStrictEqual } from "node:util";
import type { Value } from "./statement.ts";

/** An open database file. Calls are synchronous and throw SqliteFailure. */
export interface SqliteEngine {
  exec(sql: string): void;
  /** Prepares once for each text that is kept. */
  query(sql: string, values: readonly Value[], keep: boolean): { rows: readonly unknown[]; changes: number };
  /** False after a failure that made SQLite roll back by itself. */
  inTransaction(): boolean;
  close(): void;
}

/** `busy`: wait; `unique`: a unique violation; `storage`: unavailable for now; `statement`: a defect of the program. */
export type SqliteFailureKind = "busy" | "unique" | "storage" | "statement";

/** A failure of SQLite, sorted by what the caller can do about it. */
export class SqliteFailure extends Error {
  readonly kind: SqliteFailureKind;
  constructor(kind: SqliteFailureKind, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = "SqliteFailure";
    this.kind = kind;
  }
}

/** Primary result codes (extended codes carry them in the low byte). */
const busyCodes = [5, 6];
/** Read-only, I/O, corrupt, full, cannot open, no memory, permission, not a database. */
const storageCodes = [3, 7, 8, 10, 11, 13, 14, 26];
/** SQLITE_CONSTRAINT_UNIQUE and _PRIMARYKEY. */
const uniqueCodes = [2067, 1555];

/** @param extendedCode SQLite's extended result code. */
export const sqliteFailureKind = (extendedCode: number): SqliteFailureKind => {
  if (uniqueCodes.includes(extendedCode)) return "unique";
  const primary = extendedCode & 0xff;
  if (busyCodes.includes(primary)) return "busy";
  return storageCodes.includes(primary) ? "storage" : "statement";
};

const translated = <T>(run: () => T): T => {
  try {
    return run();
  } catch (error) {
    const { errcode } = error as { readonly errcode?: unknown };
    throw typeof errcode === "number" ? new SqliteFailure(sqliteFailureKind(errcode), error) : error;
  }
};

interface Prepared {
  readonly statement: StatementSync;
  /** A row with all names and no values; `null` for a statement that returns no rows. */
  readonly blank: Readonly<Record<string, unknown>> | null;
}

const blankRow = (names: readonly string[]): Readonly<Record<string, unknown>> => {
  const blank = Object.fromEntries(names.map((name) => [name, null]));
  // Two columns of one name, or a number for a name, would move the values along.
  if (!isDeepStrictEqual(Object.keys(blank), names)) throw new TypeError(`columns that cannot be told apart: ${names}`);
  return blank;
};

const named = (blank: Readonly<Record<string, unknown>>, values: unknown): Record<string, unknown> => {
  const row = { ...blank };
  let index = 0;
  for (const name in row) row[name] = (values as readonly unknown[])[index++];
  return row;
};

/** Node's own SQLite. `busyTimeoutMs` blocks the event loop: keep it short once the service is up. */
export const openNodeSqlite = (path: string, busyTimeoutMs: number): SqliteEngine => {
  const db = translated(() => new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: false }));
  const kept = new Map<string, Prepared>();

  const prepare = (sql: string, keep: boolean): Prepared => {
    const known = kept.get(sql);
    if (known) return known;
    const statement = db.prepare(sql);
    // Rows as arrays, named here from one blank row: node:sqlite makes a string of each name for each row.
    statement.setReturnArrays(true);
    const names = statement.columns().map(({ name }) => name);
    const prepared = { statement, blank: names.length === 0 ? null : blankRow(names) };
    if (keep) kept.set(sql, prepared);
    return prepared;
  };

  return {
    exec: (sql) => translated(() => db.exec(sql)),
    query: (sql, values, keep) =>
      translated(() => {
        const { statement, blank } = prepare(sql, keep);
        if (blank !== null) return { rows: statement.all(...values).map((row) => named(blank, row)), changes: 0 };
        return { rows: [], changes: Number(statement.run(...values).changes) };
      }),
    inTransaction: () => db.isTransaction,
    close: () => db.close(),
  };
};
