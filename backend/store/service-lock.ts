/**
 * One service for one SQLite file: a second one would take the first one's orders for those of a dead process and send
 * them again. Commands may run beside it.
 */
import { closeSync, existsSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageOf } from "../service-error.ts";
import { StoreRefused } from "./store.ts";

/** How long to wait for a service that is just stopping. It blocks the event loop, as nothing is served yet. */
const waitMs = 1_000;

const makeLockFile = (path: string): string => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const real = existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
    closeSync(openSync(`${real}-lock`, "a", 0o600));
    return `${real}-lock`;
  } catch (cause) {
    throw new StoreRefused(`the database ${path} cannot be made: ${messageOf(cause)}`, { cause });
  }
};

const busy = 5;
const isBusy = (error: unknown): boolean => (((error as { errcode?: number }).errcode ?? 0) & 0xff) === busy;

/**
 * Locks `PATH-lock` beside the database, for the life of the process; the system releases it however the process ends.
 * @param path a database file, whose folder is created.
 * @throws StoreRefused when another service holds it, or the lock file cannot be created or locked.
 */
export const lockForService = (path: string): { release(): void } => {
  const lockPath = makeLockFile(path);
  const lock = new DatabaseSync(lockPath, { timeout: waitMs });
  try {
    // Nothing is written: a full disk must not look like another service.
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw new StoreRefused(`the file ${lockPath} cannot be locked: ${messageOf(cause)}`, { cause });
    throw new StoreRefused(
      `another service is running on the database ${path}: stop it first (several services share a PostgreSQL)`,
      { cause, why: "database_in_use" },
    );
  }
  return { release: () => lock.close() };
};
