/** Plays the customer and the bank in training, with the bundled service's own demo bank: through the calls that any bank makes. */
import type { PracticeWithdrawal } from "../../../preload/contract.ts";
import { callTimeoutMs } from "../bounds.ts";
import type { Ids, ServiceAnswer, Transport } from "../ports.ts";

/** The sandbox's published key, which is no secret; it works on no other service. */
const demoBank = { merchant_id: "demo-bank", device_id: "server-1", password: "bank-secret" } as const;
const customer = "practice";
/** The bank answers a request before the service does. */
const requestTimeoutMs = 20_000;

/** The calls of a bank to the service of a training. Amounts are decimal strings; null stands for every failure. */
export interface Practice {
  /** Asks for a withdrawal of `amount` at the shop; null when the service did not answer with one. */
  request(serviceUrl: string, store: string, amount: string): Promise<PracticeWithdrawal | null>;
  read(serviceUrl: string, transactionId: string): Promise<PracticeWithdrawal | null>;
  decide(serviceUrl: string, transactionId: string, approved: boolean): Promise<PracticeWithdrawal | null>;
}

const fieldsOf = (answer: ServiceAnswer): Record<string, unknown> =>
  answer.kind === "answer" && typeof answer.body === "object" && answer.body !== null
    ? (answer.body as Record<string, unknown>)
    : {};

const withdrawalOf = (answer: ServiceAnswer): PracticeWithdrawal | null => {
  const { transaction_id: id, status, amount, currency, store_name: shop, reason } = fieldsOf(answer);
  if (answer.kind !== "answer" || answer.status >= 300) return null;
  if ([id, status, amount, currency, shop].some((field) => typeof field !== "string")) return null;
  return {
    transactionId: String(id),
    status: String(status),
    amount: String(amount),
    currency: String(currency),
    shop: String(shop),
    reason: typeof reason === "string" ? reason : null,
  };
};

/** Fetches a token with the sandbox's key when one is needed, and again after one refusal. */
export const createPractice = ({ transport, ids }: { readonly transport: Transport; readonly ids: Ids }): Practice => {
  let token: string | null = null;

  const call = async (
    baseUrl: string,
    request: Pick<Parameters<Transport["send"]>[0], "method" | "path" | "body" | "headers">,
  ): Promise<PracticeWithdrawal | null> => {
    for (const isLast of [false, true]) {
      if (token === null) {
        const body = { grant_type: "client_credentials", device_type: "client", scope: "", ...demoBank };
        const granted = await transport.send({
          baseUrl,
          method: "POST",
          path: "/oauth2/authorize",
          body,
          timeoutMs: callTimeoutMs,
          authorized: false,
          token: null,
        });
        const { access_token } = fieldsOf(granted);
        if (typeof access_token !== "string") return null;
        token = access_token;
      }
      const answer = await transport.send({
        ...request,
        baseUrl,
        timeoutMs: requestTimeoutMs,
        authorized: true,
        token,
      });
      if (answer.kind !== "answer" || answer.status !== 401 || isLast) return withdrawalOf(answer);
      token = null;
    }
    return null;
  };

  const withdrawal = (transactionId: string): string => `/ext/v1/withdrawals/${encodeURIComponent(transactionId)}`;
  return {
    request: (serviceUrl, store, amount) =>
      call(serviceUrl, {
        method: "POST",
        path: "/ext/v1/withdrawals",
        body: { user_id: customer, amount, currency: "EUR", store },
        headers: { "idempotency-key": ids.next() },
      }),
    read: (serviceUrl, transactionId) => call(serviceUrl, { method: "GET", path: withdrawal(transactionId) }),
    decide: (serviceUrl, transactionId, approved) =>
      call(serviceUrl, {
        method: "POST",
        path: `${withdrawal(transactionId)}/sca`,
        body: { outcome: approved ? "approved" : "denied" },
      }),
  };
};
