/** Which of the hosts in DATABASE_URL takes writes now. After a failover it is another one. */
import pg from "pg";
import type { Clock } from "../ports.ts";
import type { PostgresAddress } from "./database-url.ts";

/** Between two rounds over all hosts. */
const roundPauseMs = 150;
/** A host that answers nothing must not keep the others waiting. */
const probeTimeoutMs = 1_000;

/** The hosts of a fleet's database. */
export interface Hosts {
  /** Where new connections go. */
  readonly current: string;
  /** Whether there is another one to look for. */
  readonly areMany: boolean;
  /** Refuses a server that cannot write; for each new connection. */
  check(client: pg.ClientBase): Promise<void>;
  /** Looks for a host that takes writes, until `endAt`; one look for all that ask meanwhile. False when there is none. */
  find(endAt: number): Promise<boolean>;
}

/** The server answers, but only reads: a standby, or a primary that was demoted. */
export class ReadOnlyServer extends Error {
  override readonly name = "ReadOnlyServer";
  /** As PostgreSQL says it: read_only_sql_transaction. */
  readonly code = "25006";
}

/** @param fraction in [0, 1), for the jitter of pauses. The first host counts as current until one is looked for. */
export const createHosts = ({ hosts, writableOnly }: PostgresAddress, clock: Clock, fraction: () => number): Hosts => {
  let current = hosts[0] ?? "";
  let searching: Promise<boolean> | null = null;

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
    get current() {
      return current;
    },
    areMany: hosts.length > 1,
    check,
    find(endAt) {
      searching ??= search(endAt).finally(() => {
        searching = null;
      });
      return searching;
    },
  };
};
