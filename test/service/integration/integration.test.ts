/**
 * A bank of another make, in a process of its own, connected as docs/integrate.md says, plays sixty withdrawals at once. At the
 * end its holds, its payments and the service's report agree to the cent: every hold was released or paid.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addCredential } from "../../../backend/access/credentials.ts";
import { createSecretHasher } from "../../../backend/access/secrets.ts";
import { systemClock, systemRandom } from "../../../backend/adapters.ts";
import { allowShop } from "../../../backend/commands/allow.ts";
import { addMerchant } from "../../../backend/commands/merchants.ts";
import { addPartner, setPartner } from "../../../backend/commands/partners.ts";
import { isFinal, type Transaction } from "../../../backend/contract/transaction.ts";
import type { Clock } from "../../../backend/ports.ts";
import type { Store } from "../../../backend/store/store.ts";
import { type Stage, startStage } from "../sandbox-stage.ts";
import { createPlace, type Place } from "../stores.ts";
import { type Scenario, scenarios } from "./scenarios.ts";

interface Books {
  readonly holds: readonly [string, unknown][];
  readonly payments: readonly [string, { readonly amount: string }][];
  readonly counts: Readonly<Record<"calls" | "badSignatures" | "events" | "late", number>>;
}

let laterMs = 0;
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + laterMs,
  calendar: () => (systemClock.calendar ?? systemClock.now)() + laterMs,
};
let place: Place;
let store: Store;
let stage: Stage;
let bank: ChildProcess;
let bankUrl: string;
let tokens: { readonly till: string; readonly bank: string };

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address !== null ? address.port : 0));
    });
  });

beforeAll(async () => {
  place = await createPlace("sqlite");
  store = await place.open(clock);
  stage = await startStage(store, {}, clock, false);
  const port = await freePort();
  bankUrl = `http://127.0.0.1:${port}`;
  const on = { store, clock, random: systemRandom };
  const secrets = createSecretHasher(systemRandom);
  await addMerchant(on, { id: "corner-shop", name: "Corner Shop", smallest: "1.00", step: "0.01" });
  const { secret = "" } = await addPartner(on, { id: "my-bank", url: `${bankUrl}/bank` });
  await setPartner(on, { id: "my-bank", "events-url": `${bankUrl}/events` });
  await allowShop(on, ["my-bank"], true);
  const tillSecret = await addCredential(on, secrets, { kind: "terminal", ownerId: "corner-shop", deviceId: "till-1" });
  const bankSecret = await addCredential(on, secrets, { kind: "client", ownerId: "my-bank", deviceId: "server-1" });
  const env = { BANK_KEY: secret, BANK_PORT: String(port), TILLCASH_URL: stage.url };
  bank = spawn(process.execPath, [join(import.meta.dirname, "bank.ts")], {
    env: { ...process.env, ...env, CLIENT_ID: "my-bank/server-1", CLIENT_SECRET: bankSecret },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((ready) => bank.stdout?.once("data", ready));
  const token = async (id: string, password: string, type: string) => {
    const fields = { grant_type: "client_credentials", client_id: id, client_secret: password, device_type: type };
    const reply = await fetch(`${stage.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(fields) });
    return ((await reply.json()) as { access_token: string }).access_token;
  };
  tokens = {
    till: await token("corner-shop/till-1", tillSecret, "terminal"),
    bank: await token("my-bank/server-1", bankSecret, "client"),
  };
});
afterAll(async () => {
  await stage.stop();
  bank.kill();
  await place.dispose();
});

const call = async <Body>(
  who: "till" | "bank",
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Body> => {
  const reply = await fetch(stage.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${tokens[who]}`, "content-type": "application/json", ...more },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`);
  return JSON.parse(text) as Body;
};
const books = async (): Promise<Books> => (await (await fetch(`${bankUrl}/books`)).json()) as Books;

const jump = async (ms: number) => {
  laterMs += ms;
  await fetch(`${bankUrl}/control`, { method: "POST", body: String(laterMs) });
};

/** Waits until the withdrawal is in one of the statuses, as a bank does. */
const until = async (id: string, statuses: readonly string[]): Promise<Transaction> => {
  for (;;) {
    const now = await call<Transaction>("bank", `/ext/v1/withdrawals/${id}`);
    if (statuses.includes(now.status)) return now;
    if (isFinal(now.status)) return now;
    await call("bank", `/ext/v1/withdrawals/${id}?wait=5&status=${now.status}`);
  }
};

