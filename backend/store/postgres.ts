/** The store of a fleet: a pool, a transaction for each unit, and LISTEN/NOTIFY to wake readers in other processes. */
import type { Writable } from "node:stream";
import pg from "pg";
import type { Clock } from "../ports.ts";
import { createChanges } from "./changes.ts";
import type { PostgresAddress } from "./database-url.ts";
import type { Migration } from "./migrations.ts";
import { CommitUncertain, createRepeater, isConnectionFailure } from "./postgres-failures.ts";
import { createHosts, type Hosts } from "./postgres-hosts.ts";
import { migratePostgres } from "./postgres-migrate.ts";
import { createNotifier } from "./postgres-notify.ts";
import {
  answer,
  createPool,
  defaultPoolSettings,
  type Pool,
  type PoolSettings,
  queryTimeoutFor,
} from "./postgres-pool.ts";
import { runUnit } from "./run-unit.ts";
import type { Query } from "./statement.ts";
import { type Store, StoreRefused, type UnitOfWork } from "./store.ts";

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

/** @throws StoreRefused when it cannot be reached or belongs to a newer program. */
export const openPostgresStore = async (options: PostgresOptions): Promise<Store> => {
  const { address, clock, fraction = () => 0.5 } = options;
  const settings = settingsFrom(options);
  const hosts = createHosts(address, clock, fraction);
  await migrated(hosts, options, settings.connectTimeoutMs);
  const pool = createPool(settings, hosts, clock);
  const { repeated } = createRepeater(clock, fraction, settings.connectionsMax);
  const changes = createChanges();
  const notifier = await createNotifier({
    hosts,
    pool,
    clock,
    changes,
    fraction,
    connectTimeoutMs: settings.connectTimeoutMs,
  });
  let closed = false;

  return {
    dialect: "postgres",

    async write(unit) {
      const { result, changed } = await repeated(() => inTransaction(pool, unit));
      for (const transactionId of changed) changes.notify(transactionId);
      notifier.notify(changed);
      return result;
    },

    read: (unit) =>
      repeated(() => pool.use((client) => runUnit(unit, (query) => answer(client, query), new Set(), []))),

    onChange: changes.on,

    async close() {
      if (closed) return;
      closed = true;
      await notifier.close();
      await pool.close();
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

const inTransaction = <T>(
  pool: Pool,
  unit: () => UnitOfWork<T>,
): Promise<{ readonly result: T; readonly changed: ReadonlySet<string> }> =>
  pool.use(async (client) => {
    const changed = new Set<string>();
    // Sent together with the unit's first statement: a round trip less.
    writeTogether(client);
    const begun = client.query("BEGIN");
    begun.catch(() => {});
    const sent: Promise<unknown>[] = [begun];
    let result: T;
    try {
      const answerTogether = (query: Query<unknown>) => {
        writeTogether(client);
        return answer(client, query);
      };
      result = await runUnit(unit, answerTogether, changed, sent);
    } catch (failure) {
      // The first failure is the cause: a connection that fell silent only says later on that it was closed.
      const error = (await firstFailure(sent)) ?? failure;
      const usable = await client.query("ROLLBACK").then(
        () => true,
        () => false,
      );
      if (usable || isConnectionFailure(error)) throw error;
      throw new Error("Connection terminated before the transaction was rolled back", { cause: error });
    }
    writeTogether(client);
    const committed = commit(client);
    committed.catch(() => {});
    const failure = await firstFailure(sent);
    if (failure === null) await committed;
    else await refuseCommit(committed, failure);
    return { result, changed };
  });

const corked = new WeakSet<pg.PoolClient>();

/** What is sent until the event loop goes on leaves in one write: each is a call of the system. */
const writeTogether = (client: pg.PoolClient): void => {
  const stream = (client as { readonly connection?: { readonly stream?: Writable } }).connection?.stream;
  if (stream === undefined || corked.has(client)) return;
  corked.add(client);
  stream.cork();
  process.nextTick(() => {
    corked.delete(client);
    stream.uncork();
  });
};

/** What the first of them to fail, in order, failed with; null for none. */
const firstFailure = async (sent: readonly Promise<unknown>[]): Promise<unknown> => {
  for (const each of sent) {
    const failure = await each.then(
      () => null,
      (error: unknown) => error ?? new Error("a statement failed"),
    );
    if (failure !== null) return failure;
  }
  return null;
};

/**
 * COMMIT went out with statements of which one has failed. Where the server said so it has taken everything back; where the
 * connection broke nobody knows.
 * @throws what failed; CommitUncertain.
 */
const refuseCommit = async (committed: Promise<void>, failure: unknown): Promise<never> => {
  await committed.catch(() => {});
  if (failure instanceof pg.DatabaseError) throw failure;
  throw new CommitUncertain("the connection broke before the answer to COMMIT", { cause: failure });
};

/**
 * A COMMIT that stops waiting for its synchronous standby succeeds with a warning: it would be lost with this server.
 * @throws CommitUncertain unless the commit is durable as the database is configured to make it.
 */
const commit = async (client: pg.PoolClient): Promise<void> => {
  let warning: string | null = null;
  const onWarning = (notice: { readonly code?: string | undefined; readonly message?: string | undefined }) => {
    if (notice.code === "01000") warning = notice.message ?? "";
  };
  client.on("notice", onWarning);
  try {
    const { command } = await client.query("COMMIT");
    if (command !== "COMMIT") throw new Error(`the transaction ended with ${command}`);
  } catch (cause) {
    throw new CommitUncertain("the answer to COMMIT is missing", { cause });
  } finally {
    client.off("notice", onWarning);
  }
  if (warning !== null) throw new CommitUncertain(warning);
};
