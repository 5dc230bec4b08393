/** A PostgreSQL whose tables lie in one piece is divided while it serves: by this release beside processes of the one before, and cut off anywhere. */
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { closeDays } from "../../backend/operate/proof.ts";
import { makePartitions, purge } from "../../backend/operate/purge.ts";
import { type RetentionPeriods, retained } from "../../backend/retention.ts";
import { type DividedTable, dividedNames, partitionsOf, type Run } from "../../backend/store/partitions.ts";
import { migratePostgres, planMigration } from "../../backend/store/postgres-migrate.ts";
import type { Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { listWithdrawals, reconcile } from "../../backend/withdrawals/reconcile.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { expectWholeHistory } from "./whole-history.ts";
import { waysIn } from "./withdrawal-ways.ts";
import { bank, createWorld, freshKey, quiet, shop, till, type World } from "./world.ts";

const dayMs = 86_400_000;
const nothing = Object.fromEntries(retained.map((what) => [what, null])) as RetentionPeriods;
const body = { user_id: "Ann", amount: "50.00", currency: "EUR", store: shop };

/** For this connection and all later ones to its database: the server's own time is ahead of a virtual one from its next month on. */
const stopTime = async (client: pg.Client, atMs: number): Promise<void> => {
  const text = `CREATE FUNCTION public.now() RETURNS timestamptz STABLE RETURN to_timestamp(${atMs / 1_000})`;
  await client.query(text);
  const path = "SET search_path = public, pg_catalog";
  await client.query(`${path}; ALTER DATABASE "${client.database}" ${path}`);
};

describe.runIf(stores.includes("postgres"))("on PostgreSQL", () => {
  let place: Place;
  let client: pg.Client;
  let run: Run;
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  /** A process that has been there since before. */
  let other: World;
  beforeEach(async () => {
    place = await createPlace("postgres", { isUndivided: true });
    client = new pg.Client({ connectionString: place.url });
    await client.connect();
    clock = new VirtualClock();
    await stopTime(client, clock.now());
    run = async (text) => (await client.query(text)).rows;
    store = await place.open(clock, { migrates: false });
    world = await createWorld(store, { clock, options: { pollMs: 1e9 } });
    other = await createWorld(await place.open(clock, { migrates: false }), { clock, options: { pollMs: 1e9 } });
  });
  afterEach(async () => {
    await clock.drive(Promise.all([world, other].map((each) => each.service.stop())));
    await client.end();
    await place.dispose();
  });
  const { leadTo } = waysIn(
    () => world,
    () => clock,
  );

  const migrate = (report: (line: string) => void = () => {}) =>
    migratePostgres({
      url: place.url,
      clock: { ...systemClock, now: () => clock.now() },
      connectTimeoutMs: 5_000,
      report,
    });
  const plan = () => planMigration({ url: place.url, clock: systemClock, connectTimeoutMs: 5_000 });
  const namesOf = async (table: DividedTable) => (await partitionsOf(run, table)).map(({ name }) => name);
  const count = async (table: string) => Number((await run(`SELECT count(*) AS rows FROM ${table}`))[0]?.rows);
  /** All that anybody sees. */
  const everything = async (of = world) => {
    const lines = [];
    for await (const page of reconcile(of.service, till, { fromMs: 0, toMs: 1e14 })) lines.push(...page);
    const { withdrawals } = await listWithdrawals(of.service, bank, { limit: 200 });
    const seen = [];
    for (const { transaction_id: id } of withdrawals)
      seen.push(await getTransaction(of.service, bank, id), (await getHistory(of.service, bank, id)).events);
    return { lines, withdrawals, seen };
  };
  const someLives = async () => {
    await leadTo.linked();
    await leadTo.rejected();
    return { settled: await leadTo.settled(), ready: await leadTo.ready() };
  };

  test("what is there becomes the partition without a beginning; open ones go on, repeats are known, rights are kept", async () => {
    await client.query("CREATE ROLE divided_reader; GRANT SELECT ON archived_withdrawals TO divided_reader, PUBLIC");
    const key = freshKey();
    const { transaction_id: first } = await requestWithdrawal(world.service, bank, body, key);
    clock.jump(15 * 60_000);
    expect((await getTransaction(world.service, till, first)).status).toBe("expired");
    const open = await someLives();
    const seen = await everything();
    expect((await plan()).filter((step) => step.startsWith("partitions"))).toEqual(
      dividedNames.map((table) => `partitions of ${table}`),
    );
    await migrate();
    expect(await plan()).toEqual([]);
    expect(await namesOf("archived_withdrawals")).toEqual([
      "archived_withdrawals_before",
      "archived_withdrawals_default",
    ]);
    expect(await count("archived_withdrawals_before")).toBe(3);
    for (const one of [world, other]) expect(await everything(one)).toEqual(seen);
    expect((await requestWithdrawal(other.service, bank, body, key)).transaction_id).toBe(first);
    expect((await linkTransaction(other.service, till, open.settled.transaction_id)).status).toBe("linked");
    await expectWholeHistory(store);
    const grants = await run("SELECT relacl::text AS acl FROM pg_class WHERE relname = 'archived_withdrawals'");
    expect(grants[0]?.acl).toMatch(/divided_reader=r.*=r|=r.*divided_reader=r/);
    await client.query("DROP OWNED BY divided_reader; DROP ROLE divided_reader");
  });

  test("who divides the tables is told once that years of them need more locks than PostgreSQL has by default", async () => {
    const lines: string[] = [];
    await migrate((line) => void lines.push(line));
    await migrate((line) => void lines.push(line));
    expect(lines.filter((line) => line.includes("locks"))).toEqual([
      "set max_locks_per_transaction to 256 (now 64) at PostgreSQL's next restart",
    ]);
  });

  test("keys that are dropped by the week have no index on their time; those that are deleted one by one keep theirs", async () => {
    await leadTo.linked();
    await migrate();
    const timed = () =>
      run(
        "SELECT indexdef FROM pg_indexes WHERE indexdef ~ ' (idempotency_keys|terminal_references)[a-z_0-9]* .*\\(created_at\\)' ORDER BY tablename",
      );
    const ofUndated = [
      "idempotency_keys_before",
      "idempotency_keys_default",
      "terminal_references_before",
      "terminal_references_default",
    ];
    const tables = async () =>
      (await timed()).map(({ indexdef }) => / ON (?:ONLY )?public\.(\w+)/.exec(String(indexdef))?.[1]);
    expect(await tables()).toEqual(ofUndated);
    clock.jump(100 * dayMs);
    await makePartitions(world.service, 30 * dayMs);
    expect((await namesOf("idempotency_keys")).length).toBeGreaterThan(4);
    expect(await tables()).toEqual(ofUndated);
    // As a release before has divided them.
    await run("DROP INDEX idempotency_keys_before_by_creation, idempotency_keys_default_by_creation");
    await run("CREATE INDEX idempotency_keys_by_creation ON idempotency_keys (created_at)");
    expect(await tables()).toEqual(expect.arrayContaining(await namesOf("idempotency_keys")));
    const step = "index idempotency_keys_by_creation is dropped: nobody needs it any more";
    expect(await plan()).toEqual([step]);
    const lines: string[] = [];
    await migrate((line) => void lines.push(line));
    expect(lines.at(-1)).toBe(step);
    expect(await tables()).toEqual(ofUndated);
    expect(await plan()).toEqual([]);
  });

  test("an empty table leaves no partition behind", async () => {
    const planned = (await plan()).filter((step) => step.includes("partitions of"));
    expect(planned).toEqual(dividedNames.map((table) => `partitions of ${table}`));
    const lines: string[] = [];
    await migrate((line) => void lines.push(line));
    expect(lines.filter((line) => planned.includes(line))).toEqual(planned);
    for (const table of dividedNames) {
      expect(await namesOf(table)).not.toContain(`${table}_before`);
      expect(await namesOf(table)).toContain(`${table}_default`);
      const types = await run(
        `SELECT data_type FROM information_schema.columns WHERE table_name = '${table}_default' ORDER BY ordinal_position`,
      );
      // Numbers first: nothing is filled up between a text and a number.
      expect(types.map(({ data_type: type }) => type).join(" ")).toMatch(/^(bigint )+text( text)*$/);
    }
    await leadTo.linked();
    expect(await count("archived_withdrawals_2026_11_01")).toBe(1);
    expect(await count("idempotency_keys_2026_11_19")).toBe(1);
    await expectWholeHistory(store);
  });

  test("nobody's withdrawal fails while it is divided, in processes from before and in new ones", async () => {
    await someLives();
    const failures: unknown[] = [];
    const done = { before: 0, during: 0, after: 0 };
    let phase: keyof typeof done | null = "before";
    const live = async (of: World) => {
      const { leadTo: to } = waysIn(
        () => of,
        () => clock,
      );
      while (phase !== null) {
        const now = phase;
        try {
          expect((await to.linked()).status).toBe("linked");
          done[now] += 1;
        } catch (error) {
          failures.push(error);
          return;
        }
      }
    };
    const lives = [world, other, world, other].map(live);
    const reach = (name: keyof typeof done, lives: number) =>
      expect.poll(() => (failures.length > 0 ? lives : done[name])).toBeGreaterThanOrEqual(lives);
    await reach("before", 10);
    phase = "during";
    await migrate();
    phase = "after";
    const late = await createWorld(await place.open(clock, { migrates: false }), { clock, options: { pollMs: 1e9 } });
    const more = live(late);
    await reach("after", 20);
    phase = null;
    await Promise.all([...lives, more]);
    await late.service.stop();
    expect(failures).toEqual([]);
    await expectWholeHistory(store);
    expect(await count("archived_withdrawals")).toBe(2 + done.before + done.during + done.after);
  });

  test("cut off at any step it serves on, and the next run goes on", async () => {
    const { settled } = await someLives();
    const seen = await everything();
    let cuts = 0;
    for (let step = 0; ; step += 1) {
      let left = step;
      const cut = await migrate(() => {
        if (left === 0) throw new Error("killed");
        left -= 1;
      }).then(
        () => null,
        (error: Error) => error.message,
      );
      expect(await everything()).toEqual(seen);
      if (cut === null) break;
      expect(cut).toBe("killed");
      cuts += 1;
    }
    // Before a table, before its unique key (the history has its own) and before the look where its rows end, and before an index of its
    // keys' times goes; what is done is not done again.
    expect(cuts).toBe(6);
    expect(await plan()).toEqual([]);
    expect((await linkTransaction(world.service, till, settled.transaction_id)).status).toBe("linked");
    await expectWholeHistory(store);
  });

  test("its server's connection dies while it waits for a table: nothing has changed, and it goes on", async () => {
    await someLives();
    const seen = await everything();
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM terminal_references LIMIT 1");
    const watcher = new pg.Client({ connectionString: place.url });
    await watcher.connect();
    const cut = migrate();
    cut.catch(() => {});
    const waiting = "pid FROM pg_locks WHERE NOT granted AND relation = 'terminal_references'::regclass";
    await expect.poll(async () => (await watcher.query(`SELECT ${waiting}`)).rows.length).toBe(1);
    await watcher.query(`SELECT pg_terminate_backend(pid) FROM (SELECT ${waiting}) AS waiting`);
    await expect(cut).rejects.toThrow();
    expect(await namesOf("terminal_references")).toEqual([]);
    await client.query("COMMIT");
    expect(await everything()).toEqual(seen);
    await migrate();
    await watcher.end();
    expect(await plan()).toEqual([]);
    expect(await everything()).toEqual(seen);
  });

  test.each(["rows", "nothing"])(
    "two runs divide a table with %s, as the lock of one was lost: it is divided once, and takes what comes months later",
    async (what) => {
      if (what === "rows") await someLives();
      const lock =
        "pid FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction' AND query LIKE '%version FROM schema_version%'";
      const send = pg.Client.prototype.query as (this: pg.Client, ...sent: unknown[]) => Promise<unknown>;
      let others: Promise<void> | null = null;
      const sent = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
        this: pg.Client,
        ...query: unknown[]
      ) {
        // What the first has seen of the table holds no longer.
        if (others !== null || !String(query[0]).startsWith("SELECT extract(epoch FROM now())"))
          return send.apply(this, query);
        others = run(`SELECT pg_terminate_backend(pid) FROM (SELECT ${lock}) AS lock`).then(() => migrate());
        return others.then(() => send.apply(this, query));
      } as never);
      await migrate().finally(() => sent.mockRestore());
      expect(others).not.toBeNull();
      expect(await plan()).toEqual([]);
      for (const months of [1, 2, 3]) {
        clock.jump(months * 30 * dayMs);
        await makePartitions(world.service, null);
        expect((await leadTo.linked()).status).toBe("linked");
      }
      await expectWholeHistory(store);
    },
  );

  test("what comes into an empty table after the look at it, and before it is locked, is kept", async () => {
    const send = pg.Client.prototype.query as (this: pg.Client, ...sent: unknown[]) => Promise<unknown>;
    let life: Promise<unknown> | null = null;
    const sent = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
      this: pg.Client,
      ...query: unknown[]
    ) {
      if (life !== null || !String(query[0]).startsWith("LOCK TABLE withdrawal_events")) return send.apply(this, query);
      life = leadTo.linked();
      return life.then(() => send.apply(this, query));
    } as never);
    await migrate().finally(() => sent.mockRestore());
    expect(life).not.toBeNull();
    expect(await count("archived_withdrawals")).toBe(1);
    await expectWholeHistory(store);
    expect(await plan()).toEqual([]);
  });

  test("a process that looks for its partitions meanwhile waits for nothing, and has nothing to say", async () => {
    const lines: unknown[] = [];
    const log = { ...quiet, error: (fields: object) => void lines.push(fields) };
    // As the build of an index does.
    await client.query("BEGIN; LOCK TABLE withdrawal_events, terminal_references IN SHARE UPDATE EXCLUSIVE MODE");
    await makePartitions({ ...world.service, log }, null);
    await client.query("COMMIT");
    expect(lines).toEqual([]);
  });

  test("a table that nobody has gone on to divide takes rows beyond the end that was looked for", async () => {
    await someLives();
    const isLooking = (line: string) => line === "partitions of archived_withdrawals: looks where its rows end";
    await expect(
      migrate((line) => {
        if (isLooking(line)) throw new Error("killed");
      }),
    ).rejects.toThrow("killed");
    const bound = () => run("SELECT 1 FROM pg_constraint WHERE conname = 'archived_withdrawals_before'");
    expect(await bound()).toHaveLength(1);
    await makePartitions(world.service, null);
    expect(await bound()).toHaveLength(1);
    clock.jump(70 * dayMs);
    await makePartitions(world.service, null);
    expect(await bound()).toHaveLength(0);
    clock.jump(60 * dayMs);
    await leadTo.linked();
    await migrate();
    expect(await plan()).toEqual([]);
    await expectWholeHistory(store);
  });

  test("rows that a clock has left behind which was ahead are taken too", async () => {
    await someLives();
    clock.jump(3_650 * dayMs);
    await leadTo.linked();
    clock.jump(-3_650 * dayMs);
    const seen = await everything();
    await migrate();
    expect(await everything()).toEqual(seen);
    const [earlier] = await partitionsOf(run, "archived_withdrawals");
    expect(earlier).toMatchObject({ name: "archived_withdrawals_before", from: null });
    expect(new Date(earlier?.to ?? 0).toISOString()).toMatch(/^2037-0[12]-01/);
    await leadTo.linked();
    await expectWholeHistory(store);
  });

  test("what was there before ends month by month as it lies, and its partition of keys with its last one", async () => {
    await closeDays(world.service);
    const { settled, ready } = await someLives();
    await migrate();
    clock.jump(40 * dayMs);
    expect((await getTransaction(world.service, till, ready.transaction_id)).status).toBe("expired");
    await closeDays(world.service);
    const { transaction_id: young } = await leadTo.linked();
    clock.jump(100 * dayMs);
    await closeDays(world.service);
    await makePartitions(world.service, 30 * dayMs);
    const end = (periods: Partial<RetentionPeriods>) => clock.drive(purge(world.service, { ...nothing, ...periods }));
    // One of November is open.
    await end({ archive: 110 * dayMs });
    expect(await count("archived_withdrawals")).toBe(4);
    await linkTransaction(world.service, till, settled.transaction_id);
    clock.jump(111 * dayMs);
    await closeDays(world.service);
    // A month at a time.
    await end({ archive: 110 * dayMs });
    expect(await count("archived_withdrawals")).toBe(1);
    await end({ archive: 110 * dayMs });
    expect(await count("archived_withdrawals")).toBe(0);
    await expect(getTransaction(world.service, till, young)).rejects.toMatchObject({ code: "transaction_not_found" });
    // Keys go as they come of age, their partition when the last one could have.
    await end({ idempotency_keys: 220 * dayMs });
    expect(await namesOf("idempotency_keys")).toContain("idempotency_keys_before");
    expect(await count("idempotency_keys")).toBe(1);
    clock.jump(100 * dayMs);
    await end({ idempotency_keys: 220 * dayMs });
    expect(await namesOf("idempotency_keys")).not.toContain("idempotency_keys_before");
    expect(await count("idempotency_keys")).toBe(0);
    expect(await count("terminal_references")).toBe(0);
    // Nothing goes into what has emptied any more: its room is given back.
    const tables = ["withdrawal_events", "archived_withdrawals"] as const;
    await makePartitions(world.service, 30 * dayMs);
    for (const table of tables) expect(await namesOf(table)).toContain(`${table}_before`);
    // Rows stay as long as somebody's snapshot may see them.
    await expect
      .poll(async () => {
        await client.query("VACUUM withdrawal_events_before, archived_withdrawals_before");
        return run(
          "SELECT 1 FROM pg_class WHERE relname ~ '^(withdrawal_events|archived_withdrawals)_before$' AND relpages > 0",
        );
      })
      .toEqual([]);
    clock.jump(-400 * dayMs);
    await makePartitions(world.service, 30 * dayMs);
    for (const table of tables) expect(await namesOf(table)).toContain(`${table}_before`);
    clock.jump(400 * dayMs);
    await makePartitions(world.service, 30 * dayMs);
    for (const table of tables) expect(await namesOf(table)).not.toContain(`${table}_before`);
    await leadTo.linked();
    await expectWholeHistory(store);
  });

  test("what a release before writes without a time keeps its partition, and is in it", async () => {
    await closeDays(world.service);
    const { transaction_id: id } = await leadTo.linked();
    await migrate();
    await client.query("UPDATE withdrawal_events SET asked_at = 0, day = 0");
    clock.jump(400 * dayMs);
    await client.query("VACUUM withdrawal_events_before");
    await makePartitions(world.service, null);
    expect(await namesOf("withdrawal_events")).toContain("withdrawal_events_before");
    expect((await getHistory(world.service, bank, id)).events).toHaveLength(6);
  });
});
