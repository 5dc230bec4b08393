/** The few things the SQLite store asks of an engine, so that a test can put one on a file system that loses power. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
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
  /** Of the columns; none for a statement that returns no rows. */
  readonly names: readonly string[];
}

/** As node:sqlite's own rows, whose names it makes anew for each row, in objects that are slow to read. */
const toRow = (names: readonly string[], values: readonly unknown[]): Readonly<Record<string, unknown>> => {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < names.length; at += 1) row[names[at] as string] = values[at];
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
    statement.setReturnArrays(true);
    const names = statement.columns().map(({ name }) => name);
    if (new Set(names).size < names.length) throw new TypeError(`columns that cannot be told apart: ${names}`);
    const prepared = { statement, names };
    if (keep) kept.set(sql, prepared);
    return prepared;
  };

  return {
    exec: (sql) => translated(() => db.exec(sql)),
    query: (sql, values, keep) =>
      translated(() => {
        const { statement, names } = prepare(sql, keep);
        if (names.length > 0) {
          const rows = statement.all(...values) as unknown as readonly (readonly unknown[])[];
          return { rows: rows.map((values) => toRow(names, values)), changes: 0 };
        }
        return { rows: [], changes: Number(statement.run(...values).changes) };
      }),
    inTransaction: () => db.isTransaction,
    close: () => db.close(),
  };
};
