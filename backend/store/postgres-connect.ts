/** What a failure of PostgreSQL means for the unit that met it: run it again, report that a row is taken, or give up. */

import type { Writable } from "node:stream";
import pg from "pg";
import type { Clock } from "../ports.ts";
import { ServiceError, type ServiceErrorExtra } from "../service-error.ts";
import type { PostgresAddress } from "./database-url.ts";
import { type Query, type Rows, UniqueViolation } from "./store.ts";

/** A deadlock or a serialization failure: the unit is run again, at most so often. */
const attemptsMax = 8;
/** Pause before the n-th repeat: 5 ms, doubled each time, 200 ms at most, and half of it by chance. */
const conflictPauseMs = { first: 5, max: 200 } as const;

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : "";

/** Serialization failure, deadlock; distributed engines use the first for every conflict. */
const conflictCodes = ["40001", "40P01"];
/** A row was on its way to the default partition while one of its own was made. A condition that it violated would have a name. */
const isRerouted = (error: unknown): boolean =>
  codeOf(error) === "23514" && error instanceof pg.DatabaseError && error.constraint === undefined;
/** The server has taken everything back, also where it says so only at COMMIT. */
export const isConflict = (error: unknown): boolean => conflictCodes.includes(codeOf(error)) || isRerouted(error);
/** Connection, resources, operator intervention, read-only and cut-off classes; Node's own codes for sockets start with E. */
const unavailableCodes = /^(08|53|57|58|25006|25P0[34]|40003|55P03|E[A-Z]+$)/;

/** The server was shut down, demoted or replaced before it received COMMIT: nothing of the unit is there. */
const movedCodes = ["25006", "57P01", "57P02", "ECONNRESET", "EPIPE"];

/** COMMIT was sent and its answer is missing, or the standby has not confirmed it: the outcome is unknown. */
export class CommitUncertain extends Error {
  override readonly name = "CommitUncertain";
}

const away = "The database cannot be used now.";

/** None was to be had, whoever asked for one: nothing was asked of the database. */
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

/** A table was changed and this connection had prepared a statement on it: another connection prepares it again. */
const isStalePlan = (error: unknown): boolean =>
  codeOf(error) === "0A000" && error instanceof Error && /cached plan/.test(error.message);

/** Whether the connection that met it is of no more use. */
export const isConnectionFailure = (error: unknown): boolean => {
  if (error instanceof CommitUncertain || isStalePlan(error)) return true;
  const code = codeOf(error);
  if (code !== "") return unavailableCodes.test(code);
  return error instanceof Error && /connection|timeout|Client has encountered|Client was closed/i.test(error.message);
};

/** Whether it would meet everybody else too: a database that is overloaded or silent is not asked a second time at once. */
export const meetsAll = (error: unknown): boolean =>
  error instanceof NoConnection || (isConnectionFailure(error) && !isStalePlan(error) && !isMoved(error));

/** As the callers of the store know a database that is away. */
export const asUnavailable = (cause: unknown): ServiceError => new ServiceError("unavailable", away, { cause });

/** As the callers of the store know it. */
export const translated = (error: unknown): unknown => {
  if (error instanceof ServiceError) return error;
  if (codeOf(error) === "23505") return new UniqueViolation(error);
  return isConnectionFailure(error) ? asUnavailable(error) : error;
};

/** Milliseconds before the repeat after `attempts` repeats. @param fraction of the jitter, in [0, 1). */
const conflictPause = (attempts: number, fraction: number): number =>
  Math.min(conflictPauseMs.max, conflictPauseMs.first * 2 ** Math.min(attempts, 20)) * (0.5 + fraction / 2);

/**
 * What runs a unit again after a conflict, with pauses that keep those who met from meeting again; at once on another connection when
 * this one held a stale plan or led to a server that is gone or reads only.
 * @param connections of the pool: each may be stale in its own right.
 * @returns runs it; rejects with ServiceError `unavailable` after eight conflicts, or when the database cannot be reached; UniqueViolation.
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
        const pauseMs = conflictPause(conflicts - 1, fraction());
        await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
      }
    }
  };

/** Between two rounds over all hosts. */
const roundPauseMs = 150;
/** A host that answers nothing must not keep the others waiting. */
const probeTimeoutMs = 1_000;

