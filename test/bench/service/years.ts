/** A database with few and one with very many withdrawals, side by side in turn: reads, confirms, a day's report, the start, and a purge. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { newestAudit } from "../../../backend/access/audit.ts";
import { systemClock } from "../../../backend/adapters.ts";
import { historyEvents } from "../../../backend/operate/proof.ts";
import { openStore } from "../../../backend/store/open.ts";
import { dividedNames, dividedTables, makeAhead, runIn } from "../../../backend/store/partitions.ts";
import { adhoc, type Store, statement } from "../../../backend/store/store.ts";
import { confirm, placeOrder, type Signed, signInAll } from "./client.ts";
import { Connection, measureRate, median, requestBytes } from "./load.ts";
import { firstAnswerMs } from "./memory-and-start.ts";
import { type Program, startProgram } from "./programs.ts";

/** What many years on file change, as ratios and milliseconds. */
export interface Years {
  /** p99 with many on file against p99 with few. */
  readonly get: number;
  readonly confirm: number;
  readonly reportMs: number;
  readonly startMs: number;
  /** p99 of confirm in milliseconds, before the purge and during it. */
  readonly purge: { readonly beforeMs: number; readonly duringMs: number };
  readonly purgedRows: number;
}

const rounds = 5;
const roundMs = 1_500;
const clients = 16;
const shops = 200;
const dayMs = 86_400_000;
const purgedRows = 100_000;
const rowsPerInsert = 20_000;
const yearsMs = 3 * 365 * dayMs;
const keysMs = 90 * dayMs;

/** Ended withdrawals of 200 shops over three years, each with its history, and the keys of the last quarter. */
const fill = async (store: Store, rows: number): Promise<void> => {
  const now = Date.now();
  const shopRows = Array.from({ length: shops }, (_, n) => ({
    ...{ id: `shop-${n}`, name: `Shop ${n}`, currency: "EUR", created_at: 0 },
    ...{ amount_min: 1_000, amount_max: 50_000, amount_step: 1_000 },
  }));
  await store.write(async (tx) => {
    await tx.run(adhoc((db) => db.insertInto("merchants").values(shopRows)));
    // Shops from before the first start are taken for real ones.
    await tx.run(adhoc((db) => db.insertInto("settings").values({ name: "purpose", value: "sandbox" })));
  });
  if (store.dialect === "postgres")
    for (let at = now - yearsMs; at < now; at += 7 * dayMs)
      for (const table of dividedNames)
        if (at >= now - keysMs || dividedTables[table].length === "month")
          await store.write((tx) => makeAhead(runIn(tx), table, at));
  const text = store.dialect === "postgres" ? "lpad(i::text, 15, '0')" : "printf('%015d', i)";
  for (let from = 0; from < rows; from += rowsPerInsert) {
    const numbers = `WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.min(rows, from + rowsPerInsert) - 1}),
      w AS (SELECT 'Y' || ${text} AS id, i, ${now - 3 * 365 * dayMs} + CAST(i AS BIGINT) * ${Math.floor((3 * 365 * dayMs) / rows)} AS at FROM n)`;
    const raw = (statement: string) =>
      store.write((tx) => tx.run(adhoc((db) => ({ compile: () => sql.raw(statement).compile(db) }))));
    await raw(`INSERT INTO archived_withdrawals (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status, device_id,
        transaction_id_partner, created_at, expires_at, confirmed_at, settled_at, linked_at, settle_attempts, idempotency_key, request_hash, history_length, archived_at)
      ${numbers} SELECT id, 'demo-bank', 'shop-' || (i % ${shops}), 'u' || (i % 50000), 5000, 'EUR', 1, 'linked', 'till-1', id, at, at + 900000,
        at + 1000, at + 2000, at + 3000, 1, id, 'x', 1, at + 3000 FROM w`);
    await raw(`INSERT INTO idempotency_keys (partner_id, idempotency_key, transaction_id, created_at)
      ${numbers} SELECT 'demo-bank', id, id, at FROM w WHERE at > ${now - keysMs}`);
    await raw(`INSERT INTO withdrawal_events (transaction_id, sequence, kind, at, from_status, to_status, actor, asked_at, day)
      ${numbers} SELECT id, 1, 'transition', at + 3000, 'settled', 'linked', 'device', at, at / ${dayMs} FROM w`);
  }
  if (store.dialect === "postgres")
    await store.read(async (tx) => {
      await tx.run(adhoc((db) => ({ compile: () => sql.raw("ANALYZE").compile(db) })));
    });
};

/** A service, with its terminal and its bank signed in. */
export interface Running {
  readonly program: Program;
  readonly signed: Signed;
}

const start = async (url: string, bankPort: number): Promise<Running> => {
  const program = await startProgram("host.ts", { DATABASE_URL: url, PARTNER_URL: `http://127.0.0.1:${bankPort}` });
  return { program, signed: await signInAll(program.port) };
};

