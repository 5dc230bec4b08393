/** A bank as a server of its own, which outlives every service process: keeps one payment for each `webhook-id`, loses some of its answers. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import type { SettleOrder, StartOrder } from "../../backend/contract/partner.ts";

/** The bank and what it holds. */
export interface BankServer {
  readonly url: string;
  /** By reference. */
  readonly holds: ReadonlyMap<string, StartOrder>;
  /** By `webhook-id`, so that a second id for one withdrawal would be a second payment. */
  readonly payments: ReadonlyMap<string, SettleOrder>;
  /** Settle orders received, repeats included. */
  readonly settleCalls: () => number;
  readonly badSignatures: () => number;
  close(): Promise<void>;
}

/** The key with which it checks each signature. */
export const bankSecret = `whsec_${Buffer.from("the secret of a bank in a test").toString("base64")}`;

/** One in so many Settle orders is booked and its answer lost; one in so many gets a 503 and is not booked. */
const lostEvery = 11;
const failsEvery = 13;

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
};

/** @param settleDelayMs how long a Settle order waits until it is booked and answered; whether the caller is gone by then makes no difference. */
export const startBank = async (settleDelayMs: () => number = () => 0): Promise<BankServer> => {
  const holds = new Map<string, StartOrder>();
  const payments = new Map<string, SettleOrder>();
  const webhook = new Webhook(bankSecret);
  let settleCalls = 0;
  let badSignatures = 0;

  const server = createServer(async (request, response) => {
    const body = await bodyOf(request).catch(() => null);
    if (body === null) return;
    try {
      webhook.verify(body, request.headers as Record<string, string>);
    } catch {
      badSignatures += 1;
      response.writeHead(401).end();
      return;
    }
    if (request.url?.endsWith("/startwithdrawal")) {
      const order = JSON.parse(body) as StartOrder;
      holds.set(order.svcTransactionReferenceId, order);
      response.end('{"status":"accepted"}');
      return;
    }
    settleCalls += 1;
    const delayMs = settleDelayMs();
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (settleCalls % failsEvery === 0) {
      response.writeHead(503).end();
      return;
    }
    const id = String(request.headers["webhook-id"]);
    if (!payments.has(id)) payments.set(id, JSON.parse(body) as SettleOrder);
    if (settleCalls % lostEvery === 0) request.socket.destroy();
    else response.end('{"status":"accepted"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    holds,
    payments,
    settleCalls: () => settleCalls,
    badSignatures: () => badSignatures,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
