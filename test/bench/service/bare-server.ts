/** node:http and nothing else: the same bytes for a GET, JSON parsed and written for a POST. What no service can beat. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const transaction = {
  transaction_id: "7F3K9Q2MX4T8WZ0A",
  status: "ready",
  amount: "50.00",
  currency: "EUR",
  store: "demo-shop",
  transaction_id_partner: null,
  sca_required: true,
  created_at: "2026-11-20T10:15:30.000Z",
  expires_at: "2026-11-20T10:30:30.000Z",
  confirmed_at: null,
  sca_expires_at: null,
  settled_at: null,
  linked_at: null,
  closed_at: null,
  reason: null,
};
const bytes = JSON.stringify(transaction);

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(bytes) });
    response.end(bytes);
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { transaction_id } = JSON.parse(Buffer.concat(chunks).toString()) as { transaction_id: string };
    const text = JSON.stringify({ ...transaction, transaction_id });
    response.writeHead(201, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    response.end(text);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
