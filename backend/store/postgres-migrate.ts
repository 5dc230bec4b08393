/**
 * Migrates a PostgreSQL database while processes of the previous release keep serving: on its own connections without
 * time-outs, each migration in its own commit, then indexes outside of transactions, then partitions. An interrupted
 * run is continued by the next.
 */
import pg from "pg";
import { pause } from "../background.ts";
import type { Clock } from "../ports.ts";
import { ColumnsStay, liesUnordered, putInOrder } from "./column-order.ts";
import {
  createIndexSql,
  createVersionSql,
  type DatabaseVersion,
  dropIndexSql,
  indexesOf,
  indexesOfEnded,
  liesApartSql,
  newestOf,
  recordSql,
  refuseNewer,
  replacedIndexes,
  versionFrom,
  versionRows,
} from "./migrate.ts";
import { type IndexStep, type Migration, migrations as ownMigrations } from "./migrations.ts";
import {
  boundOf,
  type DividedTable,
  dividedNames,
  dividedTables,
  dropBound,
  endOfEarlier,
  type Partition,
  partitionsOf,
  putInPartitions,
  type Run,
} from "./partitions.ts";
import { codeOf, refuseSharedSessions, serverProcessOf } from "./postgres-connect.ts";
import { purposeName } from "./settings.ts";
import { StoreRefused } from "./store.ts";

interface PostgresMigration {
  readonly url: string;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** Default: all migrations of this program. */
  readonly migrations?: readonly Migration[];
  /** Called with a line for each step and for an index's progress. */
  readonly report?: (line: string) => void;
}

/** Retries: processes that start together collide in the first CREATE TABLE, and tables may be busy. */
const attemptsMax = 300;
const pauseMs = 100;
const lockNotAvailable = "55P03";
const againCodes = ["23505", "42P07", "42710", "40001", "40P01", "XX000", lockNotAvailable];
/** While a change waits for a table lock, everybody queues behind it: it gives way and tries again. */
const lockTimeoutMs = 1_000;
/** While a change has a table's lock everybody waits for this program, whose machine may have died or fallen asleep: the database ends it. */
const silenceMaxMs = 5_000;
const beginInTurn = `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${silenceMaxMs}`;

const reportEveryMs = 2_000;

/** @throws StoreRefused for a database of a newer program; the database's own error otherwise. */
export const migratePostgres = async (options: PostgresMigration): Promise<void> => {
  const { clock, migrations = ownMigrations, report = () => {} } = options;
  await withConnection(options, async (worker) => {
    if ((await allSteps(worker, migrations)).length === 0) return;
    await again(clock, () => runAll(worker, createVersionSql));
    await withConnection(options, async (holder) => {
      for (let isFirst = true; !(await takeLock(holder)); isFirst = false) {
        if (isFirst) report("another migration is under way: waiting for it");
        await pause(clock, pauseMs);
        if ((await allSteps(worker, migrations)).length === 0) return;
      }
      for (const migration of migrations) await again(clock, () => apply(worker, migration, migrations, report));
      for (const index of indexesOf(migrations)) await again(clock, () => makeIndex(worker, index, options));
      for (const name of await uselessIndexes(worker, migrations)) {
        report(dropOf(name));
        await again(clock, () => dropIndex(worker, name));
      }
      const tables = await undivided(worker);
      for (const table of tables) await divide(worker, table, options);
      if (tables.length > 0) await reportFewLocks(worker, report, locksNeeded);
      for (const table of await timedTables(worker, migrations)) await leaveTimeToUndated(worker, table, options);
      if (await isUnordered(worker, migrations)) await order(worker, options);
    });
  });
};

/** Enough for five years: looking for an unknown id locks the table of every month, and many look at once. */
const locksNeeded = 256;
const locksPerMonth = 4;

/** @param needed how many are enough for now. */
const reportFewLocks = async (client: pg.Client, report: (line: string) => void, needed: number): Promise<void> => {
  const { rows } = await client.query<{ locks: number | null }>(
    "SELECT current_setting('max_locks_per_transaction', true)::int AS locks",
  );
  const locks = rows[0]?.locks ?? locksNeeded;
  if (locks < Math.min(needed, locksNeeded))
    report(`set max_locks_per_transaction to ${locksNeeded} (now ${locks}) at PostgreSQL's next restart`);
};

