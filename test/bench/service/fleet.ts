/** Terminals as the fleet bench plays them: idle ones that ask what `main/terminal` asks, and ones that serve customers. */
import { createHash, createHmac, randomBytes } from "node:crypto";
import pg from "pg";
import { scopes } from "../../../backend/contract/scopes.ts";
import {
  duplicateAlongMs,
  duplicateWindowMs,
  probeOnlineMs,
  shopEarlyMs,
  shopReadMs,
} from "../../../main/terminal/bounds.ts";
import { expectStatus, type Signed } from "./client.ts";
import { Connection, requestBytes } from "./load.ts";

/** What the services sign tokens with, so that the bench can hand out a thousand without as many sign-ins. */
export const tokenSecret = "a token secret of the bench";
const terminalsPerShop = 4;

/** A terminal that is signed in, at the shop of its own chain. */
export interface Terminal {
  readonly shop: string;
  readonly token: string;
}

/** Writes shops, terminals and their tokens; every bank may use the shops. */
export const writeTerminals = async (url: string, count: number): Promise<readonly Terminal[]> => {
  const terminals = Array.from({ length: count }, (_, n) => ({
    shop: `shop-${Math.floor(n / terminalsPerShop)}`,
    device: `till-${n % terminalsPerShop}`,
    token: randomBytes(32).toString("base64url"),
  }));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const now = Date.now();
  await client.query(
    `INSERT INTO merchants (id, name, currency, amount_min, amount_max, amount_step, created_at)
      SELECT DISTINCT shop, shop, 'EUR', 1000, 50000, 1, ${now} FROM unnest($1::text[]) AS shop`,
    [terminals.map(({ shop }) => shop)],
  );
  const lists = [
    terminals.map(({ shop, device }) => `${shop}/${device}`),
    terminals.map(({ shop }) => shop),
    terminals.map(({ device }) => device),
    terminals.map(({ token }) => createHmac("sha256", tokenSecret).update(token).digest("base64url")),
  ];
  await client.query(
    `WITH fleet AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS t (id, shop, device, hash)),
      made AS (INSERT INTO credentials (id, kind, owner_id, device_id, secret_hash, scopes, created_at)
        SELECT id, 'terminal', shop, device, 'none', '${scopes.join(" ")}', ${now} FROM fleet)
      INSERT INTO tokens (token_hash, credential_id, scopes, created_at, expires_at)
        SELECT hash, id, '${scopes.join(" ")}', ${now}, ${now + 86_400_000} FROM fleet`,
    lists,
  );
  await client.query("ANALYZE");
  await client.end();
  return terminals;
};

const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, Math.max(0, ms)));

const shopCall = (looksForDouble = false) =>
  `/ext/v1/till${looksForDouble ? `?since=${new Date(Date.now() - duplicateWindowMs).toISOString()}` : ""}`;

type Call = (path: string, token: string | null) => Promise<void>;

