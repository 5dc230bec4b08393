/** The least that answers a GET on our libraries: Hono, one read of SQLite, its JSON. No token, request id, clock or metrics. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { baseHeaders } from "../../../backend/http/request.ts";
import { openNodeSqlite } from "../../../backend/store/sqlite.ts";
import { type ShownRow, shownColumns } from "../../../backend/withdrawals/store.ts";
import { toTransaction } from "../../../backend/withdrawals/transition.ts";

const ready: Partial<ShownRow> = {
  id: "7F3K9Q2MX4T8WZ0G",
  partner_id: "demo-bank",
  merchant_id: "demo-shop",
  amount: 5_000,
  currency: "EUR",
  sca_required: 1,
  status: "ready",
  deadline_at: 1_790_000_900_000,
  created_at: 1_790_000_000_000,
  expires_at: 1_790_000_900_000,
  store_name: "Demo shop",
};
const db = openNodeSqlite(":memory:", 0);
db.exec(`CREATE TABLE withdrawals (${shownColumns.join(", ")}, PRIMARY KEY (id))`);
const values = shownColumns.map((column) => ready[column] ?? null);
db.query(`INSERT INTO withdrawals VALUES (${values.map(() => "?")})`, values, false);
const byId = `SELECT ${shownColumns.join(", ")} FROM withdrawals WHERE id = ?`;

const headers = {
  ...baseHeaders,
  "Content-Type": "application/json",
  "X-Request-Id": "0123456789abcdef0123456789abcdef",
};
const app = new Hono();
app.get("/transaction", () => {
  const [row] = db.query(byId, ["7F3K9Q2MX4T8WZ0G"], true).rows as ShownRow[];
  return new Response(JSON.stringify(row && toTransaction(row)), { status: 200, headers });
});
const server = createServer(getRequestListener(app.fetch));
server.listen(0, "127.0.0.1", () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
