/** Connections to PostgreSQL, and what its errors mean: run the unit again, report a duplicate, or give up. */

import type { Writable } from "node:stream";
import pg from "pg";
import { pause } from "../background.ts";
import type { Clock } from "../ports.ts";
import { messageOf, ServiceError, type ServiceErrorExtra } from "../service-error.ts";
import type { PostgresAddress } from "./database-url.ts";
import { type Query, type Rows, StoreRefused, UniqueViolation } from "./store.ts";

/** After a deadlock or serialization failure a unit is attempted this often. */
const attemptsMax = 8;
/** Pause before a retry: 5 ms, doubled each time, at most 200 ms, half of it jitter. */
const conflictPauseMs = { first: 5, max: 200 } as const;

/** PostgreSQL's or Node's code of an error; empty where it has none. */
export const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
};

/** Serialization failure, deadlock; distributed engines use the first for every conflict. */
const conflictCodes = ["40001", "40P01"];
/** A row was headed for the default partition while its own was being created. A violated constraint would have a name. */
const isRerouted = (error: unknown): boolean =>
  codeOf(error) === "23514" && error instanceof pg.DatabaseError && error.constraint === undefined;
/** The server has rolled the unit back, even if it reports that only at COMMIT. */
export const isConflict = (error: unknown): boolean => conflictCodes.includes(codeOf(error)) || isRerouted(error);
/** Error classes for connection, resources, operator intervention, read-only and interruption; Node's socket errors start with E. */
const unavailableCodes = /^(08|53|57|58|25006|25P0[34]|40003|55P03|E[A-Z]+$)/;

/** The server was shut down, demoted or replaced before COMMIT: nothing of the unit is there. */
const movedCodes = ["25006", "57P01", "57P02", "ECONNRESET", "EPIPE"];

/** COMMIT was sent but not answered, or not confirmed by the standby: the outcome is unknown. */
export class CommitUncertain extends Error {
  override readonly name = "CommitUncertain";
}

const away = "The database cannot be used now.";

/** No connection was available, so nothing was sent to the database. */
export class NoConnection extends ServiceError {
  constructor(detail = away, extra: ServiceErrorExtra = {}) {
    super("unavailable", detail, extra);
  }
}

const isMoved = (error: unknown): boolean => {
  if (error instanceof CommitUncertain) return false;
  const code = codeOf(error);
  return code === ""
    ? error instanceof Error && /Connection terminated|Client has encountered/.test(error.message)
    : movedCodes.includes(code);
};

/** A table changed after this connection had prepared a statement on it; another connection prepares it anew. */
const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === "0A000" && error instanceof Error && /cached plan/.test(error.message);

/** Whether the connection cannot be used any more after this error. */
export const isConnectionFailure = (error: unknown): boolean => {
  if (error instanceof CommitUncertain || isStalePlan(error)) return true;
  const code = codeOf(error);
  if (code !== "") return unavailableCodes.test(code);
  return error instanceof Error && /connection|timeout|Client has encountered|Client was closed/i.test(error.message);
};

/** Whether the error affects everybody: an overloaded or silent database is not asked again at once. */
export const meetsAll = (error: unknown): boolean =>
  error instanceof NoConnection || (isConnectionFailure(error) && !isStalePlan(error) && !isMoved(error));

/** The error for callers when the database is away. */
export const asUnavailable = (cause: unknown): ServiceError => new ServiceError("unavailable", away, { cause });

/** Translates an error for callers of the store; a ServiceError is theirs already. */
export const translated = (error: unknown): unknown => {
  if (codeOf(error) === "23505") return new UniqueViolation(error);
  return isConnectionFailure(error) ? asUnavailable(error) : error;
};

/** Milliseconds before the repeat after `attempts` repeats. @param fraction of the jitter, in [0, 1). */
const conflictPause = (attempts: number, fraction: number): number =>
  Math.min(conflictPauseMs.max, conflictPauseMs.first * 2 ** Math.min(attempts, 20)) * (0.5 + fraction / 2);

/**
 * Creates a function that repeats a unit after a conflict, with jittered pauses; and at once on another connection when
 * this one had a stale plan or a server that is gone or read-only.
 * @param connections number in the pool, each of which may be stale.
 * @returns rejects with UniqueViolation, or ServiceError `unavailable` after eight conflicts or without a database.
 */
export const createRepeater =
  (clock: Clock, fraction: () => number, connections: number) =>
  async <T>(attemptOnce: () => Promise<T>): Promise<T> => {
    let [conflicts, staleConnections] = [0, 0];
    for (;;) {
      try {
        return await attemptOnce();
      } catch (error) {
        if ((isStalePlan(error) || isMoved(error)) && staleConnections < connections) {
          staleConnections += 1;
          continue;
        }
        if (!isConflict(error)) throw translated(error);
        conflicts += 1;
        if (conflicts >= attemptsMax) throw asUnavailable(error);
        await pause(clock, conflictPause(conflicts - 1, fraction()));
      }
    }
  };

