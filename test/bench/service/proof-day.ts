/** A day of the books as the service leaves them, each row under its key, and what it costs to close and to prove it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { serviceKeysFrom } from "../../../backend/access/secrets.ts";
import { systemClock, systemRandom } from "../../../backend/adapters.ts";
import { makeTransactionId } from "../../../backend/contract/ids.ts";
import { createLog } from "../../../backend/log.ts";
import { closeDays, noteForgotten } from "../../../backend/operate/proof.ts";
import { everyMerchant } from "../../../backend/partner/partners.ts";
import { openStore } from "../../../backend/store/open.ts";
import { digestIn, historyHash, orderDigest } from "../../../backend/withdrawals/transition.ts";
import { signInAll } from "./client.ts";
import { serveFor, tokenSecret, writeTerminals } from "./fleet.ts";
import { cpuOf, startProgram } from "./programs.ts";

const dayMs = 86_400_000;
const serviceKey = "a service key of the bench, which is long enough";
const perInsert = 500;
const built = join(import.meta.dirname, "../../../out/main/service.js");

type Row = Readonly<Record<string, unknown>>;
const shifted = (row: Row, ms: number): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      (name === "at" || name.endsWith("_at")) && value !== null ? Number(value) + ms : value,
    ]),
  );

/** Copies of a withdrawal that went well, asked for one after the other all through the day before, their rows hashed under the key. */
const fillDay = async (client: pg.Client, count: number): Promise<number> => {
  const { history } = serviceKeysFrom(serviceKey, true);
  const read = async (table: string, order: string) =>
    (await client.query<Row>(`SELECT * FROM ${table} ORDER BY ${order}`)).rows;
  const [ended] = await read("archived_withdrawals", "created_at");
  const events = await read("withdrawal_events", "sequence");
  if (ended === undefined) throw new Error("no withdrawal has ended");
  const yesterday = Math.floor(Date.now() / dayMs) - 1;
  const numbers = (row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value,
      ]),
    );
  /** A row's terms with the digest of what this withdrawal's orders say. */
  const termsOf = ({ sequence, from_status: from, terms }: Row, id: string) => {
    const isRequest = Number(sequence) === 1;
    const isOrdered = isRequest || from === "ready" || from === "awaiting_sca";
    const digest = isOrdered && typeof terms === "string" ? digestIn(terms) : undefined;
    if (digest === undefined) return terms;
    const said = { ...ended, id, transaction_id_partner: isRequest ? null : id };
    return String(terms).replace(digest, orderDigest(history, said as never));
  };
  let [withdrawals, rows]: [Row[], Row[]] = [[], []];
  /** What a withdrawal that ends leaves for its repeats. */
  const nameOf = ({ id, created_at, ...one }: Row): Row => ({ ...one, transaction_id: id, created_at });
  const write = async () => {
    for (const [table, values] of [
      ["archived_withdrawals", withdrawals],
      ["withdrawal_events", rows],
      ["idempotency_keys", withdrawals.map(nameOf)],
      ["terminal_references", withdrawals.map(nameOf)],
    ] as const)
      await client.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(null::${table}, $1)`, [
        JSON.stringify(values),
      ]);
    [withdrawals, rows] = [[], []];
  };
  for (let n = 0; n < count; n += 1) {
    const id = makeTransactionId(systemRandom.bytes(16));
    const ms = yesterday * dayMs + Math.floor((n * (dayMs - 60_000)) / count) - Number(ended.created_at);
    const one = { ...numbers(shifted(ended, ms)), id, idempotency_key: id, transaction_id_partner: id };
    withdrawals.push(one);
    let previous = "";
    for (const event of events) {
      const terms = termsOf(event, id);
      const moved = { ...numbers(shifted(event, ms)), transaction_id: id, day: yesterday, seal: null, terms };
      previous = historyHash(history, previous, moved as never, one as never);
      rows.push({ ...moved, hash: previous });
    }
    if (withdrawals.length === perInsert) await write();
  }
  await write();
  await client.query("VACUUM ANALYZE");
  return events.length;
};

/** So much of JavaScript's memory is enough for any day; else it would take what it finds. */
const memory = ["--max-old-space-size=96", "--max-semi-space-size=16"];

/** What a command of the built service takes: seconds, seconds of CPU of its own, and the most memory that it had. */
const command = async (words: readonly string[], settings: Record<string, string>) => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...memory, built, ...words], {
    env: { PATH: process.env.PATH, LOG_LEVEL: "warn", ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let [out, peakMb, cpuSeconds] = ["", 0, 0];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const look = setInterval(() => {
    try {
      const [, kb] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
      peakMb = Math.max(peakMb, Number(kb ?? 0) / 1_000);
      cpuSeconds = Math.max(cpuSeconds, cpuOf(child.pid) / 1_000);
    } catch {}
  }, 50);
  const [code] = await once(child, "close");
  clearInterval(look);
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${out}`);
  return { seconds: (performance.now() - startedAt) / 1_000, cpuSeconds, peakMb, out };
};

