/** node:http and nothing else: the same answers, headers included; JSON parsed and written for a POST. What no service can beat. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { baseHeaders } from "../../../backend/http/request.ts";

const headers = {
  ...baseHeaders,
  "Content-Type": "application/json",
  "X-Request-Id": "0123456789abcdef0123456789abcdef",
};

const transaction = {
  transaction_id: "7F3K9Q2MX4T8WZ0G",
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
const text = JSON.stringify(transaction);

const answer = (response: ServerResponse, status: number, body: string): void => {
  response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  response.end(body);
};

const server = createServer((request, response) => {
  if (request.method === "GET") {
    answer(response, 200, text);
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { transaction_id } = JSON.parse(Buffer.concat(chunks).toString()) as { transaction_id: string };
    answer(response, 201, JSON.stringify({ ...transaction, transaction_id }));
  });
});
server.listen(0, "127.0.0.1", () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
