/** How long the end of a week of keys and of a month of withdrawals takes on PostgreSQL, and what a confirm notices of it. */
import { once } from "node:events";
import pg from "pg";
import { systemClock } from "../../../backend/adapters.ts";
import { openStore } from "../../../backend/store/open.ts";
import { makeAhead, runIn } from "../../../backend/store/partitions.ts";
import { signInAll } from "./client.ts";
import { startProgram } from "./programs.ts";
import { confirmP99, untilProved } from "./years.ts";

const dayMs = 86_400_000;
/** At noon of a day so long ago the first of all was asked for, and one each millisecond. */
const firstAt = () => Math.floor(Date.now() / dayMs - 500) * dayMs + dayMs / 2;

/** How many there were, how long their end took, and the p99 of a confirm before it and over the 1.5 s that it lies in. */
export interface Ending {
  readonly rows: number;
  readonly tookMs: number;
  readonly confirmBeforeMs: number;
  readonly confirmDuringMs: number;
}

const fill = async (url: string, at: number, keys: number, withdrawals: number): Promise<void> => {
  const store = await openStore(url, systemClock, { migrates: true });
  for (const table of ["withdrawal_events", "archived_withdrawals", "idempotency_keys", "terminal_references"] as const)
    await store.write((tx) => makeAhead(runIn(tx), table, at));
  await store.close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const sql of [
    `INSERT INTO idempotency_keys (partner_id, idempotency_key, transaction_id, created_at)
      SELECT 'demo-bank', md5(n::text), 'K' || n, ${at} + n FROM generate_series(1, ${keys}) AS n`,
    `INSERT INTO terminal_references (merchant_id, device_id, transaction_id_partner, transaction_id, created_at)
      SELECT 'shop-' || n % 2000, 'till-1', md5(n::text), 'K' || n, ${at} + n FROM generate_series(1, ${keys}) AS n`,
    `INSERT INTO archived_withdrawals (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status, device_id,
        transaction_id_partner, created_at, expires_at, confirmed_at, settled_at, linked_at, settle_attempts, idempotency_key, request_hash, history_length, archived_at)
      SELECT 'M' || n, 'demo-bank', 'shop-' || n % 2000, 'u' || n % 50000, 5000, 'EUR', 1, 'linked', 'till-1', md5(n::text), ${at} + n, ${at} + 900000,
        ${at} + n, ${at} + n, ${at} + n, 1, md5(n::text), md5(n::text), 6, ${at} + n FROM generate_series(1, ${withdrawals}) AS n`,
    `INSERT INTO withdrawal_events (transaction_id, sequence, kind, at, to_status, actor, hash, asked_at, day)
      SELECT 'M' || n, s, 'transition', ${at} + n, 'linked', 'device', md5(n::text), ${at} + n, ${at} / ${dayMs}
        FROM generate_series(1, ${withdrawals}) AS n, generate_series(1, 6) AS s`,
    "ANALYZE",
    "CHECKPOINT",
  ])
    await client.query(sql);
  await client.end();
};

/** @param url of an empty database. */
export const endings = async (
  url: string,
  keys: number,
  withdrawals: number,
): Promise<{ readonly keys: Ending; readonly month: Ending }> => {
  const at = firstAt();
  await fill(url, at, keys, withdrawals);
  const bank = await startProgram("bank-server.ts");
  const program = await startProgram("host.ts", { DATABASE_URL: url, PARTNER_URL: `http://127.0.0.1:${bank.port}` });
  await untilProved(url, at);
  const running = { program, signed: await signInAll(program.port) };
  await confirmP99(running);
  const end = async (what: "idempotency_keys" | "archive", rows: number): Promise<Ending> => {
    const confirmBeforeMs = await confirmP99(running);
    const during = confirmP99(running);
    await new Promise((resolve) => setTimeout(resolve, 300));
    program.child.send({ [what]: 300 * dayMs });
    const [{ tookMs }] = (await once(program.child, "message")) as [{ tookMs: number }];
    return { rows, tookMs, confirmBeforeMs, confirmDuringMs: await during };
  };
  const ended = { keys: await end("idempotency_keys", keys), month: await end("archive", withdrawals) };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT (SELECT count(*) FROM idempotency_keys WHERE created_at < ${Date.now() - 300 * dayMs}) +
      (SELECT count(*) FROM archived_withdrawals WHERE created_at < ${Date.now() - 300 * dayMs}) AS left`,
  );
  await client.end();
  if (Number(rows[0]?.left) !== 0) throw new Error(`${rows[0]?.left} rows are left`);
  await Promise.all([program.stop(), bank.stop()]);
  return ended;
};
