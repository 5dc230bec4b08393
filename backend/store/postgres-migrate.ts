/**
 * Brings a PostgreSQL database to this program's version beside processes of the release before, which go on serving: on
 * connections of its own without time-outs, each migration in a commit of its own, indexes outside of any transaction.
 * Cut off anywhere, the next start goes on from there.
 */
import pg from "pg";
import type { Clock } from "../ports.ts";
import {
  createIndexSql,
  createVersionSql,
  type DatabaseVersion,
  indexesOf,
  newestOf,
  recordSql,
  refuseNewer,
  versionFrom,
  versionRows,
} from "./migrate.ts";
import { type IndexStep, type Migration, migrations as ownMigrations } from "./migrations.ts";

/** Which database, and what is to be done in it. */
interface PostgresMigration {
  readonly url: string;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  /** Default: all of this program. */
  readonly migrations?: readonly Migration[];
}

/** Processes that start together run into each other's first CREATE TABLE; a busy table is asked for again. */
const attemptsMax = 300;
const pauseMs = 100;
const lockNotAvailable = "55P03";
const againCodes = ["23505", "42P07", "42710", "40001", "40P01", "XX000", lockNotAvailable];
/** While a change waits for a table, everybody behind it waits too: better to let them pass and to come again. */
const lockTimeoutMs = 1_000;

/** @throws StoreRefused for a database of a newer program; the database's own error otherwise. */
export const migratePostgres = async (options: PostgresMigration): Promise<void> => {
  const migrations = options.migrations ?? ownMigrations;
  await withConnection(options, async (worker) => {
    if (await isComplete(worker, migrations)) return;
    await again(options.clock, () => runAll(worker, createVersionSql));
    await withConnection(options, async (holder) => {
      while (!(await takeLock(holder))) {
        await pause(options.clock);
        if (await isComplete(worker, migrations)) return;
      }
      for (const migration of migrations) await again(options.clock, () => apply(worker, migration, migrations));
      for (const index of indexesOf(migrations)) await again(options.clock, () => makeIndex(worker, index));
    });
  });
};

const withConnection = async <T>(
  { url, connectTimeoutMs }: PostgresMigration,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs, keepAlive: true });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0");
    return await use(client);
  } finally {
    client.end().catch(() => {});
  }
};

/**
 * One process migrates, the others look again; the lock is lost with its connection. They do not wait in the database: a
 * statement that waits holds a snapshot, and a concurrent index waits for every older snapshot.
 */
const takeLock = async (holder: pg.Client): Promise<boolean> => {
  await holder.query("BEGIN");
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

const pause = (clock: Clock) => new Promise<void>((resolve) => void clock.after(pauseMs, resolve));

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

const again = async (clock: Clock, attemptOnce: () => Promise<void>): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptOnce();
    } catch (error) {
      if (!againCodes.includes(codeOf(error)) || attempt >= attemptsMax) throw error;
      await pause(clock);
    }
  }
};

/** @throws StoreRefused */
const isComplete = async (client: pg.Client, migrations: readonly Migration[]): Promise<boolean> => {
  const version = await readVersion(client);
  refuseNewer(version, migrations);
  if (version === null || version.applied < newestOf(migrations)) return false;
  const names = indexesOf(migrations).map(({ name }) => name);
  // All at once: each start asks, and a fleet's process is waited for.
  const { rows } = await client.query(`SELECT c.relname ${fromIndexes} AND c.relname = ANY($1) AND i.indisvalid`, [
    names,
  ]);
  return rows.length === names.length;
};

const readVersion = async (client: pg.Client): Promise<DatabaseVersion | null> => {
  const table = await client.query(
    "SELECT 1 FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'schema_version'",
  );
  if (table.rows.length === 0) return null;
  const { rows } = await client.query<{ id: string; version: string }>("SELECT id, version FROM schema_version");
  return versionFrom(rows.map(({ id, version }) => ({ id: Number(id), version: Number(version) })));
};

const apply = async (client: pg.Client, migration: Migration, migrations: readonly Migration[]): Promise<void> => {
  const lock = `SELECT version FROM schema_version WHERE id = ${versionRows.applied} FOR UPDATE`;
  await client.query("BEGIN");
  try {
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    const { rows } = await client.query<{ version: string }>(lock);
    if (Number(rows[0]?.version) < migration.version) {
      await runAll(client, [...migration.statements, ...recordSql(migration, migrations)]);
    }
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
};

const fromIndexes =
  "FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema()";

/** A concurrent build that was cut off leaves an index behind that nobody uses and every write maintains. */
const indexState = async (client: pg.Client, { name }: IndexStep): Promise<"missing" | "invalid" | "valid"> => {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    `SELECT i.indisvalid ${fromIndexes} AND c.relname = $1`,
    [name],
  );
  if (rows[0] === undefined) return "missing";
  return rows[0].indisvalid ? "valid" : "invalid";
};

const makeIndex = async (client: pg.Client, index: IndexStep): Promise<void> => {
  const state = await indexState(client, index);
  if (state === "valid") return;
  if (state === "invalid") await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index.name}`);
  await client.query(createIndexSql(index, "CONCURRENTLY"));
};
