/**
 * Notifies held reads of changes in other processes, by LISTEN/NOTIFY. Polls as well, since notices can be lost, and
 * LISTEN may not be available: many withdrawals per statement, one statement at a time, so that ten thousand held reads
 * never delay a confirm.
 */

import pg from "pg";
import type { Cancel, Clock } from "../ports.ts";
import { type Hosts, type Pool, serverProcessOf } from "./postgres-connect.ts";
import type { Changes } from "./store.ts";

/** Notices get lost when a process dies between commit and notice. */
const rereadAllMs = { listening: 5_000, polling: 500 } as const;
const turnMs = 500;
const idsPerStatementMax = 500;

/** Two statement lengths only, each prepared once; unused places repeat an id. A list rather than an array, for other engines. */
const statusesOf = (length: number) => {
  const ids = Array.from({ length }, (_, n) => `$${n + 1}`).join(", ");
  return { length, name: `held_statuses_${length}`, text: `SELECT id, status FROM withdrawals WHERE id IN (${ids})` };
};
const [ofFew, ofMany] = [statusesOf(8), statusesOf(idsPerStatementMax)];

/** Polls the withdrawals that held reads wait for, until closed. @param fraction in [0, 1), for the jitter of pauses. */
export const createReread = (pool: Pool, clock: Clock, changes: Changes, fraction: () => number) => {
  let listening = false;
  let missed = true;
  let running = false;
  let closed = false;
  let cancel: Cancel = () => {};
  /** Of withdrawals, that the turns so far have not used up: a few that wait need no statement in each turn. */
  let leftMs = 0;

  const readSome = async (most: number): Promise<void> => {
    for (let left = most; left > 0 && !closed; left -= idsPerStatementMax) {
      const ids = changes.inTurn(Math.min(left, idsPerStatementMax));
      if (ids.length === 0) return;
      const { length, ...query } = ids.length <= ofFew.length ? ofFew : ofMany;
      const values = Array.from({ length }, (_, n) => ids[n] ?? ids[0]);
      const { rows } = await pool.use((client) => client.query<{ id: string; status: string }>({ ...query, values }));
      for (const { id, status } of rows) changes.notifyUnless(id, status);
      // A withdrawal that is no longer open has ended: its readers find it elsewhere.
      const open = new Set(rows.map(({ id }) => id));
      for (const id of ids) if (!open.has(id)) changes.notify(id);
    }
  };

  const turn = async () => {
    running = true;
    const all = missed || !listening;
    missed = false;
    leftMs += changes.size * turnMs;
    const most = all ? changes.size : Math.floor(leftMs / rereadAllMs.listening);
    leftMs %= rereadAllMs.listening;
    await readSome(most).catch(() => {
      missed = true;
    });
    running = false;
    next();
  };

  const next = () => {
    cancel();
    if (closed || running) return;
    const pauseMs = (listening ? turnMs : rereadAllMs.polling) * (0.75 + fraction() / 2);
    cancel = clock.after(pauseMs, () => void turn());
  };

  next();
  return {
    /** @param now whether notices arrive: then everything is polled once in 5 s, else twice a second. */
    setListening(now: boolean): void {
      // Catches up on changes while nobody listened.
      missed ||= now && !listening;
      listening = now;
      next();
    },
    close(): void {
      closed = true;
      cancel();
    },
  };
};

interface NotifierOptions {
  readonly hosts: Hosts;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly changes: Changes;
  readonly connectTimeoutMs: number;
  readonly fraction: () => number;
}

/** The channel of all notices; a payload is transaction ids, comma-separated. */
const channel = "tillcash_changes";
/** Pause between attempts, doubled each time, with jitter of half to one and a half, so that a fleet does not reconnect at once. */
const reconnectMs = { first: 500, max: 10_000 } as const;
/** A silent connection is dropped after this time. */
const queryTimeoutMs = 5_000;
/** A pooler may accept LISTEN and never deliver, so the first notice goes to ourselves. */
const echoTimeoutMs = 2_000;
const echo = "echo";

/**
 * The connection that sends and receives notices. `onState` is called when notices start or stop to arrive. Resolves
 * when it listens, or when the first attempt failed (it keeps trying).
 */
