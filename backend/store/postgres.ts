/** The store of a fleet: a pool, a transaction for each unit, and LISTEN/NOTIFY to wake readers in other processes. */
import pg from "pg";
import type { Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";
import { createChanges } from "./changes.ts";
import { migratePostgres } from "./postgres-migrate.ts";
import { createNotifier } from "./postgres-notify.ts";
import { runUnit } from "./run-unit.ts";
import type { Query } from "./statement.ts";
import { type Rows, type Store, StoreRefused, UniqueViolation, type UnitOfWork } from "./store.ts";

export interface PostgresOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly connectionsMax?: number;
  /** After so long without an answer a connection is given up: the way to the database is gone and nobody says so. */
  readonly queryTimeoutMs?: number;
}

const connectionsMax = 16;
const connectTimeoutMs = 5_000;
const statementTimeoutMs = 10_000;
/** Longer than any statement may run, so that the database speaks first. */
const queryTimeoutMs = 12_000;
/** A deadlock or a serialization failure: the unit is run again, at most so often. */
const attemptsMax = 8;

/** BIGINT columns hold times, amounts and counts: all of them are exact as numbers. */
const int8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === int8 ? (text: string) => Number(text) : pg.types.getTypeParser(oid, format as "text"),
};

/** @throws StoreRefused when it cannot be reached or belongs to a newer program. */
export const openPostgresStore = async (options: PostgresOptions): Promise<Store> => {
  const { url, clock } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connectionsMax ?? connectionsMax,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: options.queryTimeoutMs ?? queryTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    types,
  });
  // A connection that breaks, idle or in use, is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  try {
    await migratePostgres(pool, clock);
  } catch (error) {
    await pool.end();
    if (error instanceof StoreRefused) throw error;
    throw new StoreRefused(`the database cannot be used: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
  const changes = createChanges();
  const notifier = await createNotifier({ url, clock, changes, connectTimeoutMs });
  let closed = false;

  const connect = async () => {
    if (closed) throw new ServiceError("unavailable", "The service is stopping.");
    try {
      return await pool.connect();
    } catch (error) {
      throw asUnavailable(error);
    }
  };

  const look = async <T>(unit: () => UnitOfWork<T>): Promise<T> => {
    const client = await connect();
    let broken = false;
    try {
      return await runUnit(unit, (query) => ask(client, query), new Set());
    } catch (error) {
      broken = isConnectionFailure(error);
      throw error;
    } finally {
      client.release(broken);
    }
  };

  const transact = async <T>(unit: () => UnitOfWork<T>): Promise<{ result: T; changed: ReadonlySet<string> }> => {
    const changed = new Set<string>();
    const client = await connect();
    let broken = true;
    try {
      await client.query("BEGIN");
      const result = await runUnit(unit, (query) => ask(client, query), changed);
      await client.query("COMMIT");
      broken = false;
      return { result, changed };
    } catch (error) {
      broken = isConnectionFailure(error) || (await rollBack(client));
      throw error;
    } finally {
      client.release(broken);
    }
  };

  return {
    dialect: "postgres",

    async write(unit) {
      const { result, changed } = await repeated(() => transact(unit), pool.options.max);
      for (const transactionId of changed) changes.fire(transactionId);
      notifier.tell(changed);
      return result;
    },

    read: (unit) => repeated(() => look(unit), pool.options.max),

    onChange: changes.on,

    async close() {
      if (closed) return;
      closed = true;
      await notifier.close();
      await pool.end();
    },
  };
};

const ask = async (client: pg.PoolClient, query: Query<unknown>): Promise<Rows> => {
  const { text, values } = query.sql("postgres");
  const result = await client.query({
    text,
    values: [...values],
    ...(query.name === null ? {} : { name: query.name }),
  });
  return { rows: result.rows, changes: result.rowCount ?? 0 };
};

/** True when the connection is of no more use. */
const rollBack = async (client: pg.PoolClient): Promise<boolean> => {
  try {
    await client.query("ROLLBACK");
    return false;
  } catch {
    return true;
  }
};

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : "";

/** Serialization failure, deadlock; distributed engines use the first for every conflict. */
const againCodes = ["40001", "40P01"];
/** Connection, resources, operator intervention, read-only and cut-off classes; Node's own codes for sockets start with E. */
const unavailableCodes = /^(08|53|57|58|25006|25P0[34]|40003|55P03|E[A-Z]+$)/;

/** A table was changed and this connection had prepared a statement on it: another connection prepares it anew. */
const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === "0A000" && error instanceof Error && /cached plan/.test(error.message);

const isConnectionFailure = (error: unknown): boolean => {
  if (isStalePlan(error)) return true;
  const code = codeOf(error);
  if (code !== "") return unavailableCodes.test(code);
  return error instanceof Error && /connection|timeout|Client has encountered/i.test(error.message);
};

/** Runs it again after a conflict, a bounded number of times; after a stale plan, once more for each connection. */
const repeated = async <T>(attemptOnce: () => Promise<T>, connections: number): Promise<T> => {
  let stalePlans = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptOnce();
    } catch (error) {
      if (isStalePlan(error) && stalePlans < connections) {
        stalePlans += 1;
        continue;
      }
      const sorted = sortFailure(error);
      if (sorted !== "again") throw sorted;
      if (attempt >= attemptsMax) throw asUnavailable(error);
    }
  }
};

const sortFailure = (error: unknown): unknown => {
  if (error instanceof ServiceError) return error;
  const code = codeOf(error);
  if (againCodes.includes(code)) return "again";
  if (code === "23505") return new UniqueViolation(error);
  return isConnectionFailure(error) ? asUnavailable(error) : error;
};

const asUnavailable = (cause: unknown): ServiceError =>
  new ServiceError("unavailable", "The database cannot be used now.", { cause });
