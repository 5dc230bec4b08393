/** The partner's own server as the tests play it, and the till's read-only view: plain calls to the documented API. */
import type { Transaction } from "../../../backend/contract/transaction.ts";

interface ReportLine {
  readonly transaction_id: string;
  readonly finding: string;
  readonly status: string;
  readonly amount: string;
}

/** The demo bank's calls; each throws on an answer that it does not expect, or resolves with its status. */
export interface DemoBank {
  /** A withdrawal as the bank app asks for it; the amount steers the sandbox bank. */
  request(amount: string, options?: { readonly scaRequired?: boolean }): Promise<Transaction>;
  decideSca(transactionId: string, outcome: "approved" | "denied"): Promise<number>;
  cancel(transactionId: string): Promise<number>;
  /** The transaction as a till of the demo shop may read it. */
  read(transactionId: string): Promise<Transaction>;
  /** The demo shop's first terminal confirms it, whichever one the test sits at. */
  confirmElsewhere(transactionId: string): Promise<void>;
  payments(): Promise<readonly { reference: string; amount: string; attempts: number }[]>;
  /** The shop's reconciliation lines, by transaction id: all that a stored fixture or a test can have made. */
  report(): Promise<ReadonlyMap<string, ReportLine>>;
}

const demo = { merchant: "demo-shop", till: "till-1", tillSecret: "till-secret" } as const;

/** Signs in as the demo bank and as the demo shop's terminal. */
export const connectDemoBank = async (serviceUrl: string): Promise<DemoBank> => {
  const call = async (method: string, path: string, token: string | null, body?: unknown, extra = {}) => {
    const response = await fetch(`${serviceUrl}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...extra,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const signIn = async (merchant_id: string, device_id: string, device_type: string, password: string) => {
    const grant = { grant_type: "client_credentials", merchant_id, device_id, device_type, password, scope: "" };
    const { status, body } = await call("POST", "/oauth2/authorize", null, grant);
    if (status !== 201) throw new Error(`sign-in answered ${status}: ${JSON.stringify(body)}`);
    return String(body.access_token);
  };
  const bank = await signIn("demo-bank", "server-1", "client", "bank-secret");
  const till = await signIn(demo.merchant, demo.till, "terminal", demo.tillSecret);

  return {
    request: async (amount, options = {}) => {
      const order = { user_id: "ann", amount, currency: "EUR", store: demo.merchant };
      const sca = options.scaRequired === undefined ? {} : { sca_required: options.scaRequired };
      const key = { "idempotency-key": crypto.randomUUID() };
      const { status, body } = await call("POST", "/ext/v1/withdrawals", bank, { ...order, ...sca }, key);
      if (status !== 201) throw new Error(`the withdrawal was answered ${status}: ${JSON.stringify(body)}`);
      return body as unknown as Transaction;
    },
    decideSca: async (id, outcome) => (await call("POST", `/ext/v1/withdrawals/${id}/sca`, bank, { outcome })).status,
    cancel: async (id) => (await call("POST", `/ext/v1/withdrawals/${id}/cancel`, bank, {})).status,
    read: async (id) => (await call("GET", `/transaction?id=${id}`, till)).body as unknown as Transaction,
    confirmElsewhere: async (id) => {
      const { status } = await call("POST", "/transaction/confirm", till, {
        transaction_id: id,
        transaction_id_partner: `elsewhere-${id}`,
      });
      if (status !== 201) throw new Error(`the confirm was answered ${status}`);
    },
    payments: async () => {
      const { body } = await call("GET", "/sandbox/bank/ledger", null);
      return body.payments as { reference: string; amount: string; attempts: number }[];
    },
    report: async () => {
      const response = await fetch(
        `${serviceUrl}/ext/v1/reconciliation?format=json&from=2026-11-01&store=${demo.merchant}`,
        {
          headers: { authorization: `Bearer ${till}` },
        },
      );
      const { lines } = (await response.json()) as { lines: readonly ReportLine[] };
      return new Map(lines.map((line) => [line.transaction_id, line]));
    },
  };
};
