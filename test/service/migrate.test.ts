/** Migrations beside processes that serve (README, "A fleet on PostgreSQL"). */
import { sql } from "kysely";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { indexesOf, newestOf, versionRows } from "../../backend/store/migrate.ts";
import { type Migration, migrations } from "../../backend/store/migrations.ts";
import { openStore } from "../../backend/store/open.ts";
import { migrateFleet } from "../../backend/store/postgres.ts";
import { isLive, migratePostgres, planMigration } from "../../backend/store/postgres-migrate.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { refusing, saidOf } from "./database-says.ts";
import { createWay } from "./silent-way.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { keepTogether } from "./world.ts";

const next = newestOf(migrations) + 1;
const plus = (migration: Omit<Migration, "version">): readonly Migration[] => [
  ...migrations,
  { version: next, ...migration },
];
const versionIn = async (store: Store) =>
  (
    await store.read((tx) =>
      tx.first(adhoc((db) => db.selectFrom("schema_version").select("version").where("id", "=", 1))),
    )
  )?.version;
const addPartner = (store: Store, id: string) =>
  store.write((tx) =>
    tx.run(adhoc((db) => db.insertInto("partners").values({ id, url: null, secret: null, created_at: 0 }))),
  );

describe("on PostgreSQL", () => {
  let place: Place;
  let store: Store;
  let admin: pg.Client;
  let other: pg.Client;
  beforeEach(async () => {
    ending = [];
    place = await createPlace("postgres");
    store = await place.open();
    [admin, other] = [1, 2].map(() => new pg.Client({ connectionString: place.url })) as [pg.Client, pg.Client];
    await Promise.all([admin.connect(), other.connect()]);
  });
  let ending: (() => void)[];
  /** See `saidOf`, until the end of the test. */
  const said = (...asked: Parameters<typeof saidOf>) => void ending.push(saidOf(...asked));
  const here = () => ({ url: place.url, clock: systemClock, connectTimeoutMs: 5_000 });
  afterEach(async () => {
    for (const end of ending.toReversed()) end();
    await Promise.all([admin.end(), other.end()]);
    await place.dispose();
  });

  test("a migration may take longer than any statement of the service", async () => {
    const slow = plus({ statements: ["SELECT pg_sleep(1.2)", "ALTER TABLE partners ADD COLUMN slow_text TEXT"] });
    await place.open(undefined, { statementTimeoutMs: 300, migrations: slow });
    expect(await versionIn(store)).toBe(next);
  });

  test("nor does a bound on transactions or statements that the database sets end it, or its lock", async () => {
    for (const bound of ["transaction_timeout", "statement_timeout", "idle_in_transaction_session_timeout"])
      await admin.query(`ALTER DATABASE ${new URL(place.url).pathname.slice(1)} SET ${bound} = '600ms'`);
    const lock =
      "state = 'idle in transaction' AND datname = current_database() AND query LIKE '%FROM schema_version%'";
    const held = `SELECT 1 / count(*) FROM pg_stat_activity WHERE ${lock}`;
    const slow = plus({ statements: ["SELECT pg_sleep(1.2)", held, "ALTER TABLE partners ADD COLUMN slow_text TEXT"] });
    await migratePostgres({ url: place.url, clock: systemClock, connectTimeoutMs: 5_000, migrations: slow });
    expect(await versionIn(store)).toBe(next);
  });

  test("a machine that dies keeps its lock for half a minute: so long the server asks whether it is there", async () => {
    const seconds = ["idle", "interval", "count"].map((name) => `current_setting('tcp_keepalives_${name}')::int`);
    const silence = `${seconds[0]} + ${seconds[1]} * ${seconds[2]}`;
    const asked = plus({ statements: [`SELECT 1 / (CASE WHEN ${silence} BETWEEN 1 AND 30 THEN 1 ELSE 0 END)`] });
    await migratePostgres({ url: place.url, clock: systemClock, connectTimeoutMs: 5_000, migrations: asked });
    expect(await versionIn(store)).toBe(next);
  });

  /** Until a program waits for what this test has locked. */
  const waits = () =>
    expect
      .poll(async () => {
        const waiting =
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        return (await other.query(waiting)).rows.length;
      })
      .toBeGreaterThan(0);

  test("an index is built while the service writes, and once by those that start together", async () => {
    const indexed = plus({
      statements: [],
      indexes: [{ name: "partners_by_url", on: "partners (url)", where: "url IS NOT NULL" }],
    });
    await admin.query("BEGIN");
    await admin.query("UPDATE partners SET url = url");
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const opened = Promise.all([1, 2, 3].map(() => place.open(undefined, { migrations: indexed, report })));
    await waits();
    await addPartner(store, "meanwhile");
    await admin.query("COMMIT");
    await opened;
    expect(lines.filter((line) => line === "index partners_by_url on partners (url)")).toHaveLength(1);
    const { rows } = await admin.query(
      "SELECT indisvalid FROM pg_index WHERE indexrelid = 'partners_by_url'::regclass AND indpred IS NOT NULL",
    );
    expect(rows).toEqual([{ indisvalid: true }]);
  });

  test("cut off in the middle it goes on from there: what was committed is not done again, a half index is built anew", async () => {
    const steps = (second: string): readonly Migration[] => [
      ...migrations,
      { version: next, statements: ["CREATE TABLE once (id TEXT PRIMARY KEY)"] },
      { version: next + 1, statements: [second], indexes: [{ name: "once_by_id", on: "once (id)" }] },
    ];
    await expect(place.open(undefined, { migrations: steps("SELECT no_such_function()") })).rejects.toThrow(
      /no_such_function/,
    );
    expect(await versionIn(store)).toBe(next);
    await admin.query("CREATE INDEX once_by_id ON once (id)");
    await admin.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'once_by_id'::regclass");
    await place.open(undefined, { migrations: steps("ALTER TABLE once ADD COLUMN more TEXT") });
    expect(await versionIn(store)).toBe(next + 1);
    const { rows } = await admin.query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'once_by_id'::regclass");
    expect(rows).toEqual([{ indisvalid: true }]);
  });

  const later = "ALTER TABLE partners ADD COLUMN later TEXT";
  const indexed = (name: string) => plus({ statements: [], indexes: [{ name, on: "partners (url)" }] });

  test("a start only looks: it names what is missing and the command, touches nothing, and goes on once it is there", async () => {
    const said: string[] = [];
    const report = (line: string) => void said.push(line);
    const open = () => place.open(undefined, { migrates: false, migrations: indexed("partners_by_url"), report });
    await expect(open()).rejects.toThrow(`(migration ${next}, and 1 more): run the command "migrate"; with --plan`);
    expect(await versionIn(store)).toBe(next - 1);
    await place.open(undefined, { migrations: indexed("partners_by_url") });
    await open();
    expect(said).toEqual([]);
    // An index is speed: what lacks one is served, and the log says so.
    await admin.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'partners_by_url'::regclass");
    await open();
    expect(said).toEqual([expect.stringContaining("(index partners_by_url on partners (url)): run the command")]);
    // A newer release may have dropped what this one had no more need of.
    await admin.query(`DROP INDEX partners_by_url; UPDATE schema_version SET version = ${next + 1} WHERE id = 1`);
    await open();
  });

  test("it says each step and how far an index is; killed, it takes its build along, and the next begins again", async () => {
    const lines: string[] = [];
    // How far it is, is looked at twenty times as often.
    const clock = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 20, run) };
    const options = { url: place.url, clock, connectTimeoutMs: 5_000, migrations: indexed("by_url") };
    const migrate = () => migratePostgres({ ...options, report: (line) => void lines.push(line) });
    await admin.query("BEGIN");
    await admin.query("UPDATE partners SET url = url");
    const cut = migrate();
    cut.catch(() => {});
    await expect.poll(() => lines.at(-1)).toMatch(/^index by_url on partners \(url\): waiting for writers/);
    expect(lines.slice(0, 2)).toEqual([`migration ${next}`, "index by_url on partners (url)"]);
    // What is left of a program that was killed: no connection, and half an index.
    const builds = "pid FROM pg_stat_progress_create_index WHERE datname = current_database()";
    await other.query(`SELECT pg_terminate_backend(pid) FROM (SELECT ${builds}) AS builds`);
    await expect(cut).rejects.toThrow();
    lines.length = 0;
    // Its lock ends with its other connection, which is closed after it has failed: then only the row's writer is in a transaction.
    const inTransaction = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'";
    await expect.poll(async () => (await other.query(inTransaction)).rows, { interval: 5 }).toHaveLength(1);
    // The row is still held, so that the first cannot be done before the second comes.
    const two = Promise.all([migrate(), migrate()]);
    const others = () => lines.filter((line) => line.startsWith("another migration"));
    await expect.poll(others).toHaveLength(1);
    await admin.query("COMMIT");
    await two;
    expect(lines).toContain("index by_url on partners (url): was cut off, and is dropped");
    expect(lines.filter((line) => line === "index by_url on partners (url)")).toHaveLength(1);
    expect(others()).toHaveLength(1);
    const { rows } = await admin.query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'by_url'::regclass");
    expect(rows).toEqual([{ indisvalid: true }]);
  });

  test.each([
    ["1", "3", "building index, 33 %"],
    ["0", "0", "building index"],
  ])("an index that is being built is, with %s of %s blocks done: %s", async (done, total, words) => {
    const lines: string[] = [];
    const clock = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 20, run) };
    // At its first look it finds none.
    const looks = [[], [{ phase: "building index", done, total }]];
    said("pg_stat_progress_create_index", async () => ({ rows: looks.length > 1 ? looks.shift() : looks[0] }));
    await admin.query("BEGIN");
    await admin.query("UPDATE partners SET url = url");
    const report = (line: string) => void lines.push(line);
    const made = migratePostgres({ ...here(), clock, migrations: indexed("by_url"), report });
    await expect.poll(() => lines[2]).toBe(`index by_url on partners (url): ${words}`);
    await admin.query("COMMIT");
    await made;
  });

  test("an index that cannot be built ends it", async () => {
    const migrations = plus({ statements: [], indexes: [{ name: "nowhere", on: "partners (nowhere)" }] });
    await expect(migratePostgres({ ...here(), migrations })).rejects.toMatchObject({ code: "42703" });
  });

  test("an index that goes while somebody reads its table holds up nobody else", async () => {
    await admin.query("CREATE INDEX withdrawals_by_deadline ON withdrawals (deadline_at)");
    await admin.query("BEGIN; SELECT 1 FROM withdrawals");
    const made = migratePostgres(here());
    const waiting =
      "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'DROP INDEX CONCURRENTLY%' AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await other.query(waiting)).rows.length).toBeGreaterThan(0);
    await store.read((tx) => tx.all(adhoc((db) => db.selectFrom("withdrawals").select("id"))));
    await admin.query("COMMIT");
    await made;
  });

  const lockOfMigrations = `BEGIN; SELECT 1 FROM schema_version WHERE id = ${versionRows.lock} FOR UPDATE`;

  test("a database that is migrated is left at once, whoever else migrates, and without a connection", async () => {
    const connections = async () => {
      const all = "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database()";
      return (await other.query<{ n: string }>(all)).rows[0]?.n;
    };
    const before = await connections();
    await admin.query(lockOfMigrations);
    const lines: string[] = [];
    await migratePostgres({ ...here(), clock: new VirtualClock(), report: (line) => void lines.push(line) });
    expect(lines).toEqual([]);
    await expect.poll(connections).toBe(before);
  });

  test("another migration is looked at every tenth of a second, and what it has done is not done again", async () => {
    await admin.query(lockOfMigrations);
    const clock = new VirtualClock();
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    const made = migratePostgres({ ...here(), clock, migrations: indexed("by_url"), report });
    for (const _ of [1, 2]) {
      await expect.poll(() => clock.timers).toBe(1);
      await clock.advance(99);
      expect(clock.timers).toBe(1);
      await clock.advance(1);
    }
    await expect.poll(() => clock.timers).toBe(1);
    await other.query(
      `CREATE INDEX by_url ON partners (url); UPDATE schema_version SET version = ${next} WHERE id = 1`,
    );
    await clock.advance(100);
    await made;
    expect(lines).toEqual(["another migration is under way: waiting for it"]);
  });

  test.each<[string, string, readonly string[], number, string | null]>([
    ["a collision", later, ["23505", "42P07", "42710", "40001", "40P01", "XX000", "55P03"], 8, null],
    ["a table that stays busy", later, Array(400).fill("55P03"), 300, "55P03"],
    ["a fault", later, ["42501"], 1, "42501"],
    ["a lock that it has no right to", "FOR UPDATE NOWAIT", ["42501"], 1, "42501"],
  ])("%s is tried again ten times a second for half a minute, or ends it", async (_, part, codes, times, end) => {
    const left = [...codes];
    let tried = 0;
    said(part, () => {
      tried += 1;
      const code = left.shift();
      return code === undefined ? null : refusing(code)();
    });
    const pauses: number[] = [];
    const clock = {
      ...systemClock,
      after(ms: number, run: () => void) {
        pauses.push(ms);
        run();
        return () => {};
      },
    };
    const made = migratePostgres({ ...here(), clock, migrations: plus({ statements: [later] }) });
    expect(await made.then(() => null).catch(({ code }) => code)).toBe(end);
    expect([tried, pauses]).toEqual([times, Array(times - 1).fill(100)]);
  });

  test("a newer program's database has nothing to do for this one, also where an index lies that this one would drop", async () => {
    await admin.query("CREATE INDEX withdrawal_events_by_day ON withdrawal_events (day, at)");
    await admin.query("CREATE INDEX idempotency_keys_by_creation ON idempotency_keys (created_at)");
    // A process of this release needs none of them, also once a later one has migrated.
    await admin.query(
      `INSERT INTO workers (id, seen_at, service_keys, release) VALUES ('this one', 1, '', ${next - 1})`,
    );
    const steps = ["withdrawal_events_by_day", "idempotency_keys_by_creation"].map(
      (name) => `index ${name} is dropped: nobody needs it any more`,
    );
    expect(await planMigration(here())).toEqual(steps);
    await admin.query(`UPDATE schema_version SET version = ${next} WHERE id = 1`);
    expect(await planMigration({ ...here(), migrations: plus({ statements: [] }) })).toEqual(steps);
    expect(await planMigration(here())).toEqual([]);
  });

  test("the sandbox leaves a database alone that is for real shops, and takes one that is empty, or its own", async () => {
    const empty = await createPlace("postgres", { isBlank: true });
    try {
      const live = async () => [await isLive({ ...here(), url: empty.url }), await isLive(here())];
      expect(await live()).toEqual([false, false]);
      await admin.query("INSERT INTO settings (name, value) VALUES ('purpose', 'sandbox'), ('other', 'live')");
      expect(await live()).toEqual([false, false]);
      const settings = { migrates: true, refusesLive: true, migrations: indexed("by_url") };
      await admin.query("UPDATE settings SET value = 'live' WHERE name = 'purpose'");
      expect(await live()).toEqual([false, true]);
      await expect(place.open(undefined, settings)).rejects.toMatchObject({
        why: "other_environment",
        message: expect.stringContaining("is for real shops"),
      });
      expect(await versionIn(store)).toBe(next - 1);
      const { migrations: missing } = settings;
      await expect(openStore(place.url, systemClock, { migrations: missing })).rejects.toThrow(`migration ${next}`);
      expect(await versionIn(store)).toBe(next - 1);
      await (await openStore(place.url, systemClock, { migrations: missing, migrates: true })).close();
      expect(await versionIn(store)).toBe(next);
    } finally {
      await empty.dispose();
    }
  });

  test("the command says the steps, and does them only where it is not to plan alone, at the host that writes", async () => {
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    await admin.query("DROP INDEX withdrawals_by_confirmation");
    const hosts = [place.url.replace(/:\d+\//, ":1/"), place.url];
    const run = (onlyPlan: boolean) =>
      migrateFleet({ kind: "postgres", hosts, writableOnly: true }, systemClock, { onlyPlan, report });
    const [step = "", ...more] = await run(true);
    expect([step.startsWith("index withdrawals_by_confirmation"), more, lines]).toEqual([true, [], []]);
    expect([await run(false), lines, await run(true)]).toEqual([[step], [step], []]);
  });

  test("an empty database lacks each migration and index, and nothing once it has them", async () => {
    const empty = await createPlace("postgres", { isBlank: true });
    const options = { ...here(), url: empty.url };
    try {
      expect(await planMigration(options)).toEqual([
        ...migrations.map(({ version }) => `migration ${version}`),
        ...indexesOf(migrations).map(({ name, on }) => `index ${name} on ${on}`),
      ]);
      await migratePostgres(options);
      expect(await planMigration(options)).toEqual([]);
    } finally {
      await empty.dispose();
    }
  });

  test("an index of a table in partitions is made in each of them while others write; cut off, it goes on", async () => {
    const migrations = plus({
      statements: [],
      indexes: [{ name: "archived_by_cashier", on: "archived_withdrawals (cashier)" }],
    });
    const states = async () => {
      const { rows } = await other.query<{ name: string; indisvalid: boolean }>(
        `SELECT x.indrelid::regclass AS name, indisvalid FROM pg_index AS x JOIN pg_class AS c ON c.oid = x.indexrelid
          WHERE c.relname LIKE 'archived_by_cashier%' ORDER BY c.relname`,
      );
      return rows.map(({ name, indisvalid }) => `${name} ${indisvalid}`);
    };
    const lines: string[] = [];
    const options = { url: place.url, clock: systemClock, connectTimeoutMs: 5_000, migrations };
    const cut = migratePostgres({
      ...options,
      report(line) {
        if (line.includes("2026_12_01")) throw new Error("killed");
      },
    });
    await expect(cut).rejects.toThrow("killed");
    expect(await states()).toEqual(["archived_withdrawals false", "archived_withdrawals_2026_11_01 true"]);
    await admin.query("SELECT 'archived_by_cashier_2026_11_01'::regclass");
    // One that is made meanwhile has inherited the index.
    const inMay = `FROM (${Date.UTC(2027, 4)}) TO (${Date.UTC(2027, 5)})`;
    await admin.query(`CREATE TABLE archived_in_may PARTITION OF archived_withdrawals FOR VALUES ${inMay}`);
    await admin.query("BEGIN");
    await admin.query("DELETE FROM archived_withdrawals_2026_12_01");
    const made = migratePostgres({ ...options, report: (line) => void lines.push(line) });
    await waits();
    await other.query("DELETE FROM archived_withdrawals WHERE created_at = 1");
    await admin.query("COMMIT");
    await made;
    expect(await states()).toEqual(
      ["", "_2026_11_01", "_2026_12_01", "_2027_01_01", "_default"].map((part) => `archived_withdrawals${part} true`),
    );
    expect(lines.filter((line) => line.includes("2026_11_01"))).toEqual([]);
    expect(await versionIn(store)).toBe(next);
    lines.length = 0;
    await migratePostgres({ ...options, report: (line) => void lines.push(line) });
    expect(lines).toEqual([]);
  });

  const ofPartitions = { name: "archived_by_cashier", on: "archived_withdrawals (cashier)" };
  test.each([
    ["a migration", later, plus({ statements: [later, "SELECT 1"] }), "DELETE FROM partners WHERE id = 'x'"],
    [
      "a change of a table in partitions",
      `ON ONLY ${ofPartitions.on}`,
      plus({ statements: [], indexes: [ofPartitions] }),
      "DELETE FROM archived_withdrawals WHERE id = 'x'",
    ],
  ])(
    "a machine that dies in the middle of %s keeps no table: the service goes on, and so does the next run",
    async (...row) => {
      const [, lastWords, migrations, write] = row;
      const options = { clock: systemClock, connectTimeoutMs: 5_000, migrations };
      const way = await createWay(new URL(place.url));
      way.swallowAfter(lastWords);
      const cut = migratePostgres({ ...options, url: way.url });
      cut.catch(() => {});
      const isLocked = async () =>
        (
          await other.query(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE $1 AND state = 'idle in transaction'",
            [`%${lastWords}%`],
          )
        ).rows.length > 0;
      await expect.poll(isLocked).toBe(true);
      const written = () =>
        store
          .write((tx) => tx.run(adhoc((db) => ({ compile: () => sql.raw(write).compile(db) }))))
          .catch(() => "waits");
      await expect.poll(written).toBe(0);
      await way.close();
      await expect(cut).rejects.toThrow();
      await migratePostgres({ ...options, url: place.url });
      expect(await versionIn(store)).toBe(next);
    },
  );

  test("a table that somebody reads for long is waited for in turns: the service's statements pass", async () => {
    await admin.query("BEGIN");
    await admin.query("SELECT count(*) FROM partners");
    const migrated = place.open(undefined, {
      migrations: plus({ statements: ["ALTER TABLE partners ADD COLUMN later TEXT"] }),
    });
    await waits();
    await store.read((tx) => tx.all(adhoc((db) => db.selectFrom("partners").select("id"))));
    await admin.query("COMMIT");
    await migrated;
    expect(await versionIn(store)).toBe(next);
  });
});