/** The remaining steps, one line each. @throws StoreRefused for a database of a newer program. */
export const planMigration = (options: PostgresMigration): Promise<readonly string[]> =>
  withConnection(options, (client) => allSteps(client, options.migrations ?? ownMigrations));

const migrateFirst = 'run the command "migrate"; with --plan it only says what it would do';

/**
 * Checks that the database is migrated. A missing index only costs time (unique ones are part of a migration) and is reported, as are
 * too few locks for the months that there are by now.
 * @throws StoreRefused where a migration is missing, or for a database of a newer program.
 */
export const checkMigrated = async (options: PostgresMigration): Promise<void> => {
  const { migrations = ownMigrations, report = () => {} } = options;
  const [first, ...more] = await withConnection(options, async (client) => {
    const months = await partitionsOf(runOn(client), "archived_withdrawals");
    await reportFewLocks(client, report, locksPerMonth * months.length);
    return missingSteps(client, migrations);
  });
  if (first === undefined) return;
  const left = `${first}${more.length === 0 ? "" : `, and ${more.length} more`}`;
  if (!first.startsWith("migration "))
    return report(`the database lacks what makes it fast (${left}): ${migrateFirst}`);
  throw new StoreRefused(`the database is not as this program needs it (${left}): ${migrateFirst}`);
};

const deadAfterSilence = "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3";

const withConnection = async <T>(
  { url, connectTimeoutMs }: PostgresMigration,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const created = () =>
    new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs, keepAlive: true }).on(
      "error",
      () => {},
    );
  const client = created();
  try {
    await client.connect();
    await refuseSharedSessions(client, created());
    await client.query("SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0");
    // A machine that died keeps the lock for half a minute, not for two hours. Other engines may lack the settings.
    await client.query(deadAfterSilence).catch(() => {});
    // Not before PostgreSQL 17. The lock's transaction lasts as long as all of it.
    await client.query(
      "SELECT set_config('transaction_timeout', '0', false) WHERE current_setting('transaction_timeout', true) IS NOT NULL",
    );
    return await use(client);
  } finally {
    client.end().catch(() => {});
  }
};

/**
 * Lets one process migrate; its lock ends with its connection. The others poll instead of waiting in the database,
 * where a waiting statement's snapshot would block concurrent index builds, as would that of a repeatable read.
 */
const takeLock = async (holder: pg.Client): Promise<boolean> => {
  await holder.query("BEGIN ISOLATION LEVEL READ COMMITTED");
  try {
    await holder.query(`SELECT version FROM schema_version WHERE id = ${versionRows.lock} FOR UPDATE NOWAIT`);
    return true;
  } catch (error) {
    await holder.query("ROLLBACK");
    if (codeOf(error) === lockNotAvailable) return false;
    throw error;
  }
};

const runAll = async (client: pg.Client, statements: readonly string[]): Promise<void> => {
  for (const sql of statements) await client.query(sql);
};

const again = async (clock: Clock, attemptOnce: () => Promise<void>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptOnce();
    } catch (error) {
      if (!againCodes.includes(codeOf(error)) || attempt >= attemptsMax) throw error;
      await pause(clock, pauseMs);
    }
  }
};

/** @throws StoreRefused */
const missingSteps = async (client: pg.Client, migrations: readonly Migration[]): Promise<readonly string[]> => {
  const version = await readVersion(client);
  refuseNewer(version, migrations);
  const applied = version?.applied ?? 0;
  // A newer program's additions and dropped indexes are not this program's concern.
  if (applied > newestOf(migrations)) return [];
  const valid = await indexNames(client, "i.indisvalid");
  return [
    ...migrations.filter(({ version }) => version > applied).map(({ version }) => `migration ${version}`),
    ...indexesOf(migrations)
      .filter(({ name }) => !valid.has(name))
      .map(({ name, on }) => `index ${name} on ${on}`),
    ...(await undivided(client)).map((table) => `partitions of ${table}`),
  ];
};

/** Includes what a start does not require: useless indexes, and the order of columns. */
const allSteps = async (client: pg.Client, migrations: readonly Migration[]): Promise<readonly string[]> => [
  ...(await missingSteps(client, migrations)),
  ...(await uselessIndexes(client, migrations)).map(dropOf),
  ...(await timedTables(client, migrations)).map((table) => dropOf(timeIndexOf(table))),
  ...((await isUnordered(client, migrations)) ? [orderStep] : []),
];

