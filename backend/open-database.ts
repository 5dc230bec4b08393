import { recordSettings } from "./access/setting-entries.ts";
import { systemClock, systemRandom } from "./adapters.ts";
import type { Config } from "./config.ts";
import { keyNames } from "./context.ts";
import { showRestored } from "./operate/backups.ts";
import { finishCutOffRestore } from "./operate/restore.ts";
import { preparePartners } from "./partner/partners.ts";
import type { Log } from "./ports.ts";
import { prepareDatabase } from "./prepare-database.ts";
import type { DatabaseAddress } from "./store/database-url.ts";
import type { openStore } from "./store/open.ts";
import { lockForService, type ServiceLock } from "./store/service-lock.ts";
import { assertEnvironment } from "./store/settings.ts";

/** A file has one service; a PostgreSQL has any number. */
const lockService = (address: DatabaseAddress): ServiceLock | null =>
  address.kind === "sqlite" && address.path !== ":memory:" ? lockForService(address.path) : null;

/** @throws StoreRefused when the database cannot be used, or is another purpose's; nothing is left open then. */
const openDatabase = async (config: Config, log: Log, open: typeof openStore) => {
  // Before anything of it is read: what serves it already must find nothing changed.
  const lock = lockService(config.database);
  /** Lets go of the lock, also where the store does not close. */
  const release = (): void => lock?.release();
  const report = (line: string): void => log.warn({}, line);
  const settings = { ...config.databasePool, fraction: systemRandom.fraction, migrates: config.sandbox, report };
  const opened = await finishCutOffRestore(config.database, true)
    .then(() => open(config.databaseUrl, systemClock, settings))
    .catch((error: unknown) => {
      release();
      throw error;
    });
  /** Stops reading the time, and closes the store. */
  let close = (): Promise<void> => opened.close();
  try {
    await assertEnvironment(opened, config.sandbox);
    const { restored, stopReadingTime, ...prepared } = await prepareDatabase(opened, config, systemClock, log);
    close = () => {
      stopReadingTime();
      return opened.close();
    };
    if (restored !== null)
      log.warn(showRestored(restored), "the database is a copy that was put back: what was open in it is ended");
    // A fleet's other processes may not have SERVICE_KEY yet: there the operator says when.
    const { store, clock, keys, keyCipher } = prepared;
    const isAlone = store.dialect === "sqlite";
    const servedWith = isAlone && config.serviceKey !== null ? keyNames(keys) : null;
    const plain = await preparePartners(store, clock, {
      ...config,
      keyCipher,
      seal: isAlone,
      servedWith,
      onChange: (tx, changed) => recordSettings(tx, keys, clock.now(), changed),
    });
    if (plain > 0) log.warn({ keys: plain }, "keys of banks are not encrypted yet: partners encrypt-keys");
    return { ...prepared, close, release };
  } catch (error) {
    await close();
    release();
    throw error;
  }
};

/** A database that this process works with; its clock is on PostgreSQL the server's, which a fleet has in common. */
export type OpenedDatabase = Awaited<ReturnType<typeof openDatabase>>;

/** Opens it for `work`; where that fails, as a start on a port that is taken, nothing is left open, and the file is free for the next one. */
export const onDatabase = async <T>(
  config: Config,
  log: Log,
  open: typeof openStore,
  work: (database: OpenedDatabase) => Promise<T>,
): Promise<T> => {
  const database = await openDatabase(config, log, open);
  try {
    return await work(database);
  } catch (error) {
    await database.close();
    database.release();
    throw error;
  }
};
