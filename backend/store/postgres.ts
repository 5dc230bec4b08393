/** The store of a fleet: a connection pool, shared and single transactions, and LISTEN/NOTIFY to wake readers in other processes. */

import pg from "pg";
import type { Cancel, Clock } from "../ports.ts";
import { messageOf, ServiceError } from "../service-error.ts";
import type { PostgresAddress } from "./database-url.ts";
import type { Migration } from "./migrations.ts";
import { createNotifier } from "./postgres-changes.ts";
import {
  answer,
  asUnavailable,
  CommitUncertain,
  createHosts,
  createPool,
  createRepeater,
  defaultPoolSettings,
  type Hosts,
  isConflict,
  isConnectionFailure,
  meetsAll,
  type Pool,
  type PoolSettings,
  poolSettings,
  translated,
  writeTogether,
} from "./postgres-connect.ts";
import { checkMigrated, isLive, migratePostgres, planMigration } from "./postgres-migrate.ts";
import { otherEnvironment } from "./settings.ts";
import {
  type Changed,
  createChanges,
  type Query,
  type Rows,
  runUnit,
  type Store,
  StoreRefused,
  type UnitOfWork,
} from "./store.ts";

/** The database's address, and limits of this process. */
export interface PostgresOptions extends Partial<PoolSettings> {
  readonly address: PostgresAddress;
  readonly clock: Clock;
  /** In [0, 1), for the jitter of pauses. Default: always a half. */
  readonly fraction?: () => number;
  /** Default: all migrations of this program. */
  readonly migrations?: readonly Migration[];
  /** Called with a line about missing indexes. */
  readonly report?: (line: string) => void;
  /** Migrates the database first. Default: only checks it, as migrating a large one takes hours. */
  readonly migrates?: boolean;
  /** Leaves a database of real shops as it is, as the sandbox does. Default: no. */
  readonly refusesLive?: boolean;
}

/**
 * With enough connections, single write transactions may use half of them: waiting for locks (a shop's limit, a row of
 * a frozen process) they could otherwise use up all. Shared commits have their own pool with a short lock time-out,
 * which is set once per connection.
 */
const createPools = (settings: PoolSettings, hosts: Hosts, clock: Clock) => {
  const half = Math.floor(settings.connectionsMax / 2);
  // Batches of writes and of reads use as many, and a long read needs one too.
  if (half <= 2 * batchesMax) {
    const pool = createPool(settings, hosts, clock);
    return {
      pool,
      forWritesAlone: pool,
      forGroups: pool,
      beginGroup: `${begin}; SET LOCAL lock_timeout = ${lockTimeoutMs}`,
    };
  }
  const poolOf = (connectionsMax: number, lockTimeoutMs?: number) =>
    createPool({ ...settings, connectionsMax }, hosts, clock, lockTimeoutMs);
  return {
    pool: poolOf(settings.connectionsMax - half - batchesMax),
    forWritesAlone: poolOf(half),
    forGroups: poolOf(batchesMax, lockTimeoutMs),
    beginGroup: begin,
  };
};