/** The server answers, but only reads: a standby, or a primary that was demoted. */
class ReadOnlyServer extends Error {
  override readonly name = "ReadOnlyServer";
  /** As PostgreSQL says it: read_only_sql_transaction. */
  readonly code = "25006";
}

/** The hosts of a fleet's database; the first counts as current until one is looked for. @param fraction in [0, 1), for the jitter of pauses. */
export const createHosts = ({ hosts, writableOnly }: PostgresAddress, clock: Clock, fraction: () => number) => {
  let current = hosts[0] ?? "";
  let searching: Promise<boolean> | null = null;

  /** Refuses a server that cannot write; for each new connection. */
  const check = async (client: pg.ClientBase): Promise<void> => {
    if (!writableOnly) return;
    const { rows } = await client.query<{ transaction_read_only: string }>("SHOW transaction_read_only");
    if (rows[0]?.transaction_read_only !== "off") throw new ReadOnlyServer("this server takes no writes");
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
      await new Promise<void>((resolve) => void clock.after(roundPauseMs * (0.5 + fraction()), resolve));
    }
  };

  return {
    /** Where new connections go. */
    get current(): string {
      return current;
    },
    /** Whether there is another one to look for. */
    areMany: hosts.length > 1,
    check,
    /** Looks for a host that takes writes, until `endAt`; one look for all that ask meanwhile. False when there is none. */
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
  /** Connections of this process, beside one that listens. */
  connectionsMax: 16,
  /** Milliseconds to wait for a connection, a free one or a new one. */
  connectTimeoutMs: 5_000,
  /** Milliseconds after which the database ends a statement. */
  statementTimeoutMs: 10_000,
  /** Units that wait for a connection; one more is `unavailable` at once. */
  waitingMax: 20_000,
  /** Milliseconds for which a write waits for others to share its commit. */
  gatherMs: 0,
};

/** Bounds of a process's connections. `queryTimeoutMs`: how long a silent connection is waited for. */
export type PoolSettings = Readonly<typeof defaultPoolSettings & { queryTimeoutMs: number }>;

/** With the defaults; a silent connection is waited for longer than any statement may run, so that the database speaks first. */
export const poolSettings = (given: Partial<PoolSettings>): PoolSettings => {
  const settings = { ...defaultPoolSettings, ...given };
  return { queryTimeoutMs: Math.ceil(settings.statementTimeoutMs * 1.2), ...settings };
};

/** BIGINT columns hold times, amounts and counts: all of them are exact as numbers. */
const int8 = 20;
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === int8 ? (text: string) => Number(text) : pg.types.getTypeParser(oid, format as "text"),
};

/** The pool's own complaint that all connections are in use. */
const isExhausted = (error: unknown): boolean =>
  error instanceof Error && error.message === "timeout exceeded when trying to connect";

/**
 * Connections on loan, to the host that takes writes at the time they are made.
 * @param lockTimeoutMs after which a statement stops waiting for a lock. Default: as long as it may run.
 */
export const createPool = (settings: PoolSettings, hosts: Hosts, clock: Clock, lockTimeoutMs?: number) => {
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
    ...(lockTimeoutMs !== undefined && { lock_timeout: lockTimeoutMs }),
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
    /** Hands out a connection for as long as `use` runs; a broken one is closed afterwards. @throws NoConnection; what `use` threw. */
    async use<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
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
    async close(): Promise<void> {
      closed = true;
      await pool.end();
    },
  };
};
/** See `createPool`. */
export type Pool = ReturnType<typeof createPool>;

/** Runs one statement on a connection; a named one is prepared there once. */
export const answer = async (client: pg.ClientBase, query: Query<unknown>): Promise<Rows> => {
  const { text, values, variant } = query.sql("postgres");
  const result = await client.query({
    text,
    values: [...values],
    ...(query.name === null ? {} : { name: variant === undefined ? query.name : `${query.name}_${variant}` }),
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
