/** The HTTP transport against a real server that misbehaves: each request goes out once, and silence is named. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { serviceVersion } from "../../../backend/version.ts";
import { createClock } from "../../../main/terminal/adapters.ts";
import { createKyTransport, onConnectionLost } from "../../../main/terminal/service/transport.ts";

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

const send = (timeoutMs = 2_000, path = "/transaction?id=1") =>
  createKyTransport(createClock(), { takesPlainHttp: true }).send({
    method: "GET",
    path,
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
    timeoutMs: 2_000,
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
  const silent = typeof expected === "object" && expected !== null && "why" in expected && expected.why === "timeout";
  expect(await send(silent ? 300 : 10_000)).toMatchObject(expected as object);
  expect(requests).toHaveLength(1);
});

test.each(["http://127.0.0.1", "http://localhost", "http://[::1]", "HTTP://127.1"])(
  "%s is not called unless a developer says so: any program can answer there",
  async (host) => {
    const call = { method: "GET", path: "/", timeoutMs: 2_000 } as const;
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
    timeoutMs: 2_000,
    token: "t",
    body: { a: 1 },
  } as const;
  for (const spelt of [baseUrl, `${baseUrl}/`])
    expect(await transport.send({ ...call, baseUrl: spelt })).toMatchObject({ body: { status: "settled" } });
  expect(called).toEqual(Array(2).fill(`POST ${baseUrl}/x?y=1 Bearer t {"a":1}`));
  expect(requests).toEqual([]);
});

test("a Retry-After that is a date counts from now", async () => {
  const at = new Date(Date.now() + 60_000).toUTCString();
  answer = (response) => response.writeHead(503, { "retry-after": at }).end("{}");
  const result = await send();
  expect(result.kind === "answer" && result.retryAfterMs !== null && result.retryAfterMs > 50_000).toBe(true);
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
  const lost = vi.fn();
  const stop = onConnectionLost(lost);
  expect((await send()).kind).toBe("answer");
  expect(lost).not.toHaveBeenCalled();
  server.closeAllConnections();
  await vi.waitFor(() => expect(lost).toHaveBeenCalled());
  stop();
});
