/** The store of a fleet: a pool, a transaction for each unit, and LISTEN/NOTIFY to wake readers in other processes. */

import pg from "pg";
import type { Cancel, Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";
import type { PostgresAddress } from "./database-url.ts";
import type { Migration } from "./migrations.ts";
import { createNotifier } from "./postgres-changes.ts";
import {
  answer,
  answerTogether,
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
import { checkMigrated, migratePostgres, planMigration } from "./postgres-migrate.ts";
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

/** Where the database is, and the bounds of this process. */
export interface PostgresOptions extends Partial<PoolSettings> {
  readonly address: PostgresAddress;
  readonly clock: Clock;
  /** In [0, 1), for the jitter of pauses. Default: always a half. */
  readonly fraction?: () => number;
  /** Default: all of this program. */
  readonly migrations?: readonly Migration[];
  /** Gets a line about an index that is not there. */
  readonly report?: (line: string) => void;
  /** Brings it to the newest version first. Default: only looks whether it is, as one that is large takes hours. */
  readonly migrates?: boolean;
}

/**
 * Where there are enough connections, units that write by themselves have half of them: those that wait for a lock (a limit of
 * one shop, a row that a frozen process holds) would else take all, and nobody's withdrawal went on. Shared commits have theirs,
 * which wait for no lock for long: said once a connection, it needs no statement in each transaction.
 */
const createPools = (settings: PoolSettings, hosts: Hosts, clock: Clock) => {
  const half = Math.floor(settings.connectionsMax / 2);
  // Batches of writes and of reads take as many, and a long read must find one too.
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
  const { address, clock, fraction = () => 0.5, migrations, report, migrates = false, ...bounds } = options;
  const settings = poolSettings(bounds);
  const hosts = createHosts(address, clock, fraction);
  const { connectTimeoutMs } = settings;
  await onCurrentHost(hosts, clock, connectTimeoutMs, (url) =>
    (migrates ? migratePostgres : checkMigrated)({
      url,
      clock,
      connectTimeoutMs,
      ...(migrations && { migrations }),
      ...(report && { report }),
    }),
  );
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
        inTransaction(client, begin, (answerTogether, changed, sent) =>
          runUnit(unit, answerTogether, changed, sent, "postgres"),
        ),
      ),
    );
    committed(changed);
    return result;
  };
  const readAlone = <T>(unit: UnitOfWork<T>): Promise<T> =>
    repeated(() => pool.use((client) => runUnit(unit, (query) => answer(client, query), new Map(), [], "postgres")));
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
    throw new StoreRefused(`the database cannot be used: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
};

/**
 * For the operator's command: brings a fleet's database to this program's version, beside processes that serve.
 * @param report gets a line for each step as it begins.
 * @returns the steps, done or only planned; none where nothing is to be done.
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

/** Runs one statement of the transaction. */
type Answer = (query: Query<unknown>) => Promise<Rows>;

/** Whatever the database's default is: a statement that follows on one that has waited sees what that one has waited for. */
const begin = "BEGIN ISOLATION LEVEL READ COMMITTED";

/** What a transaction brought, and which withdrawals it has changed. */
interface Committed<T> {
  readonly result: T;
  readonly changed: Changed;
}

/**
 * @param begin opens it: `BEGIN`, and settings that hold until its end.
 * @param work says in `changed` what was changed, and leaves in `sent` the answers that it has not waited for.
 * @throws what `work` threw, after the ROLLBACK; a conflict that COMMIT met; CommitUncertain when nobody knows whether it was
 * committed.
 */
export const inTransaction = async <T>(
  client: pg.PoolClient,
  begin: string,
  work: (answer: Answer, changed: Changed, sent: Promise<unknown>[]) => Promise<T>,
): Promise<Committed<T>> => {
  const changed: Changed = new Map();
  // Sent together with the first statement: a round trip less.
  writeTogether(client);
  const begun = client.query(begin);
  begun.catch(() => {});
  const sent: Promise<unknown>[] = [begun];
  let hasFailed = false;
  const answerWithin: Answer = async (query) => {
    // Units that share the transaction may go on after one of them has failed: nothing of theirs is sent behind the ROLLBACK.
    if (hasFailed) throw new Error("the transaction has failed");
    return answerTogether(client, query);
  };
  let result: T;
  try {
    result = await work(answerWithin, changed, sent);
  } catch (failure) {
    hasFailed = true;
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
 * connection broke the outcome is unknown.
 * @throws what failed; CommitUncertain.
 */
const refuseCommit = async (committed: Promise<void>, failure: unknown): Promise<never> => {
  await committed.catch(() => {});
  if (failure instanceof pg.DatabaseError) throw failure;
  throw new CommitUncertain("the connection broke before the answer to COMMIT", { cause: failure });
};

/**
 * A COMMIT that stops waiting for its synchronous standby succeeds with a warning: it would be lost with this server.
 * @throws a conflict, with which the server has refused it; CommitUncertain unless the commit is durable as the database is
 * configured to make it.
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

/** Batches of one kind at once: one is sent and read here while the database works on the other. */
export const batchesMax = 2;
const unitsPerBatchMax = 200;

/** A unit of a batch; exactly one of the two ends it. */
export interface Queued {
  readonly unit: UnitOfWork<unknown>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

interface BatchesParts {
  readonly clock: Clock;
  readonly settings: Pick<PoolSettings, "waitingMax" | "connectTimeoutMs">;
  /** Ends each unit of the batch sooner or later; resolves when the next batch may go. Never rejects. */
  readonly runBatch: (batch: readonly Queued[]) => Promise<void>;
  /**
   * How many must wait for a second batch to go beside the first; fewer go together after it, in one commit in place of several.
   * Default: 1.
   */
  readonly secondFrom?: number;
  /** For how long the first of a batch waits for more. Default: for the next turn of the event loop. */
  readonly gatherMs?: number;
}

interface Waiting extends Queued {
  readonly about: string | null;
  readonly since: number;
}

/** Runs units together; one for the writes of a store, one for its reads. */
export const createBatches = ({ clock, settings, runBatch, secondFrom = 1, gatherMs = 0 }: BatchesParts) => {
  const queue = new Set<Waiting>();
  const busy = new Set<string>();
  let running = 0;
  let unanswered = 0;
  let scheduled = false;
  let watched = false;
  let cancelWatch: Cancel = () => {};
  let onIdle: () => void = () => {};

  const schedule = () => {
    if (scheduled || running >= batchesMax || queue.size < (running === 0 ? 1 : secondFrom)) return;
    scheduled = true;
    const start = () => {
      scheduled = false;
      void runNext();
    };
    const [first] = queue;
    const waitMs = gatherMs - (clock.now() - (first?.since ?? 0));
    // What has waited for the batch before has gathered enough.
    if (waitMs > 0 && waitMs <= gatherMs) clock.after(waitMs, start);
    else clock.soon(start);
  };

  /** Connections that fell silent hold up the queue for no longer than the pool lets anybody wait for one. */
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

  /** Sorted alike in every process, so that batches that lock rows do not deadlock. */
  const takeBatch = (): readonly Waiting[] => {
    const batch: Waiting[] = [];
    for (const each of queue) {
      if (each.about !== null && busy.has(each.about)) continue;
      if (each.about !== null) busy.add(each.about);
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

  const ended = (about: string | null) => {
    if (about !== null && busy.delete(about)) schedule();
    unanswered -= 1;
    if (unanswered === 0) onIdle();
  };

  return {
    /** @param about what the unit is about: those about one and the same run one after the other. Default: nothing in particular. */
    run: <T>(unit: UnitOfWork<T>, about: string | null = null) =>
      new Promise<T>((resolve, reject) => {
        if (queue.size >= settings.waitingMax)
          return reject(new ServiceError("unavailable", "Too much waits for the database.", { retryAfterSeconds: 1 }));
        unanswered += 1;
        queue.add({
          unit,
          about,
          since: clock.now(),
          resolve(result) {
            ended(about);
            resolve(result as T);
          },
          reject(error) {
            ended(about);
            reject(error);
          },
        });
        watch();
        schedule();
      }),
    /** Resolves when all that came before is answered. */
    async close(): Promise<void> {
      const idle = Promise.withResolvers<void>();
      onIdle = idle.resolve;
      if (unanswered > 0) await idle.promise;
      cancelWatch();
    },
  };
};

type RunBatch = BatchesParts["runBatch"];
/** Runs a unit by itself, again after a conflict. */
type Alone = <T>(unit: UnitOfWork<T>) => Promise<T>;

/** A row that another process holds must not hold up all of a group; also ends a deadlock, ten times sooner than the database. */
const lockTimeoutMs = 100;

/** A row that somebody holds says nothing about the connection. */
const isLockTimeout = (error: unknown): boolean => error instanceof pg.DatabaseError && error.code === "55P03";

/** Sends what the units of a batch ask for in one turn of the event loop together, or with `sendAll`, locks in ascending order. */
const inLockOrder = (answer: Answer): { readonly ask: Answer; readonly sendAll: () => void } => {
  let asked: { readonly query: Query<unknown>; readonly answered: (rows: Promise<Rows>) => void }[] = [];
  const sendAll = () => {
    const round = asked.toSorted((one, other) => (one.query.lockOrder ?? 0) - (other.query.lockOrder ?? 0));
    asked = [];
    const shared = new Map<string, Promise<Rows>>();
    for (const { query, answered } of round) {
      const asked = query.isShared === true ? JSON.stringify([query.name, query.sql("postgres").values]) : null;
      const rows = (asked !== null && shared.get(asked)) || answer(query);
      if (asked !== null) shared.set(asked, rows);
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

/** Runs units that share a transaction; the first failure is the failure of all. Results stand where the units stood. */
export const runTogether = async (
  units: readonly UnitOfWork<unknown>[],
  answer: Answer,
  changed: Changed,
  sent: Promise<unknown>[],
): Promise<readonly unknown[]> => {
  const { ask, sendAll } = inLockOrder(answer);
  const results = await Promise.all(units.map((unit) => runUnit(unit, ask, changed, sent, "postgres")));
  // What the last of them did not wait for would go out behind the COMMIT: that goes before the next turn.
  sendAll();
  return results;
};

/** @throws what failed first; CommitUncertain. */
const commitTogether = (pool: Pool, begin: string, batch: readonly Queued[]): Promise<Committed<readonly unknown[]>> =>
  pool.use(async (client) => {
    const units = batch.map(({ unit }) => unit);
    try {
      return await inTransaction(client, begin, (answer, changed, sent) => runTogether(units, answer, changed, sent));
    } catch (error) {
      throw isLockTimeout(error) ? new Error("somebody holds a row of the group", { cause: error }) : error;
    }
  });

/**
 * Commits a batch in one transaction. Where one of its units fails nothing of it stays, and each runs by itself.
 * @param begin opens it: `BEGIN`, and what its connections do not have as a setting. @param committed called after the commit with the withdrawals that it has changed.
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

/** By itself, unless the failure was nobody's own. */
const runAgain = ({ unit, resolve, reject }: Queued, error: unknown, alone: Alone): void => {
  if (meetsAll(error)) reject(translated(error));
  else void alone(unit).then(resolve, reject);
};

/** Reads a batch over one connection, each statement by itself; a unit that fails runs again alone, and says there why. */
export const createGroupReader =
  (pool: Pool, readAlone: Alone): RunBatch =>
  async (batch) => {
    const failed = new Map<Queued, unknown>(batch.map((each) => [each, null]));
    const readAll = pool.use(async (client) => {
      await Promise.all(
        batch.map(async (each) => {
          try {
            const result = await runUnit(
              each.unit,
              (query) => answerTogether(client, query),
              new Map(),
              [],
              "postgres",
            );
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
    const failure = await readAll.then(
      () => null,
      (error: unknown) => error,
    );
    for (const [each, error] of failed) runAgain(each, error ?? failure, readAlone);
  };
