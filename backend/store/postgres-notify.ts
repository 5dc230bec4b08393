/**
 * Tells other processes which transactions changed. Sent after the commit, those of one tick together: NOTIFY inside a
 * transaction would put all commits of the cluster in one queue. It only wakes: whoever misses one reads again anyway.
 */
import pg from "pg";
import type { Cancel, Clock } from "../ports.ts";
import type { Changes } from "./changes.ts";
import type { Hosts } from "./postgres-hosts.ts";

export interface Notifier {
  tell(transactionIds: Iterable<string>): void;
  close(): Promise<void>;
}

const channel = "tillcash_changes";
const reconnectMs = 500;
/** A process that died between its commit and its NOTIFY woke nobody: every reader looks for itself this often. */
const rereadMs = 5_000;
/** They take turns, so that ten thousand held reads do not stand in the way of one confirm. */
const turnMs = 500;
/** A connection that is silent this long is given up, and made anew. */
const queryTimeoutMs = 5_000;
/** PostgreSQL takes payloads under 8,000 bytes; an id has 16. */
const idsPerMessageMax = 400;

interface NotifierOptions {
  readonly hosts: Hosts;
  readonly clock: Clock;
  readonly changes: Changes;
  readonly connectTimeoutMs: number;
}

/** Resolves when it listens, or when the first attempt failed (it goes on trying). */
export const createNotifier = async (options: NotifierOptions): Promise<Notifier> => {
  const { clock, changes } = options;
  const pending = new Set<string>();
  let client: pg.Client | null = null;
  let closed = false;
  let scheduled = false;
  let cancelTimer: Cancel = () => {};

  const connect = async () => {
    const next = new pg.Client({
      connectionString: options.hosts.current,
      connectionTimeoutMillis: options.connectTimeoutMs,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
    });
    let lost = false;
    const lose = () => {
      if (lost) return;
      lost = true;
      if (client === next) client = null;
      next.end().catch(() => {});
      later(reconnectMs);
    };
    next.on("error", lose);
    next.on("end", lose);
    next.on("notification", ({ payload = "", processId }) => {
      if (processId === ownProcessId(next)) return;
      for (const transactionId of payload.split(",")) changes.fire(transactionId);
    });
    try {
      await next.connect();
      await next.query(`LISTEN ${channel}`);
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
    changes.fireAll();
    later(turnMs);
  };

  const later = (delayMs: number) => {
    cancelTimer();
    if (closed) return;
    cancelTimer = clock.after(delayMs, () => {
      if (client) {
        changes.fireSome(turnMs / rereadMs);
        later(turnMs);
      } else {
        changes.fireAll();
        void connect();
      }
    });
  };

  /** One message at a time; what comes meanwhile goes into the next. */
  const send = async () => {
    while (pending.size > 0 && client !== null) {
      const ids = [...pending].slice(0, idsPerMessageMax);
      for (const id of ids) pending.delete(id);
      const speaker = client;
      const told = speaker.query("SELECT pg_notify($1, $2)", [channel, ids.join(",")]);
      // Ended, it is lost and made anew; the readers that were not woken look again by themselves.
      await told.catch(() => void speaker.end().catch(() => {}));
    }
    pending.clear();
    scheduled = false;
  };

  await connect();
  return {
    tell(transactionIds) {
      for (const transactionId of transactionIds) pending.add(transactionId);
      if (scheduled || pending.size === 0) return;
      scheduled = true;
      clock.soon(() => void send());
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

const ownProcessId = (client: pg.Client): unknown => ("processID" in client ? client.processID : null);