const getP99 = async ({ program, signed }: Running): Promise<number> => {
  const connection = new Connection(program.port);
  const id = await placeOrder(connection, signed, true);
  connection.close();
  const bytes = requestBytes("GET", `/transaction?id=${id}`, signed.till);
  const { p99Ms } = await measureRate(program.port, clients, roundMs, async (each) => void (await each.send(bytes)));
  return p99Ms;
};

/** Of a second and a half, in milliseconds. */
export const confirmP99 = async ({ program, signed }: Running): Promise<number> => {
  const times: number[] = [];
  await measureRate(program.port, clients, roundMs, async (connection) => {
    const id = await placeOrder(connection, signed, true);
    const at = performance.now();
    await confirm(connection, signed, id);
    times.push(performance.now() - at);
  });
  times.sort((one, other) => one - other);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
};

/** Until the service has closed the day of a time: nothing of a month ends before. */
export const untilProved = async (url: string, at: number): Promise<void> => {
  const store = await openStore(url, systemClock);
  const day = new Date(at).toISOString().slice(0, 10);
  const proved = async () => (await store.read((tx) => tx.first(newestAudit({ event: historyEvents.day }))))?.object;
  while (((await proved()) ?? "") < day) await new Promise((resolve) => setTimeout(resolve, 500));
  await store.close();
};

const oldest = statement("bench_oldest", (db) =>
  db.selectFrom("archived_withdrawals").select("created_at").orderBy("created_at").limit(1),
);

/** A day of one of the shops in the middle of the years, by its bank. */
const reportOf = async ({ program, signed }: Running): Promise<number> => {
  const from = Math.floor((Date.now() - 500 * dayMs) / dayMs) * dayMs;
  const path = `/ext/v1/reconciliation?store=shop-7&from=${new Date(from).toISOString()}&to=${new Date(from + dayMs).toISOString()}`;
  const times: number[] = [];
  for (let n = 0; n < 9; n += 1) {
    const at = performance.now();
    const reply = await fetch(`http://127.0.0.1:${program.port}${path}`, {
      headers: { authorization: `Bearer ${signed.bank}` },
    });
    if (reply.status !== 200 || !(await reply.text()).includes("matched"))
      throw new Error(`no report: ${reply.status}`);
    times.push(performance.now() - at);
  }
  return median(times);
};

/** Takes what is oldest out of the books, in the service itself, while confirms go on. */
const purgeDuring = async (url: string, many: Running, rows: number): Promise<Years["purge"]> => {
  const beforeMs = median([await confirmP99(many), await confirmP99(many), await confirmP99(many)]);
  many.program.child.send({ archive: 3 * 365 * dayMs - Math.floor((3 * 365 * dayMs * purgedRows) / rows) });
  const duringMs = median([await confirmP99(many), await confirmP99(many), await confirmP99(many)]);
  const store = await openStore(url, systemClock);
  const first = await store.read((tx) => tx.first(oldest({})));
  await store.close();
  if ((first?.created_at ?? 0) < Date.now() - yearsMs + 3 * 3_600_000) throw new Error("nothing has ended");
  return { beforeMs, duringMs };
};

const compare = async (fewUrl: string, manyUrl: string, few: number, rows: number): Promise<Years> => {
  for (const [url, count] of [
    [fewUrl, few],
    [manyUrl, rows],
  ] as const) {
    const store = await openStore(url, systemClock, { statementTimeoutMs: 600_000, migrates: true });
    await fill(store, count);
    await store.close();
  }
  const bank = await startProgram("bank-server.ts");
  const small = await start(fewUrl, bank.port);
  const many = await start(manyUrl, bank.port);
  await untilProved(manyUrl, Date.now() - dayMs);
  const all: { get: number; confirm: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [getFew, getMany] = [await getP99(small), await getP99(many)];
    const [confirmFew, confirmMany] = [await confirmP99(small), await confirmP99(many)];
    all.push({ get: getMany / getFew, confirm: confirmMany / confirmFew });
  }
  const reportMs = await reportOf(many);
  const purging = await purgeDuring(manyUrl, many, rows);
  await many.program.stop();
  const starts: number[] = [];
  for (let n = 0; n < 5; n += 1) starts.push(await firstAnswerMs(manyUrl));
  await Promise.all([small.program.stop(), bank.stop()]);
  return {
    get: median(all.map(({ get }) => get)),
    confirm: median(all.map((each) => each.confirm)),
    reportMs,
    startMs: median(starts),
    purge: purging,
    purgedRows,
  };
};

/** Two files in a folder that is gone afterwards. */
export const yearsOnSqlite = async (few: number, rows: number): Promise<Years> => {
  const folder = mkdtempSync(join(tmpdir(), "tillcash-years-"));
  try {
    return await compare(`sqlite:${join(folder, "few.db")}`, `sqlite:${join(folder, "many.db")}`, few, rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Two empty databases by their addresses. */
export const yearsOnPostgres = compare;
