/** The sandbox bank as a client of the service: with its own credential, through the same calls that any bank makes. */
import { demoBank } from "./demo.ts";

/** Sends a request to the service that the sandbox is mounted in. */
export type Fetch = (request: Request) => Response | Promise<Response>;

export interface BankClient {
  /** POST with the bank's token; a token that has ended is replaced once. */
  post(path: string, body: unknown, more?: Readonly<Record<string, string>>): Promise<Response>;
}

const anyOrigin = "http://sandbox.invalid";
const unauthorized = 401;

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

  return {
    async post(path, body, more = {}) {
      const held = await (token ?? renew());
      const first = await send(path, body, { ...more, authorization: `Bearer ${held}` });
      if (first.status !== unauthorized) return first;
      return send(path, body, { ...more, authorization: `Bearer ${await renew()}` });
    },
  };
};
