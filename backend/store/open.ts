/** Opens the store that DATABASE_URL names. */
import { chmodSync, closeSync, fchmodSync, fstatSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../ports.ts";
import { messageOf } from "../service-error.ts";
import { databaseUrlForm, readDatabaseUrl } from "./database-url.ts";
import type { PostgresOptions } from "./postgres.ts";
import { openSqliteStore } from "./sqlite.ts";
import { type Store, StoreRefused } from "./store.ts";

/** Settings of the PostgreSQL store; see `PoolSettings`. */
export type StoreSettings = Partial<Omit<PostgresOptions, "address" | "clock">>;

/**
 * Opens `sqlite:PATH` (creating its folder and migrating the file), `sqlite::memory:`, or `postgres://…` (which is only
 * checked unless `migrates` is set). Several processes may do so at once.
 * @throws StoreRefused with a sentence for the operator.
 */
export const openStore = async (databaseUrl: string, clock: Clock, settings: StoreSettings = {}): Promise<Store> => {
  const address = readDatabaseUrl(databaseUrl);
  if (address === null) throw new StoreRefused(`DATABASE_URL ${databaseUrlForm}`);
  if (address.kind === "postgres") {
    // Loaded on demand: a service on SQLite starts without the driver.
    const { openPostgresStore } = await import("./postgres.ts");
    return openPostgresStore({ address, clock, ...settings });
  }
  if (address.path !== ":memory:") makePrivate(address.path);
  return openSqliteStore({ path: address.path, clock });
};

/** Others who can write the folder could replace the database. A folder whose mode we may not change is left alone. */
const keepOthersFromWriting = (folder: string): void => {
  const { mode } = statSync(folder);
  if ((mode & 0o002) === 0 || (mode & 0o1000) !== 0) return;
  try {
    chmodSync(folder, mode & 0o7775);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EPERM" && code !== "EROFS") throw error;
  }
};

/** The file holds customers' ids and banks' secrets, so only its owner may read it. SQLite's other files get the same mode. */
const makePrivate = (path: string) => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    keepOthersFromWriting(dirname(path));
    const file = openSync(path, "a", 0o600);
    try {
      if ((fstatSync(file).mode & 0o077) !== 0) fchmodSync(file, 0o600);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new StoreRefused(`the database ${path} cannot be made: ${messageOf(error)}`);
  }
};
