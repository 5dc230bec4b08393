/** The store of a fleet: a pool, a transaction for each unit, and LISTEN/NOTIFY to wake readers in other processes. */
import type { Clock } from "../ports.ts";
import type { PostgresAddress } from "./database-url.ts";
import type { Migration } from "./migrations.ts";
import { createNotifier } from "./postgres-changes.ts";
import {
  answer,
  createHosts,
  createPool,
  createRepeater,
  defaultPoolSettings,
  type Hosts,
  type Pool,
  type PoolSettings,
  queryTimeoutFor,
} from "./postgres-connect.ts";
import { migratePostgres } from "./postgres-migrate.ts";
import { batchesMax, createBatches, createGroupReader, createGroupWriter, inTransaction } from "./postgres-write.ts";
import { createChanges, runUnit, type Store, StoreRefused, type UnitOfWork } from "./store.ts";

/** Where the database is, and the bounds of this process. */
export interface PostgresOptions extends Partial<PoolSettings> {
  readonly address: PostgresAddress;
  readonly clock: Clock;
  /** In [0, 1), for the jitter of pauses. Default: always a half. */
  readonly fraction?: () => number;
  /** Default: all of this program. */
  readonly migrations?: readonly Migration[];
}

const settingsFrom = (options: PostgresOptions): PoolSettings => {
  const statementTimeoutMs = options.statementTimeoutMs ?? defaultPoolSettings.statementTimeoutMs;
  return {
    connectionsMax: options.connectionsMax ?? defaultPoolSettings.connectionsMax,
    connectTimeoutMs: options.connectTimeoutMs ?? defaultPoolSettings.connectTimeoutMs,
    statementTimeoutMs,
    queryTimeoutMs: options.queryTimeoutMs ?? queryTimeoutFor(statementTimeoutMs),
    waitingMax: options.waitingMax ?? defaultPoolSettings.waitingMax,
  };
};

/**
 * Where there are enough connections, units that write by themselves have half of them: those that wait for a lock (a limit of
 * one shop, a row that a frozen process holds) would else take all, and nobody's withdrawal went on.
 */
const createPools = (
  settings: PoolSettings,
  hosts: Hosts,
  clock: Clock,
): { readonly pool: Pool; readonly forWritesAlone: Pool } => {
  const half = Math.floor(settings.connectionsMax / 2);
  // Batches of writes and of reads take as many, and a long read must find one too.
  if (half <= 2 * batchesMax) {
    const pool = createPool(settings, hosts, clock);
    return { pool, forWritesAlone: pool };
  }
  return {
    pool: createPool({ ...settings, connectionsMax: settings.connectionsMax - half }, hosts, clock),
    forWritesAlone: createPool({ ...settings, connectionsMax: half }, hosts, clock),
  };
};

/** @throws StoreRefused when it cannot be reached or belongs to a newer program. */
export const openPostgresStore = async (options: PostgresOptions): Promise<Store> => {
  const { address, clock, fraction = () => 0.5 } = options;
  const settings = settingsFrom(options);
  const hosts = createHosts(address, clock, fraction);
  await migrated(hosts, options, settings.connectTimeoutMs);
  const { pool, forWritesAlone } = createPools(settings, hosts, clock);
  const repeated = createRepeater(clock, fraction, settings.connectionsMax);
  const changes = createChanges();
  const notifier = await createNotifier({
    hosts,
    pool,
    clock,
    changes,
    fraction,
    connectTimeoutMs: settings.connectTimeoutMs,
  });
  const committed = (changed: ReadonlySet<string>) => {
    for (const transactionId of changed) changes.notify(transactionId);
    notifier.notify(changed);
  };
  const writeAlone = async <T>(unit: UnitOfWork<T>): Promise<T> => {
    const { result, changed } = await repeated(() =>
      forWritesAlone.use((client) =>
        inTransaction(client, "BEGIN", (answerTogether, changed, sent) => runUnit(unit, answerTogether, changed, sent)),
      ),
    );
    committed(changed);
    return result;
  };
  const readAlone = <T>(unit: UnitOfWork<T>): Promise<T> =>
    repeated(() => pool.use((client) => runUnit(unit, (query) => answer(client, query), new Set(), [])));
  const batched = { clock, settings };
  const writes = createBatches({ ...batched, runBatch: createGroupWriter(pool, committed, writeAlone) });
  const reads = createBatches({ ...batched, runBatch: createGroupReader(pool, readAlone) });
  let closed = false;

  return {
    dialect: "postgres",
    write: (unit, about) => (about === undefined ? writeAlone(unit) : writes.run(unit, about)),
    read: (unit, isShort = false) => (isShort ? reads.run(unit) : readAlone(unit)),
    onChange: changes.on,

    async close() {
      if (closed) return;
      closed = true;
      await Promise.all([writes.close(), reads.close()]);
      await notifier.close();
      await Promise.all([...new Set([pool, forWritesAlone])].map((each) => each.close()));
    },
  };
};

const migrated = async (hosts: Hosts, { clock, migrations }: PostgresOptions, connectTimeoutMs: number) => {
  try {
    if (hosts.areMany) await hosts.find(clock.now() + connectTimeoutMs);
    await migratePostgres({ url: hosts.current, clock, connectTimeoutMs, ...(migrations ? { migrations } : {}) });
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(`the database cannot be used: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
};
