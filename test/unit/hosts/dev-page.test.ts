/** The pages of a developer's server, under the terminal's headers and with what a hot reload needs. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { asCustomerPage, openPage } from "../../../main/host/pages.ts";

const server = createServer((_request, reply) => reply.end("<html>")).listen(0, "127.0.0.1");
afterAll(() => server.close());

test("the customer's display keeps the inline scripts and the socket of a hot reload, and asks for its events alone", async () => {
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const page = await openPage("no-folder", address)(new URL("/customer-display.html", address));
  const events = `${address}/customer-display/events`;
  const { headers } = asCustomerPage(page, events);
  const policy = String(headers["content-security-policy"]).split("; ");
  expect(policy).toContain("script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'");
  expect(policy).toContain(`connect-src ${events} ws://localhost:* ws://127.0.0.1:*`);
  expect(headers["permissions-policy"]).toContain("camera=()");
});