describe.each(stores)("on %s", (dialect) => {
  test("an index for ended withdrawals among the open ones is dropped once they lie apart, and not before", async () => {
    const place = await createPlace(dialect);
    try {
      const has = async (name: string, store: Store) => {
        const catalog = dialect === "sqlite" ? "sqlite_master where name" : "pg_class where relname";
        const found = sql<{ n: number }>`select count(*) as n from ${sql.raw(catalog)} = ${name}`;
        return (
          Number((await store.read((tx) => tx.first(adhoc((db) => ({ compile: () => found.compile(db) })))))?.n) > 0
        );
      };
      const run = (store: Store, text: string) =>
        store.write((tx) => tx.run(adhoc((db) => ({ compile: () => sql.raw(text).compile(db) }))));
      const open = () => place.open(undefined, { migrates: true });
      let store = await open();
      expect(await has("withdrawals_by_deadline", store)).toBe(false);
      expect(await has("withdrawals_by_confirmation", store)).toBe(true);
      // As a release before has left it.
      await run(
        store,
        "CREATE INDEX withdrawals_by_deadline ON withdrawals (deadline_at) WHERE deadline_at IS NOT NULL",
      );
      await keepTogether(store);
      await store.close();
      store = await open();
      expect(await has("withdrawals_by_deadline", store)).toBe(true);
      await run(store, "INSERT INTO settings (name, value) VALUES ('ended_apart', '1')");
      await store.close();
      store = await open();
      expect(await has("withdrawals_by_deadline", store)).toBe(false);
    } finally {
      await place.dispose();
    }
  });
});