/** @throws StoreRefused when it cannot be reached, is not migrated, or belongs to a newer program. */
export const openPostgresStore = async (options: PostgresOptions): Promise<Store> => {
  const {
    address,
    clock,
    fraction = () => 0.5,
    migrations,
    report,
    migrates = false,
    refusesLive = false,
    ...bounds
  } = options;
  const settings = poolSettings(bounds);
  const hosts = createHosts(address, clock, fraction);
  const { connectTimeoutMs } = settings;
  await onCurrentHost(hosts, clock, connectTimeoutMs, async (url) => {
    const on = { url, clock, connectTimeoutMs, ...(migrations && { migrations }), ...(report && { report }) };
    if (refusesLive && (await isLive(on))) throw otherEnvironment(true);
    await (migrates ? migratePostgres : checkMigrated)(on);
  });
  const { pool, forWritesAlone, forGroups, beginGroup } = createPools(settings, hosts, clock);
  const repeated = createRepeater(clock, fraction, settings.connectionsMax);
  const changes = createChanges();
  const notifier = await createNotifier({
    hosts,
    pool,
    clock,
    changes,
    fraction,
    connectTimeoutMs,
  });
  const committed = (changed: Changed) => {
    for (const [transactionId, row] of changed) changes.notify(transactionId, row);
    notifier.notify(changed.keys());
  };
  const writeAlone = async <T>(unit: UnitOfWork<T>): Promise<T> => {
    const { result, changed } = await repeated(() =>
      forWritesAlone.use((client) =>
        inTransaction(client, begin, (answer, ...collected) => runUnit(unit, answer, "postgres", ...collected)),
      ),
    );
    committed(changed);
    return result;
  };
  const readAlone = <T>(unit: UnitOfWork<T>): Promise<T> =>
    repeated(() => pool.use((client) => runUnit(unit, (query) => answer(client, query), "postgres")));
  const batched = { clock, settings };
  const runGroup = createGroupWriter(forGroups, beginGroup, committed, writeAlone);
  const writes = createBatches({ ...batched, runBatch: runGroup, secondFrom: 8, gatherMs: settings.gatherMs });
  const reads = createBatches({ ...batched, runBatch: createGroupReader(pool, readAlone) });
  let closed = false;

  return {
    dialect: "postgres",
    write: (unit, about) => (about === undefined ? writeAlone(unit) : writes.run(unit, about)),
    read: (unit, isShort = false) => (isShort ? reads.run(unit) : readAlone(unit)),
    onChange: changes.on,
    emptyLog: async () => true,
    server: () => hosts.server,

    async close() {
      if (closed) return;
      closed = true;
      await Promise.all([writes.close(), reads.close()]);
      await notifier.close();
      await Promise.all([...new Set([pool, forWritesAlone, forGroups])].map((each) => each.close()));
    },
  };
};

const onCurrentHost = async <T>(
  hosts: Hosts,
  clock: Clock,
  connectTimeoutMs: number,
  work: (url: string) => Promise<T>,
): Promise<T> => {
  try {
    if (hosts.areMany) await hosts.find(clock.now() + connectTimeoutMs);
    return await work(hosts.current);
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(`the database cannot be used: ${messageOf(error)}`, { cause: error });
  }
};

/**
 * For the operator's command: migrates a fleet's database beside running processes.
 * @param report called with a line as each step begins.
 * @returns the steps, done or only planned.
 * @throws StoreRefused
 */
export const migrateFleet = async (
  address: PostgresAddress,
  clock: Clock,
  { onlyPlan, report }: { readonly onlyPlan: boolean; readonly report: (line: string) => void },
): Promise<readonly string[]> => {
  const { connectTimeoutMs } = defaultPoolSettings;
  return onCurrentHost(
    createHosts(address, clock, () => 0.5),
    clock,
    connectTimeoutMs,
    async (url) => {
      const steps = await planMigration({ url, clock, connectTimeoutMs });
      if (!onlyPlan) await migratePostgres({ url, clock, connectTimeoutMs, report });
      return steps;
    },
  );
};

type Answer = (query: Query<unknown>) => Promise<Rows>;

/** READ COMMITTED regardless of the default: a statement must see what the one before it has waited for. */
const begin = "BEGIN ISOLATION LEVEL READ COMMITTED";

interface Committed<T> {
  readonly result: T;
  readonly changed: Changed;
}

/**
 * @param begin `BEGIN`, possibly with settings for the transaction.
 * @param work records changes in `changed`, and unawaited answers in `sent`.
 * @throws what `work` threw, after the ROLLBACK; a conflict at COMMIT; CommitUncertain when it is unknown whether it
 * was committed.
 */
