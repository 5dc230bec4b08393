/**
 * A roll-out on PostgreSQL: processes of the release before go on while the first of this release migrates and joins them
 * (README, "A fleet on PostgreSQL"). `releases/` keeps what a release sends to the database: its migrations and statements.
 */
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { makeTransactionId } from "../../backend/contract/ids.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { createPlace, type Place } from "./stores.ts";
import { approve, bank, confirmIt, createWorld, placeOrder, shop, till, type World } from "./world.ts";

type Value = string | number | null;
interface Release {
  readonly migrations: readonly { readonly version: number; readonly statements: readonly string[] }[];
  readonly statements: Readonly<
    Record<string, { readonly text: string; readonly values: readonly ({ slot: string } | { value: Value })[] }>
  >;
}

const before: Release = JSON.parse(readFileSync(join(import.meta.dirname, "releases/1.json"), "utf8"));
const leaseMs = 10_000;
const minuteMs = 60_000;

/** A process of the release before: its pool, its prepared statements, its order of things. */
const startPrevious = (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 8, statement_timeout: 10_000 });
  pool.on("error", () => {});
  type Values = Readonly<Record<string, Value>>;
  const send = async (client: pg.PoolClient, name: string, values: Values) => {
    const statement = before.statements[name];
    if (statement === undefined) throw new Error(`the release had no ${name}`);
    const bound = statement.values.map((each) => ("slot" in each ? (values[each.slot] ?? null) : each.value));
    return (await client.query<Record<string, Value>>({ name, text: statement.text, values: bound })).rows;
  };
  const commit = async (...steps: readonly (readonly [string, Values])[]) => {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      const rows = [];
      for (const [name, values] of steps) rows.push(await send(client, name, values));
      await client.query("COMMIT");
      return rows[0]?.[0];
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    } finally {
      client.release();
    }
  };
  const findTransaction = async (id: string) => {
    const client = await pool.connect();
    try {
      return (await send(client, "withdrawal_by_id", { id }))[0];
    } finally {
      client.release();
    }
  };

  return {
    pool,
    commit,
    findTransaction,
    async placeOrder(): Promise<string> {
      const [id, now] = [makeTransactionId(crypto.getRandomValues(new Uint8Array(15))), systemClock.now()];
      await commit([
        "withdrawal_insert",
        {
          ...{ id, partner_id: bank.partnerId, merchant_id: shop, user_id: "ann", amount: 5_000, currency: "EUR" },
          ...{ sca_required: 1, status: "requested", deadline_at: now + 15_000, created_at: now },
          ...{ expires_at: now + 15 * minuteMs, settle_attempts: 0, idempotency_key: randomUUID(), request_hash: "x" },
        },
      ]);
      expect((await commit(["start_accepted", { id, now }]))?.status).toBe("ready");
      return id;
    },
    async confirm(id: string) {
      const now = systemClock.now();
      const values = {
        id,
        merchant: shop,
        device: till.deviceId,
        terminalReference: id,
        now,
        scaExpiresAt: now + 40_000,
      };
      return (await commit(["confirm_ready", values]))?.status;
    },
    async approveAndSettle(id: string) {
      const now = systemClock.now();
      const order = {
        ...{ id: `settle_${id}`, transaction_id: id, partner_id: bank.partnerId, body: "{}", attempts: 1 },
        ...{ due_at: now + leaseMs, claimed_by: "previous", created_at: now },
      };
      await commit(["sca_approve", { id, partner: bank.partnerId, now }], ["outbox_insert", order]);
      const settled = await commit(["settle_accepted", { id, now, attempts: 1 }], ["outbox_delete", { id: order.id }]);
      return settled?.status;
    },
    async link(id: string) {
      const values = { id, merchant: shop, device: till.deviceId, now: systemClock.now() };
      return (await commit(["link_settled", values]))?.status;
    },
  };
};