/** Pause between two rounds over all hosts. */
const roundPauseMs = 150;
/** A silent host must not delay the others. */
const probeTimeoutMs = 1_000;

/** The hosts of a fleet's database; the first is current until another is found. @param fraction in [0, 1), for the jitter of pauses. */
export const createHosts = ({ hosts, writableOnly }: PostgresAddress, clock: Clock, fraction: () => number) => {
  let current = hosts[0] ?? "";
  let searching: Promise<boolean> | null = null;

  /** Called for each new connection: refuses a read-only server, which is a standby or was demoted. */
  const check = async (client: pg.ClientBase): Promise<void> => {
    if (!writableOnly) return;
    const { rows } = await client.query<{ transaction_read_only: string }>("SHOW transaction_read_only");
    if (rows[0]?.transaction_read_only !== "off") throw new Error("this server takes no writes");
  };

  const isWritable = async (host: string): Promise<boolean> => {
    const client = new pg.Client({
      connectionString: host,
      connectionTimeoutMillis: probeTimeoutMs,
      query_timeout: probeTimeoutMs,
    });
    client.on("error", () => {});
    try {
      await client.connect();
      await check(client);
      return true;
    } catch {
      return false;
    } finally {
      client.end().catch(() => {});
    }
  };

  const search = async (endAt: number): Promise<boolean> => {
    for (;;) {
      for (const host of hosts) {
        if (await isWritable(host)) {
          current = host;
          return true;
        }
      }
      if (clock.now() >= endAt) return false;
      await pause(clock, roundPauseMs * (0.5 + fraction()));
    }
  };

  return {
    /** See `Store.server`: of the newest connection. */
    server: null as string | null,
    get current(): string {
      return current;
    },
    areMany: hosts.length > 1,
    check,
    /** Searches a writable host until `endAt`; concurrent calls share one search. False when there is none. */
    find(endAt: number): Promise<boolean> {
      searching ??= search(endAt).finally(() => {
        searching = null;
      });
      return searching;
    },
  };
};

/** See `createHosts`. */
export type Hosts = ReturnType<typeof createHosts>;

/** See `PoolSettings`. */
export const defaultPoolSettings = {
  /** Connections per process, plus one that listens. */
  connectionsMax: 16,
  /** How long to wait for a free or new connection. */
  connectTimeoutMs: 5_000,
  /** After which the database cancels a statement. */
  statementTimeoutMs: 10_000,
  /** Units that may wait for a connection; further ones are `unavailable` at once. */
  waitingMax: 20_000,
  /** Milliseconds to collect writes into one commit. */
  gatherMs: 0,
};

/** Limits of a process's connections. `queryTimeoutMs`: how long to wait for a silent connection. */
export type PoolSettings = Readonly<typeof defaultPoolSettings & { queryTimeoutMs: number }>;

/** Adds the defaults; a silent connection gets longer than any statement may run, so that the database reports first. */
export const poolSettings = (given: Partial<PoolSettings>): PoolSettings => {
  const settings = { ...defaultPoolSettings, ...given };
  return { queryTimeoutMs: Math.ceil(settings.statementTimeoutMs * 1.2), ...settings };
};

/** BIGINT columns hold times, amounts and counts, all exact as numbers. */
const int8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === int8 ? (text: string) => Number(text) : pg.types.getTypeParser(oid, format as "text"),
};

/**
 * Lets each COMMIT wait for the disk also where the database is set not to: its crash would forget what was answered, and what banks have
 * paid. Other engines may lack the setting; what else it says about standbys is the operator's choice.
 */
const waitForDisk = (client: pg.ClientBase) =>
  client
    .query(
      "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit', true) = 'off'",
    )
    .catch((error: unknown) => {
      if (isConnectionFailure(error)) throw error;
    });

interface Server {
  readonly name: string;
  readonly isStandby: boolean;
}

/**
 * When the server has started, and which of its databases it is: what promotes or replaces it, or puts back its files, changes one of them;
 * a dump that is put into the same database changes neither. Other engines may have many servers under one address, or no such function.
 */
const serverOf = async (client: pg.ClientBase): Promise<Server | null> => {
  const text = `SELECT concat(cast(extract(epoch from pg_postmaster_start_time()) * 1000000 as bigint), ' ', oid) AS name,
    pg_is_in_recovery() AS "isStandby" FROM pg_database WHERE datname = current_database() AND version() ~ '^PostgreSQL [0-9.a-z]+ '`;
  try {
    return (await client.query<Server>(text)).rows[0] ?? null;
  } catch (error) {
    if (isConnectionFailure(error)) throw error;
    return null;
  }
};

/** The number of the server's process behind a connection; a pooler in between has told the connection another one. */
export const serverProcessOf = async (client: pg.Client): Promise<number | undefined> =>
  (await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]?.pid;