export const inTransaction = async <T>(
  client: pg.PoolClient,
  begin: string,
  work: (answer: Answer, changed: Changed, sent: Promise<unknown>[]) => Promise<T>,
): Promise<Committed<T>> => {
  const changed: Changed = new Map();
  // Sent along with the first statement, which saves a round trip.
  writeTogether(client);
  const begun = client.query(begin);
  begun.catch(() => {});
  const sent: Promise<unknown>[] = [begun];
  let hasFailed = false;
  const answerWithin: Answer = async (query) => {
    // Units that share the transaction may still run after one failed: nothing of theirs may be sent after the ROLLBACK.
    if (hasFailed) throw new Error("the transaction has failed");
    return answer(client, query);
  };
  let result: T;
  try {
    result = await work(answerWithin, changed, sent);
  } catch (failure) {
    hasFailed = true;
    // The first failure is the cause: a silent connection only reports later that it was closed.
    const error = (await firstFailure(sent)) ?? failure;
    let isTakenBack = true;
    await client.query("ROLLBACK").catch(() => {
      isTakenBack = false;
    });
    if (isTakenBack || isConnectionFailure(error)) throw error;
    throw new Error("Connection terminated before the transaction was rolled back", { cause: error });
  }
  const committed = commit(client);
  committed.catch(() => {});
  const failure = await firstFailure(sent);
  if (failure === null) await committed;
  else await refuseCommit(committed, failure);
  return { result, changed };
};

/** The first failure in order; null for none. */
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
 * Handles a COMMIT sent after a failed statement: if the server reported the failure it has rolled back; if the
 * connection broke the outcome is unknown.
 * @throws the failure; CommitUncertain.
 */
const refuseCommit = async (committed: Promise<void>, failure: unknown): Promise<never> => {
  await committed.catch(() => {});
  if (failure instanceof pg.DatabaseError) throw failure;
  throw new CommitUncertain("the connection broke before the answer to COMMIT", { cause: failure });
};

/**
 * Commits. A COMMIT that stops waiting for its synchronous standby succeeds with a warning, but would be lost with this server.
 * @throws a conflict reported by the server; CommitUncertain unless the commit is as durable as the database is configured.
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
    if (isConflict(cause)) throw cause;
    throw new CommitUncertain("the answer to COMMIT is missing", { cause });
  } finally {
    client.off("notice", onWarning);
  }
  if (warning !== null) throw new CommitUncertain(warning);
};

/** Concurrent batches of one kind: one is prepared here while the database works on the other. */
const batchesMax = 2;
const unitsPerBatchMax = 200;
/** So many share a commit well enough: waiting for more would save less than a thirty-second of one for each. */
const unitsGatheredMax = 32;