const dropOf = (name: string): string => `index ${name} is dropped: nobody needs it any more`;

const isOurs = async (client: pg.Client, migrations: readonly Migration[]): Promise<boolean> => {
  const applied = (await readVersion(client))?.applied ?? 0;
  return applied > 0 && applied <= newestOf(migrations);
};

/** Whether ended withdrawals have their own table, and no newer program has migrated. */
const liesApart = async (client: pg.Client, migrations: readonly Migration[]): Promise<boolean> =>
  (await isOurs(client, migrations)) && (await client.query(liesApartSql)).rows.length > 0;

const timeIndexOf = (table: string): string => `${table}_by_creation`;

/** Partitioned tables of names with an index on the time, in which rows are deleted one by one: partitions with dates are dropped whole. */
const timedTables = async (client: pg.Client, migrations: readonly Migration[]): Promise<readonly DividedTable[]> => {
  if (!(await isOurs(client, migrations))) return [];
  const all = await indexNames(client, ofDivided);
  return (["idempotency_keys", "terminal_references"] as const).filter((table) => all.has(timeIndexOf(table)));
};

/** Gives the partitions without dates such an index of their own, and drops that of all. */
const leaveTimeToUndated = async (
  client: pg.Client,
  table: DividedTable,
  options: PostgresMigration,
): Promise<void> => {
  const { clock, report = () => {} } = options;
  for (const { name, from } of await partitionsOf(runOn(client), table))
    if (from === null)
      await again(clock, () => makeIndex(client, { name: timeIndexOf(name), on: `${name} (created_at)` }, options));
  report(dropOf(timeIndexOf(table)));
  await again(clock, () => dropIndex(client, timeIndexOf(table)));
};

const orderStep = "columns of withdrawals are put in order";
const isUnordered = async (client: pg.Client, migrations: readonly Migration[]): Promise<boolean> =>
  (await liesApart(client, migrations)) && (await liesUnordered(runOn(client)));

const dependentObjects = "2BP01";

/** @throws the error, where it is another one. */
const whyTheyStay = (error: unknown): string => {
  if (codeOf(error) === dependentObjects) return "a view or another object depends on them";
  if (error instanceof ColumnsStay) return error.message;
  throw error;
};

const order = async (client: pg.Client, { clock, report = () => {} }: PostgresMigration): Promise<void> => {
  report(orderStep);
  await again(clock, () => inTurn(client, () => putInOrder(runOn(client)))).catch((error: unknown) =>
    report(`columns of withdrawals stay as they are: ${whyTheyStay(error)}`),
  );
};

const uselessIndexes = async (client: pg.Client, migrations: readonly Migration[]): Promise<readonly string[]> => {
  if (!(await isOurs(client, migrations))) return [];
  const all = await indexNames(client, "true");
  return [
    ...((await liesApart(client, migrations)) ? indexesOfEnded(migrations) : []),
    ...(await unusedIndexes(client, migrations)),
  ].filter((name) => all.has(name));
};

/** Replaced indexes that no process of a release before reads by. */
const unusedIndexes = async (client: pg.Client, migrations: readonly Migration[]): Promise<readonly string[]> => {
  const applied = (await readVersion(client))?.applied ?? 0;
  const done = migrations.filter(({ version, replaced = [] }) => version <= applied && replaced.length > 0);
  if (done.length === 0) return [];
  const used = await client.query(`SELECT 1 FROM workers WHERE release IS NULL OR release < ${newestOf(done)} LIMIT 1`);
  return used.rows.length > 0 ? [] : replacedIndexes(done);
};

/** That of a partitioned table cannot be dropped concurrently. */
const dropIndex = async (client: pg.Client, name: string): Promise<void> => {
  if (!(await indexNames(client, ofDivided)).has(name)) await client.query(dropIndexSql(name, "CONCURRENTLY"));
  else await inTurn(client, () => client.query(dropIndexSql(name, "")));
};

const readVersion = async (client: pg.Client): Promise<DatabaseVersion | null> => {
  const table = await client.query(
    "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'schema_version'",
  );
  if (table.rows.length === 0) return null;
  const { rows } = await client.query<{ id: string; version: string }>("SELECT id, version FROM schema_version");
  return versionFrom(rows.map(({ id, version }) => ({ id: Number(id), version: Number(version) })));
};

