/** The whole service, listening, with its sandbox bank, on either store; and what a caller needs to talk to it. */
import { Writable } from "node:stream";
import { addCredential } from "../../backend/access/credentials.ts";
import { createSecretHasher, type HashCost } from "../../backend/access/secrets.ts";
import { writeSettings } from "../../backend/access/setting-entries.ts";
import { systemRandom } from "../../backend/adapters.ts";
import { parseConfig } from "../../backend/config.ts";
import type { ChainKeys } from "../../backend/context.ts";
import { createLog } from "../../backend/log.ts";
import { addShopToChain } from "../../backend/merchants/chains.ts";
import type { CommandContext } from "../../backend/operate/context.ts";
import { addMerchant } from "../../backend/operate/merchants.ts";
import { addPartner } from "../../backend/operate/partners.ts";
import { type Running, startService } from "../../backend/serve.ts";
import type { CredentialKind } from "../../backend/store/schema.ts";
import type { Dialect } from "../../backend/store/store.ts";
import { createPlace, type Place } from "./stores.ts";

/** An answer, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any;
}

/** What goes with a call; `json` sets the body and its content type. */
export interface Sent {
  readonly token?: string | undefined;
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly headers?: Record<string, string>;
}

/** The running service with the calls of terminals and banks. */
export interface HttpStage {
  readonly place: Place;
  /** The service's. */
  readonly keys: () => ChainKeys;
  readonly baseUrl: () => string;
  readonly log: () => string;
  call(method: string, path: string, sent?: Sent): Promise<Answer>;
  authorize(fields?: Record<string, unknown>): Promise<Answer>;
  token(fields?: Record<string, unknown>): Promise<string>;
  /** A withdrawal that is `ready`; give the cents to steer the bank. */
  withdrawal(amount?: string, more?: Record<string, unknown>): Promise<string>;
  /** Brings one to `settled` and gives its id. */
  settled(posId: string): Promise<string>;
  /** As `Running.stop`. */
  stop(drainMs?: number): Promise<void>;
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

/** The secret of `till`. */
export const tillSecret = "till-secret";
/** The demo shop's first terminal, as a token request names it. */
export const till = { merchant_id: "demo-shop", device_id: "till-1", device_type: "terminal", password: tillSecret };
/** The demo bank, as a token request names it. */
export const bank = {
  merchant_id: "demo-bank",
  device_id: "server-1",
  device_type: "client",
  password: "bank-secret",
};
/** A second terminal of the same shop. */
export const till2 = { ...till, device_id: "till-2", password: "second-till-secret" };
/** A terminal of another shop with the same device id. */
export const otherTill = { ...till, merchant_id: "other-shop", password: "other-till-secret" };
/** Another bank with the same device id. */
export const otherBank = { ...bank, merchant_id: "other-bank", password: "other-bank-secret" };

/** The head office of the demo shop. */
export const office = {
  merchant_id: "demo-chain",
  device_id: "office",
  device_type: "chain",
  password: "demo-office-secret",
};

/** Hashing is tested by itself; a stage hashes seven secrets before it begins. */
const cheap = { N: 2, r: 1, p: 1 } as const;

/** Over the service's own store: another one would be four connections more. */
const addOthers = async (on: CommandContext): Promise<void> => {
  const secrets = createSecretHasher(systemRandom, cheap);
  await addMerchant(on, { id: "other-shop", name: "Other Shop" });
  await addPartner(on, { id: "other-bank" });
  for (const { merchant_id, device_id, device_type, password } of [till2, otherTill, otherBank, office]) {
    const key = { kind: device_type as CredentialKind, ownerId: merchant_id, deviceId: device_id };
    await addCredential(on, secrets, key, undefined, password);
  }
  await writeSettings(on, (tx, changed) => {
    changed.push([["chain_merchants", office.merchant_id, "demo-shop"], {}]);
    return tx.run(addShopToChain({ chain: office.merchant_id, shop: "demo-shop", now: 0 }));
  });
};

/** Starts the service on an empty store of `dialect`; `settings` are environment variables. */
export const createHttpStage = async (
  dialect: Dialect,
  settings: Record<string, string> = {},
  hashCost: HashCost = cheap,
): Promise<HttpStage> => {
  const place = await createPlace(dialect);
  let lines = "";
  const sink = new Writable({
    write(chunk: Buffer, _, done) {
      lines += chunk.toString();
      done();
    },
  });
  const result = parseConfig({
    PORT: "0",
    DATABASE_URL: place.url,
    SANDBOX: "1",
    TOKEN_SECRET: "a token secret of the tests",
    LOG_LEVEL: "debug",
    // Each is a process of the server, and few calls come at once.
    DATABASE_CONNECTIONS: "4",
    ...settings,
  });
  if (!result.ok) throw new Error(result.problems.join("\n"));
  const start = () => startService(result.config, createLog(result.config.logLevel, sink), { hashCost });
  let running: Running = await start();
  await addOthers(running.commandContext);
  const baseUrl = () => `http://127.0.0.1:${running.port}`;
  const known = new Map<string, string>();
  let keys = 0;

  const stage: HttpStage = {
    place,
    keys: () => running.commandContext.keys,
    baseUrl,
    log: () => lines,
    async call(method, path, sent = {}) {
      const response = await fetch(baseUrl() + path, {
        method,
        redirect: "manual",
        headers: {
          ...(sent.json === undefined ? {} : { "content-type": "application/json" }),
          ...(sent.token === undefined ? {} : { authorization: `Bearer ${sent.token}` }),
          ...sent.headers,
        },
        ...(sent.json === undefined ? {} : { body: JSON.stringify(sent.json) }),
        ...(sent.body === undefined ? {} : { body: sent.body }),
      });
      const text = await response.text();
      const isJson = /json/.test(response.headers.get("content-type") ?? "");
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: isJson && text ? JSON.parse(text) : null,
      };
    },
    authorize: (fields = till) =>
      stage.call("POST", "/oauth2/authorize", { json: { grant_type: "client_credentials", scope: "", ...fields } }),
    async token(fields = till) {
      const name = JSON.stringify(fields);
      const token = known.get(name) ?? (await stage.authorize(fields)).body.access_token;
      known.set(name, token);
      return token;
    },
    async withdrawal(amount = "50.00", more = {}) {
      const answer = await stage.call("POST", "/ext/v1/withdrawals", {
        token: await stage.token(bank),
        json: { user_id: "customer-77", amount, currency: "EUR", store: "demo-shop", ...more },
        headers: { "idempotency-key": `stage-${keys++}` },
      });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.body.transaction_id;
    },
    async settled(posId) {
      const id = await stage.withdrawal("50.08");
      const token = await stage.token();
      const confirmed = await stage.call("POST", "/transaction/confirm", {
        token,
        json: { transaction_id: id, transaction_id_partner: posId },
      });
      if (confirmed.status !== 201) throw new Error(confirmed.text);
      await stage.call("GET", `/transaction?id=${id}&wait=20&status=settling`, { token });
      return id;
    },
    stop: (drainMs) => running.stop(drainMs),
    async restart() {
      await running.stop();
      running = await start();
    },
    async dispose() {
      await running.stop();
      await place.dispose();
    },
  };
  return stage;
};
