/** The sandbox bank's server: the two orders, the ledger to check them against, and its calls to the service. */
import { Hono } from "hono";
import { pauseUnless } from "../background.ts";
import { parseAmount } from "../contract/money.ts";
import { settleOrderPath, settleOrderSchema, startOrderPath, startOrderSchema } from "../contract/partner.ts";
import type { Status, Transaction } from "../contract/transaction.ts";
import type { App } from "../http/app-context.ts";
import {
  type Bindings,
  decodeText,
  everyAnswer,
  type HttpContext,
  readBody,
  requestIdHeader,
} from "../http/request.ts";
import { randomRequestId } from "../http/serve-operation.ts";
import { webhookOf } from "../partner/send.ts";
import { ServiceError } from "../service-error.ts";
import { sandboxBankPath } from "../websdk/sandbox-links.ts";
import { demoBank, demoShop } from "./demo.ts";
import { behaviourOf, readLedger, secure, settle } from "./ledger.ts";

const headers = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  ...everyAnswer,
};
const answer = (status: number, body: object): Response => new Response(JSON.stringify(body), { status, headers });
const accepted = () => answer(200, { status: "accepted" });
const declined = (reason: string) => answer(200, { status: "declined", reason });

/** @param secret the key of the service's signatures. @param onSecured called with each reference that the bank is to approve by itself. */
export const bankRoutes = (
  app: App,
  secret: string,
  bank: BankClient,
  onSecured: (reference: string) => void,
): Hono<{ Bindings: Bindings }> => {
  const hono = new Hono<{ Bindings: Bindings }>();
  const named = (serve: (c: HttpContext) => Promise<Response>) => async (c: HttpContext) => {
    const response = await serve(c);
    response.headers.set(requestIdHeader, randomRequestId(app));
    return response;
  };
  const { clock, store } = app.service;
  hono.post(
    sandboxBankPath + startOrderPath,
    named(async (c) => startOrder(app, bank, await readSigned(secret, c), onSecured)),
  );
  hono.post(
    sandboxBankPath + settleOrderPath,
    named(async (c) => settleOrder(app, c, await readSigned(secret, c))),
  );
  hono.get(
    `${sandboxBankPath}/ledger`,
    named(async () => answer(200, await readLedger(store, clock.now()))),
  );
  return hono;
};

/** The parsed body of a call that carries the service's signature; undefined for any other. */
const readSigned = async (secret: string, c: HttpContext): Promise<unknown> => {
  const text = decodeText(await readBody(c));
  try {
    return webhookOf(secret).verify(text, c.req.header());
  } catch {
    return undefined;
  }
};

const unsigned = () => answer(401, { error: "invalid_signature" });

const startOrder = async (app: App, bank: BankClient, body: unknown, onSecured: (reference: string) => void) => {
  if (body === undefined) return unsigned();
  const order = startOrderSchema.safeParse(body);
  if (!order.success) return answer(400, { status: "declined", reason: "malformed" });
  const { svcTransactionReferenceId: reference, userId, amount, expiryTimeOfTheOrder, store } = order.data;
  const currency = await currencyOf(bank, reference);
  const minor = parseAmount(amount, currency);
  const expiresAt = Date.parse(expiryTimeOfTheOrder);
  if (minor === null || Number.isNaN(expiresAt)) return answer(400, { status: "declined", reason: "malformed" });
  if (behaviourOf(minor) === "declines_start") return declined("insufficient_funds");
  const hold = { reference, user_id: userId, shop: store, amount: minor, currency, expires_at: expiresAt };
  await secure(app.service.store, hold);
  if (behaviourOf(minor) === "approves_by_itself") onSecured(reference);
  return accepted();
};

/** Start order has no currency. A real bank knows its customer's account; this one asks the service. */
const currencyOf = async (bank: BankClient, reference: string): Promise<string> => {
  const known = await bank.withdrawal(reference).catch(() => null);
  return known?.currency ?? demoShop.currency;
};

const settleOrder = async (app: App, c: HttpContext, body: unknown): Promise<Response> => {
  if (body === undefined) return unsigned();
  const order = settleOrderSchema.safeParse(body);
  if (!order.success) return answer(400, { status: "declined", reason: "malformed" });
  const { clock, store } = app.service;
  const bankResponse = await settle(store, order.data.SvcTransactionReferenceId, clock.now());
  if (bankResponse.kind === "decline") return declined("account_blocked");
  if (bankResponse.kind === "fail") return answer(503, { error: "unavailable" });
  if (bankResponse.dropConnection) return dropConnection(c);
  const { answerAtMs } = bankResponse;
  // The caller may disconnect, or the service stop, first.
  const gone = AbortSignal.any([c.req.raw.signal, app.stopping]);
  if (answerAtMs !== null && !(await pauseUnless(gone, clock, answerAtMs - clock.now())))
    return answer(503, { error: "unavailable" });
  return accepted();
};

/** Simulates a lost answer: the payment is booked, but the connection breaks. */
const dropConnection = (c: HttpContext): Response => {
  c.env?.incoming?.socket.destroy();
  return answer(504, { error: "connection_lost" });
};

/** Sends a request to the service that the sandbox is mounted in. */
export type Fetch = (request: Request) => Response | Promise<Response>;

const anyOrigin = "http://sandbox.invalid";
const unauthorized = 401;
const notFound = 404;
const heldSeconds = 20;

/** The sandbox bank's client for the service's API. @param fetch reaches the service's own routes. */
export const createBankClient = (fetch: Fetch) => {
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
    /** POSTs with the bank's token; an expired token is renewed once. */
    post: (path: string, body: unknown): Promise<Response> =>
      authorized((authorization) => send(path, body, { authorization })),
    /**
     * The bank's withdrawal as it is now; null when the service does not know it.
     * @param held hold the answer while the status is this, at most 20 s, or until `signal`.
     * @throws ServiceError `unavailable` when the service cannot say.
     */
    async withdrawal(id: string, held?: { readonly status: Status; readonly signal: AbortSignal }) {
      const query = held === undefined ? "" : `?wait=${heldSeconds}&status=${held.status}`;
      const path = `/ext/v1/withdrawals/${encodeURIComponent(id)}${query}`;
      const reply = await authorized((authorization) => read(path, held?.signal ?? null, authorization));
      if (reply.status === notFound) return null;
      if (reply.status !== 200) throw new ServiceError("unavailable");
      return (await reply.json()) as Transaction;
    },
  };
};

/** See `createBankClient`. */
export type BankClient = ReturnType<typeof createBankClient>;