/** Whether the database is for real shops, as far as one that is not migrated can say. */
export const isLive = (options: PostgresMigration): Promise<boolean> =>
  withConnection(options, async (client) => {
    const { rows } = await client.query("SELECT 1 FROM pg_class WHERE oid = to_regclass('settings')");
    if (rows.length === 0) return false;
    const found = await client.query("SELECT 1 FROM settings WHERE name = $1 AND value = 'live'", [purposeName]);
    return found.rows.length > 0;
  });

const apply = (
  client: pg.Client,
  migration: Migration,
  migrations: readonly Migration[],
  report: (line: string) => void,
): Promise<void> =>
  inTurn(client, async () => {
    const lock = `SELECT version FROM schema_version WHERE id = ${versionRows.applied} FOR UPDATE`;
    const { rows } = await client.query<{ version: string }>(lock);
    if (Number(rows[0]?.version) >= migration.version) return;
    report(`migration ${migration.version}`);
    await runAll(client, [...migration.statements, ...recordSql(migration, migrations)]);
  });

const indexNames = async (client: pg.Client, condition: string): Promise<ReadonlySet<string>> => {
  const { rows } = await client.query<{ relname: string }>(
    `SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = current_schema() AND ${condition}`,
  );
  return new Set(rows.map(({ relname }) => relname));
};
const ofDivided = "c.relkind = 'I'";

const makeIndex = async (client: pg.Client, index: IndexStep, options: PostgresMigration): Promise<void> => {
  if ((await indexNames(client, "i.indisvalid")).has(index.name)) return;
  const partitions = await partitionsOf(runOn(client), tableOf(index));
  if (partitions.length > 0) return makeDividedIndex(client, index, partitions, options);
  const { report = () => {} } = options;
  const name = `index ${index.name} on ${index.on}`;
  // What a build that was cut off has left: never used, but always maintained.
  if ((await indexNames(client, "NOT i.indisvalid")).has(index.name)) {
    report(`${name}: was cut off, and is dropped`);
    await dropIndex(client, index.name);
  }
  report(name);
  // A killed program's build ends with it, so that the next run need not wait; other engines may lack the setting.
  await client.query("SET client_connection_check_interval = 1000").catch(() => {});
  const builder = await serverProcessOf(client);
  let isBuilt = false;
  const built = client.query(createIndexSql(index, "CONCURRENTLY")).finally(() => {
    isBuilt = true;
  });
  const watched = withConnection(options, async (watcher) => {
    while (!isBuilt) {
      await Promise.race([pause(options.clock, reportEveryMs), built]);
      const line = await progressOf(watcher, builder);
      if (line !== null) report(`${name}: ${line}`);
    }
  });
  // A failure to report progress is ignored.
  await Promise.all([built, watched.catch(() => {})]);
};

