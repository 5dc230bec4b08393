/** What is asked of tables in partitions after years: no more of them than on the first day. */
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { makeAhead } from "../../backend/store/partitions.ts";
import { adhoc, type Query, type Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import {
  askedPage,
  countedPage,
  firstTime,
  idsMax,
  provenPage,
  withdrawalsOf,
} from "../../backend/withdrawals/history.ts";
import { type PartitionStage, partitionsPerTest } from "./partition-stage.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { waysIn } from "./withdrawal-ways.ts";
import { bank, createWorld, type World } from "./world.ts";

const dayMs = 86_400_000;

describe.runIf(stores.includes("postgres"))("on PostgreSQL, after two years", () => {
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  let client: PartitionStage["client"];
  let run: PartitionStage["run"];
  let namesOf: PartitionStage["namesOf"];
  let drive: PartitionStage["drive"];
  partitionsPerTest((made) => {
    ({ clock, store, world, client, run, namesOf, drive } = made);
  });
  const { leadTo } = waysIn(
    () => world,
    () => clock,
  );
  const years = async () => {
    const months = Array.from({ length: 24 }, (_, n) => Date.UTC(2024, 11 + n));
    await client.query("BEGIN");
    for (const month of months)
      for (const table of ["withdrawal_events", "archived_withdrawals"] as const) await makeAhead(run, table, month);
    for (let week = clock.now() - 90 * dayMs; week < clock.now(); week += 7 * dayMs)
      for (const table of ["idempotency_keys", "terminal_references"] as const) await makeAhead(run, table, week);
    await client.query("COMMIT");
  };

  test("a withdrawal's commits lock and read as many partitions as on the first day, where no key is looked for", async () => {
    await years();
    expect((await namesOf("archived_withdrawals")).length).toBeGreaterThan(24);
    const asked: string[] = [];
    const watched: Store = {
      ...store,
      write: (unit, about) =>
        store.write(async (tx) => {
          const result = await unit(tx);
          const locks = await tx.all(
            adhoc((db) => ({
              compile: () =>
                sql<{
                  name: string;
                }>`select c.relname as name from pg_locks as l join pg_class as c on c.oid = l.relation
                    where l.pid = pg_backend_pid() and c.relname ~ '^(withdrawal_events|archived_withdrawals)_[0-9_]+$'`.compile(
                  db,
                ),
            })),
          );
          asked.push(...locks.map(({ name }) => name));
          return result;
        }, about),
    };
    const life = await createWorld(watched, { clock, options: { pollMs: 1e9 } });
    const { leadTo: to } = waysIn(
      () => life,
      () => clock,
    );
    // PostgreSQL plans a statement for its values five times before it keeps a plan.
    for (let n = 0; n < 8; n += 1) expect((await to.linked()).status).toBe("linked");
    await drive(life.service.stop());
    expect(asked.length).toBeGreaterThan(20);
    expect(new Set(asked)).toEqual(new Set(["withdrawal_events_2026_11_01", "archived_withdrawals_2026_11_01"]));
  });

  /** The plans of what a read asks for: as they are kept, or for the values that it was asked with. */
  const plansOf = async (read: (of: World) => Promise<unknown>, isForValues = false) => {
    const asked = new Map<string, { readonly name: string; readonly values: readonly unknown[] }>();
    const noted: Store = {
      ...store,
      read: (unit, isShort) =>
        store.read((tx) => {
          const note = <R>(query: Query<R>): Query<R> => {
            const { text, values } = query.sql("postgres");
            asked.set(text, { name: query.name ?? "", values });
            return query;
          };
          return unit({ ...tx, first: (query) => tx.first(note(query)), all: (query) => tx.all(note(query)) });
        }, isShort),
    };
    const life = await createWorld(noted, { clock, options: { pollMs: 1e9 } });
    await read(life);
    await drive(life.service.stop());
    const plans = new Map<string, string>();
    for (const [text, { name, values }] of asked) {
      const explained = isForValues
        ? { text: `EXPLAIN ${text}`, values: [...values] }
        : `EXPLAIN (GENERIC_PLAN) ${text}`;
      const { rows } = await client.query<{ "QUERY PLAN": string }>(explained);
      plans.set(name, rows.map((row) => row["QUERY PLAN"]).join("\n"));
    }
    return plans;
  };
  const partitionsIn = (plan: string) => new Set(plan.match(/\b(archived_withdrawals|withdrawal_events)_\d[\d_]+\b/g));

  test("an ended one is looked for where it lies: in the months around now first, its history in its own", async () => {
    await years();
    const { transaction_id: id } = await leadTo.linked();
    const plans = await plansOf(async (of) => {
      await getTransaction(of.service, bank, id);
      await getHistory(of.service, bank, id);
    });
    expect([...plans.keys()].filter((name) => name.startsWith("archived"))).toEqual(["archived_shown_by_id_lately"]);
    expect(partitionsIn(plans.get("archived_shown_by_id_lately") ?? "").size).toBe(3);
    const history = await plansOf((of) => getHistory(of.service, bank, id), true);
    expect(partitionsIn(history.get("withdrawal_events_of") ?? "").size).toBe(1);
  });

  test("the proof looks a row's withdrawal up, and the row before, each in one month: it never reads a whole table for a page", async () => {
    await years();
    await client.query(`INSERT INTO archived_withdrawals (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status,
          created_at, expires_at, settle_attempts, idempotency_key, request_hash, archived_at)
        SELECT n, 'bank', 'shop', 'u', 1, 'EUR', 0, 'linked', at, at, 1, n, 'h', at
          FROM (SELECT n, ${clock.now()} - n::bigint * 8000000 AS at FROM generate_series(1, 20000) AS n) AS w`);
    await client.query(`INSERT INTO withdrawal_events (transaction_id, sequence, kind, at, to_status, actor, asked_at, day)
        SELECT id, 1, 'transition', created_at, 'requested', 'partner', created_at, created_at / ${dayMs} FROM archived_withdrawals`);
    await client.query("ANALYZE archived_withdrawals, withdrawal_events");
    const ids = Array.from({ length: idsMax }, (_, n) => `${n + 1}`);
    const [from, to] = [clock.now() - 5 * dayMs, clock.now()];
    for (const query of [
      provenPage({ day: 20_000, at: firstTime, limit: 1_000 }),
      askedPage({ from, before: to, limit: 1_000 }),
      withdrawalsOf(ids, from, to),
      countedPage({ at: from, id: "", namesFrom: from, limit: 1_000 }),
    ]) {
      // As they are planned for their values, and as they are kept.
      const { text, values } = query.sql("postgres");
      await client.query({ name: query.name ?? "", text, values: [...values] });
      for (const mode of ["custom", "generic"]) {
        await client.query(`SET plan_cache_mode = force_${mode}_plan`);
        const given = values.map((value) => (typeof value === "number" ? value : `'${value}'`)).join();
        const { rows } = await client.query<{ "QUERY PLAN": string }>(
          `EXPLAIN (ANALYZE) EXECUTE ${query.name}(${given})`,
        );
        const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
        const read = plan.split("\n").filter((line) => !line.includes("never executed"));
        // A scan of the months that are nearly empty is no more than a look at their index.
        expect(read.join("\n")).not.toMatch(/Hash|Merge Join|Seq Scan on \w+_(default|2025)/);
        expect(plan).not.toMatch(/rows=(100[1-9]|10[1-9]\d|1[1-9]\d\d|[2-9]\d{3}|\d{5,})\.\d+ loops/);
      }
    }
  });

  test("nor for the first page of a month whose rows are all of one day", async () => {
    const day = Math.floor(clock.now() / dayMs);
    await client.query(`INSERT INTO withdrawal_events (transaction_id, sequence, kind, at, to_status, actor, asked_at, day)
      SELECT n, s, 'transition', ${clock.now()} + n, 'requested', 'partner', ${clock.now()} + n, ${day}
        FROM generate_series(1, 5000) AS n, generate_series(1, 6) AS s`);
    await client.query("ANALYZE withdrawal_events");
    const pages = [
      provenPage({ day, at: firstTime, limit: 1_000 }),
      askedPage({ from: day * dayMs, before: (day + 1) * dayMs, limit: 1_000 }),
    ];
    for (const page of pages) {
      const { text, values } = page.sql("postgres");
      const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN ${text}`, [...values]);
      expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).not.toContain("Seq Scan on withdrawal_events_2026_11_01");
    }
  });
});
