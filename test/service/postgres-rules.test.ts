/** What PostgreSQL alone decides: who waits for a held row and who goes past it, which server is written to, when a silent one is given up. */
import { connect, createServer, type Socket } from "node:net";
import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { holdAuditHead } from "../../backend/access/audit.ts";
import { lockCredential } from "../../backend/access/credentials.ts";
import { elapsedMs, systemClock } from "../../backend/adapters.ts";
import { holdMerchant } from "../../backend/merchants/merchants.ts";
import { statusEvents } from "../../backend/partner/events.ts";
import { outbox } from "../../backend/partner/orders.ts";
import type { Clock } from "../../backend/ports.ts";
import { createDatabaseClock } from "../../backend/store/database-clock.ts";
import { openStore } from "../../backend/store/open.ts";
import { createNotifier } from "../../backend/store/postgres-changes.ts";
import { createHosts, createPool, defaultPoolSettings } from "../../backend/store/postgres-connect.ts";
import { setSetting } from "../../backend/store/settings.ts";
import { adhoc, createChanges, type Query, type Store, StoreRefused, type Tx } from "../../backend/store/store.ts";
import { holdOne, holdShown, lockEnded, lockLeft } from "../../backend/withdrawals/closed.ts";
import { holdRestored } from "../../backend/withdrawals/restored.ts";
import { holdDue } from "../../backend/withdrawals/store.ts";
import { refusing, saidOf } from "./database-says.ts";
import { createPooler, messages } from "./pooler.ts";
import { createDatabase, dropDatabase } from "./postgres.ts";
import { listenInFrontOf } from "./silent-way.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { notificationsOnly, VirtualClock } from "./virtual-clock.ts";
import { rowWith } from "./withdrawal-row.ts";
import { bank, seed, shop } from "./world.ts";

const [first, second] = ["111111111111111M", "222222222222222D"];
const now = 1_000_000;

