/** A till's disk that keeps only what was synced: its journal's SQLite does its file calls through a disk that loses the rest with the power. */
import { createRequire } from "node:module";
import path from "node:path";
import { openJournal } from "../../main/terminal/journal/journal.ts";
import type { JournalDatabase } from "../../main/terminal/ports.ts";
import { createChance } from "../random.ts";
import { LossyDisk } from "../service/lossy-disk.ts";
import type { TillDisk } from "./folder/till-disk.ts";

const { Database } = createRequire(import.meta.url)("node-sqlite3-wasm") as typeof import("node-sqlite3-wasm");

/** The power goes at one of so many syncs of a life, the first ones while the journal is opened. */
const syncsPerLifeMax = 120;

/** WAL without shared memory needs the exclusive lock; small checkpoints, so that the power also goes during one. */
export const openOnFiles = (file: string, synchronous: "FULL" | "NORMAL"): JournalDatabase => {
  const database = new Database(file);
  const statements: ReturnType<typeof database.prepare>[] = [];
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA wal_autocheckpoint = 30");
  return {
    exec: (sql) => database.exec(sql.replace("synchronous = FULL", `synchronous = ${synchronous}`)),
    prepare: (sql) => {
      const statement = database.prepare(sql);
      statements.push(statement);
      let asArrays = false;
      const all = (values: (number | string | null)[]): Record<string, unknown>[] => {
        const rows = statement.all(values);
        return asArrays ? rows.map((row) => Object.values(row) as unknown as Record<string, unknown>) : rows;
      };
      return {
        all: (...values) => all(values),
        iterate: (...values) => all(values),
        // Its own get() leaves the statement, and so a transaction, open; node:sqlite does not.
        get: (...values) => all(values)[0],
        setReturnArrays: (enabled) => {
          asArrays = enabled;
        },
        run: (...values) => statement.run(values),
      };
    },
    get isTransaction() {
      return database.inTransaction;
    },
    close: () => {
      // With one left the file would stay locked.
      for (const statement of statements) statement.finalize();
      database.close();
    },
  };
};

/** One at a time: it stands between this process and its files. `close` takes it out again. */
export const openLossyTillDisk = (
  folder: string,
  synchronous: "FULL" | "NORMAL",
  seed: number,
): TillDisk & { readonly losses: number } => {
  const disk = new LossyDisk(folder);
  const remove = disk.install();
  const chance = createChance(seed);
  let losses = 0;
  return {
    get lost() {
      return disk.lost;
    },
    get losses() {
      return losses;
    },
    journal: () => {
      disk.loseAtSync(chance.between(1, syncsPerLifeMax));
      return openJournal(path.join(folder, "journal.db"), 0, "write", (file) => openOnFiles(file, synchronous));
    },
    powerCut: () => {
      losses += 1;
      // Every other time, some of what was not synced has reached the disk all the same.
      disk.restart(losses % 2 === 0 ? null : () => chance.happens(0.5));
    },
    copy: () => 0,
    restore: () => {},
    close: remove,
  };
};
