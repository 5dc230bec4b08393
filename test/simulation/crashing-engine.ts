/**
 * The service's database as one life of its machine has it: dead before or after a commit, never in the middle of a
 * statement; now and then the disk takes no commit. Tells which withdrawals each commit has changed.
 */
import { type SqliteEngine, SqliteFailure } from "../../backend/store/sqlite.ts";
import type { ServiceRow } from "./evidence.ts";
import type { FaultStream } from "./fault-injector.ts";
import { type Power, PowerCut } from "./power.ts";
import { type Columns, readRow, toRow } from "./read-service.ts";

/** Every statement of the service that changes withdrawals ends in RETURNING, but for the one that makes one: its first value is the id. */
const movesWithdrawals = (sql: string): boolean =>
  sql.startsWith('update "withdrawals"') || sql.startsWith('insert into "withdrawals"');

/** How a transaction begins and ends; all of it without values. */
const transactional: ReadonlySet<string> = new Set(["BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"]);

/** The disk of the service's database. */
export interface ServiceDisk {
  isFull(): boolean;
  fill(forMs: number): void;
}

/** Of the commits that a disk does not take, one is the first of a minute or two of them. */
const fullOnceIn = 4;
const fullMs = { min: 2_000, max: 120_000 } as const;
const noRoom = (): SqliteFailure => new SqliteFailure("storage", new Error("ENOSPC: no space left on device"));

/** Wraps the engine for one life; `onCommit` gets the withdrawals of each commit that was taken. */
export const crashingEngine = (options: {
  readonly database: SqliteEngine;
  readonly own: Power;
  readonly faults: FaultStream;
  /** Of the disk below it, or of the connection to it. */
  readonly ofDisk: FaultStream;
  /** The one below all processes: full for a while, now and then. */
  readonly disk: ServiceDisk;
  /** Over a connection, which may be lost after a commit. */
  readonly isShared: boolean;
  readonly onCommit: (rows: readonly ServiceRow[]) => void;
}): SqliteEngine => {
  const { database, own, ofDisk, disk } = options;
  const changed = new Map<string, ServiceRow>();
  /** A part of this transaction was taken back: what its statements returned may not be so. */
  let takenBack = false;
  let writes = false;
  const forget = (): void => {
    changed.clear();
    takenBack = false;
  };
  /** Prepared once, however the store asks for it. */
  const doNow = (sql: string) => database.query(sql, [], true);

  const commit = (): void => {
    own.touch();
    if (options.faults.occurs("serviceDiskFails")) {
      if (ofDisk.between(1, fullOnceIn) === 1) disk.fill(ofDisk.between(fullMs.min, fullMs.max));
      throw noRoom();
    }
    if (disk.isFull()) throw noRoom();
    doNow("COMMIT");
    const rows = takenBack ? [...changed.keys()].map((id) => readRow(database, id)) : [...changed.values()];
    forget();
    options.onCommit(rows.filter((row) => row !== null));
    own.touch();
    if (options.isShared && ofDisk.occurs("serviceCommitUnclear"))
      throw new SqliteFailure("storage", new Error("the connection was lost"));
  };

  const transact = (sql: string): void => {
    if (sql === "ROLLBACK") forget();
    if (sql === "COMMIT" && writes) commit();
    else doNow(sql);
    writes = sql === "BEGIN IMMEDIATE";
  };

  return {
    exec: (sql) => {
      if (!own.on) throw new PowerCut();
      if (transactional.has(sql)) transact(sql);
      else database.exec(sql);
    },
    query: (sql, values, keep) => {
      if (!own.on) throw new PowerCut();
      if (transactional.has(sql)) {
        transact(sql);
        return { rows: [], changes: 0 };
      }
      if (keep && ofDisk.occurs("serviceStatementFails")) {
        if (ofDisk.between(0, 1) === 0 && database.inTransaction()) transact("ROLLBACK");
        throw new SqliteFailure("storage", new Error("disk I/O error"));
      }
      const result = database.query(sql, values, keep);
      if (movesWithdrawals(sql)) {
        // Forgetting a key moves nothing, and names no row.
        for (const row of result.rows as Columns[]) if (row.id !== undefined) changed.set(row.id, toRow(row));
        const made = sql.startsWith("insert") ? readRow(database, String(values[0])) : null;
        if (made !== null) changed.set(made.transactionId, made);
      }
      if (sql === "ROLLBACK TO unit") takenBack = true;
      return result;
    },
    inTransaction: database.inTransaction,
    close: () => {},
  };
};
