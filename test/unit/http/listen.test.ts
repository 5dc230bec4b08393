/** How long a caller may take: nobody can hold connections by sending slowly. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect, Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { connect as connectTls } from "node:tls";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { systemClock, systemRandom } from "../../../backend/adapters.ts";
import { hourMs } from "../../../backend/contract/times.ts";
import type { App } from "../../../backend/http/app-context.ts";
import { listen, urlOf } from "../../../backend/http/listen.ts";
import type { Bindings } from "../../../backend/http/request.ts";
import { certificate, namedCertificate, namedKey, privateKey } from "../../service/tls-files.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

let folder: string;
let tls: Parameters<typeof listen>[4];
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-listen-"));
  tls = { certFile: file("cert.pem", namedCertificate), keyFile: file("key.pem", namedKey) };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};

test.each([
  ["http", false],
  ["https", true],
])("a request by %s is to arrive within half a minute, its headers within ten seconds", async (_, isSecure) => {
  const listening = vi.spyOn(Server.prototype, "listen");
  const app = { service: { clock: systemClock }, leaving: new AbortController().signal } as unknown as App;
  const there = await listen(app, new Hono(), "127.0.0.1", 0, isSecure ? tls : null);
  expect(listening.mock.contexts[0]).toMatchObject({
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    keepAliveTimeout: 65_000,
    // An agreement on an older version of TLS is not secret.
    ...(isSecure && { minVersion: "TLSv1.2" }),
  });
  listening.mockRestore();
  await there.close(0);
});

test.each([
  ["plain http", false, null],
  ["HTTPS", true, "max-age=31536000"],
])("by %s an answer says of plain http for the next year: %s", async (_, isSecure, hsts) => {
  const app = { service: { clock: systemClock }, leaving: new AbortController().signal } as unknown as App;
  const routes = new Hono<{ Bindings: Bindings }>();
  routes.get("/", (c) => c.text("here"));
  const there = await listen(app, routes, "127.0.0.1", 0, isSecure ? tls : null);
  const request = isSecure ? httpsRequest : httpRequest;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request({ port: there.port, host: "127.0.0.1", rejectUnauthorized: false }, resolve);
    sent.on("error", reject).end();
  });
  answer.resume();
  expect([answer.statusCode, answer.headers["strict-transport-security"] ?? null]).toEqual([200, hsts]);
  await there.close(0);
});

/** Whose certificate a new connection is shown. */
const shownAt = (port: number): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    socket.on("error", reject);
  });

test("a certificate that is renewed while the service runs is used within the hour, and once its key is there", async () => {
  const [clock, warn, info] = [new VirtualClock(), vi.fn(), vi.fn()];
  const service = { clock, random: systemRandom, log: { warn, info } };
  const app = { service, leaving: new AbortController().signal } as unknown as App;
  const files = { certFile: file("own.pem", certificate), keyFile: file("own-key.pem", privateKey) };
  const there = await listen(app, new Hono(), "127.0.0.1", 0, files);
  expect(await shownAt(there.port)).toBe("localhost");
  file("own.pem", namedCertificate);
  await clock.advance(hourMs);
  await expect.poll(() => warn.mock.calls.length).toBeGreaterThan(0);
  expect(await shownAt(there.port)).toBe("localhost");
  file("own-key.pem", namedKey);
  await clock.advance(hourMs);
  await expect.poll(() => info.mock.calls.length).toBe(1);
  expect(await shownAt(there.port)).toBe("till.example");
  await clock.advance(hourMs);
  // The next look is due once the files were read again, which hold the same.
  await expect.poll(() => clock.timers).toBe(1);
  await there.close(0);
  await clock.advance(50);
  expect([warn.mock.calls.length, info.mock.calls.length, clock.timers]).toEqual([1, 1, 0]);
});

test.each([false, true])(
  "a port that is taken is the system's word, and leaves no timer; by HTTPS: %s",
  async (isSecure) => {
    const clock = new VirtualClock();
    const app = { service: { clock, random: systemRandom }, leaving: new AbortController().signal } as unknown as App;
    const there = await listen(app, new Hono(), "127.0.0.1", 0);
    const again = listen(app, new Hono(), "127.0.0.1", there.port, isSecure ? tls : null);
    await expect(again).rejects.toMatchObject({ code: "EADDRINUSE" });
    expect(clock.timers).toBe(0);
    await there.close(0);
  },
);

test.each([
  ["0.0.0.0", 80, false, "http://127.0.0.1:80"],
  ["::", 8443, true, "https://127.0.0.1:8443"],
  ["::1", 8787, false, "http://[::1]:8787"],
  ["cash.example", 443, true, "https://cash.example:443"],
])("who listens on %s is opened by a browser here at its own address", (host, port, isSecure, url) => {
  expect(urlOf({ host, port }, isSecure)).toBe(url);
});

