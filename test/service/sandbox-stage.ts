/** A whole service with the sandbox on a listening server, and the calls that a till and a bank make. */
import { createAccess } from "../../backend/access/access.ts";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import type { ServiceOptions } from "../../backend/context.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import type { App } from "../../backend/http/app-context.ts";
import { createApp } from "../../backend/http/create-app.ts";
import { listen } from "../../backend/http/listen.ts";
import { createHttpTransport } from "../../backend/partner/send.ts";
import type { Clock } from "../../backend/ports.ts";
import { sandboxMount, sandboxOptions } from "../../backend/sandbox/mount.ts";
import type { Store } from "../../backend/store/store.ts";
import { webSdkMount } from "../../backend/websdk/routes.ts";
import { createService } from "../../backend/withdrawals/service.ts";
import { Counted, quiet, testKeys } from "./world.ts";

/** The key that the sandbox's bank shares with the service. */
export const partnerSecret = `whsec_${Buffer.from("a secret of this test only, 32 by").toString("base64")}`;

/** The listening service. */
export interface Stage {
  readonly url: string;
  readonly app: App;
  stop(): Promise<void>;
}

/** Stop it before the store is closed; start another one on the same store for a restart. */
export const startStage = async (
  store: Store,
  options: Partial<ServiceOptions> = {},
  clock: Clock = systemClock,
  sandbox = true,
): Promise<Stage> => {
  let url = "http://127.0.0.1:1";
  const transport = createHttpTransport(clock);
  const stopping = new AbortController();
  const service = createService({
    store,
    clock,
    random: systemRandom,
    transport,
    log: quiet,
    telemetry: new Counted(),
    keys: testKeys,
    options: {
      ...sandboxOptions,
      boundPartners: new Map([
        [
          "demo-bank",
          {
            get url() {
              return `${url}/sandbox/bank`;
            },
            secret: partnerSecret,
          },
        ],
      ]),
      ...options,
    },
  });
  const app: App = {
    service,
    access: createAccess(service, "a token secret of this test only", { hashCost: { N: 2, r: 1, p: 1 } }),
    observer: { answered() {} },
    publicUrl: () => url,
    metrics: null,
    isSandbox: sandbox,
    clientAddress: (peer) => peer,
    leaving: stopping.signal,
    stopping: stopping.signal,
  };
  const mounts = [webSdkMount(sandbox), ...(sandbox ? [await sandboxMount(app, partnerSecret)] : [])];
  const listening = await listen(app, createApp(app, mounts), "127.0.0.1", 0);
  url = `http://127.0.0.1:${listening.port}`;
  service.start();
  return {
    url,
    app,
    async stop() {
      stopping.abort();
      await listening.close(5_000);
      await service.stop();
      transport.close();
    },
  };
};

/** Status and parsed body. */
export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

/** Calls with a token of the demo till or the demo bank. */
export const callAs = async (stage: Stage, who: "till" | "bank") => {
  const identity =
    who === "till"
      ? { merchant_id: "demo-shop", device_id: "till-1", device_type: "terminal", password: "till-secret" }
      : { merchant_id: "demo-bank", device_id: "server-1", device_type: "client", password: "bank-secret" };
  const post = async <Body>(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> => {
    const reply = await fetch(stage.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { status: reply.status, body: (await reply.json()) as Body };
  };
  const granted = await post<{ access_token: string }>("/oauth2/authorize", {
    grant_type: "client_credentials",
    scope: "",
    ...identity,
  });
  const authorization = `Bearer ${granted.body.access_token}`;
  return {
    post: <Body = Transaction>(path: string, body: unknown, headers: Record<string, string> = {}) =>
      post<Body>(path, body, { ...headers, authorization }),
    get: async <Body = Transaction>(path: string): Promise<Answer<Body>> => {
      const reply = await fetch(stage.url + path, { headers: { authorization } });
      return { status: reply.status, body: (await reply.json()) as Body };
    },
  };
};
/** A signed-in caller: `get` and `post` with its token. */
export type Caller = Awaited<ReturnType<typeof callAs>>;

let keys = 0;
/** Asks the demo shop for `amount` EUR under a fresh idempotency key. */
export const requestWithdrawal = (bank: Caller, amount: string, more: object = {}): Promise<Answer<Transaction>> => {
  keys += 1;
  const body = { user_id: "ann", amount, currency: "EUR", store: "demo-shop", ...more };
  return bank.post("/ext/v1/withdrawals", body, { "idempotency-key": `test-${keys}` });
};

/** Waits for another status, as a till does. */
export const waitForChange = async (till: Caller, id: string, status: string): Promise<Transaction> => {
  for (;;) {
    const { body } = await till.get(`/transaction?id=${id}&wait=20&status=${status}`);
    if (body.status !== status) return body;
  }
};

/** The sandbox bank's books as it shows them. */
export interface Ledger {
  readonly holds: readonly { readonly reference: string; readonly amount: string; readonly user_id: string }[];
  readonly payments: readonly {
    readonly reference: string;
    readonly amount: string;
    readonly currency: string;
    readonly attempts: number;
  }[];
}

/** Reads them over HTTP, as a developer would. */
export const readLedger = async (stage: Stage): Promise<Ledger> =>
  (await (await fetch(`${stage.url}/sandbox/bank/ledger`)).json()) as Ledger;
