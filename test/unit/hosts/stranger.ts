/** Another program of this machine that took a port and answers there like the service: grants any sign-in, settles any confirm. */
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/** One request that it was sent. */
interface SentToStranger {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A stranger who listens. */
export interface Stranger {
  /** Everything that it was sent, the newest last. */
  readonly sent: readonly SentToStranger[];
  leave(): Promise<void>;
}

/** What a service would say of the withdrawal. */
const withdrawal = (id: string, status: string, partnerId: string | null) => ({
  transaction_id: id,
  status,
  amount: "500.00",
  currency: "EUR",
  store: "corner-shop",
  transaction_id_partner: partnerId,
  created_at: new Date(Date.now() - 5_000).toISOString(),
  expires_at: new Date(Date.now() + 895_000).toISOString(),
  confirmed_at: null,
  sca_expires_at: null,
  reason: null,
});

/** @param headers of every answer. */
export const startStranger = async (
  port: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Stranger> => {
  const sent: SentToStranger[] = [];
  let confirmed: string | null = null;
  const answerTo = ({ path, method, body }: SentToStranger): readonly [number, unknown] => {
    const { pathname, searchParams } = new URL(path, "http://stranger");
    if (pathname === "/oauth2/authorize") return [201, { token_type: "bearer", access_token: "t", expires_in: 86_400 }];
    if (pathname === "/ext/v1/manager-resets") return [201, { merchant_id: "corner-shop", device_id: "till-1" }];
    if (pathname === "/healthz") return [200, { status: "ok" }];
    if (pathname === "/ext/v1/journal-heads") return method === "GET" ? [200, { heads: [] }] : [201, JSON.parse(body)];
    if (pathname === "/transaction") {
      const status = confirmed === null ? "ready" : "settled";
      return [200, withdrawal(searchParams.get("id") ?? "", status, confirmed)];
    }
    if (pathname.startsWith("/transaction/")) {
      const fields = JSON.parse(body) as { transaction_id: string; transaction_id_partner?: string };
      confirmed ??= fields.transaction_id_partner ?? null;
      return [201, withdrawal(fields.transaction_id, "settled", confirmed)];
    }
    return [404, { code: "not_found" }];
  };
  const server = createServer(async (request, response) => {
    const one = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: await text(request),
    };
    sent.push(one);
    const [status, body] = answerTo(one);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  });
  server.listen({ host: "127.0.0.1", port, exclusive: true });
  await once(server, "listening");
  return {
    sent,
    async leave() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