test.each([
  ["a header without an end", `GET / HTTP/1.1\r\nHost: x\r\nX: ${"a".repeat(20_000)}\r\n\r\n`, 431],
  ["what is no HTTP", "hello\r\n\r\n", 400],
])("%s is answered as every refusal is, and the connection ends", async (_, bytes, status) => {
  const service = { clock: systemClock, random: systemRandom };
  const app = { service, leaving: new AbortController().signal } as unknown as App;
  const there = await listen(app, new Hono(), "127.0.0.1", 0);
  const socket = connect(there.port, "127.0.0.1", () => socket.write(bytes));
  const text = await new Response(Readable.toWeb(socket) as ReadableStream<Uint8Array>).text();
  const [head = "", body = ""] = text.split("\r\n\r\n");
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toContain("connection: close");
  expect(JSON.parse(body)).toMatchObject({ status, code: "validation_failed" });
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

/** A connection as it is when the parser gives up. @param state what node:http knows of it. */
const brokenBy = async (code: string, state: object) => {
  const listening = vi.spyOn(Server.prototype, "listen");
  const service = { clock: systemClock, random: systemRandom };
  const app = { service, leaving: new AbortController().signal } as unknown as App;
  const there = await listen(app, new Hono(), "127.0.0.1", 0);
  const socket = { writable: true, bytesWritten: 0, _httpMessage: null, destroy: vi.fn(), end: vi.fn(), ...state };
  const server = listening.mock.contexts[0] as Server;
  server.emit("clientError", Object.assign(new Error("broken"), { code }), socket);
  listening.mockRestore();
  await expect.poll(() => socket.end.mock.calls.length + socket.destroy.mock.calls.length).toBe(1);
  await there.close(0);
  return socket.destroy.mock.calls.length > 0 ? null : String(socket.end.mock.calls[0]).split("\r\n", 1)[0];
};

test.each([
  ["too slow", "ERR_HTTP_REQUEST_TIMEOUT", {}, "HTTP/1.1 408 Request Timeout"],
  ["too long", "HPE_HEADER_OVERFLOW", {}, "HTTP/1.1 431 Request Header Fields Too Large"],
  ["no HTTP", "HPE_INVALID_METHOD", {}, "HTTP/1.1 400 Bad Request"],
  ["no HTTP behind an answer", "HPE_INVALID_METHOD", { bytesWritten: 1 }, null],
  ["no HTTP behind a request that waits for its own", "HPE_INVALID_METHOD", { _httpMessage: {} }, null],
  ["no HTTP from whom nothing can be sent to", "HPE_INVALID_METHOD", { writable: false }, null],
])("a request that is %s is answered for itself, or its connection cut", async (_, code, state, answer) => {
  expect(await brokenBy(code, state)).toBe(answer);
});

test("a stop lets what is in flight end, closes its connection then, and leaves no timer", async () => {
  const clock = new VirtualClock();
  const app = { service: { clock }, leaving: new AbortController().signal } as unknown as App;
  const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const routes = new Hono<{ Bindings: Bindings }>();
  routes.get("/held", async (c) => {
    begun.resolve();
    await done.promise;
    return c.text("at last");
  });
  const there = await listen(app, routes, "127.0.0.1", 0);
  const held = fetch(`http://127.0.0.1:${there.port}/held`).then((answer) => answer.text());
  await begun.promise;
  let isClosed = false;
  const startedAt = clock.now();
  void there.close(5_000).then(() => {
    isClosed = true;
  });
  done.resolve();
  expect(await held).toBe("at last");
  // Kept alive, as the service was not about to leave: idle, it does not wait for the end of that time.
  await vi.waitFor(async () => {
    await clock.advance(50);
    expect(isClosed).toBe(true);
  }, 15_000);
  expect(clock.now() - startedAt).toBeLessThan(5_000);
  await clock.advance(50);
  expect(clock.timers).toBe(0);
});

test("a stop cuts off what has not ended in its time", async () => {
  const clock = new VirtualClock();
  const app = { service: { clock }, leaving: new AbortController().signal } as unknown as App;
  const begun = Promise.withResolvers<void>();
  const routes = new Hono<{ Bindings: Bindings }>();
  routes.get("/held", () => {
    begun.resolve();
    return new Promise<Response>(() => {});
  });
  const there = await listen(app, routes, "127.0.0.1", 0);
  const held = fetch(`http://127.0.0.1:${there.port}/held`).catch(() => "cut off");
  await begun.promise;
  const closing = there.close(5_000);
  await clock.advance(5_000);
  await closing;
  expect(await held).toBe("cut off");
});
