/**
 * Notifies other processes which transactions changed. Sent after the commit, those of 10 ms together: NOTIFY inside a
 * transaction would put all commits of the cluster in one queue. It only wakes: whoever misses one reads again anyway.
 */
import type { Clock } from "../ports.ts";
import type { Changes } from "./changes.ts";
import type { Hosts } from "./postgres-hosts.ts";
import { channel, createListener } from "./postgres-listen.ts";
import type { Pool } from "./postgres-pool.ts";
import { createReread } from "./postgres-reread.ts";

/** Tells the other processes what has changed. */
export interface Notifier {
  notify(transactionIds: Iterable<string>): void;
  close(): Promise<void>;
}

/** Changes of one moment travel in one notice. */
const gatherMs = 10;
/** PostgreSQL takes payloads under 8,000 bytes; an id has 16. */
const idsPerMessageMax = 400;

interface NotifierOptions {
  readonly hosts: Hosts;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly changes: Changes;
  readonly connectTimeoutMs: number;
  readonly fraction: () => number;
}

/** Resolves when it listens, or when the first attempt failed (it goes on trying). */
export const createNotifier = async (options: NotifierOptions): Promise<Notifier> => {
  const { clock, changes, pool } = options;
  const pending = new Set<string>();
  let scheduled = false;
  const reread = createReread(pool, clock, changes, options.fraction);
  const listener = await createListener({
    ...options,
    onNotification(payload) {
      for (const transactionId of payload.split(",")) changes.notify(transactionId);
    },
    onState: reread.setListening,
  });

  /** One message at a time; what comes meanwhile goes into the next. */
  const send = async () => {
    while (pending.size > 0) {
      const ids = [...pending].slice(0, idsPerMessageMax);
      for (const id of ids) pending.delete(id);
      const payload = ids.join(",");
      if (await listener.notify(payload)) continue;
      // Others may listen while this process cannot; the readers that are not woken look again by themselves.
      await pool
        .use((client) => client.query("SELECT pg_notify($1, $2)", [channel, payload]))
        .catch(() => pending.clear());
    }
    scheduled = false;
  };

  return {
    notify(transactionIds) {
      for (const transactionId of transactionIds) pending.add(transactionId);
      if (scheduled || pending.size === 0) return;
      scheduled = true;
      clock.after(gatherMs, () => void send());
    },
    async close() {
      reread.close();
      await listener.close();
    },
  };
};
