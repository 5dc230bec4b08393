/** Cashiers, customers and their bank's app, over HTTP: they repeat what got no answer, under the same ids, until it has one. */
import { randomUUID } from "node:crypto";
import type { Transaction } from "../../backend/contract/transaction.ts";

/** The processes that serve the shops. */
export interface Fleet {
  /** Where some living process listens now. */
  url(): string;
}

/** What was answered with a 2xx, in the order of the answers. */
export type Answers = Transaction[];

const callTimeoutMs = 30_000;
const pauseMs = 50;
/** Two minutes without an answer: then something is really wrong. */
const attemptsMax = 2_400;

type Call = (path: string, token: string, body?: unknown, key?: string) => Promise<Transaction>;

/** Repeats a call until it succeeds, and notes the answer in `answers`. Throws on a refusal other than 429 and 408. */
const createCaller = (fleet: Fleet, answers: Answers): Call => {
  const once = async (path: string, token: string, body?: unknown, key?: string) => {
    const response = await fetch(`${fleet.url()}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    return { status: response.status, body: (await response.json()) as Transaction };
  };
  return async (path, token, body, key) => {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const answer = await once(path, token, body, key).catch(() => null);
      if (answer && answer.status < 300) {
        if (answer.body.transaction_id) answers.push(answer.body);
        return answer.body;
      }
      if (answer && answer.status < 500 && answer.status !== 429 && answer.status !== 408) {
        throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    throw new Error(`${path} was never answered`);
  };
};

const authorize = async (call: Call, device_type: string, merchant_id: string, device_id: string, password: string) => {
  const body = { grant_type: "client_credentials", merchant_id, device_id, device_type, password, scope: "" };
  const answer: unknown = await call("/oauth2/authorize", "", body);
  return (answer as { access_token: string }).access_token;
};

/** Everybody with a withdrawal. */
export interface Shoppers {
  readonly answers: Answers;
  readonly linked: readonly string[];
  /** Everybody's withdrawals, `atOnce` at a time. */
  run(): Promise<void>;
  /** Nobody begins anew; what was begun goes on. */
  stop(): void;
  get(id: string): Promise<Transaction>;
}

/** @param amount minor digits that steer nothing. */
export const createShoppers = async (fleet: Fleet, count: number, atOnce: number): Promise<Shoppers> => {
  const answers: Answers = [];
  const linked: string[] = [];
  let left = count;
  const call = createCaller(fleet, answers);
  const till = await authorize(call, "terminal", "demo-shop", "till-1", "till-secret");
  const bank = await authorize(call, "client", "demo-bank", "server-1", "bank-secret");

  const settledOf = async (id: string): Promise<Transaction> => {
    for (;;) {
      const seen = await call(`/transaction?id=${id}&wait=5&status=settling`, till);
      if (seen.status !== "settling") return seen;
    }
  };

  /** One customer's cash. When a process dies in Start order the bank counts as unreachable: the customer asks anew. */
  const withdraw = async (): Promise<void> => {
    const order = { user_id: "ann", amount: "50.00", currency: "EUR", store: "demo-shop" };
    const ready = await call("/ext/v1/withdrawals", bank, order, randomUUID());
    if (ready.status === "declined") return withdraw();
    const { transaction_id } = ready;
    const confirmed = await call("/transaction/confirm", till, {
      transaction_id,
      transaction_id_partner: `pos-${transaction_id}`,
    });
    if (confirmed.status === "awaiting_sca")
      await call(`/ext/v1/withdrawals/${transaction_id}/sca`, bank, { outcome: "approved" });
    const settled = await settledOf(transaction_id);
    if (settled.status !== "settled" && settled.status !== "linked")
      throw new Error(`${transaction_id} is ${settled.status}`);
    await call("/transaction/link", till, { transaction_id });
    linked.push(transaction_id);
  };

  return {
    answers,
    linked,
    stop() {
      left = 0;
    },
    async run() {
      const one = async () => {
        while (left > 0) {
          left -= 1;
          await withdraw();
        }
      };
      await Promise.all(Array.from({ length: atOnce }, one));
    },
    get: (id) => call(`/transaction?id=${id}`, till),
  };
};