/** Each has an amount of its own, so that no two mistakes can make up for each other. */
const amountOf = (index: number): string => (10 + index + index / 100).toFixed(2);

const begin = async (scenario: Scenario, index: number): Promise<Transaction> => {
  const body = { user_id: scenario.bank, amount: amountOf(index), currency: "EUR", store: "corner-shop" };
  const more = { sca_required: scenario.scaRequired, partner_reference: `wd-${index}` };
  const key = { "idempotency-key": `wd-${index}` };
  return call<Transaction>("bank", "/ext/v1/withdrawals", { ...body, ...more }, key);
};

/** The shop's part, as far as it needs no jump of the clock. */
const serve = async (scenario: Scenario, { transaction_id, status }: Transaction): Promise<void> => {
  if (status !== "ready" || scenario.shop === "expire") return;
  if (scenario.shop === "reject") return void (await call("till", "/transaction/reject", { transaction_id }));
  if (scenario.shop === "cancel") return void (await call("bank", `/ext/v1/withdrawals/${transaction_id}/cancel`, {}));
  await call("till", "/transaction/confirm", { transaction_id, transaction_id_partner: `pos-${transaction_id}` });
  if (scenario.shop === "reject_late") await call("till", "/transaction/reject", { transaction_id });
};

const finish = async (scenario: Scenario, { transaction_id }: Transaction): Promise<void> => {
  if (scenario.shop === "link" || scenario.shop === "undelivered") await until(transaction_id, ["settled"]);
  if (scenario.shop === "link") await call("till", "/transaction/link", { transaction_id });
  if (scenario.shop === "undelivered")
    await call("till", `/ext/v1/transactions/${transaction_id}/undelivered`, { reason: "till_short" });
};

const cents = (amount: string): number => Math.round(Number(amount) * 100);

test("sixty withdrawals: holds, payments and report agree to the cent", async () => {
  expect(scenarios.length).toBeGreaterThanOrEqual(60);
  const begun = await Promise.all(scenarios.map((scenario, index) => begin(scenario, index)));
  await Promise.all(scenarios.map((scenario, index) => serve(scenario, begun[index] as Transaction)));
  const isSilent = ({ bank }: Scenario) => bank.includes("silent");
  const done = (wanted: boolean) =>
    Promise.all(
      scenarios.map((scenario, index) =>
        isSilent(scenario) === wanted ? finish(scenario, begun[index] as Transaction) : undefined,
      ),
    );
  await done(false);
  // The customer who never approves, the code that nobody scans, and the bank that is down for an hour.
  await jump(41_000);
  await jump(16 * 60_000);
  await jump(3_600_000);
  await done(true);

  const outcomes = await Promise.all(
    begun.map(({ transaction_id }, index) => until(transaction_id, [scenarios[index]?.status ?? ""])),
  );
  expect(outcomes.map(({ status }, index) => `${scenarios[index]?.bank} ${scenarios[index]?.shop}: ${status}`)).toEqual(
    scenarios.map(({ bank, shop, status }) => `${bank} ${shop}: ${status}`),
  );

  // Events that were lost come again, until no hold is left.
  await expect.poll(async () => (await books()).holds, { timeout: 20_000 }).toEqual([]);
  const { payments, counts } = await books();
  expect(counts.badSignatures).toBe(0);
  // Funds are held until every approval that counts is paid, unless the bank itself was silent for so long.
  expect(counts.late).toBe(scenarios.filter(isSilent).length);
  expect(counts.events).toBeGreaterThan(150);

  const report = await call<{ lines: { transaction_id: string; amount: string; finding: string }[] }>(
    "bank",
    "/ext/v1/reconciliation",
  );
  const findings = Object.fromEntries(report.lines.map(({ transaction_id, finding }) => [transaction_id, finding]));
  expect(begun.map(({ transaction_id }) => findings[transaction_id] ?? null)).toEqual(
    scenarios.map(({ finding }) => finding),
  );
  const isPaid = ({ finding }: { finding: string }) => finding === "matched" || finding === "undelivered";
  const booked = report.lines.filter(isPaid).map(({ transaction_id, amount }) => [transaction_id, cents(amount)]);
  const paid = payments.map(([reference, { amount }]) => [reference, cents(amount)]);
  expect(paid.sort()).toEqual(booked.sort());
  const csv = await fetch(`${stage.url}/ext/v1/reconciliation.csv`, {
    headers: { authorization: `Bearer ${tokens.bank}` },
  });
  expect((await csv.text()).trim().split("\r\n")).toHaveLength(report.lines.length + 1);
}, 120_000);
