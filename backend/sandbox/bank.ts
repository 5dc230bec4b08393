/** The bank's server: the two calls that the service makes to a partner, and the ledger to check them against. */
import { Hono } from "hono";
import { parseAmount } from "../contract/money.ts";
import { settleOrderPath, settleOrderSchema, startOrderPath, startOrderSchema } from "../contract/partner.ts";
import { requestIdHeader } from "../http/answer-headers.ts";
import type { App } from "../http/app-context.ts";
import { type Bindings, decodeText, type HttpContext, readBody } from "../http/request.ts";
import { randomRequestId } from "../http/serve-operation.ts";
import { webhookOf } from "../partner/send.ts";
import { sandboxBankPath } from "../websdk/sandbox-links.ts";
import type { BankClient } from "./bank-client.ts";
import { demoShop } from "./demo.ts";
import { readLedger, secure, settle } from "./ledger.ts";
import { behaviourOf } from "./steering.ts";

/** Where the sandbox's bank is. */
export const bankPath = sandboxBankPath;

const headers = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};
const answer = (status: number, body: object): Response => new Response(JSON.stringify(body), { status, headers });
const accepted = () => answer(200, { status: "accepted" });
const declined = (reason: string) => answer(200, { status: "declined", reason });

/** @param secret what the service signs with. @param onSecured called with a reference that the bank is to approve by itself. */
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
    bankPath + startOrderPath,
    named(async (c) => startOrder(app, bank, await readSigned(secret, c), onSecured)),
  );
  hono.post(
    bankPath + settleOrderPath,
    named(async (c) => settleOrder(app, c, await readSigned(secret, c))),
  );
  hono.get(
    `${bankPath}/ledger`,
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

const startOrder = async (
  app: App,
  bank: BankClient,
  body: unknown,
  onSecured: (reference: string) => void,
): Promise<Response> => {
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

/** Start order names no currency. A bank knows its customer's account; this one asks the service for the withdrawal. */
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
  if (bankResponse.answerAtMs !== null && !(await waitUntil(app, c, bankResponse.answerAtMs))) {
    return answer(503, { error: "unavailable" });
  }
  return accepted();
};

/** False when the caller hung up or the service stops first. */
const waitUntil = (app: App, c: HttpContext, atMs: number): Promise<boolean> => {
  const { clock } = app.service;
  const gone = AbortSignal.any([c.req.raw.signal, app.stopping]);
  return new Promise((resolve) => {
    if (gone.aborted) return resolve(false);
    const cancel = clock.after(Math.max(0, atMs - clock.now()), () => resolve(true));
    gone.addEventListener("abort", () => {
      cancel();
      resolve(false);
    });
  });
};

/** The payment is booked; the caller never learns it from this call. */
const dropConnection = (c: HttpContext): Response => {
  c.env?.incoming?.socket.destroy();
  return answer(504, { error: "connection_lost" });
};