/** A unit of a batch, ended by exactly one of the two calls. */
export interface Queued {
  readonly unit: UnitOfWork<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface BatchesParts {
  readonly clock: Clock;
  readonly settings: Pick<PoolSettings, "waitingMax" | "connectTimeoutMs">;
  /** Settles each unit of the batch eventually; resolves when the next batch may start. Never rejects. */
  readonly runBatch: (batch: readonly Queued[]) => Promise<void>;
  /** How many units must wait to start a second batch beside the first; fewer wait for it to end and share one commit. Default: 1. */
  readonly secondFrom?: number;
  /** How long the first unit of a batch waits for more, in milliseconds, unless enough have come. Default: until the next turn of the event loop. */
  readonly gatherMs?: number;
}

interface Waiting extends Queued {
  readonly about: string | null;
  readonly since: number;
}

/** Runs units in batches; one instance for a store's writes and one for its reads. */
export const createBatches = ({ clock, settings, runBatch, secondFrom = 1, gatherMs = 0 }: BatchesParts) => {
  const queue = new Set<Waiting>();
  /** By withdrawal, the unit that was taken. */
  const busy = new Map<string | null, Waiting>();
  let running = 0;
  let unanswered = 0;
  let scheduled = false;
  /** Ends the wait for more units; null: nobody waits. */
  let endGathering: Cancel | null = null;
  let watched = false;
  let cancelWatch: Cancel = () => {};
  let onIdle: () => void = () => {};

  const start = () => {
    scheduled = false;
    endGathering = null;
    void runNext();
  };
  const schedule = () => {
    const isEnough = queue.size >= unitsGatheredMax;
    if (scheduled && (endGathering === null || !isEnough)) return;
    if (running >= batchesMax || queue.size < (running === 0 ? 1 : secondFrom)) return;
    scheduled = true;
    endGathering?.();
    endGathering = null;
    const [first] = queue;
    const waitMs = gatherMs - (clock.now() - (first?.since ?? 0));
    // Units that waited for the previous batch need not wait again.
    if (!isEnough && waitMs > 0 && waitMs <= gatherMs) endGathering = clock.after(waitMs, start);
    else clock.soon(start);
  };

  /** Silent connections delay the queue for no longer than the connection time-out. */
  const watch = () => {
    if (watched) return;
    watched = true;
    cancelWatch = clock.after(settings.connectTimeoutMs, () => {
      watched = false;
      for (const each of queue) {
        if (clock.now() - each.since < settings.connectTimeoutMs) break;
        queue.delete(each);
        each.reject(asUnavailable(new Error("waited too long for its turn")));
      }
      if (queue.size > 0) watch();
    });
  };

  /** Sorted the same way in every process, so that batches that lock rows do not deadlock. */
  const takeBatch = (): readonly Waiting[] => {
    const batch: Waiting[] = [];
    for (const each of queue) {
      const { about } = each;
      if (about !== null) {
        if (busy.has(about)) continue;
        busy.set(about, each);
      }
      queue.delete(each);
      batch.push(each);
      if (batch.length >= unitsPerBatchMax) break;
    }
    return batch.sort((one, other) => ((one.about ?? "") < (other.about ?? "") ? -1 : 1));
  };

  const runNext = async () => {
    const batch = takeBatch();
    if (batch.length === 0) return;
    running += 1;
    schedule();
    await runBatch(batch);
    running -= 1;
    schedule();
  };

  const ended = (each: Waiting) => {
    // One that waited too long was never taken: another one about the same may be under way.
    if (busy.get(each.about) === each) {
      busy.delete(each.about);
      schedule();
    }
    unanswered -= 1;
    if (unanswered === 0) onIdle();
  };

  return {
    /** @param about the withdrawal that the unit is about: units about the same one run one after the other. Default: none. */
    run: <T>(unit: UnitOfWork<T>, about: string | null = null) =>
      new Promise<T>((resolve, reject) => {
        if (queue.size >= settings.waitingMax)
          return reject(new ServiceError("unavailable", "Too much waits for the database.", { retryAfterSeconds: 1 }));
        unanswered += 1;
        const waiting: Waiting = {
          unit,
          about,
          since: clock.now(),
          resolve(result) {
            ended(waiting);
            resolve(result as T);
          },
          reject(error) {
            ended(waiting);
            reject(error);
          },
        };
        queue.add(waiting);
        watch();
        schedule();
      }),
    /** Resolves when all earlier units are answered. */
    async close(): Promise<void> {
      const idle = Promise.withResolvers<void>();
      onIdle = idle.resolve;
      if (unanswered > 0) await idle.promise;
      cancelWatch();
    },
  };
};

type RunBatch = BatchesParts["runBatch"];
/** Runs a unit in a transaction of its own, with retries after conflicts. */
type Alone = <T>(unit: UnitOfWork<T>) => Promise<T>;

/** A locked row must not delay a whole group; this also ends deadlocks ten times sooner than the database would. */
const lockTimeoutMs = 100;

/** A lock time-out says nothing about the connection. */
const isLockTimeout = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === "55P03";

/** Collects the statements of a batch's units in one turn of the event loop, or until `sendAll`, and sends them in ascending lock order. */
const inLockOrder = (answer: Answer): { readonly ask: Answer; readonly sendAll: () => void } => {
  let asked: { readonly query: Query<unknown>; readonly answered: (rows: Promise<Rows>) => void }[] = [];
  const sendAll = () => {
    const round = asked.toSorted((one, other) => (one.query.lockOrder ?? 0) - (other.query.lockOrder ?? 0));
    asked = [];
    const answers = new Map<unknown, Promise<Rows>>();
    for (const { query, answered } of round) {
      const shared = query.isShared === true ? JSON.stringify([query.name, query.sql("postgres").values]) : answered;
      const rows = answers.get(shared) ?? answer(query.whenShared ?? query);
      answers.set(shared, rows);
      answered(rows);
    }
  };
  const ask: Answer = (query) => {
    const { promise, resolve } = Promise.withResolvers<Rows>();
    if (asked.push({ query, answered: resolve }) === 1) process.nextTick(sendAll);
    return promise;
  };
  return { ask, sendAll };
};

/** Runs units in a shared transaction; the first failure fails all. Results are in the units' order. */
export const runTogether = async (
  units: readonly UnitOfWork<unknown>[],
  answer: Answer,
  changed: Changed,
  sent: Promise<unknown>[],
): Promise<readonly unknown[]> => {
  const { ask, sendAll } = inLockOrder(answer);
  const results = await Promise.all(units.map((unit) => runUnit(unit, ask, "postgres", changed, sent)));
  // Sends unawaited statements now, which would otherwise follow the COMMIT.
  sendAll();
  return results;
};

/** @throws the first failure; CommitUncertain. */
const commitTogether = (pool: Pool, begin: string, batch: readonly Queued[]): Promise<Committed<readonly unknown[]>> =>
  pool.use(async (client) => {
    const units = batch.map(({ unit }) => unit);
    try {
      return await inTransaction(client, begin, (answer, changed, sent) => runTogether(units, answer, changed, sent));
    } catch (error) {
      throw isLockTimeout(error) ? new Error("somebody holds a row of the group") : error;
    }
  });

/**
 * Commits a batch in one transaction. If a unit fails everything is rolled back, and each runs alone.
 * @param begin `BEGIN`, possibly with settings.
 * @param committed called after the commit with the changed withdrawals.
 */
export const createGroupWriter =
  (pool: Pool, begin: string, committed: (changed: Changed) => void, writeAlone: Alone): RunBatch =>
  async (batch) => {
    const done = await commitTogether(pool, begin, batch).catch((error: unknown) => ({ error }));
    if (!("error" in done)) {
      committed(done.changed);
      for (const [at, each] of batch.entries()) each.resolve(done.result[at]);
    } else {
      for (const each of batch) runAgain(each, done.error, writeAlone);
    }
  };

/** Runs a unit alone, unless the failure would affect everybody. */
const runAgain = ({ unit, resolve, reject }: Queued, error: unknown, alone: Alone): void => {
  if (meetsAll(error)) reject(translated(error));
  else void alone(unit).then(resolve, reject);
};

/** Reads a batch over one connection without a transaction; a unit that fails runs again alone, to report its own error. */
export const createGroupReader =
  (pool: Pool, readAlone: Alone): RunBatch =>
  async (batch) => {
    const failed = new Map<Queued, unknown>(batch.map((each) => [each, null]));
    const readAll = pool.use(async (client) => {
      await Promise.all(
        batch.map(async (each) => {
          try {
            const result = await runUnit(each.unit, (query) => answer(client, query), "postgres");
            failed.delete(each);
            each.resolve(result);
          } catch (error) {
            failed.set(each, error);
          }
        }),
      );
      const broken = [...failed.values()].find(isConnectionFailure);
      if (broken !== undefined) throw broken;
    });
    let failure: unknown;
    await readAll.catch((error: unknown) => {
      failure = error;
    });
    for (const [each, error] of failed) runAgain(each, error ?? failure, readAlone);
  };