let place: Place;
let previous: ReturnType<typeof startPrevious>;
let world: World | null = null;
beforeEach(async () => {
  place = await createPlace("postgres", { isBlank: true });
  previous = startPrevious(place.url);
  const version = before.migrations.at(-1)?.version;
  for (const sql of [
    ...before.migrations.flatMap(({ statements }) => statements),
    "CREATE TABLE schema_version (id BIGINT PRIMARY KEY, version BIGINT NOT NULL)",
    `INSERT INTO schema_version (id, version) VALUES (1, ${version})`,
  ])
    await previous.pool.query(sql);
  const merchant = { id: shop, name: "Corner Shop", currency: "EUR", created_at: 0 };
  await previous.commit([
    "cli_merchant_add",
    { ...merchant, amount_min: 1_000, amount_max: 50_000, amount_step: 1_000 },
  ]);
  await previous.commit(["cli_partner_add", { id: bank.partnerId, now: 0 }]);
});
afterEach(async () => {
  await world?.service.stop();
  await previous.pool.end();
  await place.dispose();
});

const settledAt = async ({ service }: World, id: string) =>
  (await getTransaction(service, till, id, { waitMs: 20_000, whileStatus: "settling" })).status;

test("no request fails before, during and after the migration, whichever release is asked for each step", async () => {
  const failures: unknown[] = [];
  const done = { previous: 0, current: 0, mixed: 0 };
  let stop = false;
  const progress = new EventEmitter();
  const repeatedly = async (kind: keyof typeof done, visit: () => Promise<unknown>) => {
    while (!stop) {
      try {
        expect(await visit()).toBe("linked");
        done[kind] += 1;
      } catch (error) {
        failures.push(error);
        stop = true;
      }
      progress.emit("visit");
    }
  };
  const onPrevious = async () => {
    const id = await previous.placeOrder();
    expect(await previous.confirm(id)).toBe("awaiting_sca");
    expect((await previous.findTransaction(id))?.status).toBe("awaiting_sca");
    expect(await previous.approveAndSettle(id)).toBe("settled");
    return previous.link(id);
  };
  const load: Promise<void>[] = Array.from({ length: 6 }, () => repeatedly("previous", onPrevious));
  const reach = async (kind: keyof typeof done, count: number) => {
    while (!stop && done[kind] < count) await once(progress, "visit");
  };
  await reach("previous", 100);

  const store = await place.open();
  world = await createWorld(store);
  const current = world;
  const onCurrent = async () => {
    const asked = await placeOrder(current.service);
    await confirmIt(current.service, asked);
    await approve(current.service, asked);
    expect(await settledAt(current, asked.transaction_id)).toBe("settled");
    return (await linkTransaction(current.service, till, asked.transaction_id)).status;
  };
  const onBoth = async () => {
    const id = await previous.placeOrder();
    await confirmIt(current.service, await getTransaction(current.service, till, id));
    expect(await previous.approveAndSettle(id)).toBe("settled");
    expect((await linkTransaction(current.service, till, id)).status).toBe("linked");
    const asked = await placeOrder(current.service);
    await previous.confirm(asked.transaction_id);
    await approve(current.service, asked);
    expect(await settledAt(current, asked.transaction_id)).toBe("settled");
    return previous.link(asked.transaction_id);
  };
  for (let n = 0; n < 4; n += 1) load.push(repeatedly("current", onCurrent), repeatedly("mixed", onBoth));
  await Promise.all([reach("current", 100), reach("mixed", 40), reach("previous", 300)]);
  stop = true;
  await Promise.all(load);
  expect(failures).toEqual([]);
});

test("every statement of the release before still holds on this release's tables", async () => {
  await place.open();
  const client = await previous.pool.connect();
  try {
    for (const [name, { text }] of Object.entries(before.statements)) {
      await expect(client.query(`PREPARE "again_${name}" AS ${text}`), name).resolves.toBeDefined();
    }
  } finally {
    client.release();
  }
});
