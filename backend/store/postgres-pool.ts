/** Connections to PostgreSQL: a bounded pool on the host that takes writes, a bounded line before it. */
import type { Writable } from "node:stream";
import pg from "pg";
import type { Clock } from "../ports.ts";
import { isConnectionFailure, NoConnection } from "./postgres-failures.ts";
import type { Hosts } from "./postgres-hosts.ts";
import type { Query } from "./statement.ts";
import type { Rows } from "./store.ts";

/** Bounds of a process's connections; `defaultPoolSettings` has the defaults. */
export interface PoolSettings {
  /** Connections of this process, beside one that listens. Default 16. */
  readonly connectionsMax: number;
  /** Milliseconds to wait for a connection, a free one or a new one. Default 5,000. */
  readonly connectTimeoutMs: number;
  /** Milliseconds after which the database ends a statement. Default 10,000. */
  readonly statementTimeoutMs: number;
  /** Milliseconds without an answer after which a connection is given up. Default: a fifth longer than a statement may run. */
  readonly queryTimeoutMs: number;
  /** Units that wait for a connection; one more is `unavailable` at once. Default 20,000. */
  readonly waitingMax: number;
}

/** See `PoolSettings`. */
export const defaultPoolSettings = {
  connectionsMax: 16,
  connectTimeoutMs: 5_000,
  statementTimeoutMs: 10_000,
  waitingMax: 20_000,
} as const;

/** Longer than any statement may run, so that the database speaks first. */
export const queryTimeoutFor = (statementTimeoutMs: number): number => Math.ceil(statementTimeoutMs * 1.2);

/** Connections on loan. */
export interface Pool {
  /**
   * Hands out a connection for as long as `use` runs; a broken one is closed afterwards.
   * @throws NoConnection; what `use` threw.
   */
  use<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** BIGINT columns hold times, amounts and counts: all of them are exact as numbers. */
const int8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === int8 ? (text: string) => Number(text) : pg.types.getTypeParser(oid, format as "text"),
};

/** The pool's own complaint that all connections are in use. */
const isExhausted = (error: unknown): boolean =>
  error instanceof Error && error.message === "timeout exceeded when trying to connect";

/** Connects on demand, to the host that takes writes at that time. */
export const createPool = (settings: PoolSettings, hosts: Hosts, clock: Clock): Pool => {
  /** Goes where the writes go at the time it is made. */
  class HostClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: hosts.current, types });
    }
  }
  const pool = new pg.Pool({
    Client: HostClient,
    max: settings.connectionsMax,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    statement_timeout: settings.statementTimeoutMs,
    query_timeout: settings.queryTimeoutMs,
    idle_in_transaction_session_timeout: settings.statementTimeoutMs,
    keepAlive: true,
    pipeline: true,
    onConnect: (client: pg.ClientBase) => hosts.check(client),
  } as pg.PoolConfig);
  // A connection that breaks, idle or in use, is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  let closed = false;

  const connect = async (): Promise<pg.PoolClient> => {
    const endAt = clock.now() + settings.connectTimeoutMs;
    for (;;) {
      if (closed) throw new NoConnection("The service is stopping.");
      if (pool.waitingCount >= settings.waitingMax)
        throw new NoConnection("Too much waits for the database.", { retryAfterSeconds: 1 });
      try {
        return await pool.connect();
      } catch (error) {
        const mayLook = hosts.areMany && !isExhausted(error) && clock.now() < endAt;
        if (!mayLook || !(await hosts.find(endAt))) throw new NoConnection(undefined, { cause: error });
      }
    }
  };

  return {
    async use(use) {
      const client = await connect();
      let broken = false;
      try {
        return await use(client);
      } catch (error) {
        broken = isConnectionFailure(error);
        throw error;
      } finally {
        client.release(broken);
      }
    },
    async close() {
      closed = true;
      await pool.end();
    },
  };
};

/** Runs one statement on a connection; a named one is prepared there once. */
export const answer = async (client: pg.ClientBase, query: Query<unknown>): Promise<Rows> => {
  const { text, values } = query.sql("postgres");
  const result = await client.query({
    text,
    values: [...values],
    ...(query.name === null ? {} : { name: query.name }),
  });
  return { rows: result.rows, changes: result.rowCount ?? 0 };
};

const corked = new WeakSet<pg.ClientBase>();

/** What is sent until the event loop goes on leaves in one write: each is a call of the system. */
export const writeTogether = (client: pg.ClientBase): void => {
  const stream = (client as { readonly connection?: { readonly stream?: Writable } }).connection?.stream;
  if (stream === undefined || corked.has(client)) return;
  corked.add(client);
  stream.cork();
  process.nextTick(() => {
    corked.delete(client);
    stream.uncork();
  });
};

/** The same as `answer`, for statements of which several are sent at once. */
export const answerTogether = (client: pg.ClientBase, query: Query<unknown>): Promise<Rows> => {
  writeTogether(client);
  return answer(client, query);
};