/** Calls over kept connections, as a load balancer has them to a process: a terminal's own, of which it opens one a minute, ends there. */
const balancer = (port: number) => {
  const free: Connection[] = [];
  return {
    async call(path: string, token: string | null): Promise<void> {
      const connection = free.pop() ?? new Connection(port);
      const headers = { "User-Agent": "Tillcash-Terminal/0.0.0" };
      const reply = await connection.send(requestBytes("GET", path, token, undefined, headers));
      free.push(connection);
      if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`);
    },
    close() {
      for (const each of free) each.close();
    },
  };
};

/**
 * What a terminal asks while nobody stands before it, begun long ago: a probe so long after the last answer, every four and a half minutes the shop
 * in the place of one, and with every second of these a look for its double. Its token (a day) and its journal's head (20 h) are left out.
 * @returns how many calls it made until `stopped`.
 */
const idle = async (call: Call, { token }: Terminal, stopped: () => boolean): Promise<number> => {
  const probeMs = () => probeOnlineMs * (1 + Math.random() / 2);
  let calls = 0;
  const startedAt = Date.now();
  // Begun so long ago, each at a time of its own, that they neither ask nor look for their doubles in step.
  let probeAt = startedAt - (10 + 10 * Math.random()) * shopReadMs;
  let shopAt = probeAt;
  let lookedAt = 0;
  while (!stopped()) {
    const isShopNear = probeAt >= shopAt - shopEarlyMs;
    const nextAt = Math.min(probeAt, shopAt);
    if (nextAt > Date.now()) {
      await sleep(Math.min(nextAt - Date.now(), 1_000));
      continue;
    }
    if (nextAt >= startedAt) {
      calls += 1;
      await (isShopNear ? call(shopCall(nextAt - lookedAt > duplicateAlongMs), token) : call("/healthz", null));
    }
    const answeredAt = nextAt >= startedAt ? Date.now() : nextAt;
    probeAt = answeredAt + probeMs();
    if (!isShopNear) continue;
    shopAt = answeredAt + shopReadMs;
    if (nextAt - lookedAt > duplicateAlongMs) lookedAt = answeredAt;
  }
  return calls;
};

/** Each of the idle terminals' calls for each of them at once: a process that has run for a day has compiled what it runs. */
export const warmUp = async (ports: readonly number[], terminals: readonly Terminal[]): Promise<void> => {
  for (const port of ports) {
    const { call, close } = balancer(port);
    const left = [...terminals];
    const some = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        await call(shopCall(), next.token);
        await call(shopCall(true), next.token);
        await call("/healthz", null);
      }
    };
    await Promise.all(Array.from({ length: 8 }, some));
    close();
  }
};

/** All of them idle for so long, spread over the ports. @returns calls a second. */
export const idleFor = async (
  ports: readonly number[],
  terminals: readonly Terminal[],
  durationMs: number,
): Promise<number> => {
  let hasEnded = false;
  const balancers = ports.map(balancer);
  const running = terminals.map((each, n) => {
    const { call } = balancers[n % ports.length] as ReturnType<typeof balancer>;
    return idle(call, each, () => hasEnded);
  });
  await sleep(durationMs);
  hasEnded = true;
  const calls = await Promise.all(running);
  for (const each of balancers) each.close();
  return (calls.reduce((sum, each) => sum + each, 0) * 1000) / durationMs;
};

const entriesPerWithdrawal = 12;
let entries = 0;
let ids = 0;
const newId = () => `F${process.pid}-${ids++}`;

/**
 * One customer served as in a shop: the bank asks, the terminal looks up and confirms, the held read waits while the customer
 * approves and the bank pays, the cash is reported.
 */
const serve = async (
  connect: { readonly till: () => Connection; readonly bank: () => Connection },
  { bank }: Pick<Signed, "bank">,
  { shop, token }: Terminal,
): Promise<void> => {
  const atBank = connect.bank();
  const order = { user_id: newId(), amount: "50.00", currency: "EUR", store: shop, sca_required: true };
  const key = { "Idempotency-Key": newId() };
  const asked = await atBank.send(requestBytes("POST", "/ext/v1/withdrawals", bank, order, key));
  const { transaction_id: id } = expectStatus(asked, 201);
  // Opened when it is used: one that stays silent is closed.
  const atTill = connect.till();
  const get = async (path: string) => expectStatus(await atTill.send(requestBytes("GET", path, token)), 200);
  const post = async (path: string, body: unknown) =>
    expectStatus(await atTill.send(requestBytes("POST", path, token, body)), 201);
  await get(`/transaction?id=${id}`);
  await post("/transaction/confirm", { transaction_id: id, transaction_id_partner: id });
  const held = get(`/transaction?id=${id}&wait=25&status=awaiting_sca`);
  await sleep(50);
  const approval = requestBytes("POST", `/ext/v1/withdrawals/${id}/sca`, bank, { outcome: "approved" });
  expectStatus(await atBank.send(approval), 201);
  let { status } = await held;
  while (status === "awaiting_sca" || status === "settling")
    ({ status } = await get(`/transaction?id=${id}&wait=25&status=${status}`));
  if (status !== "settled") throw new Error(`${id} is ${status}`);
  const hash = createHash("sha256").update(id).digest("base64url");
  entries += entriesPerWithdrawal;
  const head = { seq: entries, head: hash, at: new Date().toISOString() };
  const linked = await post("/transaction/link", {
    transaction_id: id,
    hand_out_id: id,
    cashier: "C2",
    journal_head: head,
  });
  // On a machine that is too slow a terminal's next customer may have been faster.
  if (!("journal_kept" in linked)) await atTill.send(requestBytes("POST", "/ext/v1/journal-heads", token, head));
};

/** What a load came to. */
export interface Served {
  readonly withdrawals: number;
  /** The slowest percent, without the 50 ms in which the customer approves. */
  readonly p99Ms: number;
}

/** So many withdrawals a second, each at the next terminal, the bank's calls and the terminal's at any process. */
export const serveFor = async (
  ports: readonly number[],
  signed: Pick<Signed, "bank">,
  terminals: readonly Terminal[],
  perSecond: number,
  durationMs: number,
): Promise<Served> => {
  const startedAt = performance.now();
  const times: number[] = [];
  const serving: Promise<void>[] = [];
  const count = Math.floor((durationMs / 1000) * perSecond);
  const portAt = (n: number) => ports[n % ports.length] ?? 0;
  const free: Connection[][] = ports.map(() => []);
  for (let n = 0; n < count; n += 1) {
    await sleep(startedAt + (n * 1000) / perSecond - performance.now());
    const terminal = terminals[n % terminals.length] as Terminal;
    // The bank's calls arrive at another process than the terminal's: nothing is sticky.
    const taken: (readonly [Connection[], Connection])[] = [];
    const connect = (at: number) => () => {
      const pool = free[at % ports.length] ?? [];
      const connection = pool.pop() ?? new Connection(portAt(at));
      taken.push([pool, connection]);
      return connection;
    };
    const at = performance.now();
    serving.push(
      serve({ till: connect(n), bank: connect(n + 1) }, signed, terminal).then(() => {
        for (const [pool, connection] of taken) pool.push(connection);
        times.push(performance.now() - at - 50);
      }),
    );
  }
  await Promise.all(serving);
  for (const each of free.flat()) each.close();
  times.sort((one, other) => one - other);
  return { withdrawals: times.length, p99Ms: times[Math.floor(times.length * 0.99)] ?? Number.NaN };
};

/** Calls that serve a customer, each an answer: asked, looked up, confirmed, held twice, approved, linked. */
export const callsOfWithdrawal = 7;

/** So many GET a second of a server that needs no token, over as many connections as are busy at once. */
export const callFor = async (port: number, perSecond: number, durationMs: number): Promise<number> => {
  const { call, close } = balancer(port);
  const startedAt = performance.now();
  const calls = Array.from({ length: Math.floor((durationMs / 1_000) * perSecond) }, async (_, n) => {
    await sleep(startedAt + (n * 1_000) / perSecond - performance.now());
    await call("/", null);
  });
  await Promise.all(calls);
  close();
  return calls.length;
};
