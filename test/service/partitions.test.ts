/** Tables that lie in partitions by time, on PostgreSQL: made ahead, never in the way of a withdrawal, and dropped when all of it is over. */
import { sql } from "kysely";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { closeDays, endMonth } from "../../backend/operate/proof.ts";
import { makePartitions, purge, startPartitions } from "../../backend/operate/purge.ts";
import type { Log } from "../../backend/ports.ts";
import { type RetentionPeriods, retained } from "../../backend/retention.ts";
import { makeAhead } from "../../backend/store/partitions.ts";
import { adhoc, type Query, type Store, type Tx } from "../../backend/store/store.ts";
import { closeEnded } from "../../backend/withdrawals/closed.ts";
import { closeDispute } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { listWithdrawals, reconcile } from "../../backend/withdrawals/reconcile.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { settleAnswered } from "../../backend/withdrawals/settle-answered.ts";
import { type PartitionStage, partitionsPerTest } from "./partition-stage.ts";
import { type Place, stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { expectWholeHistory } from "./whole-history.ts";
import { waysIn } from "./withdrawal-ways.ts";
import { bank, createWorld, freshKey, quiet, shop, testKeys, till, type World } from "./world.ts";

const dayMs = 86_400_000;
const nothing = Object.fromEntries(retained.map((what) => [what, null])) as RetentionPeriods;
const body = { user_id: "Ann", amount: "50.00", currency: "EUR", store: shop };

describe.runIf(stores.includes("postgres"))("on PostgreSQL", () => {
  let place: Place;
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  let client: PartitionStage["client"];
  let run: PartitionStage["run"];
  let namesOf: PartitionStage["namesOf"];
  let count: PartitionStage["count"];
  let drive: PartitionStage["drive"];
  partitionsPerTest((made) => {
    ({ place, clock, store, world, client, run, namesOf, count, drive } = made);
  });
  const { leadTo } = waysIn(
    () => world,
    () => clock,
  );

  const end = (periods: Partial<RetentionPeriods>) => drive(purge(world.service, { ...nothing, ...periods }));
  const waiting =
    "SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
  /** What a process in its own right reports while it makes them. */
  const make = async (keysMs: number | null = 90 * dayMs) => {
    const lines: string[] = [];
    const note = (fields: { partition?: string; rows?: number }, text: string) =>
      void lines.push(`${fields.partition} ${fields.rows}: ${text}`);
    const log = { ...quiet, info: note, error: note } as unknown as Log;
    await makePartitions({ ...world.service, log }, keysMs);
    return lines;
  };
  const seenOf = async (id: string) => ({
    seen: await getTransaction(world.service, bank, id),
    events: (await getHistory(world.service, bank, id)).events.length,
  });
  const report = async () => {
    const lines = [];
    for await (const page of reconcile(world.service, till, { fromMs: 0, toMs: 1e14 })) lines.push(...page);
    return lines.map(({ transaction_id: id, finding }) => `${id} ${finding}`);
  };

  describe("made ahead", () => {
    test("two months and three weeks; again, and by three at once, nothing is made twice", async () => {
      expect(await namesOf("archived_withdrawals")).toEqual([
        ...["2026_11_01", "2026_12_01", "2027_01_01"].map((day) => `archived_withdrawals_${day}`),
        "archived_withdrawals_default",
      ]);
      expect(await namesOf("idempotency_keys")).toEqual([
        ...["2026_11_19", "2026_11_26", "2026_12_03", "2026_12_10"].map((day) => `idempotency_keys_${day}`),
        "idempotency_keys_default",
      ]);
      expect(await make()).toEqual([]);
      clock.jump(30 * dayMs);
      const made = (await Promise.all([make(), make(), make()])).flat();
      expect(made.toSorted()).toEqual(
        [
          "withdrawal_events_2027_02_01",
          "archived_withdrawals_2027_02_01",
          ...["2026_12_17", "2026_12_24", "2026_12_31", "2027_01_07"].flatMap((day) => [
            `idempotency_keys_${day}`,
            `terminal_references_${day}`,
          ]),
        ]
          .map((name) => `${name} 0: a partition was made`)
          .toSorted(),
      );
    });

    test("keys that are kept for long lie in months", async () => {
      clock.jump(30 * dayMs);
      expect(await make(null)).toContain("idempotency_keys_2027_01_01 0: a partition was made");
      expect(await namesOf("idempotency_keys")).toContain("idempotency_keys_2026_12_17");
    });

    test("writers are not waited for, and do not wait", async () => {
      clock.jump(12 * dayMs);
      await client.query("BEGIN");
      await client.query("LOCK TABLE ONLY withdrawal_events, ONLY idempotency_keys IN ROW EXCLUSIVE MODE");
      await client.query("LOCK TABLE withdrawal_events_2026_12_01, idempotency_keys_2026_11_26 IN ROW EXCLUSIVE MODE");
      expect(await make()).toHaveLength(4);
      await client.query("COMMIT");
      await client.query("BEGIN");
      for (const table of ["withdrawal_events", "archived_withdrawals"] as const)
        expect(await makeAhead(run, table, clock.now() + 40 * dayMs)).toMatchObject([{ isMade: true }]);
      expect((await leadTo.linked()).status).toBe("linked");
      await client.query("COMMIT");
      await expectWholeHistory(store);
    });

    test("a row that is on its way to the default one meanwhile goes into the new one", async () => {
      clock.jump(100 * dayMs);
      await client.query("BEGIN");
      for (const table of ["withdrawal_events", "terminal_references"] as const)
        await makeAhead(run, table, clock.now());
      const named = { merchant_id: shop, device_id: "till-9", transaction_id_partner: "1", transaction_id: "X" };
      const alone = store.write((tx) =>
        tx.run(adhoc((db) => db.insertInto("terminal_references").values({ ...named, created_at: clock.now() }))),
      );
      const asked = leadTo.ready();
      await expect.poll(async () => (await run(waiting)).length).toBe(2);
      await client.query("COMMIT");
      expect((await drive(asked)).status).toBe("ready");
      expect(await drive(alone)).toBe(1);
      expect([await count("withdrawal_events_default"), await count("withdrawal_events_2027_02_01")]).toEqual([0, 2]);
      expect(await count("terminal_references_default")).toBe(0);
      await expectWholeHistory(store);
    });
  });

  describe("what no partition is there for", () => {
    test("of a clock that is far ahead, is taken, found and known, and lies in its own month later", async () => {
      const key = freshKey();
      clock.jump(3_650 * dayMs);
      const asked = await requestWithdrawal(world.service, bank, body, key);
      clock.jump(15 * 60_000);
      const { seen, events } = await seenOf(asked.transaction_id);
      expect([seen.status, events]).toEqual(["expired", 3]);
      expect(await count("archived_withdrawals_default")).toBe(1);
      expect((await requestWithdrawal(world.service, bank, body, key)).transaction_id).toBe(asked.transaction_id);
      clock.jump(-3_650 * dayMs);
      const { transaction_id: other } = await leadTo.linked();
      expect(await seenOf(asked.transaction_id)).toEqual({ seen, events });
      expect(await count("archived_withdrawals_default")).toBe(1);
      clock.jump(3_650 * dayMs);
      expect(await make()).toContain("archived_withdrawals_2036_11_01 1: a partition was made");
      expect(await count("archived_withdrawals_default")).toBe(0);
      for (const id of [asked.transaction_id, other]) expect((await seenOf(id)).seen.transaction_id).toBe(id);
      expect((await requestWithdrawal(world.service, bank, body, key)).transaction_id).toBe(asked.transaction_id);
      await expectWholeHistory(store);
    });

    test("lies there for ever where it is much, the time after it does not, and a month of it ends too", async () => {
      await closeDays(world.service);
      await leadTo.rejected();
      clock.jump(100 * dayMs);
      const ids = [(await leadTo.rejected()).transaction_id, (await leadTo.rejected()).transaction_id];
      await client.query(`INSERT INTO withdrawal_events (transaction_id, sequence, kind, at, to_status, actor, asked_at, day)
        SELECT 'n' || n, 1, 'transition', 1, 'ready', 'partner', ${clock.now()}, 1 FROM generate_series(1, 10000) AS n`);
      expect(await make()).toEqual(
        expect.arrayContaining([
          "withdrawal_events_2027_02_01 10001: a partition could not be made: the default one has too many rows",
          "withdrawal_events_2027_03_01 0: a partition was made",
          "archived_withdrawals_2027_02_01 2: a partition was made",
        ]),
      );
      await client.query("DELETE FROM withdrawal_events WHERE transaction_id LIKE 'n%'");
      expect(await count("withdrawal_events_default")).toBe(6);
      await closeDays(world.service);
      await expectWholeHistory(store);
      clock.jump(200 * dayMs);
      await end({ archive: 100 * dayMs });
      await end({ archive: 100 * dayMs });
      expect([await count("archived_withdrawals"), await count("withdrawal_events")]).toEqual([0, 0]);
      for (const id of ids)
        await expect(getTransaction(world.service, till, id)).rejects.toMatchObject({ code: "transaction_not_found" });
    });
  });

  test("a start says that PostgreSQL has too few locks once there are many months, and not before", async () => {
    const started = async () => {
      const lines: string[] = [];
      await place.open(clock, { migrates: false, report: (line) => void lines.push(line) });
      return lines;
    };
    expect(await started()).toEqual([]);
    for (let months = 0; months < 16; months += 2) {
      clock.jump(61 * dayMs);
      await make(null);
    }
    expect(await started()).toEqual(["set max_locks_per_transaction to 256 (now 64) at PostgreSQL's next restart"]);
  });

  test("a start on an old copy makes those of today at once, one that somebody reads an hour later", async () => {
    clock.jump(400 * dayMs);
    await client.query("BEGIN");
    await client.query("SELECT count(*) FROM withdrawal_events");
    const partitions = startPartitions(world.service, 90 * dayMs);
    await clock.advance(1);
    await expect.poll(() => namesOf("terminal_references")).toContain("terminal_references_2028_01_06");
    expect((await namesOf("archived_withdrawals")).slice(-4)).toEqual([
      ...["2027_12_01", "2028_01_01", "2028_02_01"].map((day) => `archived_withdrawals_${day}`),
      "archived_withdrawals_default",
    ]);
    expect(await namesOf("withdrawal_events")).not.toContain("withdrawal_events_2027_12_01");
    await leadTo.linked();
    await client.query("COMMIT");
    await clock.advance(60 * 60_000);
    await expect.poll(() => namesOf("withdrawal_events")).toContain("withdrawal_events_2027_12_01");
    await drive(partitions.stop());
    expect(await count("withdrawal_events_default")).toBe(0);
    await expectWholeHistory(store);
  });

  test("a default one that is large is never read while others wait: none is made beside it", async () => {
    // Rows that fill a page each.
    await client.query("ALTER TABLE terminal_references_default SET (fillfactor = 10)");
    await client.query(`INSERT INTO terminal_references (merchant_id, device_id, transaction_id_partner, transaction_id, created_at)
      SELECT '${shop}', 'till-9', n, rpad(n::text, 1000, 'x'), ${Date.UTC(2027, 4)} FROM generate_series(1, 9000) AS n`);
    clock.jump(30 * dayMs);
    const reader = new pg.Client({ connectionString: place.url });
    await reader.connect();
    await reader.query("BEGIN; SELECT 1 FROM terminal_references_default LIMIT 1");
    const made = await make();
    await reader.query("COMMIT");
    await reader.end();
    expect(made.filter((line) => line.startsWith("terminal_references"))).toEqual(
      ["2026_12_17", "2026_12_24", "2026_12_31", "2027_01_07"].map(
        (day) => `terminal_references_${day} 0: a partition could not be made: the default one has too many rows`,
      ),
    );
    expect(made).toContain("idempotency_keys_2027_01_07 0: a partition was made");
    expect((await leadTo.linked()).status).toBe("linked");
    expect(await count("terminal_references_default")).toBe(9_001);
  });

  describe("a month", () => {
    /** Two of November, ended; 200 days later. */
    const grown = async () => {
      await closeDays(world.service);
      const ids = [(await leadTo.linked()).transaction_id, (await leadTo.rejected()).transaction_id];
      clock.jump(200 * dayMs);
      await make();
      await closeDays(world.service);
      return ids as [string, string];
    };
    const lives = () =>
      namesOf("archived_withdrawals").then((names) => names.includes("archived_withdrawals_2026_11_01"));
    const ends = async () =>
      Number(
        (await run("SELECT count(*) AS rows FROM audit WHERE event = 'history_month_ended' AND object = '2026-11'"))[0]
          ?.rows,
      );
    const dispute = (id: string) =>
      settleAnswered(
        world.service,
        {
          ...{ id: `settle_${id}`, transaction_id: id, partner_id: bank.partnerId, body: "{}", attempts: 1, due_at: 0 },
          ...{ claimed_by: "w", created_at: 0, last_error: null, partner_reference: null, unsent_attempts: 0 },
        },
        "declined",
      );

    test("ends with its partitions and its entry of the audit, and what lies around it stays", async () => {
      const [linked] = await grown();
      const { transaction_id: young } = await leadTo.linked();
      await end({ archive: 210 * dayMs });
      expect([await lives(), await ends()]).toEqual([true, 0]);
      await end({ archive: 100 * dayMs });
      expect([await lives(), await ends()]).toEqual([false, 1]);
      expect(await namesOf("withdrawal_events")).not.toContain("withdrawal_events_2026_11_01");
      expect(world.counted.purgedRows).toMatchObject({ archive: 2 });
      expect((await seenOf(young)).events).toBe(6);
      await expect(getTransaction(world.service, till, linked)).rejects.toMatchObject({
        code: "transaction_not_found",
      });
      expect(await report()).toEqual([`${young} matched`]);
      await expectWholeHistory(store);
      // Empty months go as well.
      expect(await namesOf("archived_withdrawals")).toEqual(
        [...["2027_03_01", "2027_06_01", "2027_07_01", "2027_08_01"].map((day) => `archived_withdrawals_${day}`)]
          .slice(1)
          .concat("archived_withdrawals_default"),
      );
    });

    test.each(["open", "disputed"])("is kept whole while one of it is %s", async (how) => {
      const { transaction_id: id } = await leadTo.settled();
      const [linked] = await grown();
      if (how === "disputed") {
        await linkTransaction(world.service, till, id);
        await dispute(id);
        clock.jump(200 * dayMs);
      }
      await end({ archive: 100 * dayMs });
      expect([await lives(), await ends()]).toEqual([true, 0]);
      expect((await seenOf(linked)).events).toBe(6);
      if (how === "open") await linkTransaction(world.service, till, id);
      else await closeDispute(world.service, id, "olga", "clear");
      clock.jump(200 * dayMs);
      await closeDays(world.service);
      await end({ archive: 100 * dayMs });
      expect([await lives(), await ends()]).toEqual([false, 1]);
    });

    test("is kept whole while a row of its history is under a day that has no line yet", async () => {
      const [linked] = await grown();
      await dispute(linked);
      await closeDispute(world.service, linked, "olga", "clear");
      await end({ archive: 100 * dayMs });
      expect([await lives(), await ends()]).toEqual([true, 0]);
      expect((await seenOf(linked)).events).toBe(8);
      clock.jump(dayMs);
      await closeDays(world.service);
      await expectWholeHistory(store);
      await end({ archive: 100 * dayMs });
      expect([await lives(), await ends()]).toEqual([false, 1]);
      await expectWholeHistory(store);
    });

    test("of which a part has ended already keeps the one that is disputed since", async () => {
      await leadTo.linked();
      const [linked, rejected] = await grown();
      // As where a release before has written one of it: it ends row by row, and is cut off.
      const before = clock.now() - 100 * dayMs;
      await client.query(`UPDATE withdrawal_events SET asked_at = 0, day = 0 WHERE transaction_id = '${rejected}'`);
      expect(await store.write((tx) => endMonth(tx, testKeys, before, clock.now(), 1))).toEqual({ deleted: 1 });
      await client.query(`DELETE FROM withdrawal_events WHERE transaction_id = '${rejected}'`);
      await client.query(`DELETE FROM archived_withdrawals WHERE id = '${rejected}'`);
      expect([await lives(), await ends(), await count("archived_withdrawals")]).toEqual([true, 1, 1]);
      await dispute(linked);
      await end({ archive: 100 * dayMs });
      expect(await lives()).toBe(true);
      expect((await seenOf(linked)).events).toBe(7);
      await closeDispute(world.service, linked, "olga", "clear");
      clock.jump(dayMs);
      await closeDays(world.service);
      await end({ archive: 100 * dayMs });
      expect([await lives(), await ends()]).toEqual([false, 2]);
    });

    test("row by row it keeps the one that is being disputed", async () => {
      const [linked, rejected] = await grown();
      const before = clock.now() - 100 * dayMs;
      // As where a release before has written one of it.
      await client.query(`UPDATE withdrawal_events SET asked_at = 0, day = 0 WHERE transaction_id = '${rejected}'`);
      await client.query("BEGIN");
      await client.query(`UPDATE archived_withdrawals SET disputed_at = 1 WHERE id = '${linked}'`);
      const ending = store.write((tx) => endMonth(tx, testKeys, before, clock.now(), 15));
      await Promise.race([ending, expect.poll(async () => (await run(waiting)).length).toBe(1)]);
      await client.query("COMMIT");
      expect(await ending).toEqual({ deleted: 1 });
      expect((await getTransaction(world.service, till, linked)).status).toBe("linked");
      expect((await seenOf(linked)).events).toBe(6);
    });

    test("one that is disputed while its end waits for the table keeps it", async () => {
      const [linked] = await grown();
      await client.query("BEGIN");
      await client.query(`UPDATE archived_withdrawals SET disputed_at = 1 WHERE id = '${linked}'`);
      const ending = end({ archive: 100 * dayMs });
      await expect.poll(async () => (await run(waiting)).length).toBe(1);
      await client.query("COMMIT");
      await ending;
      expect([await lives(), await ends()]).toEqual([true, 0]);
      expect((await getTransaction(world.service, till, linked)).status).toBe("linked");
    });

    test("a dump keeps it for so long, holds up nobody, and the rest that is over ends", async () => {
      await grown();
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await client.query("SELECT count(*) FROM archived_withdrawals");
      // A process that waits for no statement as long as the end would wait for the table.
      const other = await createWorld(await place.open(undefined, { statementTimeoutMs: 4_000 }), {
        clock,
        options: { pollMs: 1e9 },
      });
      const { leadTo: to } = waysIn(
        () => other,
        () => clock,
      );
      const ending = end({ archive: 100 * dayMs, idempotency_keys: 90 * dayMs }).then(
        () => null,
        (error: Error) => error,
      );
      await expect.poll(async () => (await run(waiting)).length, { interval: 5 }).toBeGreaterThan(0);
      const { transaction_id: meanwhile } = await to.linked();
      await other.service.stop();
      expect(await ending).toMatchObject({ code: "unavailable" });
      expect(await count("archived_withdrawals_2026_11_01")).toBe(2);
      await client.query("COMMIT");
      expect(await count("idempotency_keys")).toBe(1);
      expect([await lives(), await ends()]).toEqual([true, 0]);
      await end({ archive: 100 * dayMs });
      expect([await lives(), await ends()]).toEqual([false, 1]);
      expect((await seenOf(meanwhile)).events).toBe(6);
    });

    test("a server or a process that dies in the middle of it leaves it whole, and it ends the next time", async () => {
      const [linked] = await grown();
      const before = clock.now() - 100 * dayMs;
      const own = adhoc((db) => ({ compile: () => sql<{ pid: number }>`select pg_backend_pid() as pid`.compile(db) }));
      const ended = store.write(async (tx) => {
        expect(await endMonth(tx, testKeys, before, clock.now(), 15)).toEqual({ dropped: 2 });
        // All is done, and not committed.
        const pid = (await tx.first(own))?.pid;
        await client.query(`SELECT pg_terminate_backend(${pid})`);
        await tx.first(own);
      });
      await expect(drive(ended)).rejects.toThrow();
      expect([await lives(), await ends()]).toEqual([true, 0]);
      expect((await seenOf(linked)).events).toBe(6);
      await expectWholeHistory(store);
      await end({ archive: 100 * dayMs });
      expect([await lives(), await ends()]).toEqual([false, 1]);
      await expectWholeHistory(store);
    });

    test("with rows of the release before, which say of none in which month it is, it ends row by row", async () => {
      const [linked] = await grown();
      await client.query(
        `UPDATE withdrawal_events SET asked_at = 0, day = 0 WHERE transaction_id = '${linked}' AND sequence = 6`,
      );
      expect((await seenOf(linked)).events).toBe(6);
      await end({ archive: 100 * dayMs });
      expect([await count("archived_withdrawals"), await count("withdrawal_events")]).toEqual([0, 0]);
      expect([await lives(), await ends()]).toEqual([true, 1]);
    });

    test("two processes end it once", async () => {
      await grown();
      const second = await createWorld(await place.open(clock), { clock, options: { pollMs: 1e9 } });
      await drive(
        Promise.all([world, second, world].map((of) => purge(of.service, { ...nothing, archive: 100 * dayMs }))),
      );
      expect([await lives(), await ends()]).toEqual([false, 1]);
      await drive(second.service.stop());
    });
  });

  test("a week of keys is dropped when the last of them is old enough; until then each is known", async () => {
    const key = freshKey();
    const { transaction_id: id } = await requestWithdrawal(world.service, bank, body, key);
    clock.jump(15 * 60_000);
    await getTransaction(world.service, till, id);
    // The week ends on the 26th.
    clock.jump(95.5 * dayMs);
    await end({ idempotency_keys: 90 * dayMs });
    expect((await requestWithdrawal(world.service, bank, body, key)).transaction_id).toBe(id);
    clock.jump(dayMs);
    await end({ idempotency_keys: 90 * dayMs });
    expect(await namesOf("idempotency_keys")).not.toContain("idempotency_keys_2026_11_19");
    expect(await namesOf("terminal_references")).not.toContain("terminal_references_2026_11_19");
    expect((await requestWithdrawal(world.service, bank, body, key)).transaction_id).not.toBe(id);
  });

  describe.each([
    ["READ COMMITTED", "alone"],
    ["REPEATABLE READ", "alone"],
    ["READ COMMITTED", "shared"],
    ["REPEATABLE READ", "shared"],
  ])("under %s, in a transaction that is %s", (level, how) => {
    /** The statement of a unit, as another connection sends it. */
    const closing = (id: string) => {
      const queries: Query<unknown>[] = [];
      const tx = { dialect: "postgres", runUnawaited: (query: Query<unknown>) => queries.push(query) } as unknown as Tx;
      closeEnded(tx, { id, now: clock.now() });
      const [query] = queries as [Query<unknown>];
      const { text, values } = ((how === "shared" && query.whenShared) || query).sql("postgres");
      return { text, values: [...values] };
    };
    const copies = async (id: string) => [
      await count(`withdrawals WHERE id = '${id}'`),
      await count(`archived_withdrawals WHERE id = '${id}'`),
      await count(`idempotency_keys WHERE transaction_id = '${id}'`),
      await count(`terminal_references WHERE transaction_id = '${id}'`),
    ];

    const waits = async (of: pg.Client) => {
      const pid = (of as unknown as { processID: number }).processID;
      const asks = () => run(`SELECT 1 FROM pg_locks WHERE NOT granted AND pid = ${pid}`);
      await expect.poll(async () => (await asks()).length).toBe(1);
    };

    test.each(["commits", "is taken back"])(
      "of two that close one withdrawal at once one does, where the first %s",
      async (how) => {
        const { transaction_id: id } = await leadTo.settled();
        // Ended, and not moved: nothing but the closing decides.
        await client.query(`UPDATE withdrawals SET status = 'linked', deadline_at = NULL WHERE id = '${id}'`);
        const second = new pg.Client({ connectionString: place.url });
        await second.connect();
        for (const each of [client, second]) {
          await each.query(`BEGIN ISOLATION LEVEL ${level}`);
          await each.query("SELECT count(*) FROM withdrawals");
        }
        expect((await client.query(closing(id))).rowCount).toBe(1);
        const late = second.query(closing(id)).then(
          ({ rowCount }) => rowCount,
          (error: { code: string }) => error.code,
        );
        await waits(second);
        await client.query(how === "commits" ? "COMMIT" : "ROLLBACK");
        if (how === "commits") expect(await late).toBe(level === "READ COMMITTED" ? 0 : "40001");
        else expect(await late).toBe(1);
        await second.query(how === "commits" && level !== "READ COMMITTED" ? "ROLLBACK" : "COMMIT");
        await second.end();
        expect(await copies(id)).toEqual([0, 1, 1, 1]);
      },
    );

    test("what is being changed meanwhile goes as it is after the change, or stays", async () => {
      const { transaction_id: id } = await leadTo.settled();
      const second = new pg.Client({ connectionString: place.url });
      await second.connect();
      for (const each of [client, second]) await each.query(`BEGIN ISOLATION LEVEL ${level}`);
      await second.query("SELECT count(*) FROM withdrawals");
      await client.query(`UPDATE withdrawals SET status = 'linked', deadline_at = NULL WHERE id = '${id}'`);
      await client.query("COMMIT");
      await client.query("BEGIN");
      await client.query(`UPDATE withdrawals SET disputed_at = 7 WHERE id = '${id}'`);
      const late = second.query(closing(id)).then(
        ({ rowCount }) => rowCount,
        (error: { code: string }) => error.code,
      );
      const isMoved = level === "READ COMMITTED";
      // The other sees it as it was at its first look, when it was not over.
      if (isMoved) await waits(second);
      else expect(await late).toBe(0);
      await client.query("COMMIT");
      expect(await late).toBe(isMoved ? 1 : 0);
      await second.query("COMMIT");
      await second.end();
      const rows = await run(
        `SELECT disputed_at FROM ${isMoved ? "archived_withdrawals" : "withdrawals"} WHERE id = '${id}'`,
      );
      expect(rows).toEqual([{ disputed_at: "7" }]);
      expect(await copies(id)).toEqual(isMoved ? [0, 1, 1, 1] : [1, 0, 0, 0]);
    });
  });

  test("a forged one under another time takes nothing away, and both are lines", async () => {
    const { transaction_id: id } = await leadTo.settled();
    const columns =
      "partner_id, merchant_id, user_id, currency, sca_required, status, device_id, expires_at, confirmed_at, settle_attempts, request_hash";
    await client.query(`INSERT INTO archived_withdrawals (id, ${columns}, amount, created_at, idempotency_key, archived_at)
      SELECT id, ${columns}, 1, created_at - 40 * ${dayMs}::bigint, 'forged', 1 FROM withdrawals WHERE id = '${id}'`);
    expect((await linkTransaction(world.service, till, id)).status).toBe("linked");
    expect((await report()).toSorted()).toEqual([`${id} matched`, `${id} not_linked`]);
    expect((await listWithdrawals(world.service, bank, { limit: 200 })).withdrawals).toHaveLength(2);
  });
});
