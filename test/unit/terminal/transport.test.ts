/** The HTTP transport against a real server that misbehaves: each request goes out once, and silence is named. */
import { channel } from "node:diagnostics_channel";
import { EventEmitter } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { environmentHeader, sandboxEnvironment } from "../../../backend/contract/environment.ts";
import { serviceVersion } from "../../../backend/version.ts";
import { createClock } from "../../../main/terminal/adapters.ts";
import type { Clock } from "../../../main/terminal/ports.ts";
import {
  createKyTransport,
  type Fetch,
  onConnectionLost,
  type TransportOptions,
} from "../../../main/terminal/service/transport.ts";
import { VirtualClock } from "./virtual-clock.ts";

let server: Server;
let baseUrl = "";
let requests: { method: string; url: string; body: string; headers: IncomingMessage["headers"] }[] = [];
let answer: (response: ServerResponse) => void = (response) => response.end("{}");

beforeEach(async () => {
  requests = [];
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      requests.push({ method: request.method ?? "", url: request.url ?? "", body, headers: request.headers });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  baseUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const send = (timeoutMs = 60_000, clock: Clock = createClock()) =>
  createKyTransport(clock, { takesPlainHttp: true }).send({
    method: "GET",
    path: "/transaction?id=1",
    timeoutMs,
    baseUrl,
    token: "secret",
  });

test("a POST carries its body and token once, and the answer comes parsed", async () => {
  answer = (response) => {
    response.writeHead(201, { "content-type": "application/json", date: "Fri, 20 Nov 2026 10:00:00 GMT" });
    response.end('{"status":"settled"}');
  };
  const result = await createKyTransport(createClock(), { takesPlainHttp: true }).send({
    method: "POST",
    path: "/transaction/confirm",
    body: { transaction_id: "x" },
    timeoutMs: 60_000,
    baseUrl: `${baseUrl}/`,
    token: "secret",
  });
  expect(result).toEqual({
    kind: "answer",
    status: 201,
    body: { status: "settled" },
    dateMs: Date.UTC(2026, 10, 20, 10),
    retryAfterMs: null,
  });
  expect(requests).toMatchObject([
    {
      method: "POST",
      url: "/transaction/confirm",
      body: '{"transaction_id":"x"}',
      headers: { authorization: "Bearer secret", "user-agent": `Tillcash-Terminal/${serviceVersion}` },
    },
  ]);
});

test.each<[string, (response: ServerResponse) => void, unknown]>([
  ["HTML with 200", (r) => r.end("<html>hello</html>"), { kind: "silence", why: "garbled" }],
  ["half a JSON", (r) => r.end('{"status":"set'), { kind: "silence", why: "garbled" }],
  ["an empty 201", (r) => r.writeHead(201).end(), { kind: "answer", status: 201, body: null }],
  ["a proxy's 404", (r) => r.writeHead(404).end("<html>no</html>"), { kind: "answer", status: 404, body: undefined }],
  ["500 with JSON", (r) => r.writeHead(500).end('{"code":"internal_error"}'), { kind: "answer", status: 500 }],
  ["429", (r) => r.writeHead(429, { "retry-after": "7" }).end("{}"), { status: 429, retryAfterMs: 7_000 }],
  ["a redirect", (r) => r.writeHead(302, { location: "/elsewhere" }).end(), { kind: "answer", status: 302 }],
  ["a broken line", (r) => r.destroy(), { kind: "silence", why: "reset" }],
  [
    "a line that breaks in the body",
    (r) => {
      r.writeHead(200, { "content-length": "100" });
      r.write("{");
      r.socket?.end();
    },
    { kind: "silence", why: "reset" },
  ],
  ["nothing at all", () => {}, { kind: "silence", why: "timeout" }],
  [
    "headers and then nothing",
    (r) => {
      r.writeHead(200);
      r.write("{");
    },
    { kind: "silence", why: "timeout" },
  ],
])("%s", async (_, behave, expected) => {
  answer = behave;
  const isSilent = JSON.stringify(expected).includes("timeout");
  const clock = new VirtualClock();
  const sent = isSilent ? send(1_000, clock) : send();
  if (isSilent) {
    await expect.poll(() => requests).toHaveLength(1);
    // What was sent of an answer is there by now; if not, time is up all the same.
    await setTimeout(50);
    await clock.advance(1_000);
  }
  expect(await sent).toMatchObject(expected as object);
  expect(requests).toHaveLength(1);
});

test.each(["http://127.0.0.1", "http://localhost", "http://[::1]", "HTTP://127.1"])(
  "%s is not called unless a developer says so: any program can answer there",
  async (host) => {
    const call = { method: "GET", path: "/", timeoutMs: 60_000 } as const;
    const { port } = new URL(baseUrl);
    const transport = createKyTransport(createClock());
    expect(await transport.send({ ...call, baseUrl: `${host}:${port}` })).toEqual({
      kind: "silence",
      why: "refused",
      because: "plain_http",
    });
    expect(requests).toEqual([]);
  },
);

test("the own service is called by the way to it alone, whoever has its port", async () => {
  const called: string[] = [];
  const own = async (request: Request): Promise<Response> => {
    called.push(`${request.method} ${request.url} ${request.headers.get("authorization")} ${await request.text()}`);
    return Response.json({ status: "settled" });
  };
  const ownServiceAt = (address: string) => (address === baseUrl ? own : null);
  const transport = createKyTransport(createClock(), { takesPlainHttp: true, ownServiceAt });
  const call = {
    method: "POST",
    path: "/x?y=1",
    timeoutMs: 60_000,
    token: "t",
    body: { a: 1 },
  } as const;
  for (const spelt of [baseUrl, `${baseUrl}/`])
    expect(await transport.send({ ...call, baseUrl: spelt })).toMatchObject({ body: { status: "settled" } });
  expect(called).toEqual(Array(2).fill(`POST ${baseUrl}/x?y=1 Bearer t {"a":1}`));
  expect(requests).toEqual([]);
});

test("nobody listening is refused, no such host is silent", async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await send()).toEqual({ kind: "silence", why: "refused" });
  baseUrl = "http://no-such-host.invalid";
  expect(await send(5_000)).toMatchObject({ kind: "silence" });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

test.each(['{"status":"failed","status":"settled"}', '{"of":{"amount":"5.00","amount":"500.00"}}'])(
  "%s says two things and so says nothing",
  async (body) => {
    answer = (response) => response.end(body);
    expect(await send()).toEqual({ kind: "silence", why: "garbled" });
    answer = (response) => response.writeHead(409).end(body);
    expect(await send()).toMatchObject({ kind: "answer", status: 409, body: undefined });
  },
);

test("an idle connection that the service ends is noticed before the next call", async () => {
  let lost = 0;
  const stop = onConnectionLost(() => {
    lost += 1;
  });
  expect([(await send()).kind, lost]).toEqual(["answer", 0]);
  server.closeAllConnections();
  await expect.poll(() => lost).toBeGreaterThan(0);
  stop();
});

/** What a service says that answers, or fails, without a network; the clock stands at ten o'clock. */
const through = async (own: Fetch, options: TransportOptions = {}, request: object = {}) => {
  const clock = new VirtualClock();
  const transport = createKyTransport(clock, { ...options, ownServiceAt: () => own });
  const answer = await transport.send({
    method: "GET",
    path: "/x",
    timeoutMs: 1_000,
    baseUrl: "http://own",
    ...request,
  });
  expect(clock.timers).toBe(0);
  return answer;
};
const caused = (code: unknown, depth: number): Error =>
  depth === 0 ? Object.assign(new Error("cause"), { code }) : new Error("failed", { cause: caused(code, depth - 1) });

test.each<[string, Error, object]>([
  ...["ENOTFOUND", "EAI_AGAIN", "EAI_NODATA"].map((code): [string, Error, object] => [
    code,
    caused(code, 1),
    { why: "unreachable", because: "name_not_found" },
  ]),
  ...["ENETUNREACH", "EHOSTUNREACH", "ENETDOWN", "EADDRNOTAVAIL", "UND_ERR_CONNECT_TIMEOUT"].map(
    (code): [string, Error, object] => [code, caused(code, 1), { why: "unreachable", because: "no_route" }],
  ),
  ...[
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "CERT_HAS_EXPIRED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "HOSTNAME_MISMATCH",
    "EPROTO",
  ].map((code): [string, Error, object] => [code, caused(code, 1), { why: "reset", because: "certificate" }]),
  ["ECONNREFUSED", caused("ECONNREFUSED", 0), { why: "refused" }],
  ["a cause of a cause", caused("ECONNREFUSED", 4), { why: "refused" }],
  ["a cause too deep to look for", caused("ECONNREFUSED", 5), { why: "reset" }],
  ["ECONNRESET", caused("ECONNRESET", 1), { why: "reset" }],
  ["a code that is no text", caused(5, 1), { why: "reset" }],
  [
    "a code that is a number, over the cause's own",
    Object.assign(new Error("aborted", { cause: caused("ECONNREFUSED", 0) }), { code: 20 }),
    { why: "refused" },
  ],
  ["nothing more", new Error("failed"), { why: "reset" }],
  [
    "a proxy",
    new Error("failed", { cause: new Error("Proxy response (407) !== 200 when HTTP Tunneling") }),
    { why: "reset", because: "proxy" },
  ],
  ["another's word of a proxy", new Error("no Proxy response (407)"), { why: "reset" }],
])("a call that ends with %s is silence with that reason", async (_, error, expected) => {
  expect(await through(() => Promise.reject(error))).toEqual({ kind: "silence", ...expected });
});

test.each<[string, string | null, number | null]>([
  ["retry-after", "7", 7_000],
  ["retry-after", "70", 70_000],
  ["retry-after", "Fri, 20 Nov 2026 10:01:00 GMT", 60_000],
  ["retry-after", "Fri, 20 Nov 2026 09:00:00 GMT", 0],
  ["retry-after", "2026-11-20T10:01:00Z", 60_000],
  ["retry-after", "Fri, 20 Nov 2026 10:01:00 +0000", 60_000],
  ["retry-after", " 7 ", 7_000],
  ["retry-after", "soon", null],
  ["retry-after", null, null],
  ["date", "Fri, 20 Nov 2026 10:01:00 GMT", Date.UTC(2026, 10, 20, 10, 1)],
  ["date", "soon", null],
  ["date", null, null],
])("the header %s of %j comes to %j", async (name, value, expected) => {
  const answer = await through(async () =>
    Response.json({}, { status: 503, headers: value === null ? {} : { [name]: value } }),
  );
  expect(answer).toMatchObject({ kind: "answer", [name === "date" ? "dateMs" : "retryAfterMs"]: expected });
});

test("a service without a bank is not signed in to where money is real", async () => {
  const sandbox: Fetch = async () => Response.json({}, { headers: { [environmentHeader]: sandboxEnvironment } });
  expect(await through(sandbox)).toEqual({ kind: "silence", why: "refused", because: "sandbox" });
  expect(await through(sandbox, { takesSandbox: true })).toMatchObject({ kind: "answer", status: 200 });
});

test.each<[string, number, string, object]>([
  ["four million characters", 200, `"${"x".repeat(4 * 1024 * 1024 - 2)}"`, { kind: "answer" }],
  ["a character more", 200, `"${"x".repeat(4 * 1024 * 1024 - 1)}"`, { kind: "silence", why: "garbled" }],
  ["a choice of pages", 300, "<html>", { kind: "answer", status: 300, body: undefined }],
  ["nothing but space", 201, " \n", { kind: "answer", status: 201, body: null }],
])("an answer of %s with %d is read or not", async (_, status, body, expected) => {
  expect(await through(async () => new Response(body, { status }))).toMatchObject(expected);
});

test("a call without a token names none, asks for JSON, and goes to one address however it is spelt", async () => {
  const seen: Request[] = [];
  const own: Fetch = async (request) => Response.json({ at: seen.push(request) });
  for (const baseUrl of ["http://own", "http://own//"]) await through(own, {}, { baseUrl });
  expect(seen.map(({ url, headers }) => [url, headers.get("accept"), headers.get("authorization")])).toEqual(
    Array(2).fill(["http://own/x", "application/json", null]),
  );
});

test("https goes out, what is no address does not", async () => {
  const call = { method: "GET", path: "/", timeoutMs: 10_000 } as const;
  const to = (address: string) => createKyTransport(createClock()).send({ ...call, baseUrl: address });
  // The server of this test speaks no TLS.
  expect(await to(baseUrl.replace("http:", "https:"))).toMatchObject({ kind: "silence", because: "certificate" });
  expect(await to("till")).toEqual({ kind: "silence", why: "refused", because: "plain_http" });
});

test.each<[string, Error | undefined, number]>([
  ["end", undefined, 1],
  ["error", caused("ECONNRESET", 0), 1],
  ["error", caused("EPIPE", 0), 0],
])(
  "a connection's %s with %s is a loss or none, and none where it was made once nobody asked any more",
  (event, error, losses) => {
    let lost = 0;
    const stop = onConnectionLost(() => {
      lost += 1;
    });
    const connect = (): EventEmitter => {
      const socket = new EventEmitter();
      channel("undici:client:connected").publish({ socket });
      return socket.on("error", () => {});
    };
    connect().emit(event, error);
    expect(lost).toBe(losses);
    stop();
    connect().emit(event, error);
    expect(lost).toBe(losses);
  },
);
