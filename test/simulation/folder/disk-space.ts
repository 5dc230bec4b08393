/** The size of a till's disk: what the program itself writes takes from it, and what it removes gives back. */
import { existsSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import type { OpenDatabase } from "../../../main/terminal/journal/database.ts";
import type { DiskRoom } from "../../../main/terminal/journal/files.ts";
import type { JournalDatabase } from "../../../main/terminal/ports.ts";

/** A disk that others use too. */
export interface DiskSpace {
  readonly room: DiskRoom;
  /** Files whose writes fail when the disk is full. */
  limited(open: OpenDatabase): OpenDatabase;
  /** So many bytes are left; null: as many as it has. */
  leave(bytes: number | null): void;
  /** Once something of an archive is written, no byte is left. */
  fillAtArchive(onFull: () => void): void;
  /** Something of an archive that was begun lies there still. */
  hasLeftover(): boolean;
}

/** Small beside the product's, as the journals are. */
const reserveBytes = 256 * 1024;
/** Enough for all that the program may write beside its books, with the room that these leave free; not for a log or dumps without a bound. */
const diskBytes = 160_000_000;
/** No statement writes more. */
const statementBytesMax = 256 * 1024;
/** It is not measured again before so many of them, as others write too. */
const statementsUnmeasuredMax = 100;

const isFull = (): Error => Object.assign(new Error("database or disk is full"), { errcode: 13 });

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, entry) => sum + (statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

const changesRows = /^\s*(insert|update|delete|replace)/i;

/** As large as it has to be at first. */
export const createDiskSpace = (home: string): DiskSpace => {
  let capacity = diskBytes;
  /** So many statements are written for sure. */
  let sure = 0;
  let onArchive: (() => void) | null = null;
  const used = (): number => (existsSync(home) ? bytesIn(home) : 0);
  const free = (): number => Math.max(0, capacity - used());
  const check = (): void => {
    sure -= 1;
    if (sure >= 0) return;
    const left = free();
    if (left === 0) throw isFull();
    sure = Math.min(statementsUnmeasuredMax, Math.floor(left / statementBytesMax));
  };
  const leave = (bytes: number | null): void => {
    // What was to fill it has passed: a fill that never came may not come while the books are read.
    if (bytes === null) onArchive = null;
    capacity = bytes === null ? diskBytes : used() + bytes;
    sure = 0;
  };
  const wroteArchive = (): void => {
    if (onArchive === null) return;
    leave(0);
    onArchive();
    onArchive = null;
  };

  const bounded = (database: JournalDatabase, isArchive: boolean): JournalDatabase => ({
    exec(sql) {
      if (sql.startsWith("COMMIT")) check();
      database.exec(sql);
      if (isArchive && sql === "COMMIT") wroteArchive();
    },
    prepare(sql) {
      const statement = database.prepare(sql);
      if (!changesRows.test(sql)) return statement;
      return {
        all: (...values) => statement.all(...values),
        iterate: (...values) => statement.iterate(...values),
        get: (...values) => statement.get(...values),
        setReturnArrays: (enabled) => statement.setReturnArrays(enabled),
        run(...values) {
          check();
          return statement.run(...values);
        },
      };
    },
    get isTransaction() {
      return database.isTransaction;
    },
    close: () => database.close(),
  });

  return {
    room: { freeBytes: free, reserveBytes },
    limited: (open) => (file, mode) => {
      const database = open(file, mode);
      return mode === "read" ? database : bounded(database, file.endsWith(".part"));
    },
    leave,
    fillAtArchive(onFull) {
      onArchive = onFull;
    },
    hasLeftover: () => {
      const folder = path.join(home, "archive");
      return existsSync(folder) && readdirSync(folder).some((name) => !name.endsWith(".db"));
    },
  };
};