const createListener = async (
  options: NotifierOptions,
  onNotification: (payload: string) => void,
  onState: (listening: boolean) => void,
) => {
  const { clock, hosts, fraction } = options;
  let client: pg.Client | null = null;
  let failures = 0;
  let closed = false;
  let cancelTimer: Cancel = () => {};

  const reconnectLater = () => {
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
        onState(false);
      }
      next.end().catch(() => {});
      reconnectLater();
    };
    let ownProcess: number | undefined;
    const echoed = new Promise<void>((resolve) => {
      next.on("notification", ({ payload = "", processId }) => {
        // Its own first one: others are sent once it listens.
        if (processId === ownProcess) resolve();
        else onNotification(payload);
      });
    });
    next.on("error", lose);
    next.on("end", lose);
    try {
      await next.connect();
      await hosts.check(next);
      ownProcess = await serverProcessOf(next);
      await next.query(`LISTEN ${channel}`);
      // Notices need no durability of their own. Other engines may lack the setting.
      await next.query("SET synchronous_commit = off").catch(() => {});
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
    onState(true);
  };

  await connect();
  return {
    /** Sends a notice over this connection; false when there is none now. */
    async notify(payload: string): Promise<boolean> {
      const connection = client;
      if (connection === null) return false;
      try {
        await connection.query("SELECT pg_notify($1, $2)", [channel, payload]);
        return true;
      } catch {
        // Closing makes it reconnect.
        connection.end().catch(() => {});
        return false;
      }
    },
    async close(): Promise<void> {
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

/** Changes within this time after a notice share the next one, since every process of a fleet is woken by each. */
const noticeEveryMs = 100;
/** PostgreSQL limits payloads to 8,000 bytes; an id has 16. */
const idsPerNoticeMax = 400;

/**
 * Gathers changes into notices: the first goes out at once, those of the next 100 ms together.
 * @param send sends one payload. Must not reject.
 */
export const createNotices = (clock: Clock, send: (payload: string) => Promise<void>) => {
  const pending = new Set<string>();
  let sentAt = Number.NEGATIVE_INFINITY;
  let sending: Promise<void> | null = null;
  let cancel: Cancel | null = null;

  const sendAll = async () => {
    sentAt = clock.now();
    const ids = [...pending];
    pending.clear();
    for (let at = 0; at < ids.length; at += idsPerNoticeMax) await send(ids.slice(at, at + idsPerNoticeMax).join(","));
  };
  const start = () => {
    cancel = null;
    sending = sendAll().finally(() => {
      sending = null;
      schedule();
    });
  };
  const schedule = () => {
    if (sending !== null || cancel !== null || pending.size === 0) return;
    const waitMs = sentAt + noticeEveryMs - clock.now();
    if (waitMs <= 0 || waitMs > noticeEveryMs) start();
    else cancel = clock.after(waitMs, start);
  };

  return {
    add(transactionIds: Iterable<string>): void {
      for (const transactionId of transactionIds) pending.add(transactionId);
      schedule();
    },
    /** Sends what is left; call it after the last change. */
    async close(): Promise<void> {
      while (sending !== null) await sending;
      cancel?.();
      await sendAll();
    },
  };
};

/** Notifies other processes of changes. Resolves when it listens, or when the first attempt failed (it keeps trying). */
export const createNotifier = async (options: NotifierOptions) => {
  const { clock, changes, pool } = options;
  const reread = createReread(pool, clock, changes, options.fraction);
  const wake = (payload: string): void => {
    for (const id of payload.split(",")) changes.notify(id);
  };
  const listener = await createListener(options, wake, reread.setListening);
  const notices = createNotices(clock, async (payload) => {
    if (await listener.notify(payload)) return;
    // Others may listen while this process cannot. Readers that are not woken poll by themselves.
    await pool.use((client) => client.query("SELECT pg_notify($1, $2)", [channel, payload])).catch(() => {});
  });

  return {
    notify: notices.add,
    async close(): Promise<void> {
      reread.close();
      await notices.close();
      await listener.close();
    },
  };
};
