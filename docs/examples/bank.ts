/** A whole bank in 60 lines, for trying Tillcash out. In memory: a real one keeps holds and payments in its database. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

const { BANK_KEY, BANK_PORT = "9797", TILLCASH_URL = "http://127.0.0.1:8787" } = process.env;
const { CLIENT_ID = "my-bank/server-1", CLIENT_SECRET } = process.env;
if (!BANK_KEY || !CLIENT_SECRET) {
  console.error(
    "Set BANK_KEY (from: partners add) and CLIENT_SECRET (from: credentials add client); see docs/integrate.md.",
  );
  process.exit(2);
}
const webhook = new Webhook(BANK_KEY);
const holds = new Map<string, { userId: string; amount: string }>();
const payments = new Map<string, { userId: string; amount: string }>();
const ends = ["rejected", "canceled", "expired", "declined", "failed"];

const startOrder = (order: { svcTransactionReferenceId: string; userId: string; amount: string }) => {
  if (Number(order.amount) > 300) return { status: "declined", reason: "limit" };
  holds.set(order.svcTransactionReferenceId, { userId: order.userId, amount: order.amount });
  return { status: "accepted" };
};

/** The same order may come again, for ever: pay once, answer the same. */
const settleOrder = (order: { SvcTransactionReferenceId: string }) => {
  const reference = order.SvcTransactionReferenceId;
  const hold = holds.get(reference);
  if (!payments.has(reference) && hold === undefined) return { status: "declined", reason: "no_hold" };
  if (hold) payments.set(reference, hold);
  holds.delete(reference);
  return { status: "accepted" };
};

const statusEvent = ({ type, transaction }: { type: string; transaction?: { transaction_id: string } }) => {
  const id = transaction?.transaction_id ?? "";
  console.log(`${type} ${id}`);
  if (type === "withdrawal.awaiting_sca") void approve(id);
  if (ends.some((end) => type === `withdrawal.${end}`)) holds.delete(id);
  return {};
};

/** Here your app would show amount and shop to the customer, and wait. */
const approve = async (id: string) => {
  const basic = Buffer.from(`${encodeURIComponent(CLIENT_ID)}:${CLIENT_SECRET}`).toString("base64");
  const grant = { method: "POST", body: new URLSearchParams({ grant_type: "client_credentials" }) };
  const reply = await fetch(`${TILLCASH_URL}/oauth2/token`, { ...grant, headers: { authorization: `Basic ${basic}` } });
  const { access_token } = (await reply.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  const body = JSON.stringify({ outcome: "approved" });
  await fetch(`${TILLCASH_URL}/ext/v1/withdrawals/${id}/sca`, { method: "POST", headers, body });
};

const calls: Record<string, (body: never) => object> = {
  "/api/svc/startwithdrawal": startOrder,
  "/api/svc/settlewithdrawal": settleOrder,
  "/events": statusEvent,
};
const verified = (body: string, headers: IncomingHttpHeaders): unknown => {
  try {
    return webhook.verify(body, headers as Record<string, string>);
  } catch {
    return null;
  }
};
createServer(async (request, response) => {
  const body = await text(request);
  if (request.url === "/ledger") return response.end(JSON.stringify({ holds: [...holds], payments: [...payments] }));
  const call = calls[request.url ?? ""];
  const message = call && verified(body, request.headers);
  if (!call || message === null) return response.writeHead(call ? 401 : 404).end();
  const answer = call(message as never);
  console.log(`${request.url} ${JSON.stringify(answer)}`);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}).listen(Number(BANK_PORT), "127.0.0.1", () => console.log(`bank listening on http://127.0.0.1:${BANK_PORT}`));