describe.each(stores)("an index that others replace, on %s", (dialect) => {
  const names = [
    "withdrawal_events_apart",
    "withdrawal_events_by_asking",
    "withdrawal_events_by_day",
    "withdrawal_events_key",
  ];
  const catalog = dialect === "sqlite" ? "sqlite_master" : "pg_class";
  const column = dialect === "sqlite" ? "name" : "relname";
  const indexesIn = async (store: Store) => {
    const text = `select ${column} as name from ${catalog} where ${column} in (${names.map((name) => `'${name}'`).join()}) order by 1`;
    const found = adhoc((db) => ({ compile: () => sql.raw<{ name: string }>(text).compile(db) }));
    return (await store.read((tx) => tx.all(found))).map(({ name }) => name.replace("withdrawal_events_", ""));
  };
  /** As the release before has left it. */
  const earlier = [
    "DROP INDEX withdrawal_events_apart",
    "DROP INDEX withdrawal_events_by_asking",
    "CREATE INDEX withdrawal_events_by_day ON withdrawal_events (day, at)",
    "CREATE UNIQUE INDEX withdrawal_events_key ON withdrawal_events (transaction_id, sequence, asked_at)",
    "UPDATE schema_version SET version = 35 WHERE id = 1",
  ];
  const openEarlier = async () => {
    const store = await place.open();
    await store.write(async (tx) => {
      for (const text of earlier) await tx.run(adhoc((db) => ({ compile: () => sql.raw(text).compile(db) })));
    });
    expect(await indexesIn(store)).toEqual(["by_day", "key"]);
    return store;
  };
  let place: Place;
  beforeEach(async () => {
    place = await createPlace(dialect);
  });
  afterEach(() => place.dispose());

  test("is not made in a new database", async () => {
    expect(await indexesIn(await place.open())).toEqual(["apart", "by_asking"]);
  });

  test.runIf(dialect === "postgres")("goes once no process of the release before runs, and not before", async () => {
    const store = await openEarlier();
    const beat = (release: number) =>
      store.write((tx) =>
        tx.run(
          adhoc((db) =>
            db.insertInto("workers").values({ id: `of ${release}`, seen_at: 1, service_keys: "", release }),
          ),
        ),
      );
    const options = { url: place.url, clock: systemClock, connectTimeoutMs: 5_000 };
    // Not before the migration that they are replaced by, which may lack the list of processes.
    const rename = (text: string) =>
      store.write((tx) => tx.run(adhoc((db) => ({ compile: () => sql.raw(`ALTER TABLE ${text}`).compile(db) }))));
    await rename("workers RENAME TO later");
    expect((await planMigration(options)).filter((step) => step.includes("is dropped"))).toEqual([]);
    await rename("later RENAME TO workers");
    await beat(35);
    await beat(36);
    await (await place.open(undefined, { migrates: true })).close();
    expect(await indexesIn(store)).toEqual(["apart", "by_asking", "by_day", "key"]);
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("workers").where("release", "=", 35))));
    const lines: string[] = [];
    expect(await planMigration(options)).toHaveLength(2);
    await migratePostgres({ ...options, report: (line) => void lines.push(line) });
    expect(lines).toEqual(names.slice(2).map((name) => `index ${name} is dropped: nobody needs it any more`));
    expect(await indexesIn(store)).toEqual(["apart", "by_asking"]);
    expect(await planMigration(options)).toEqual([]);
    await store.close();
  });

  test.runIf(dialect === "sqlite")("goes at the upgrade of a file", async () => {
    await (await openEarlier()).close();
    expect(await indexesIn(await place.open())).toEqual(["apart", "by_asking"]);
  });
});

