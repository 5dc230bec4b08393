/** On PostgreSQL `migrate` puts what transitions change of an open withdrawal together, while processes serve. */
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { putInOrder } from "../../backend/store/column-order.ts";
import { migratePostgres, planMigration } from "../../backend/store/postgres-migrate.ts";
import { columnsOf } from "../../backend/store/schema.ts";
import type { Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import * as statements from "../../backend/withdrawals/store.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { expectWholeHistory } from "./whole-history.ts";
import {
  approve,
  bank,
  confirmIt,
  createWorld,
  everyWithdrawal,
  keepTogether,
  placeOrder,
  till,
  type World,
} from "./world.ts";

const step = "columns of withdrawals are put in order";

describe.runIf(stores.includes("postgres"))("on PostgreSQL", () => {
  let place: Place;
  let client: pg.Client;
  let store: Store;
  let world: World;
  const lines: string[] = [];
  beforeEach(async () => {
    lines.length = 0;
    place = await createPlace("postgres", { isUndivided: true });
    client = new pg.Client({ connectionString: place.url });
    await client.connect();
    store = await place.open(systemClock, { migrates: false });
    world = await createWorld(store);
  });
  afterEach(async () => {
    await world.service.stop();
    await client.end();
    await place.dispose();
  });
  const options = () => ({ url: place.url, clock: systemClock, connectTimeoutMs: 5_000 });
  const migrate = () => migratePostgres({ ...options(), report: (line) => void lines.push(line) });
  const plan = async () => (await planMigration(options())).filter((line) => line === step);
  const columns = async () => {
    const { rows } = await client.query<{ name: string }>(
      "SELECT attname AS name FROM pg_attribute WHERE attrelid = 'withdrawals'::regclass AND attnum > 0 ORDER BY attnum",
    );
    return rows.map(({ name }) => name);
  };
  /** Types, defaults, indexes that are needed, and rights, in no order. */
  const shape = async () => {
    const texts = [
      `SELECT concat_ws(' ', column_name, data_type, is_nullable, column_default) AS text FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = 'withdrawals'`,
      "SELECT indexdef AS text FROM pg_indexes WHERE schemaname = current_schema() AND tablename = 'withdrawals' AND indexname <> 'withdrawals_by_deadline'",
      "SELECT conname || pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conrelid = 'withdrawals'::regclass AND contype = 'p'",
      "SELECT unnest(reloptions) AS text FROM pg_class WHERE oid = 'withdrawals'::regclass",
      "SELECT unnest(relacl)::text AS text FROM pg_class WHERE oid = 'withdrawals'::regclass",
    ];
    const found: string[][] = [];
    for (const text of texts)
      found.push((await client.query<{ text: string }>(text)).rows.map((row) => row.text).sort());
    return found;
  };
  /** Bytes that a transition writes to the log. */
  const logged = async (id: string) => {
    const { text, values } = statements
      .rejectOpen({ id, merchant: till.merchantId, device: till.deviceId, now: 1, reason: "cashier_rejected" })
      .sql("postgres");
    await client.query("BEGIN");
    const { rows } = await client.query(`EXPLAIN (ANALYZE, WAL, FORMAT JSON) ${text}`, [...values]);
    await client.query("ROLLBACK");
    return rows[0]["QUERY PLAN"][0].Plan["WAL Bytes"] as number;
  };

  test("open ones go on in processes from before, with all they had; what a transition logs no longer holds the request", async () => {
    await client.query("ALTER TABLE withdrawals SET (fillfactor = 60, autovacuum_vacuum_threshold = 500)");
    await client.query(`CREATE ROLE ordered_reader; GRANT ALL ON withdrawals TO ordered_reader; GRANT SELECT ON withdrawals TO PUBLIC;
      CREATE ROLE ordered_other; GRANT SELECT ON withdrawals TO ordered_other WITH GRANT OPTION;
      CREATE ROLE ordered_analyst; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO ordered_analyst`);
    const ready = await placeOrder(world.service);
    const waiting = await placeOrder(world.service);
    await confirmIt(world.service, waiting);
    const settled = await placeOrder(world.service);
    await confirmIt(world.service, settled);
    await approve(world.service, settled);
    const wait = { waitMs: 20_000, whileStatus: "settling" } as const;
    await getTransaction(world.service, till, settled.transaction_id, wait);
    const [rows, before, bytes] = [await everyWithdrawal(store), await shape(), await logged(ready.transaction_id)];
    expect(await columns()).toEqual(expect.arrayContaining(columnsOf("withdrawals")));
    expect(await plan()).toEqual([step]);
    await migrate();
    expect(lines.filter((line) => line.includes("columns"))).toEqual([step]);
    expect(await plan()).toEqual([]);
    expect((await columns()).slice(17, 20)).toEqual(["deadline_at", "history_length", "status"]);
    expect(await shape()).toEqual(before);
    expect(await everyWithdrawal(store)).toEqual(rows);
    expect(await logged(ready.transaction_id)).toBeLessThan(bytes - 50);
    expect((await rejectTransaction(world.service, till, ready.transaction_id)).status).toBe("rejected");
    await approve(world.service, waiting);
    for (const { transaction_id: id } of [waiting, settled]) {
      await getTransaction(world.service, till, id, wait);
      expect((await linkTransaction(world.service, till, id)).status).toBe("linked");
    }
    expect((await client.query("SELECT 1 FROM withdrawals")).rows).toEqual([]);
    await expectWholeHistory(store);
    lines.length = 0;
    await migrate();
    expect(lines).toEqual([]);
    const roles = "ordered_reader, ordered_other, ordered_analyst";
    await client.query(`DROP OWNED BY ${roles}; DROP ROLE ${roles}`);
  });

  test("nobody misses a withdrawal while they are copied, and what is asked for and ended meanwhile is kept", async () => {
    await client.query(`INSERT INTO withdrawals (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status,
      created_at, expires_at, settle_attempts, idempotency_key, request_hash)
      SELECT n, 'p', 'm', 'u', 1, 'EUR', 0, 'settled', n, n, 1, n, 'h' FROM generate_series(1, 15000) AS n`);
    const { transaction_id: id } = await placeOrder(world.service);
    let isDone = false;
    let reads = 0;
    const read = async (): Promise<void> => {
      for (; !isDone; reads += 1) expect((await getTransaction(world.service, bank, id)).status).toBe("ready");
    };
    const expected = new Map<string, string>();
    const write = async (): Promise<void> => {
      while (!isDone) {
        const one = (await placeOrder(world.service)).transaction_id;
        expected.set(one, "ready");
        if (expected.size % 2 === 0) expected.set(one, (await rejectTransaction(world.service, till, one)).status);
      }
    };
    const going = Promise.all([...Array.from({ length: 8 }, read), ...Array.from({ length: 4 }, write)]);
    await migrate();
    isDone = true;
    await going;
    expect(expected.size).toBeGreaterThan(8);
    for (const [one, status] of expected)
      expect([one, (await getTransaction(world.service, bank, one)).status]).toEqual([one, status]);
    expect(lines.at(-1)).toBe(step);
    expect(reads).toBeGreaterThan(8);
  });

  test("it waits until ended ones have their own table", async () => {
    await keepTogether(store);
    const before = await columns();
    expect(await plan()).toEqual([]);
    await migrate();
    expect(await columns()).toEqual(before);
    await client.query("INSERT INTO settings (name, value) VALUES ('ended_apart', '1')");
    expect(await plan()).toEqual([step]);
    await migrate();
    expect(await columns()).not.toEqual(before);
  });

  test.each([
    [
      "a view is on them",
      "CREATE VIEW of_a_shop AS SELECT id FROM withdrawals",
      "a view or another object depends on them",
    ],
    [
      "a publication has them",
      "CREATE PUBLICATION of_them FOR TABLE withdrawals",
      "the table has a trigger, a rule, a policy, a check, a publication or rights on columns",
    ],
    [
      "a publication has all tables",
      "CREATE PUBLICATION of_all FOR ALL TABLES",
      "the table has a trigger, a rule, a policy, a check, a publication or rights on columns",
    ],
    [
      "they have a check",
      "ALTER TABLE withdrawals ADD CONSTRAINT of_a_shop CHECK (amount < 1000000)",
      "the table has a trigger, a rule, a policy, a check, a publication or rights on columns",
    ],
    [
      "they have a rule",
      "CREATE RULE of_a_shop AS ON DELETE TO withdrawals DO ALSO NOTHING",
      "the table has a trigger, a rule, a policy, a check, a publication or rights on columns",
    ],
    [
      "another role owns them",
      `DROP ROLE IF EXISTS ordered_owner; CREATE ROLE ordered_owner; ALTER TABLE withdrawals OWNER TO ordered_owner`,
      "another role owns the table; migrate as that one",
    ],
    [
      "somebody may read single columns",
      "GRANT SELECT (id, status) ON withdrawals TO pg_monitor",
      "the table has a trigger, a rule, a policy, a check, a publication or rights on columns",
    ],
    [
      "a read that has begun could miss them",
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = "repeatable read"', current_database()); END $$`,
      "default_transaction_isolation is not read committed",
    ],
    [
      "more are open than are copied while everybody waits",
      `INSERT INTO withdrawals (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status,
        created_at, expires_at, settle_attempts, idempotency_key, request_hash)
        SELECT n, 'p', 'm', 'u', 1, 'EUR', 0, 'settled', n, n, 1, n, 'h' FROM generate_series(1, 20001) AS n`,
      "more than 20000 are open; migrate again at a quiet hour",
    ],
  ])("they stay as they are, and `migrate` says so, where %s", async (_, sql, why) => {
    const before = await columns();
    await client.query(sql);
    await migrate();
    expect(lines.slice(-2)).toEqual([step, `columns of withdrawals stay as they are: ${why}`]);
    expect(await columns()).toEqual(before);
    await placeOrder(world.service);
  });

  test.each([
    ["a dump is taken, which would find none open", "pg_dump", "SELECT 1"],
    ["a report reads what there was when it began", "report", "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1"],
  ])("they stay as they are while %s, and are put in order after it", async (_, application_name, sql) => {
    await placeOrder(world.service);
    await client.query("CREATE VIEW in_the_way AS SELECT id FROM withdrawals");
    await migrate();
    await client.query("DROP VIEW in_the_way");
    const before = await columns();
    const reader = new pg.Client({ connectionString: place.url, application_name });
    await reader.connect();
    await reader.query(sql);
    await migrate();
    const why = "a dump or a repeatable read is under way; migrate again after it";
    expect(lines.slice(-2)).toEqual([step, `columns of withdrawals stay as they are: ${why}`]);
    expect(await columns()).toEqual(before);
    const { rows } = await reader.query("SELECT id FROM withdrawals");
    expect(rows).toHaveLength(1);
    await reader.end();
    await migrate();
    expect(lines.at(-1)).toBe(step);
    expect(await columns()).not.toEqual(before);
  });

  test("they stay as they are while a dump by another name is in the middle of a table, and are put in order after it", async () => {
    await placeOrder(world.service);
    await client.query("CREATE VIEW in_the_way AS SELECT id FROM withdrawals");
    await migrate();
    await client.query("DROP VIEW in_the_way");
    const before = await columns();
    const reader = new pg.Client({ connectionString: place.url, application_name: "nightly" });
    await reader.connect();
    await client.query("SELECT pg_advisory_lock(1)");
    await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    const reading = reader.query("SELECT pg_advisory_lock(1)");
    const isLong = async () => {
      const age = "now() - xact_start > interval '6 seconds'";
      const text = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'nightly' AND state = 'active' AND ${age}`;
      return (await client.query(text)).rows.length;
    };
    await expect.poll(isLong).toBe(1);
    await migrate();
    expect(lines.at(-1)).toMatch(/^columns of withdrawals stay as they are: a dump or a repeatable read/);
    expect(await columns()).toEqual(before);
    await client.query("SELECT pg_advisory_unlock(1)");
    await reading;
    expect((await reader.query("SELECT id FROM withdrawals")).rows).toHaveLength(1);
    await reader.end();
    await migrate();
    expect(await columns()).not.toEqual(before);
  });

  test("they stay where another role's sessions are hidden from who migrates: one may be a dump's", async () => {
    await client.query(`BEGIN; CREATE ROLE ordered_blind; GRANT ALL ON SCHEMA public TO ordered_blind;
      ALTER TABLE withdrawals OWNER TO ordered_blind; SET LOCAL ROLE ordered_blind`);
    const order = putInOrder(async (text) => (await client.query(text)).rows);
    await expect(order).rejects.toThrow("sessions of another role cannot be seen: migrate with pg_read_all_stats");
    await client.query("ROLLBACK");
  });
});