const sharedSessions =
  "DATABASE_URL leads to a pooler that gives each transaction another session: let it pool whole sessions (PgBouncer: pool_mode = session), or name PostgreSQL itself";
/** Looks for the mark of a session; a pooler may by chance give the same session a few times. */
const sessionLooks = 5;

/**
 * Refuses an address behind which each transaction may get another session, as PgBouncer's does with `pool_mode = transaction`: what is
 * set for a session (a commit waits for the disk, a statement has its time) would hold for others, and no notice would arrive.
 * @param client connected. @param other a further connection to the same address, not connected. @throws StoreRefused
 */
export const refuseSharedSessions = async (client: pg.Client, other: pg.Client): Promise<void> => {
  if ((await serverProcessOf(client)) === (client as { readonly processID?: unknown }).processID) return;
  const mark = (of: pg.Client, value: string) => of.query("SELECT set_config('tillcash.session', $1, false)", [value]);
  const marked = { text: "SELECT current_setting('tillcash.session', true) AS mark", query_timeout: probeTimeoutMs };
  try {
    await other.connect();
    await mark(client, "first");
    for (const step of ["BEGIN", "COMMIT"]) {
      await other.query(step);
      await mark(other, "second");
      for (let look = 0; look < sessionLooks; look += 1)
        if ((await client.query<{ mark: string }>(marked)).rows[0]?.mark !== "first")
          throw new StoreRefused(sharedSessions);
    }
  } finally {
    await other.end();
  }
};

/** Whether it is the pool's error that all connections are in use. */
const isExhausted = (error: unknown): boolean => messageOf(error) === "timeout exceeded when trying to connect";

/**
 * A pool of connections to the host that is writable when they are made.
 * @param lockTimeoutMs how long a statement waits for a lock. Default: as long as it may run.
 */
export const createPool = (settings: PoolSettings, hosts: Hosts, clock: Clock, lockTimeoutMs?: number) => {
  // Not among what a connection begins with: poolers such as PgBouncer take no settings there.
  const bounds = [
    `SET statement_timeout = ${settings.statementTimeoutMs}`,
    `SET idle_in_transaction_session_timeout = ${settings.statementTimeoutMs}`,
    ...(lockTimeoutMs === undefined ? [] : [`SET lock_timeout = ${lockTimeoutMs}`]),
  ].join("; ");
  class HostClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, connectionString: hosts.current, types });
    }
  }
  /** Closed after use: the standby may be promoted meanwhile, and what writes over an old connection would not see that the server is another. */
  const toStandby = new WeakSet<pg.ClientBase>();
  const pool = new pg.Pool({
    Client: HostClient,
    max: settings.connectionsMax,
    connectionTimeoutMillis: settings.connectTimeoutMs,
    query_timeout: settings.queryTimeoutMs,
    keepAlive: true,
    pipeline: true,
    async onConnect(client: pg.ClientBase) {
      await hosts.check(client);
      await client.query(bounds);
      await waitForDisk(client);
      const server = await serverOf(client);
      if (server?.isStandby === true) toStandby.add(client);
      else hosts.server = server?.name ?? hosts.server;
    },
  } as pg.PoolConfig);
  // The pool replaces broken connections; without a listener they would end the process.
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
        if (hosts.areMany && !isExhausted(error)) {
          // A silent host has used up all the time: whoever comes next needs another.
          const found = hosts.find(endAt);
          if (clock.now() < endAt && (await found)) continue;
        }
        throw new NoConnection(undefined, { cause: error });
      }
    }
  };

  return {
    /** Lends a connection to `use`; a broken one is closed afterwards. @throws NoConnection; what `use` threw. */
    async use<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
      const client = await connect();
      let broken = false;
      try {
        return await use(client);
      } catch (error) {
        broken = isConnectionFailure(error);
        throw error;
      } finally {
        client.release(broken || toStandby.has(client));
      }
    },
    async close(): Promise<void> {
      closed = true;
      await pool.end();
    },
  };
};
/** See `createPool`. */
export type Pool = ReturnType<typeof createPool>;

/**
 * Runs one statement on a connection, sent along with others of this tick; named ones are prepared once per connection. The query is made
 * here, as pg copies what describes one property by property: a seventh of what a statement costs in this process.
 */
export const answer = (client: pg.ClientBase, query: Query<unknown>): Promise<Rows> => {
  writeTogether(client);
  return new Promise((resolve, reject) => {
    const { text, values, variant } = query.sql("postgres");
    const sent = new pg.Query(text, [...values], (error, result) => {
      if (error) reject(error);
      else resolve({ rows: result.rows, changes: result.rowCount ?? 0 });
    });
    const name = variant === undefined ? query.name : `${query.name}_${variant}`;
    client.query(query.name === null ? sent : Object.assign(sent, { name }));
  });
};

const corked = new WeakSet<pg.ClientBase>();

/** Sends everything of one event-loop tick in one write, since each write is a system call. */
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
