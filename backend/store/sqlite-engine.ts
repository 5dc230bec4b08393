/** The few things the SQLite store asks of an engine, so that a test can put one on a file system that loses power. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Value } from "./statement.ts";

export interface SqliteEngine {
  exec(sql: string): void;
  /** Prepares once for each text that is kept. */
  query(sql: string, values: readonly Value[], keep: boolean): { rows: readonly unknown[]; changes: number };
  /** False after a failure that made SQLite roll back by itself. */
  inTransaction(): boolean;
  close(): void;
}

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
    const code =
      error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : null;
    throw code === null ? error : new SqliteFailure(sqliteFailureKind(code), error);
  }
};

/** Node's own SQLite. `busyTimeoutMs` blocks the event loop: keep it short once the service is up. */
export const openNodeSqlite = (path: string, busyTimeoutMs: number): SqliteEngine => {
  const db = translated(() => new DatabaseSync(path, { timeout: busyTimeoutMs, enableForeignKeyConstraints: false }));
  const kept = new Map<string, { statement: StatementSync; returnsRows: boolean }>();

  const prepare = (sql: string, keep: boolean) => {
    const known = kept.get(sql);
    if (known) return known;
    const statement = db.prepare(sql);
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    if (keep) kept.set(sql, prepared);
    return prepared;
  };

  return {
    exec: (sql) => translated(() => db.exec(sql)),
    query: (sql, values, keep) =>
      translated(() => {
        const { statement, returnsRows } = prepare(sql, keep);
        if (returnsRows) return { rows: statement.all(...values), changes: 0 };
        return { rows: [], changes: Number(statement.run(...values).changes) };
      }),
    inTransaction: () => db.isTransaction,
    close: () => db.close(),
  };
};
