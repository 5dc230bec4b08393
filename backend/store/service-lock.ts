/**
 * One service for one SQLite file: a second one would take the first one's orders in flight for those of a dead process
 * and send them again. Commands may work beside it.
 */
import { closeSync, existsSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreRefused } from "./store.ts";

/** A service that is just ending has so long. It blocks the event loop: nothing is served yet. */
const waitMs = 1_000;

/** The lock of one SQLite file. */
export interface ServiceLock {
  release(): void;
}

const makeLockFile = (path: string): string => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const real = existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
    closeSync(openSync(`${real}-lock`, "a", 0o600));
    return `${real}-lock`;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : cause;
    throw new StoreRefused(`the database ${path} cannot be made: ${why}`, { cause });
  }
};

/**
 * Locks `PATH-lock` beside the database, for the life of the process: the system lets go of it however the process ends.
 * @param path of a database file; its folder is made.
 * @throws StoreRefused when another service holds it, or nothing can be made there.
 */
export const lockForService = (path: string): ServiceLock => {
  const lockPath = makeLockFile(path);
  const lock = new DatabaseSync(lockPath, { timeout: waitMs });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    throw new StoreRefused(
      `another service is running on the database ${path}: stop it first (several services share a PostgreSQL)`,
      { cause, why: "database_in_use" },
    );
  }
  return { release: () => lock.close() };
};
