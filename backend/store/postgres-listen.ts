/** The one connection of a process that is notified which transactions others have changed. */
import pg from "pg";
import type { Cancel, Clock } from "../ports.ts";
import type { Hosts } from "./postgres-hosts.ts";

/** The connection that sends and receives notifications. */
export interface Listener {
  /** Sends a notice over this connection; false when there is none now. */
  notify(payload: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Where it connects, and who is notified of what. */
export interface ListenerOptions {
  readonly hosts: Hosts;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly fraction: () => number;
  /** A notice of another process. */
  readonly onNotification: (payload: string) => void;
  /** Whether notices arrive from now on. */
  readonly onState: (listening: boolean) => void;
}

/** The channel of all notices; a payload is transaction ids, comma-separated. */
export const channel = "tillcash_changes";
/** Between two attempts, doubled each time, and half to one and a half of it by chance: a fleet does not come back at once. */
const reconnectMs = { first: 500, max: 10_000 } as const;
/** A connection that is silent this long is given up. */
const queryTimeoutMs = 5_000;
/** A pooler in between may take LISTEN and never deliver: the first notice is to ourselves. */
const echoTimeoutMs = 2_000;
const echo = "echo";

/** Resolves when it listens, or when the first attempt failed (it goes on trying). */
export const createListener = async (options: ListenerOptions): Promise<Listener> => {
  const { clock, hosts, fraction } = options;
  let client: pg.Client | null = null;
  let failures = 0;
  let closed = false;
  let cancelTimer: Cancel = () => {};

  const reconnectLater = () => {
    cancelTimer();
    if (closed) return;
    const pauseMs = Math.min(reconnectMs.max, reconnectMs.first * 2 ** Math.min(failures, 10));
    failures += 1;
    cancelTimer = clock.after(pauseMs * (0.5 + fraction()), () => void connect());
  };

  const connect = async () => {
    const next = new pg.Client({
      connectionString: hosts.current,
      connectionTimeoutMillis: options.connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      fallback_application_name: "tillcash listener",
      keepAlive: true,
    });
    let lost = false;
    const lose = () => {
      if (lost) return;
      lost = true;
      if (client === next) {
        client = null;
        options.onState(false);
      }
      next.end().catch(() => {});
      reconnectLater();
    };
    const echoed = new Promise<void>((resolve) => {
      next.on("notification", ({ payload = "", processId }) => {
        if (processId !== ownProcessId(next)) options.onNotification(payload);
        else if (payload === echo) resolve();
      });
    });
    next.on("error", lose);
    next.on("end", lose);
    try {
      await next.connect();
      await hosts.check(next);
      await next.query(`LISTEN ${channel}`);
      await next.query("SELECT pg_notify($1, $2)", [channel, echo]);
      await within(clock, echoTimeoutMs, echoed);
    } catch {
      lose();
      return;
    }
    if (lost) return;
    if (closed) {
      await next.end().catch(() => {});
      return;
    }
    client = next;
    failures = 0;
    options.onState(true);
  };

  await connect();
  return {
    async notify(payload) {
      const connection = client;
      if (connection === null) return false;
      try {
        await connection.query("SELECT pg_notify($1, $2)", [channel, payload]);
        return true;
      } catch {
        // Close it; it reconnects.
        connection.end().catch(() => {});
        return false;
      }
    },
    async close() {
      closed = true;
      cancelTimer();
      const last = client;
      client = null;
      await last?.end().catch(() => {});
    },
  };
};

const within = async (clock: Clock, ms: number, awaited: Promise<void>): Promise<void> => {
  let cancel: Cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(new Error("no notice arrives")));
  });
  await Promise.race([awaited, late]).finally(() => cancel());
};

const ownProcessId = (client: pg.Client): unknown => ("processID" in client ? client.processID : null);
