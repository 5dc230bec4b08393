/** An SQLite whose file calls go through Node's `fs`, behind the engine's interface, so that a test can take its power. */
import { createRequire } from "node:module";
import { type SqliteEngine, SqliteFailure, type SqliteFailureKind } from "../../backend/store/sqlite.ts";

const { Database } = createRequire(import.meta.url)("node-sqlite3-wasm") as typeof import("node-sqlite3-wasm");
type Statement = ReturnType<InstanceType<typeof Database>["prepare"]>;

const kinds: readonly [RegExp, SqliteFailureKind][] = [
  [/UNIQUE constraint/, "unique"],
  [/locked/, "busy"],
  [/I\/O error|full|readonly|malformed|open/, "storage"],
];

const translated = <T>(run: () => T): T => {
  try {
    return run();
  } catch (error) {
    const message = String(error);
    throw new SqliteFailure(kinds.find(([words]) => words.test(message))?.[1] ?? "statement", error);
  }
};

/** WAL without shared memory needs the exclusive lock; small checkpoints, so that the power also goes during one. */
export const openWasmSqlite = (path: string): SqliteEngine => {
  const db = translated(() => new Database(path));
  translated(() => db.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA wal_autocheckpoint = 30"));
  const kept = new Map<string, Statement>();

  /** A statement that failed cannot be used again. */
  const drop = (sql: string, statement: Statement) => {
    kept.delete(sql);
    try {
      statement.finalize();
    } catch {
      // It repeats the failure that was told already.
    }
  };

  return {
    exec: (sql) => translated(() => db.exec(sql)),
    query: (sql, values, keep) =>
      translated(() => {
        const statement = kept.get(sql) ?? db.prepare(sql);
        try {
          const returnsRows = /^\s*(select|pragma|with)\b|\breturning\b/i.test(sql);
          const result = returnsRows
            ? { rows: statement.all([...values]), changes: 0 }
            : { rows: [], changes: statement.run([...values]).changes };
          if (keep) kept.set(sql, statement);
          else statement.finalize();
          return result;
        } catch (error) {
          drop(sql, statement);
          throw error;
        }
      }),
    inTransaction: () => db.inTransaction,
    close() {
      for (const [sql, statement] of kept) drop(sql, statement);
      translated(() => db.close());
    },
  };
};
