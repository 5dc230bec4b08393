import { settingsAudit } from "./access/setting-entries.ts";
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
import { lockForService } from "./store/service-lock.ts";
import { assertEnvironment } from "./store/settings.ts";
import { closeCounted, countStart } from "./store/starts.ts";

/** The SQLite file, which may have one service; a PostgreSQL may have any number. */
const fileOf = (address: DatabaseAddress): string | null =>
  address.kind === "sqlite" && address.path !== ":memory:" ? address.path : null;

/**
 * @param undo closes what is open.
 * @throws StoreRefused when the database cannot be used, or belongs to another environment.
 */
const openDatabase = async (config: Config, log: Log, open: typeof openStore, undo: AsyncDisposableStack) => {
  const file = fileOf(config.database);
  // Before anything is read: a service that already runs on it must find nothing changed.
  const lock = file === null ? null : lockForService(file);
  /** Releases the lock, also where the store fails to close. */
  const release = (): void => lock?.release();
  undo.defer(release);
  const report = (line: string): void => log.warn({}, line);
  const isSandbox = config.sandbox;
  const migration = { migrates: isSandbox, refusesLive: isSandbox };
  const settings = { ...config.databasePool, fraction: systemRandom.fraction, ...migration, report };
  await finishCutOffRestore(config.database, true);
  const opened = await open(config.databaseUrl, systemClock, settings);
  undo.defer(() => opened.close());
  await assertEnvironment(opened, isSandbox);
  const { restored, stopReadingTime, ...prepared } = await prepareDatabase(opened, config, systemClock, { log });
  undo.defer(stopReadingTime);
  if (file !== null) await countStart(opened, file);
  if (restored !== null)
    log.warn(showRestored(restored), "the database is a copy that was put back: what was open in it is ended");
  // Other processes of a fleet may lack SERVICE_KEY; there the operator decides when to encrypt.
  const { store, clock, keys, keyCipher } = prepared;
  const isAlone = store.dialect === "sqlite";
  const servedWith = isAlone && config.serviceKey !== null ? keyNames(keys) : null;
  const audit = settingsAudit({ keys, clock });
  const plain = await preparePartners(store, clock, { ...config, keyCipher, seal: isAlone, servedWith, audit });
  // Those that are left where it is alone are not as they were audited.
  const next = isAlone ? "audit verify" : "partners encrypt-keys";
  if (plain > 0) log.warn({ keys: plain }, `keys of banks are not encrypted yet: ${next}`);
  /** Closes the store, and stops reading the database's clock. */
  const close = (): Promise<void> => {
    stopReadingTime();
    return file === null ? opened.close() : closeCounted(opened, file);
  };
  return { ...prepared, close, release };
};

/** An open database. On PostgreSQL its clock is the server's, which a fleet shares. */
export type OpenedDatabase = Awaited<ReturnType<typeof openDatabase>>;

/** Opens the database for `work`; if either fails (a taken port, say), everything is closed and the file is unlocked. */
export const onDatabase = async <T>(
  config: Config,
  log: Log,
  open: typeof openStore,
  work: (database: OpenedDatabase) => Promise<T>,
): Promise<T> => {
  await using undo = new AsyncDisposableStack();
  const result = await work(await openDatabase(config, log, open, undo));
  undo.move();
  return result;
};