describe.each(stores)("a program of the release before, on %s", (dialect) => {
  let place: Place;
  beforeEach(async () => {
    place = await createPlace(dialect);
  });
  afterEach(() => place.dispose());
  const set = async (store: Store, id: number, version: number) =>
    store.write((tx) => tx.run(adhoc((db) => db.updateTable("schema_version").set({ version }).where("id", "=", id))));

  test("starts on a database to which a newer one has only added, and misses no index that it has dropped", async () => {
    const store = await place.open();
    await set(store, 1, 999);
    for (const text of ["CREATE TABLE newer (id TEXT)", `DROP INDEX ${indexesOf(migrations)[0]?.name}`])
      await store.write((tx) => tx.run(adhoc((db) => ({ compile: () => sql.raw(text).compile(db) }))));
    const lines: string[] = [];
    const older = await place.open(undefined, { report: (line) => void lines.push(line) });
    expect(lines).toEqual([]);
    await addPartner(older, "a");
    expect(await versionIn(older)).toBe(999);
  });

  test("is refused by one from which a newer program has taken something away", async () => {
    const store = await place.open();
    await set(store, 1, 999);
    await set(store, 3, 998);
    await expect(place.open()).rejects.toThrow(/version 999 and needs a program of version 998.*newer program/);
  });
});

test("what a migration adds to a table can be left out by the release before", () => {
  const added = migrations.flatMap(({ statements }) => statements.filter((sql) => /\bADD COLUMN\b/i.test(sql)));
  expect(added.length).toBeGreaterThan(10);
  expect(added.filter((sql) => /\bNOT NULL\b/i.test(sql) && !/\bDEFAULT\b/i.test(sql))).toEqual([]);
});
