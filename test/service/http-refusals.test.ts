/** What a listening service refuses, on both stores: the wrong caller, malformed and hostile requests. */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bank, createHttpStage, type HttpStage, type Sent } from "./http-stage.ts";
import { stores } from "./stores.ts";

describe.each(stores)("the API on %s refuses", (dialect) => {
  let stage: HttpStage;
  beforeAll(async () => {
    stage = await createHttpStage(dialect);
  });
  afterAll(() => stage.dispose());

  const post = async (path: string, json: unknown, fields?: Record<string, unknown>, headers = {}) =>
    stage.call("POST", path, { token: await stage.token(fields), json, headers });

  const wrongKind: [string, string, Record<string, unknown> | undefined][] = [
    ["GET", "/transaction?id=1", bank],
    ["POST", "/transaction/confirm", bank],
    ["POST", "/transaction/reject", bank],
    ["POST", "/transaction/link", bank],
    ["POST", "/ext/v1/transactions/1/undelivered", bank],
    ["POST", "/ext/v1/withdrawals", undefined],
    ["POST", "/ext/v1/withdrawals/1/sca", undefined],
    ["POST", "/ext/v1/withdrawals/1/cancel", undefined],
    ["POST", "/api/v7/partnerCheckin", undefined],
  ];
  test.each(wrongKind)("%s %s refuses a token of the wrong kind", async (method, path, fields) => {
    const answer = await stage.call(method, path, { token: await stage.token(fields) });
    expect([answer.status, answer.body.code]).toEqual([403, "insufficient_scope"]);
    expect(answer.headers.get("www-authenticate")).toContain("insufficient_scope");
  });

  const unauthenticated: [string, Record<string, string>][] = [
    ["no header", {}],
    ["another scheme", { authorization: "Basic dGlsbDp0aWxs" }],
    ["no token", { authorization: "Bearer" }],
    ["an unknown token", { authorization: `Bearer ${"A".repeat(43)}` }],
    ["two tokens", { authorization: "Bearer a b" }],
    ["a very long token", { authorization: `Bearer ${"a".repeat(5000)}` }],
  ];
  test.each(unauthenticated)("%s is 401", async (_, headers) => {
    const answer = await stage.call("GET", "/transaction?id=1", { headers });
    expect([answer.status, answer.body.code]).toEqual([401, "unauthenticated"]);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/);
  });

  const deep = `${"[".repeat(100)}${"]".repeat(100)}`;
  const id = "0000000000000000";
  const badBodies: [string, Sent, number, string][] = [
    ["nothing", {}, 415, "unsupported_media_type"],
    ["text", { body: "{}", headers: { "content-type": "text/plain" } }, 415, "unsupported_media_type"],
    ["a form", { body: new URLSearchParams({ transaction_id: id }) }, 415, "unsupported_media_type"],
    [
      "latin1",
      { body: "{}", headers: { "content-type": "application/json; charset=latin1" } },
      415,
      "unsupported_media_type",
    ],
    ["gzip", { json: {}, headers: { "content-encoding": "gzip" } }, 415, "unsupported_media_type"],
    [
      "half a body",
      { body: '{"transaction_id":', headers: { "content-type": "application/json" } },
      400,
      "validation_failed",
    ],
    ["an empty body", { body: "", headers: { "content-type": "application/json" } }, 400, "validation_failed"],
    ["null", { json: null }, 400, "validation_failed"],
    ["an array", { json: [id] }, 400, "validation_failed"],
    ["a number for an id", { json: { transaction_id: 1 } }, 400, "validation_failed"],
    ["no id", { json: {} }, 400, "validation_failed"],
    ["an empty id", { json: { transaction_id: "" } }, 400, "validation_failed"],
    [
      "a name twice",
      { body: `{"transaction_id":"${id}","transaction_id":"1"}`, headers: { "content-type": "application/json" } },
      400,
      "validation_failed",
    ],
    [
      "__proto__",
      { body: `{"transaction_id":"${id}","__proto__":{"a":1}}`, headers: { "content-type": "application/json" } },
      400,
      "validation_failed",
    ],
    ["NUL", { json: { transaction_id: id, note: "a\0b" } }, 400, "validation_failed"],
    ["a lone surrogate", { json: { transaction_id: id, note: "\ud800" } }, 400, "validation_failed"],
    [
      "deep nesting",
      { body: `{"transaction_id":"${id}","x":${deep}}`, headers: { "content-type": "application/json" } },
      400,
      "validation_failed",
    ],
    [
      "no UTF-8",
      {
        body: Buffer.from(`{"transaction_id":"${id}","x":"\xff"}`, "latin1"),
        headers: { "content-type": "application/json" },
      },
      400,
      "validation_failed",
    ],
    ["more than 64 KiB", { json: { transaction_id: id, x: "x".repeat(65_536) } }, 413, "payload_too_large"],
    [
      "an unknown field and an unknown id",
      { json: { transaction_id: id, extra: { deep: [1e308, -0] } } },
      404,
      "transaction_not_found",
    ],
  ];
  test.each(badBodies)("a body of %s", async (_, sent, status, code) => {
    const answer = await stage.call("POST", "/transaction/reject", { ...sent, token: await stage.token() });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
    expect(answer.body).toMatchObject({
      status,
      title: expect.any(String),
      type: expect.any(String),
      detail: expect.any(String),
    });
    expect(answer.body.request_id).toBe(answer.headers.get("x-request-id"));
    expect(Array.isArray(answer.body.errors)).toBe(status === 400);
  });

  test("a body without a length is measured while it streams", async () => {
    const stream = new ReadableStream({
      start(controller) {
        // It never ends: whoever waits for its end gives no answer.
        for (let at = 0; at < 65; at++) controller.enqueue(new Uint8Array(1024).fill(0x20));
      },
    });
    const answer = await fetch(`${stage.baseUrl()}/transaction/reject`, {
      method: "POST",
      body: stream,
      headers: { "content-type": "application/json", authorization: `Bearer ${await stage.token()}` },
      duplex: "half",
      signal: AbortSignal.timeout(60_000),
    } as RequestInit);
    expect(answer.status).toBe(413);
  });

  const badQueries: [string, number][] = [
    ["", 400],
    ["?id=", 400],
    ["?id=a&id=b", 400],
    ["?id=%00", 400],
    ["?id=%ff%fe", 400],
    ["?id=a%20b", 400],
    [`?id=${"a".repeat(65)}`, 400],
    [`?id=${id}&wait=-1`, 400],
    [`?id=${id}&wait=26`, 400],
    [`?id=${id}&wait=NaN`, 400],
    [`?id=${id}&wait=1.5`, 400],
    [`?id=${id}&status=paid`, 400],
    ["?id=constructor", 404],
    ["?id=1%27%20OR%201=1--", 400],
    ["?id=1'OR'1'='1", 404],
    [`?id=${id}&wait=5`, 404],
    [`?id=${id.toLowerCase()}&x=1`, 404],
  ];
  test.each(badQueries)("GET /transaction%s is %d", async (query, status) => {
    expect((await stage.call("GET", `/transaction${query}`, { token: await stage.token() })).status).toBe(status);
  });

  const requestIds: [string, string | undefined, boolean][] = [
    ["a sane one comes back", "till-7/42", true],
    ["255 characters come back", "x".repeat(255), true],
    ["256 characters are replaced", "x".repeat(256), false],
    ["tabs are replaced", "a\tb", false],
    ["none is made up", undefined, false],
  ];
  test.each(requestIds)("X-Request-Id: %s", async (_, sent, echoed) => {
    for (const path of ["/healthz", "/transaction", "/nowhere"]) {
      const answer = await stage.call("GET", path, { headers: sent === undefined ? {} : { "x-request-id": sent } });
      const back = answer.headers.get("x-request-id") ?? "";
      if (echoed) expect(back).toBe(sent);
      else expect(back).toMatch(/^[0-9a-f]{16}$/);
    }
  });

  const methods: [string, string, number, string | null][] = [
    ["GET", "/nowhere", 404, null],
    ["POST", "/", 404, null],
    ["DELETE", "/transaction", 405, "GET, HEAD, OPTIONS"],
    ["POST", "/transaction", 405, "GET, HEAD, OPTIONS"],
    ["GET", "/transaction/confirm", 405, "POST, OPTIONS"],
    ["PUT", "/api/v2/users", 405, "POST, OPTIONS"],
    ["OPTIONS", "/transaction", 204, "GET, HEAD, OPTIONS"],
    ["OPTIONS", "/ext/v1/withdrawals/x/sca", 204, "POST, OPTIONS"],
    ["OPTIONS", "/ext/v1/withdrawals", 204, "POST, GET, HEAD, OPTIONS"],
    ["HEAD", "/healthz", 200, null],
    ["HEAD", "/nowhere", 404, null],
    ["HEAD", "/transaction?id=1", 401, null],
  ];
  test.each(methods)("%s %s is %d", async (method, path, status, allow) => {
    const answer = await stage.call(method, path);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("allow")).toBe(allow);
    expect(answer.headers.get("x-request-id")).toBeTruthy();
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    if (method === "HEAD") expect(answer.text).toBe("");
  });

  test("Idempotency-Key: needed, repeated, reused", async () => {
    const body = { user_id: "u", amount: "20.00", currency: "EUR", store: "demo-shop" };
    expect((await post("/ext/v1/withdrawals", body, bank)).status).toBe(400);
    const key = { "idempotency-key": "one-key" };
    const [first, second] = await Promise.all([
      post("/ext/v1/withdrawals", body, bank, key),
      post("/ext/v1/withdrawals", body, bank, key),
    ]);
    expect([first?.status, second?.status]).toEqual([201, 201]);
    expect(first?.body).toEqual(second?.body);
    const reused = await post("/ext/v1/withdrawals", { ...body, amount: "30.00" }, bank, key);
    expect([reused.status, reused.body.code]).toEqual([422, "idempotency_key_reused"]);
  });

  const rawRequests: [string, string, RegExp][] = [
    ["no HTTP", "hello\r\n\r\n", /^HTTP\/1\.1 400 .*x-request-id: /is],
    ["no Host", "GET /healthz HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["no Host by HTTP/1.0, as of a balancer", "GET /healthz HTTP/1.0\r\n\r\n", /^HTTP\/1\.1 200 /],
    [
      "a Host that is none",
      "GET /healthz HTTP/1.1\r\nHost: a b/../c\r\nConnection: close\r\n\r\n",
      /^HTTP\/1\.1 400 .*x-request-id: /is,
    ],
    [
      "a folded header",
      "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n b: c\r\nConnection: close\r\n\r\n",
      /^HTTP\/1\.1 400 /,
    ],
    [
      "a bare LF in a header",
      "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\nSet-Cookie: b\r\n\r\n",
      /^HTTP\/1\.1 400 /,
    ],
    [
      "16 KiB of headers",
      `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(17_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 .*"status":431/is,
    ],
    [
      "two lengths",
      "POST /transaction/link HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
      /^HTTP\/1\.1 400 /,
    ],
    [
      "length and chunks",
      "POST /transaction/link HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      /^HTTP\/1\.1 400 /,
    ],
    [
      "no body, and no length that says so",
      "POST /oauth2/authorize HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n",
      /^HTTP\/1\.1 400 /,
    ],
    [
      "an expectation that nobody knows",
      "POST /oauth2/authorize HTTP/1.1\r\nHost: x\r\nExpect: gold\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
      /^HTTP\/1\.1 415 .*x-request-id: /is,
    ],
    ["an absolute target", "GET http://x/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 200 /],
    ["a dot path", "GET /docs/../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 404 /],
  ];
  test.each(rawRequests)("bytes on the socket: %s", async (_, bytes, expected) => {
    const port = Number(new URL(stage.baseUrl()).port);
    const text = await new Promise<string>((resolve, reject) => {
      let received = "";
      const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
      socket.on("data", (chunk) => {
        received += chunk.toString("latin1");
      });
      socket.on("close", () => resolve(received));
      socket.on("error", reject);
    });
    expect(text).toMatch(expected);
    expect(text).not.toMatch(/^set-cookie/im);
  });

  test("rubbish behind a request never takes the place of its answer", async () => {
    const port = Number(new URL(stage.baseUrl()).port);
    const body = JSON.stringify({ transaction_id: await stage.withdrawal() });
    const head = `POST /transaction/reject HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${await stage.token()}\r\n`;
    const received = await new Promise<string>((resolve) => {
      let text = "";
      const socket = connect(port, "127.0.0.1", () =>
        socket.write(
          `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}rubbish\r\n\r\n`,
        ),
      );
      socket.on("data", (chunk) => {
        text += chunk.toString();
      });
      socket.on("close", () => resolve(text));
      socket.on("error", () => {});
    });
    expect(received).toMatch(/^($|HTTP\/1\.1 201 )/);
  });
});
