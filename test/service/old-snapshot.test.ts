/** What each poll reads while somebody holds an old snapshot, as a dump does: of 1,000 banks and of withdrawals that ended, nothing that it has read before. */
import pg from "pg";
import { expect, test } from "vitest";
import type { Query, Store, UnitOfWork } from "../../backend/store/store.ts";
import { byEffort } from "../runner/effort.ts";
import { createDatabaseWork } from "./database-work.ts";
import { createPlace, stores } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { createWorld } from "./world.ts";

const withdrawals = byEffort({ usual: 4_000, torture: 20_000 });
const rounds = 4;
const roundMs = 20_000;

/** A store that keeps the last look of each poll that went on from the one before. */
const watched = (store: Store, last: Map<string, Query<unknown>>): Store => ({
  ...store,
  read: <T>(unit: UnitOfWork<T>, isShort?: boolean) =>
    store.read(
      (tx) =>
        unit({
          ...tx,
          first: (query) => tx.first(note(query, last)),
          all: (query) => tx.all(note(query, last)),
        }),
      isShort,
    ),
});

const note = <R>(query: Query<R>, last: Map<string, Query<unknown>>): Query<R> => {
  const isWhole = query.sql("postgres").values.includes(0);
  if (/expire_some|_due_partners$|_farthest$/.test(query.name ?? "") && !isWhole) last.set(query.name ?? "", query);
  return query;
};

/** Withdrawals that came and ended in the time before `now`: what they leave in the tables is dead, and in every index. */
const comeAndEnd = (round: number, now: number): readonly string[] => {
  const [from, each] = [now - roundMs, roundMs / (withdrawals / rounds)];
  const series = `generate_series(1, ${withdrawals / rounds}) AS n`;
  const due = `${from} + (n * ${each})::bigint`;
  const message = `(id, transaction_id, partner_id, body, attempts, due_at, claimed_by, created_at)
    SELECT '${round}-' || n, n, 'bank-' || (n % 1000), '{}', 1, ${due}, 'w', ${from} FROM ${series}`;
  return [
    `INSERT INTO withdrawals (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status, deadline_at, created_at,
        expires_at, settle_attempts, idempotency_key, request_hash)
      SELECT '${round}-' || n, 'bank', 'shop', 'ann', 5000, 'EUR', 1, 'ready', ${due}, ${from}, ${due}, 0, '${round}-' || n, 'h' FROM ${series}`,
    `INSERT INTO outbox ${message}`,
    `INSERT INTO status_events ${message}`,
    `UPDATE withdrawals SET status = 'linked', deadline_at = NULL WHERE deadline_at IS NOT NULL`,
    `DELETE FROM outbox`,
    `DELETE FROM status_events`,
  ];
};

test.runIf(stores.includes("postgres"))(
  "what a poll reads does not grow with the withdrawals of an old snapshot",
  async () => {
    const place = await createPlace("postgres");
    const [dump, client] = [0, 1].map(() => new pg.Client({ connectionString: place.url })) as [pg.Client, pg.Client];
    await Promise.all([dump.connect(), client.connect()]);
    const clock = new VirtualClock();
    const last = new Map<string, Query<unknown>>();
    const { counted, idle } = createDatabaseWork("postgres");
    const store = counted(watched(await place.open(clock), last));
    const { service } = await createWorld(store, { clock, options: { pollMs: 250 } });
    try {
      await client.query(
        "INSERT INTO partners (id, created_at) SELECT 'bank-' || n, 0 FROM generate_series(0, 999) AS n",
      );
      await dump.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await dump.query("SELECT count(*) FROM withdrawals");
      const blocks: Record<string, number[]> = {};
      for (let round = 1; round <= rounds; round += 1) {
        // In one transaction: a process that looks in between would begin a call to each of the banks.
        await client.query(comeAndEnd(round, clock.now()).join(";"));
        // As autovacuum does: the planner then takes what is dead for nothing at all.
        await client.query("ANALYZE outbox, status_events");
        // The looks that pass what has come, and one right after them.
        for (let step = 0; step < 40; step += 1) await clock.advance(500, idle);
        for (const [name, query] of last) {
          const { text, values } = query.sql("postgres");
          const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values]);
          const [{ Plan: plan }] = rows[0]["QUERY PLAN"];
          blocks[name] = [...(blocks[name] ?? []), plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]];
        }
      }
      expect(Object.keys(blocks)).toEqual(
        expect.arrayContaining(["expire_some", "outbox_due_partners", "status_events_due_partners"]),
      );
      for (const [name, each] of Object.entries(blocks)) expect(Math.max(...each), name).toBeLessThanOrEqual(12);
    } finally {
      await service.stop();
      await Promise.all([dump.end(), client.end()]);
      await place.dispose();
    }
  },
);