describe.runIf(stores.includes("postgres"))("on PostgreSQL", () => {
  let place: Place;
  let store: Store;
  let clients: pg.Client[];
  let closing: (() => unknown)[];
  /** A connection of another process, in a transaction that is rolled back at the end. */
  const begin = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: place.url, statement_timeout: 5_000 });
    await client.connect();
    clients.push(client);
    await client.query("BEGIN");
    return client;
  };
  const run = (client: pg.Client, query: Query<unknown>) => {
    const { text, values } = query.sql("postgres");
    return client.query<{ id: string }>(text, [...values]);
  };
  beforeEach(async () => {
    [clients, closing] = [[], []];
    place = await createPlace("postgres");
    store = await place.open();
    await seed(store);
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const close of closing) await close();
    await Promise.all(clients.map((client) => client.end()));
    await place.dispose();
  });

  const due = {
    from: 0,
    now,
    maxPlausibleDueAt: now + 1_000,
    partner: bank.partnerId,
    leasedUntil: now + 9,
    worker: "w",
  };
  const pastHeld: readonly [string, "withdrawals" | "outbox" | "status_events", Query<unknown>, object][] = [
    ["a deadline", "withdrawals", holdDue([first, second], now), { status: "ready", deadline_at: now }],
    ["what is old", "withdrawals", lockEnded({ before: now, repeated: 0, limit: 9 }), { status: "linked" }],
    ["what was left", "withdrawals", lockLeft({ at: 0, id: "", limit: 9 }), { status: "linked" }],
    ["an order", "outbox", outbox.claims.all.overdue({ ...due, limit: 9 }), { due_at: now }],
    ["an order far ahead", "outbox", outbox.claims.all.implausible({ ...due, limit: 9 }), { due_at: now * 2 }],
    ["an event", "status_events", statusEvents.claims.first.overdue({ ...due, limit: 9 }), { due_at: now }],
    [
      "a failed event",
      "status_events",
      statusEvents.claims.repeated.overdue({ ...due, limit: 9 }),
      { due_at: now, last_error: "x" },
    ],
  ];
  test.each(pastHeld)("%s whose row another process holds is left to it, and the next is taken", async (...row) => {
    const [, table, query, columns] = row;
    const message = { transaction_id: first, partner_id: bank.partnerId, body: "{}", attempts: 1, created_at: 0 };
    const order = { ...message, claimed_by: "", last_error: null, partner_reference: null };
    for (const [n, id] of [first, second].entries()) {
      const withdrawal = rowWith({ id, idempotency_key: `key-${n}`, transaction_id_partner: `pos-${n}` });
      const values = { ...(table === "withdrawals" ? withdrawal : { ...order, id }), ...columns };
      const more = table === "outbox" ? { ...values, unsent_attempts: 0 } : values;
      await store.write((tx) => tx.run(adhoc((db) => db.insertInto(table as "withdrawals").values(more as never))));
    }
    await (await begin()).query(`SELECT 1 FROM ${table} WHERE id = $1 FOR UPDATE`, [first]);
    expect((await run(await begin(), query)).rows.map(({ id }) => id)).toEqual([second]);
  });

  const held: readonly [string, Query<unknown>, string][] = [
    ["the audit's head", holdAuditHead({}), "audit_head"],
    ["a key that a token is made for", lockCredential({ id: "c1", hash: "h" }), "credentials"],
    ["a shop that is written anew", holdMerchant({ id: shop }), `merchants WHERE id = '${shop}'`],
    ["what a restore has ended", holdRestored({ id: first }), "withdrawals"],
    ["what two say a word about", holdOne[0]({ id: first }), "withdrawals"],
    ["what is repeated", holdShown[0]({ id: first, askedAt: rowWith({}).created_at }), "withdrawals"],
    ["what was left and goes to the archive", lockLeft({ at: 0, id: "", limit: 1 }), "withdrawals"],
    ["what goes to the archive", lockEnded({ before: now, repeated: 0, limit: 1 }), "withdrawals"],
  ];
  test.each(held)("%s is held until the commit: nobody else writes it meanwhile", async (_, query, where) => {
    const key = {
      id: "c1",
      kind: "terminal",
      owner_id: shop,
      device_id: "till-1",
      secret_hash: "h",
      scopes: "",
    } as const;
    await store.write(async (tx) => {
      await tx.run(adhoc((db) => db.insertInto("withdrawals").values(rowWith({ id: first, status: "linked" }))));
      await tx.run(adhoc((db) => db.insertInto("credentials").values({ ...key, created_at: 0, revoked_at: null })));
    });
    const [holder, other] = [await begin(), await begin()];
    expect((await run(holder, query)).rows).toHaveLength(1);
    const write = () => other.query(`SELECT 1 FROM ${where} FOR NO KEY UPDATE NOWAIT`);
    await expect(write()).rejects.toMatchObject({ code: "55P03" });
    await other.query("ROLLBACK");
    await holder.query("COMMIT");
    expect((await write()).rows).toHaveLength(1);
  });

  /** A database on the same server that takes no writes, as a standby. */
  const readOnly = async (): Promise<string> => {
    const { adminUrl } = inject("postgres");
    const url = await createDatabase(adminUrl);
    closing.push(() => dropDatabase(adminUrl, url));
    await (await begin()).query(
      `COMMIT; ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`,
    );
    return url;
  };
  /** Longer than a test may last: no connection is given up for being slow. */
  const connectTimeoutMs = 3_600_000;
  const settings = { ...defaultPoolSettings, queryTimeoutMs: 12_000, connectTimeoutMs };
  const hostsOf = (hosts: readonly string[], writableOnly = true) =>
    createHosts({ kind: "postgres", hosts, writableOnly }, systemClock, () => 0.5);
  const poolOn = (hosts: ReturnType<typeof createHosts>) => {
    const pool = createPool(settings, hosts, systemClock);
    closing.push(() => pool.close());
    return pool;
  };
  test.each<[string, readonly ("reads" | "writes")[], boolean, "reads" | "writes" | "none"]>([
    ["the one that writes, behind one that reads", ["reads", "writes"], true, "writes"],
    ["the one that writes, before one that reads", ["writes", "reads"], true, "writes"],
    ["none where all only read", ["reads"], true, "none"],
    ["the first where that is not asked for", ["reads"], false, "reads"],
  ])("of several servers %s is connected to", async (_, roles, writableOnly, expected) => {
    const urls = { reads: await readOnly(), writes: place.url };
    const pool = poolOn(
      hostsOf(
        roles.map((role) => urls[role]),
        writableOnly,
      ),
    );
    const connected = pool.use(
      async (client) => (await client.query("SELECT current_database() AS name")).rows[0].name,
    );
    const cause = { message: "this server takes no writes" };
    if (expected === "none") await expect(connected).rejects.toMatchObject({ code: "unavailable", cause });
    else expect(await connected).toBe(new URL(urls[expected]).pathname.slice(1));
  });

  test("a server whose machine has died, and which therefore refuses nothing, is left for the one that writes", async () => {
    const dead = createServer((socket) => void closing.push(() => socket.destroy()));
    closing.push(() => dead.close());
    const hosts = hostsOf([await listenInFrontOf(new URL(place.url), dead), place.url]);
    const clock = new VirtualClock();
    const pool = createPool({ ...settings, connectTimeoutMs: 5_000 }, hosts, clock);
    closing.push(() => pool.close());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const pass = (ms: number) => {
      clock.jump(ms);
      return vi.advanceTimersByTimeAsync(ms);
    };
    const ask = () => pool.use(async (client) => (await client.query("SELECT 1 AS one")).rows);
    const refused = expect(ask()).rejects.toMatchObject({ code: "unavailable" });
    await pass(5_000);
    await refused;
    await pass(1_000);
    await expect.poll(() => hosts.current).toBe(place.url);
    expect(await ask()).toEqual([{ one: 1 }]);
  });

  test.each([
    ["off", "on"],
    ["local", "local"],
    ["remote_apply", "remote_apply"],
  ])(
    "where synchronous_commit is %s, a commit waits for the disk all the same, and for standbys as it says",
    async (set, used) => {
      const name = new URL(place.url).pathname.slice(1);
      await (await begin()).query(`COMMIT; ALTER DATABASE ${name} SET synchronous_commit = ${set}`);
      const text = "SELECT current_setting('synchronous_commit') AS used";
      const waits = async (tx: Tx) =>
        (await tx.first(adhoc((db) => ({ compile: () => sql.raw<{ used: string }>(text).compile(db) }))))?.used;
      const opened = await place.open();
      expect(await Promise.all([opened.write(waits), opened.write(waits, "about one")])).toEqual([used, used]);
    },
  );

  test("a connection on which that cannot be asked in time is not used", async () => {
    const name = new URL(place.url).pathname.slice(1);
    await (await begin()).query(`COMMIT; ALTER DATABASE ${name} SET search_path = public, pg_catalog;
      CREATE FUNCTION current_setting(text, boolean) RETURNS text LANGUAGE sql AS 'SELECT pg_sleep(60)::text'`);
    const pool = createPool({ ...settings, statementTimeoutMs: 300 }, hostsOf([place.url]), systemClock);
    closing.push(() => pool.close());
    await expect(pool.use((client) => client.query("SELECT 1"))).rejects.toMatchObject({ code: "unavailable" });
  });

  const standby = async () => ({ rows: [{ name: "a standby", isStandby: true }] });
  test.each<[string, string, () => Promise<unknown>, object]>([
    ["says it", "of no statement", standby, { isKept: true, isKnown: true }],
    ["is a standby", "pg_postmaster_start_time", standby, { isKept: false, isKnown: false }],
    ["has no word for it", "pg_postmaster_start_time", refusing("42883"), { isKept: true, isKnown: false }],
    ["has no way to wait for its disk", "synchronous_commit", refusing("42704"), { isKept: true, isKnown: true }],
    ["does not answer in time", "pg_postmaster_start_time", refusing("57014"), { code: "unavailable" }],
  ])(
    "a server that, asked which one it is, %s: whether it is used, its connections are kept, and it is known again",
    async (_, name, said, expected) => {
      closing.push(saidOf(name, said));
      const hosts = hostsOf([place.url]);
      const pool = poolOn(hosts);
      const process = () =>
        pool.use(async (client) => (await client.query("SELECT pg_backend_pid() AS pid")).rows[0].pid);
      const used = async () => {
        const [once, again] = [await process(), await process()];
        const oid = "SELECT oid::text FROM pg_database WHERE datname = current_database()";
        const { rows } = await (await begin()).query<{ oid: string }>(oid);
        return { isKept: again === once, isKnown: hosts.server?.endsWith(` ${rows[0]?.oid}`) ?? false };
      };
      expect(await used().catch(({ code }) => ({ code }))).toEqual(expected);
    },
  );

  test("somebody listens for the errors of each connection, of which one without would end the process", async () => {
    const connected = new Set<pg.Client>();
    const connect = pg.Client.prototype.connect as (this: pg.Client, ...rest: unknown[]) => Promise<unknown>;
    const spy = vi.spyOn(pg.Client.prototype, "connect").mockImplementation(function (
      this: pg.Client,
      ...rest: unknown[]
    ) {
      connected.add(this);
      return connect.apply(this, rest);
    } as never);
    closing.push(() => spy.mockRestore());
    const { host } = new URL(place.url);
    const opened = await openStore(place.url.replace(host, `127.0.0.1:1,${host}`), systemClock);
    closing.push(() => opened.close());
    await opened.read((tx) => tx.all(adhoc((db) => db.selectFrom("partners").select("id"))));
    // Of the hosts two, one that checks what is migrated, one that listens, one for units.
    expect(connected.size).toBeGreaterThanOrEqual(5);
    for (const client of connected) client.emit("error", new Error("reset"));
    await poolOn(hostsOf([place.url])).use(async (client) => client.emit("error", new Error("reset")));
  });

  test("a look for the host that writes leaves no connection behind", async () => {
    const client = await begin();
    await client.query("COMMIT");
    const urls = [await readOnly(), place.url];
    expect(await hostsOf(urls).find(0)).toBe(true);
    const looks =
      "SELECT 1 FROM pg_stat_activity WHERE datname IN ($1, $2) AND query LIKE 'SHOW transaction_read_only%'";
    const names = urls.map((url) => new URL(url).pathname.slice(1));
    await expect.poll(async () => (await client.query(looks, names)).rows).toEqual([]);
  });

  test("hosts are looked at by one search for all who ask, again and again until the time of the first is over", async () => {
    let looks = 0;
    const dead = createServer((socket) => {
      looks += 1;
      socket.destroy();
    });
    closing.push(() => dead.close());
    const clock = new VirtualClock();
    const urls = [await listenInFrontOf(new URL(place.url), dead)];
    const hosts = createHosts({ kind: "postgres", hosts: urls, writableOnly: true }, clock, () => 0.25);
    const found = Promise.all([113, 1_000].map((ms) => hosts.find(clock.now() + ms)));
    await expect.poll(() => clock.timers).toBe(1);
    await clock.advance(112);
    expect([looks, clock.timers]).toEqual([1, 1]);
    await clock.advance(1);
    expect([await found, looks]).toEqual([[false, false], 2]);
    expect([await hosts.find(0), looks]).toEqual([false, 3]);
  });

  test("hosts are not looked for where all connections of this process are in use, too much waits for one, or it stops", async () => {
    let looks = 0;
    const find = async () => {
      looks += 1;
      return false;
    };
    const hosts = { server: null, current: place.url, areMany: true, check: async () => {}, find };
    const few = { ...settings, connectionsMax: 1, waitingMax: 1, connectTimeoutMs: 1_000 };
    const pool = createPool(few, hosts, systemClock);
    const refusalOf = (asked: Promise<unknown>) =>
      asked.catch(({ code, message, extra }) => ({ code, message, after: extra.retryAfterSeconds }));
    await pool.use(async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const code = "unavailable";
      const waits = refusalOf(pool.use(async () => {}));
      const tooMuch = { code, message: "Too much waits for the database.", after: 1 };
      expect(await refusalOf(pool.use(async () => {}))).toEqual(tooMuch);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(await waits).toEqual({ code, message: "The database cannot be used now." });
    });
    await pool.close();
    expect(await refusalOf(pool.use(async () => {}))).toMatchObject({ message: "The service is stopping." });
    expect(looks).toBe(0);
  });

  const notifierOn = (url: string, clock: Clock, writableOnly = false) => {
    const hosts = hostsOf([url], writableOnly);
    const changes = createChanges();
    const made = createNotifier({
      hosts,
      pool: poolOn(hosts),
      clock,
      changes,
      connectTimeoutMs,
      fraction: () => 0.5,
    });
    closing.push(async () => (await made).close());
    return { made, changes };
  };

  const behind = async (mode: "session" | "transaction") => {
    const pooler = await createPooler(new URL(place.url), mode);
    closing.push(() => pooler.close());
    return pooler.url;
  };

  test.each([false, true])(
    "a pooler that gives each transaction another session is refused, at a migration too: %s",
    async (migrates) => {
      const refused = openStore(await behind("transaction"), systemClock, { migrates });
      await expect(refused).rejects.toThrow(/^DATABASE_URL leads to a pooler .*pool_mode = session/);
      await expect(refused).rejects.toBeInstanceOf(StoreRefused);
    },
  );

  test("behind a pooler of whole sessions a statement has its time, and another process's change arrives", async () => {
    const url = await behind("session");
    const [here, there] = [notifierOn(place.url, systemClock), notifierOn(url, notificationsOnly)];
    const [notifier] = [await here.made, await there.made];
    const arrived = new Promise((resolve) => there.changes.on(first, resolve));
    notifier.notify([first]);
    await arrived;
    const pooled = await openStore(url, systemClock, { statementTimeoutMs: 300 });
    closing.push(() => pooled.close());
    const sleep = adhoc((db) => ({ compile: () => sql.raw("SELECT pg_sleep(60)").compile(db) }));
    await expect(pooled.read((tx) => tx.first(sleep))).rejects.toMatchObject({ code: "unavailable" });
  });

  test("nobody listens at a server that only reads", async () => {
    const url = await readOnly();
    await notifierOn(url, new VirtualClock(), true).made;
    const listening = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'tillcash listener' AND datname = $1";
    const client = await begin();
    // A transaction goes on seeing the connections of its first look.
    await client.query("COMMIT");
    await expect.poll(async () => (await client.query(listening, [new URL(url).pathname.slice(1)])).rows).toEqual([]);
  });

  /** Connections that listen: one whose own notice was not sent yet may not hear another's. */
  const watchListeners = async () => {
    const client = await begin();
    await client.query("COMMIT");
    const text = `SELECT pid FROM pg_stat_activity WHERE application_name = 'tillcash listener'
      AND datname = current_database() AND state = 'idle' AND query LIKE 'SELECT pg_notify%'`;
    return { client, listeners: async () => (await client.query<{ pid: number }>(text)).rows.map(({ pid }) => pid) };
  };

  test("a process whose listening connection dies finds what changes meanwhile by looking, and listens again half a second later", async () => {
    const clock = new VirtualClock();
    const { client, listeners } = await watchListeners();
    const there = await notifierOn(place.url, notificationsOnly).made;
    const others = await listeners();
    const { made, changes } = notifierOn(place.url, clock);
    await made;
    // The first look is at all that is waited for, whatever is heard.
    await clock.advance(500);
    const own = (await listeners()).filter((pid) => !others.includes(pid));
    await client.query(`SELECT pg_terminate_backend(${own})`);
    // The next try, and the next look at what others have changed.
    await expect.poll(() => clock.timers).toBe(2);
    await store.write((tx) =>
      tx.run(adhoc((db) => db.insertInto("withdrawals").values(rowWith({ id: first, status: "linked" })))),
    );
    const woken = new Promise<void>((resolve) => void changes.on(first, () => resolve(), "ready"));
    await clock.advance(499);
    expect(await listeners()).toHaveLength(others.length);
    await clock.advance(1);
    await woken;
    await expect.poll(listeners).toHaveLength(others.length + 1);
    await expect.poll(() => clock.timers).toBe(1);
    const arrived = new Promise<void>((resolve) => void changes.on(second, () => resolve()));
    there.notify([second]);
    await arrived;
  });

  test("a notice goes over the connection that listens, and over another where that is gone", async () => {
    const { client, listeners } = await watchListeners();
    const there = notifierOn(place.url, notificationsOnly);
    await there.made;
    const others = await listeners();
    const hosts = hostsOf([place.url], false);
    const pool = poolOn(hosts);
    let borrowed = 0;
    const use: typeof pool.use = (work) => {
      borrowed += 1;
      return pool.use(work);
    };
    const clock = new VirtualClock();
    const changes = createChanges();
    const parts = { hosts, pool: { ...pool, use }, clock, changes, connectTimeoutMs, fraction: () => 0.5 };
    const notifier = await createNotifier(parts);
    closing.push(() => notifier.close());
    const arrivalOf = (id: string) => new Promise<void>((resolve) => void there.changes.on(id, () => resolve()));
    const arrived = arrivalOf(first);
    notifier.notify([first]);
    await arrived;
    await expect.poll(async () => [borrowed, (await listeners()).length]).toEqual([0, others.length + 1]);
    const own = (await listeners()).filter((pid) => !others.includes(pid));
    await client.query(`SELECT pg_terminate_backend(${own})`);
    const later = arrivalOf(second);
    clock.jump(1_000);
    notifier.notify([second]);
    await later;
    expect(borrowed).toBe(1);
  });

  test("changes of one moment arrive at another process, however many they are", async () => {
    const [here, there] = [notifierOn(place.url, systemClock), notifierOn(place.url, notificationsOnly)];
    const [notifier] = [await here.made, await there.made];
    const ids = Array.from({ length: 1_300 }, (_, n) => `${n}`.padStart(16, "0"));
    const woken = new Set<string>();
    for (const id of ids) there.changes.on(id, () => void woken.add(id));
    notifier.notify(ids);
    await expect.poll(() => woken.size).toBe(ids.length);
  });

  /** The database's clock is the server's, moved by as much as it is told; and the one by which a process works on it. */
  const movedClock = async () => {
    const path = "search_path = public, pg_catalog";
    await (
      await begin()
    ).query(`COMMIT; ALTER DATABASE ${new URL(place.url).pathname.slice(1)} SET ${path}; SET ${path};
      CREATE TABLE clock_moves (by_ms BIGINT NOT NULL); INSERT INTO clock_moves VALUES (0);
      CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
        AS 'SELECT pg_catalog.clock_timestamp() + by_ms * interval ''1 millisecond'' FROM public.clock_moves'`);
    const admin = await begin();
    await admin.query("COMMIT");
    const opened = await place.open();
    const ended: number[] = [];
    const machine = new VirtualClock();
    const clock = await createDatabaseClock(opened, machine, elapsedMs, async (_, at) => ended.push(at) > 0);
    closing.push(() => clock.stop());
    const kept = async () => {
      const { rows } = await admin.query("SELECT value FROM settings WHERE name = 'clock'");
      const [latest = 0, steps = 0] = rows[0].value.split(" ").map(Number);
      return { latest, steps };
    };
    const move = (byMs: number) => admin.query(`UPDATE clock_moves SET by_ms = by_ms + ${byMs}`);
    const write = async () => {
      let tried = 0;
      await clock.checkedStore.write(async (tx) => {
        tried += 1;
        await tx.run(setSetting({ name: "other", value: "9 9" }));
      });
      return tried;
    };
    return { clock, ended, kept, move, write };
  };
  const minuteMs = 60_000;
  const near = (at: number, expected: number) => expect(Math.abs(at - expected)).toBeLessThan(minuteMs);

  test("a write at the database's time passes; one that is ahead or behind by more than it may be is repeated at the right time", async () => {
    const { clock, ended, kept, move, write } = await movedClock();
    expect(await write()).toBe(1);
    await move(-100);
    expect(await write()).toBe(1);
    await move(30 * minuteMs);
    expect(await write()).toBe(2);
    near(clock.now(), Date.now() + 30 * minuteMs);
    const { latest, steps } = await kept();
    near(latest, Date.now() + 30 * minuteMs);
    expect([steps, ended]).toEqual([0, []]);
  });

  test("a clock that goes back ends what is uncertain by the time after it, and counts the step; nothing else is written to", async () => {
    const { clock, ended, kept, move, write } = await movedClock();
    const others = async () =>
      (await begin()).query("SELECT name, value FROM settings WHERE name <> 'clock' ORDER BY name");
    await write();
    const before = (await others()).rows;
    for (const times of [1, 2]) {
      await move(-10 * minuteMs);
      expect(await write()).toBe(2);
      const back = Date.now() - times * 10 * minuteMs;
      expect(ended).toHaveLength(times);
      near(ended.at(-1) ?? 0, back);
      near(clock.now(), back);
      const { latest, steps } = await kept();
      near(latest, back);
      expect(steps).toBe(times);
    }
    expect((await others()).rows).toEqual(before);
  });

  /** Between a process and the database. @param swallow which of the database's messages never arrive, by their letter. */
  const wayThat = async (swallow: (letter: string) => boolean): Promise<string> => {
    const sockets = new Set<Socket>();
    const target = new URL(place.url);
    const server = createServer((near) => {
      const far = connect(Number(target.port), target.hostname);
      for (const socket of [near, far]) sockets.add(socket.on("error", () => {}));
      near.pipe(far);
      near.on("close", () => far.destroy());
      far.on("close", () => near.destroy());
      far.on(
        "data",
        messages(false, (letter, message) => void (swallow(letter) || near.write(message))),
      );
    });
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return listenInFrontOf(target, server);
  };

  test("a way on which no notice arrives is given up after two seconds", async () => {
    const clock = new VirtualClock();
    let isOpen = false;
    void notifierOn(await wayThat((letter) => letter === "A"), clock).made.then(() => {
      isOpen = true;
    });
    // Its look at what others have changed, and the time that the notice to itself may take.
    await expect.poll(() => clock.timers).toBe(2);
    await clock.advance(1_999);
    expect(isOpen).toBe(false);
    await clock.advance(1);
    await expect.poll(() => isOpen).toBe(true);
  });

  test("a notice that is not answered in five seconds goes another way, and another connection listens; closed then, it is left", async () => {
    const { listeners } = await watchListeners();
    const there = notifierOn(place.url, notificationsOnly);
    await there.made;
    const others = await listeners();
    let isSilent = false;
    const swallowed: string[] = [];
    const clock = new VirtualClock();
    const url = await wayThat((letter) => isSilent && swallowed.push(letter) > 0);
    const notifier = await notifierOn(url, clock).made;
    const arrived = new Promise((resolve) => there.changes.on(first, resolve));
    isSilent = true;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    notifier.notify([first]);
    await expect.poll(() => swallowed.length).toBeGreaterThan(0);
    isSilent = false;
    await vi.advanceTimersByTimeAsync(5_000);
    await arrived;
    await expect.poll(() => clock.timers).toBe(2);
    await clock.advance(500);
    await notifier.close();
    await expect.poll(listeners).toEqual(others);
  });

  test("a way on which nothing is answered any more is given up after five seconds", async () => {
    let isSilent = false;
    const url = await wayThat((letter) => {
      // The answer to the sign-in is the last one.
      const wasSilent = isSilent;
      isSilent ||= letter === "Z";
      return wasSilent;
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let isOpen = false;
    void notifierOn(url, systemClock).made.then(() => {
      isOpen = true;
    });
    await expect.poll(() => isSilent).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(4_900);
    expect(isOpen).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    await expect.poll(() => isOpen).toBe(true);
  });
});
