/** A whole bank in some 40 lines of code, to try Tillcash with. In memory: a real one keeps holds and payments in its database. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { Webhook } from "standardwebhooks";

const { BANK_KEY, CLIENT_ID = "my-bank/server-1", CLIENT_SECRET } = process.env;
const { BANK_PORT = "9797", TILLCASH_URL = "http://127.0.0.1:8787" } = process.env;
if (process.argv[2] || !BANK_KEY || !CLIENT_SECRET) {
  console.log(
    "Usage: npm run bank, with BANK_KEY and CLIENT_SECRET set (docs/integrate.md, steps 3 and 4); BANK_PORT: 9797",
  );
  process.exit(process.argv[2] === "--help" ? 0 : 2);
}
const webhook = new Webhook(BANK_KEY);
const [holds, payments, answers] = [new Map(), new Map(), new Map()];

const startOrder = ({ svcTransactionReferenceId: id, userId, amount, expiryTimeOfTheOrder }) => {
  if (Number(amount) > 300) return { status: "declined", reason: "limit" };
  holds.set(id, { userId, amount });
  setTimeout(() => holds.delete(id), Date.parse(expiryTimeOfTheOrder) - Date.now());
  return { status: "accepted" };
};

const settleOrder = ({ SvcTransactionReferenceId: id }) => {
  if (holds.has(id)) payments.set(id, holds.get(id));
  holds.delete(id);
  return payments.has(id) ? { status: "accepted" } : { status: "declined", reason: "no_hold" };
};

const statusEvent = ({ type, transaction: { transaction_id: id, reason } = {} }) => {
  console.log(type, id ?? "");
  if (type === "withdrawal.awaiting_sca") approve(id).catch(console.error);
  // The service was put back to a copy, and has forgotten what came of this one.
  if (reason === "restored" && payments.has(id)) approve(id).catch(console.error);
  if (/(rejected|canceled|expired|declined|failed)$/.test(type)) holds.delete(id);
  return { status: "noted" };
};

/** Here your app asks the customer: exactly this amount, this shop. A token is good for 24 hours; a real bank keeps it. */
const approve = async (id) => {
  const client = { grant_type: "client_credentials", client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
  const { access_token } = await post("/oauth2/token", {}, new URLSearchParams(client));
  const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
  await post(`/ext/v1/withdrawals/${id}/sca`, headers, JSON.stringify({ outcome: "approved" }));
};
const post = async (path, headers, body) =>
  (await fetch(TILLCASH_URL + path, { method: "POST", headers, body })).json();

/** Throws at a wrong signature, or one older than five minutes. What comes again, for ever, is done once and answered the same. */
const signed = (call) => async (c) => {
  const order = webhook.verify(await c.req.text(), c.req.header());
  const key = c.req.header("webhook-id");
  if (!answers.has(key)) answers.set(key, call(order));
  return c.json(answers.get(key));
};
const bank = new Hono()
  .post("/api/svc/startwithdrawal", signed(startOrder))
  .post("/api/svc/settlewithdrawal", signed(settleOrder))
  .post("/events", signed(statusEvent))
  .get("/ledger", (c) => c.json({ holds: [...holds], payments: [...payments] }))
  .onError((error, c) => c.text(error.message, error.name === "WebhookVerificationError" ? 401 : 500));
serve({ ...bank, port: Number(BANK_PORT), hostname: "127.0.0.1" }, ({ port }) => console.log(`bank on port ${port}`));