/** Progress of the index that a connection is building; null if unknown. */
const progressOf = async (client: pg.Client, builder: number | undefined): Promise<string | null> => {
  const { rows } = await client.query<{ phase: string; done: string; total: string }>(
    `SELECT phase, greatest(blocks_done, tuples_done) AS done, greatest(blocks_total, tuples_total) AS total
      FROM pg_stat_progress_create_index WHERE pid = $1`,
    [builder],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const total = Number(row.total);
  return total === 0 ? row.phase : `${row.phase}, ${Math.floor((100 * Number(row.done)) / total)} %`;
};

const tableOf = ({ on }: IndexStep): string => on.slice(0, on.indexOf(" "));
const runOn =
  (client: pg.Client): Run =>
  async (text) =>
    (await client.query(text)).rows;

/** Runs work in a transaction that gives way to others, and that is ended where this program falls silent. */
const inTurn = async (client: pg.Client, work: () => Promise<unknown>): Promise<void> => {
  await client.query(beginInTurn);
  try {
    await work();
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
};

/** An index of a partitioned table cannot be built concurrently, but those of its partitions can; it becomes valid once it has all of them. */
const makeDividedIndex = async (
  client: pg.Client,
  index: IndexStep,
  partitions: readonly Partition[],
  options: PostgresMigration,
): Promise<void> => {
  const table = tableOf(index);
  await inTurn(client, () => client.query(createIndexSql({ ...index, on: `ONLY ${index.on}` }, "")));
  for (const partition of partitions) {
    const name = `${index.name}${partition.name.slice(table.length)}`;
    const { rows } = await client.query(
      `SELECT 1 FROM pg_inherits AS i JOIN pg_index AS x ON x.indexrelid = i.inhrelid
        WHERE i.inhparent = '${index.name}'::regclass AND x.indrelid = '${partition.name}'::regclass`,
    );
    // Partitions created since then have inherited the index.
    if (rows.length > 0) continue;
    await makeIndex(client, { ...index, name, on: `${partition.name}${index.on.slice(table.length)}` }, options);
    await inTurn(client, () => client.query(`ALTER INDEX ${index.name} ATTACH PARTITION ${name}`));
  }
};

/** Tables that still have to be partitioned; none on an engine other than PostgreSQL. */
const undivided = async (client: pg.Client): Promise<readonly DividedTable[]> => {
  const { rows } = await client.query<{ relname: string }>(
    `SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = current_schema() AND c.relkind = 'r' AND version() ~ '^PostgreSQL [0-9.]+ '`,
  );
  const plain = new Set(rows.map(({ relname }) => relname));
  return dividedNames.filter((table) => plain.has(table));
};

const checkViolation = "23514";
const undefinedObject = "42704";

/**
 * Partitions a table while programs of this and the previous release use it: its rows become the partition without a
 * lower bound. A check constraint first proves their upper bound; only the final renaming blocks others, for a moment.
 */
const divide = async (client: pg.Client, table: DividedTable, options: PostgresMigration): Promise<void> => {
  const { clock, migrations = ownMigrations, report = () => {} } = options;
  const { by, key } = dividedTables[table];
  const run = runOn(client);
  report(`partitions of ${table}`);
  const unique = { name: `${table}_key`, on: `${table} (${[...key, by].join(", ")})`, isUnique: true as const };
  if (!replacedIndexes(migrations).includes(unique.name)) await again(clock, () => makeIndex(client, unique, options));
  const [time] = await run("SELECT extract(epoch FROM now()) * 1000 AS now");
  const now = Math.max(Number(time?.now), clock.now());
  const isEmpty = async () => (await run(`SELECT 1 FROM ${table} LIMIT 1`)).length === 0;
  // Done before others have to wait: there may be many dead rows before the first live one.
  const looksEmpty = await isEmpty();
  /** Locks the table until the commit. @returns whether another run has divided it meanwhile, as the lock of one may have been lost. */
  const lockDivided = async (): Promise<boolean> => {
    await run(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return (await partitionsOf(run, table)).length > 0;
  };
  /** @returns whether it was partitioned; not if it has rows without a proved upper bound. */
  const swap = async (): Promise<boolean> => {
    let isDone = false;
    await again(clock, () =>
      inTurn(client, async () => {
        isDone = await lockDivided();
        if (isDone) return;
        const bound = await boundOf(run, table);
        const hasNothing = looksEmpty && (await isEmpty());
        isDone = hasNothing || (bound?.isProved === true && bound.to > now);
        if (isDone) await putInPartitions(run, table, hasNothing ? null : (bound?.to ?? null), clock.now());
      }),
    );
    return isDone;
  };
  const prove = async (to: number) => {
    let isDivided = false;
    await again(clock, () =>
      inTurn(client, async () => {
        isDivided = await lockDivided();
        // It would refuse what comes later, in each of the partitions.
        if (isDivided) return;
        await dropBound(run, table);
        await run(`ALTER TABLE ${table} ADD CONSTRAINT ${table}_before CHECK (${by} < ${to}) NOT VALID`);
      }),
    );
    if (isDivided) return;
    report(`partitions of ${table}: looks where its rows end`);
    await run(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${table}_before`).catch((error: unknown) => {
      // Gone: another run has divided the table by it.
      if (codeOf(error) !== undefinedObject) throw error;
    });
  };
  if ((looksEmpty || (await boundOf(run, table))?.isProved) && (await swap())) return;
  try {
    await prove(endOfEarlier(now));
  } catch (error) {
    if (codeOf(error) !== checkViolation) throw error;
    // A clock that was ahead has left later rows.
    const [newest] = await run(`SELECT max(${by}) AS at FROM ${table}`);
    await prove(endOfEarlier(Number(newest?.at)));
  }
  if (!(await swap())) throw new Error(`${table} could not be divided`);
};