/** What a day of so many withdrawals takes. */
export interface ProvenDay {
  readonly rows: number;
  readonly closeSeconds: number;
  /** `audit verify --new`: all of it, then nothing more; the second is also what the command takes for itself. */
  readonly verifySeconds: number;
  /** Without what the second takes. */
  readonly verifyCpuSeconds: number;
  readonly againSeconds: number;
  readonly peakMb: number;
  readonly againPeakMb: number;
}

/** @param url an empty database of PostgreSQL. */
export const measureProof = async (url: string, count: number): Promise<ProvenDay> => {
  await (await openStore(url, systemClock, { migrates: true })).close();
  const [terminal] = await writeTerminals(url, 1);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    "INSERT INTO partner_merchants (partner_id, merchant_id, created_at) VALUES ('demo-bank', $1, 0) ON CONFLICT DO NOTHING",
    [everyMerchant],
  );
  // Shops from before the first start are taken for real ones.
  const marks = "('ended_apart', '1'), ('purpose', 'sandbox')";
  await client.query(`INSERT INTO settings (name, value) VALUES ${marks} ON CONFLICT DO NOTHING`);
  const settings = { DATABASE_URL: url, TOKEN_SECRET: tokenSecret, SERVICE_KEY: serviceKey };
  const bank = await startProgram("bank-server.ts");
  const program = await startProgram("host.ts", { ...settings, PARTNER_URL: `http://127.0.0.1:${bank.port}` });
  const signed = await signInAll(program.port);
  if (terminal !== undefined) await serveFor([program.port], signed, [terminal], 1, 1_000);
  await new Promise((resolve) => void setTimeout(resolve, 6_000));
  await Promise.all([program.stop(), bank.stop()]);
  const rows = count * (await fillDay(client, count));
  await client.end();

  const store = await openStore(url, systemClock, { statementTimeoutMs: 10_000 });
  const closedAt = performance.now();
  const keys = serviceKeysFrom(serviceKey, true);
  const dayAt = (Math.floor(Date.now() / dayMs) - 1) * dayMs;
  await store.write((tx) => noteForgotten(tx, keys, 0, dayAt));
  await closeDays({ store, clock: systemClock, log: createLog("warn"), keys });
  const closeSeconds = (performance.now() - closedAt) / 1_000;
  await store.close();
  const verify = ["audit", "verify", "--new"];
  const first = await command(verify, settings);
  const again = await command(verify, settings);
  if (!first.out.includes("whole")) throw new Error(first.out);
  return {
    rows,
    closeSeconds,
    verifySeconds: first.seconds,
    verifyCpuSeconds: first.cpuSeconds - again.cpuSeconds,
    againSeconds: again.seconds,
    peakMb: first.peakMb,
    againPeakMb: again.peakMb,
  };
};
