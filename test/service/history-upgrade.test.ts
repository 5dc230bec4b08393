/** A database from before there was a history opens, and its withdrawals go on with one. */
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { makeTransactionId } from "../../backend/contract/ids.ts";
import { migrationFrom } from "../../backend/store/migrate.ts";
import { migrations } from "../../backend/store/migrations.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { createPlace, stores } from "./stores.ts";
import { bank, createWorld, till } from "./world.ts";

const before = migrations.filter(({ version }) => version < 5);

const runRaw = async (url: string, statements: readonly string[]): Promise<void> => {
  if (url.startsWith("sqlite:")) {
    const db = new DatabaseSync(url.slice("sqlite:".length));
    for (const statement of statements) db.exec(statement);
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
};

const withdrawal = (id: string, status: string, now: number) => `INSERT INTO withdrawals
  (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status, deadline_at, device_id,
   transaction_id_partner, created_at, expires_at, confirmed_at, sca_expires_at, settle_attempts, idempotency_key, request_hash)
  VALUES ('${id}', 'bank', 'corner-shop', 'ann', 5000, 'EUR', 1, '${status}',
   ${status === "awaiting_sca" ? now + 40_000 : "NULL"}, 'till-1', 'pos ${id}', ${now}, ${now + 900_000}, ${now},
   ${now + 40_000}, 0, 'key ${id}', '')`;

test.each(stores)("on %s", async (dialect) => {
  const place = await createPlace(dialect, { isBlank: true });
  const now = systemClock.now();
  const [waiting, settling] = [1, 2].map((n) => makeTransactionId(new Uint8Array(15).fill(n))) as [string, string];
  const order = {
    userId: "ann",
    TransactionId: `pos ${settling}`,
    DateOperation: new Date(now).toISOString(),
    SvcTransactionReferenceId: settling,
  };
  await runRaw(place.url, [
    ...migrationFrom(null, before),
    withdrawal(waiting, "awaiting_sca", now),
    withdrawal(settling, "settling", now),
    `INSERT INTO outbox (id, transaction_id, partner_id, body, attempts, due_at, claimed_by, created_at)
     VALUES ('settle_${settling}', '${settling}', 'bank', '${JSON.stringify(order)}', 1, ${now}, 'before', ${now})`,
  ]);
  const store = await place.open();
  const { service } = await createWorld(store);
  const settled = { waitMs: 10_000, whileStatus: "settling" } as const;
  await resolveSca(service, bank, waiting, "approved");
  for (const id of [waiting, settling]) {
    expect(await getTransaction(service, till, id, settled)).toMatchObject({ status: "settled" });
    await linkTransaction(service, till, id);
  }
  const moves = async (id: string) =>
    (await getHistory(service, till, id)).events.map(({ sequence, from, to }) => `${sequence} ${from} ${to}`);
  expect(await moves(waiting)).toEqual(["1 awaiting_sca settling", "2 settling settled", "3 settled linked"]);
  expect(await moves(settling)).toEqual(["1 settling settled", "2 settled linked"]);
  await service.stop();
  await place.dispose();
});
