/** A service and a bank in a process of its own, connected as docs/integrate.md says, with one clock for both. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { addCredential } from "../../../backend/access/credentials.ts";
import { createSecretHasher } from "../../../backend/access/secrets.ts";
import { systemRandom } from "../../../backend/adapters.ts";
import { isFinal, type Transaction } from "../../../backend/contract/transaction.ts";
import { addMerchant, changeAllowance } from "../../../backend/operate/merchants.ts";
import { addPartner, setPartner } from "../../../backend/operate/partners.ts";
import { freePort } from "../../free-port.ts";
import { startStage } from "../sandbox-stage.ts";
import { createPlace } from "../stores.ts";
import { testKeys } from "../world.ts";
import type { Silence } from "./bank-silence.ts";
import { type Pace, WarpClock } from "./warp-clock.ts";

/** What the bank says of itself. */
export interface Books {
  readonly holds: readonly [string, unknown][];
  readonly payments: readonly [string, { readonly amount: string }][];
  readonly counts: Readonly<Record<"calls" | "badSignatures" | "events" | "late", number>>;
  /** References whose first answer waits for a second try's. */
  readonly keptBack: readonly string[];
  readonly silences: readonly Silence[];
}

/** What a call of the shop or of the bank takes. */
export type Call = <Body>(
  who: "till" | "bank",
  path: string,
  body?: unknown,
  more?: Record<string, string>,
) => Promise<Body>;

/** Everything that the trial is played with. */
export const connectBank = async () => {
  const clock = new WarpClock();
  const place = await createPlace("sqlite");
  const store = await place.open(clock);
  const stage = await startStage(store, { pollMs: 1_000 }, clock, false);
  const port = await freePort();
  const bankUrl = `http://127.0.0.1:${port}`;
  const on = { store, clock, random: systemRandom, keys: testKeys };
  const secrets = createSecretHasher(systemRandom);
  await addMerchant(on, { id: "corner-shop", name: "Corner Shop", smallest: "1.00", step: "0.01" });
  const { secret = "" } = await addPartner(on, { id: "my-bank", url: `${bankUrl}/bank` });
  await setPartner(on, { id: "my-bank", "events-url": `${bankUrl}/events` });
  await changeAllowance(on, "allow", ["my-bank"], true);
  const tillSecret = await addCredential(on, secrets, { kind: "terminal", ownerId: "corner-shop", deviceId: "till-1" });
  const bankSecret = await addCredential(on, secrets, { kind: "client", ownerId: "my-bank", deviceId: "server-1" });
  const env = { BANK_KEY: secret, BANK_PORT: String(port), TILLCASH_URL: stage.url };
  const bank = spawn(process.execPath, [join(import.meta.dirname, "bank.ts")], {
    env: { ...process.env, ...env, CLIENT_ID: "my-bank/server-1", CLIENT_SECRET: bankSecret },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((ready) => bank.stdout?.once("data", ready));
  /** The bank's clock goes as the service's does. */
  const follow = async (pace: Pace): Promise<void> =>
    void (await fetch(`${bankUrl}/control`, { method: "POST", body: JSON.stringify(pace) }));
  await follow(clock.setSpeed(1));
  const token = async (id: string, password: string, type: string) => {
    const fields = { grant_type: "client_credentials", client_id: id, client_secret: password, device_type: type };
    const reply = await fetch(`${stage.url}/oauth2/token`, { method: "POST", body: new URLSearchParams(fields) });
    return ((await reply.json()) as { access_token: string }).access_token;
  };
  const tokens = {
    till: await token("corner-shop/till-1", tillSecret, "terminal"),
    bank: await token("my-bank/server-1", bankSecret, "client"),
  };
  const authorization = (who: "till" | "bank") => ({ authorization: `Bearer ${tokens[who]}` });
  const call: Call = async (who, path, body, more = {}) => {
    const reply = await fetch(stage.url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { ...authorization(who), "content-type": "application/json", ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${text}`);
    return JSON.parse(text);
  };
  return {
    on,
    clock,
    follow,
    call,
    books: async (): Promise<Books> => (await (await fetch(`${bankUrl}/books`)).json()) as Books,
    csv: async () => (await fetch(`${stage.url}/ext/v1/reconciliation.csv`, { headers: authorization("bank") })).text(),
    /** Waits for a virtual instant. */
    passed: async (untilMs: number): Promise<void> => {
      while (clock.now() < untilMs) await new Promise((resolve) => setTimeout(resolve, 50));
    },
    /** Waits until the withdrawal is in one of the statuses or has ended, as a bank does. */
    until: async (id: string, statuses: readonly string[]): Promise<Transaction> => {
      for (;;) {
        const now = await call<Transaction>("bank", `/ext/v1/withdrawals/${id}`);
        if (statuses.includes(now.status) || isFinal(now.status)) return now;
        await call("bank", `/ext/v1/withdrawals/${id}?wait=5&status=${now.status}`);
      }
    },
    dispose: async (): Promise<void> => {
      await stage.stop();
      bank.kill();
      await place.dispose();
    },
  };
};
