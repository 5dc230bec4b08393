/** The sandbox bank as a client of the service: with its own credential, through the same calls that any bank makes. */
import type { Status, Transaction } from "../contract/transaction.ts";
import { ServiceError } from "../service-error.ts";
import { demoBank } from "./demo.ts";

/** Sends a request to the service that the sandbox is mounted in. */
export type Fetch = (request: Request) => Response | Promise<Response>;

/** What the sandbox's bank asks of the service, as any bank would over HTTP. */
export interface BankClient {
  /** POST with the bank's token; a token that has ended is replaced once. */
  post(path: string, body: unknown, more?: Readonly<Record<string, string>>): Promise<Response>;
  /**
   * The bank's withdrawal as it is now; null when the service does not know it.
   * @param held the status while which the answer is held, 20 s at most, or until `signal`.
   * @throws ServiceError `unavailable` when the service cannot say.
   */
  withdrawal(id: string, held?: { readonly status: Status; readonly signal: AbortSignal }): Promise<Transaction | null>;
}

const anyOrigin = "http://sandbox.invalid";
const unauthorized = 401;
const notFound = 404;
const heldSeconds = 20;

/** @param fetch reaches the service's own routes. */
export const createBankClient = (fetch: Fetch): BankClient => {
  let token: Promise<string> | null = null;

  const send = async (path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(
      new Request(anyOrigin + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }),
    );
  const read = async (path: string, signal: AbortSignal | null, authorization: string): Promise<Response> =>
    fetch(new Request(anyOrigin + path, { signal, headers: { authorization } }));

  const authorize = async (): Promise<string> => {
    const { ownerId, deviceId } = demoBank.key;
    const reply = await send(
      "/oauth2/authorize",
      {
        grant_type: "client_credentials",
        merchant_id: ownerId,
        device_id: deviceId,
        device_type: "client",
        password: demoBank.secret,
        scope: "",
      },
      {},
    );
    if (reply.status !== 201) throw new Error(`the sandbox bank was refused a token: ${reply.status}`);
    const { access_token } = (await reply.json()) as { access_token: string };
    return access_token;
  };

  const renew = (): Promise<string> => {
    const fresh = authorize();
    token = fresh;
    fresh.catch(() => {
      token = null;
    });
    return fresh;
  };

  const authorized = async (call: (authorization: string) => Promise<Response>): Promise<Response> => {
    const first = await call(`Bearer ${await (token ?? renew())}`);
    return first.status === unauthorized ? call(`Bearer ${await renew()}`) : first;
  };

  return {
    post: (path, body, more = {}) => authorized((authorization) => send(path, body, { ...more, authorization })),
    async withdrawal(id, held) {
      const query = held === undefined ? "" : `?wait=${heldSeconds}&status=${held.status}`;
      const path = `/ext/v1/withdrawals/${encodeURIComponent(id)}${query}`;
      const reply = await authorized((authorization) => read(path, held?.signal ?? null, authorization));
      if (reply.status === notFound) return null;
      if (reply.status !== 200) throw new ServiceError("unavailable");
      return (await reply.json()) as Transaction;
    },
  };
};
