/** How long a caller may take: nobody can hold connections by sending slowly. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Hono } from "hono";
import { afterAll, expect, test, vi } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import type { App } from "../../../backend/http/app-context.ts";
import { listen } from "../../../backend/http/listen.ts";
import type { Bindings } from "../../../backend/http/request.ts";
import { namedCertificate, namedKey } from "../../service/tls-files.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-listen-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const tls = { certFile: file("cert.pem", namedCertificate), keyFile: file("key.pem", namedKey) };

test.each([
  ["http", null],
  ["https", tls],
])("a request by %s is to arrive within half a minute, its headers within ten seconds", async (_, files) => {
  const listening = vi.spyOn(Server.prototype, "listen");
  const app = { service: { clock: systemClock }, leaving: new AbortController().signal } as unknown as App;
  const there = await listen(app, new Hono(), "127.0.0.1", 0, files);
  expect(listening.mock.contexts[0]).toMatchObject({
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    keepAliveTimeout: 65_000,
  });
  listening.mockRestore();
  await there.close(0);
});

test("an answer that was begun before the service was told to stop ends its connection", async () => {
  const [leaving, begun, done] = [new AbortController(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const app = { service: { clock: systemClock }, leaving: leaving.signal } as unknown as App;
  const routes = new Hono<{ Bindings: Bindings }>();
  routes.get("/", (c) => c.text("at once"));
  routes.get("/held", async (c) => {
    begun.resolve();
    await done.promise;
    return c.text("at last");
  });
  const there = await listen(app, routes, "127.0.0.1", 0);
  const connection = async (path: string) =>
    (await fetch(`http://127.0.0.1:${there.port}${path}`)).headers.get("connection");
  const held = connection("/held");
  await begun.promise;
  expect(await connection("/")).toBe("keep-alive");
  leaving.abort();
  done.resolve();
  expect([await held, await connection("/")]).toEqual(["close", "close"]);
  await there.close(1_000);
});
