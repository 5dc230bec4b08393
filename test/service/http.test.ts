/** Every call over a real socket, on both stores: what it answers, and how it refuses. */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { transactionSchema } from "../../backend/contract/transaction.ts";
import { adhoc } from "../../backend/store/statement.ts";
import { run } from "../../backend/store/store.ts";
import { bank, createHttpStage, type HttpStage, otherBank, otherTill, type Sent, till2 } from "./http-stage.ts";
import { stores } from "./stores.ts";

describe.each(stores)("the API on %s", (dialect) => {
  let stage: HttpStage;
  beforeAll(async () => {
    stage = await createHttpStage(dialect);
  });
  afterAll(() => stage.dispose());

  const post = async (path: string, json: unknown, fields?: Record<string, unknown>, headers = {}) =>
    stage.call("POST", path, { token: await stage.token(fields), json, headers });

  test("a day as `to` is in the report up to its end, and in no report that ends the day before", async () => {
    const id = await stage.settled("day-1");
    const { body: confirmed } = await stage.call("GET", `/transaction?id=${id}`, { token: await stage.token() });
    const day = confirmed.confirmed_at.slice(0, 10);
    const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
    const ids = async (from: string, to: string) => {
      const path = `/ext/v1/reconciliation?from=${from}&to=${to}`;
      const { body } = await stage.call("GET", path, { token: await stage.token(bank) });
      return body.lines.map((line: { transaction_id: string }) => line.transaction_id);
    };
    expect(await ids(day, day)).toContain(id);
    expect(await ids(before, before)).not.toContain(id);
  });

  test("the history: every call with its X-Request-Id, for the shop and the bank alone", async () => {
    const id = await stage.settled("history-1");
    await stage.call("POST", "/transaction/link", {
      token: await stage.token(),
      json: { transaction_id: id },
      headers: { "x-request-id": "till-1-link" },
    });
    const path = `/ext/v1/transactions/${id}/events`;
    const read = async (fields?: typeof bank) => stage.call("GET", path, { token: await stage.token(fields) });
    const answer = await read();
    expect(answer.body.events.map(({ from, to }: { from: string; to: string }) => [from, to])).toEqual([
      [null, "requested"],
      ["requested", "ready"],
      ["ready", "settling"],
      ["settling", "settled"],
      ["settled", "linked"],
    ]);
    expect(answer.body.events.at(-1)).toMatchObject({ actor: "device", actor_id: "till-1", request_id: "till-1-link" });
    expect(answer.body.events.slice(0, 3).every((event: { request_id: unknown }) => event.request_id)).toBe(true);
    expect((await read(bank)).body).toEqual(answer.body);
    expect((await read(otherTill)).status).toBe(404);
    expect((await read(otherBank)).status).toBe(404);
  });

  test("a withdrawal from the request to the cash", async () => {
    const id = await stage.withdrawal();
    const token = await stage.token();
    const seen = await stage.call("GET", `/transaction?id=${id}`, { token });
    expect(seen.status).toBe(200);
    expect(transactionSchema.parse(seen.body)).toMatchObject({ status: "ready", amount: "50.00", currency: "EUR" });
    expect(seen.text).not.toContain("customer-77");

    const confirm = { transaction_id: id, transaction_id_partner: "pos-1" };
    const confirmed = await post("/transaction/confirm", confirm);
    expect([confirmed.status, confirmed.body.status]).toEqual([201, "awaiting_sca"]);
    const again = await post("/transaction/confirm", confirm);
    expect([again.status, again.body]).toEqual([201, confirmed.body]);

    const held = stage.call("GET", `/transaction?id=${id}&wait=25&status=awaiting_sca`, { token });
    const approved = await post(`/ext/v1/withdrawals/${id}/sca`, { outcome: "approved" }, bank);
    expect(approved.status).toBe(201);
    expect((await held).body.status).toMatch(/^(settling|settled)$/);
    await stage.call("GET", `/transaction?id=${id}&wait=25&status=settling`, { token });

    const linked = await post("/transaction/link", { transaction_id: id });
    expect([linked.status, linked.body.status]).toEqual([201, "linked"]);
    expect((await post("/transaction/link", { transaction_id: id })).body).toEqual(linked.body);
  });

  test("what does not fit the status is a conflict that shows the transaction", async () => {
    const id = await stage.settled("pos-conflict");
    const refused = await post("/transaction/reject", { transaction_id: id });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      code: "transaction_conflict",
      status: 409,
      transaction: { status: "settled" },
    });
    const declared = await post(`/ext/v1/transactions/${id}/undelivered`, { reason: "customer_left" });
    expect([declared.status, declared.body.status]).toEqual([201, "undelivered"]);
    expect((await post("/transaction/link", { transaction_id: id })).status).toBe(409);
  });

  test("a reject says whether the cashier chose it or the time for the approval ran out", async () => {
    const rejected = async (pos: string, fields: object) => {
      const id = await stage.withdrawal();
      await post("/transaction/confirm", { transaction_id: id, transaction_id_partner: pos });
      return post("/transaction/reject", { transaction_id: id, ...fields });
    };
    expect((await rejected("pos-reject-1", {})).body).toMatchObject({ status: "rejected", reason: "cashier_rejected" });
    expect((await rejected("pos-reject-2", { reason: "sca_timeout" })).body).toMatchObject({
      status: "rejected",
      reason: "sca_timeout",
    });
    expect((await rejected("pos-reject-3", { reason: "settle_declined" })).status).toBe(400);
  });

  test("others see nothing: 404 and not 403", async () => {
    const id = await stage.withdrawal();
    const token = await stage.token(otherTill);
    const confirm = { transaction_id: id, transaction_id_partner: "x" };
    const seen = [
      await stage.call("GET", `/transaction?id=${id}`, { token }),
      await post("/transaction/confirm", confirm, otherTill),
      await post("/transaction/reject", { transaction_id: id }, otherTill),
      await post("/transaction/link", { transaction_id: id }, otherTill),
      await post(`/ext/v1/withdrawals/${id}/sca`, { outcome: "approved" }, otherBank),
      await post(`/ext/v1/withdrawals/${id}/cancel`, undefined, otherBank),
    ];
    for (const answer of seen) expect([answer.status, answer.body.code]).toEqual([404, "transaction_not_found"]);
    await post("/transaction/confirm", confirm);
    expect((await post("/transaction/reject", { transaction_id: id }, till2)).status).toBe(404);
    expect((await stage.call("GET", `/transaction?id=${id}`, { token: await stage.token(till2) })).status).toBe(200);
  });

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
      { body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), headers: { "content-type": "application/json" } },
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
        for (let at = 0; at < 65; at++) controller.enqueue(new Uint8Array(1024).fill(0x20));
        controller.close();
      },
    });
    const answer = await fetch(`${stage.baseUrl()}/transaction/reject`, {
      method: "POST",
      body: stream,
      headers: { "content-type": "application/json", authorization: `Bearer ${await stage.token()}` },
      duplex: "half",
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
      else expect(back).toMatch(/^[0-9a-f]{32}$/);
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
    [
      "a Host that is none",
      "GET /healthz HTTP/1.1\r\nHost: a b/../c\r\nConnection: close\r\n\r\n",
      /^HTTP\/1\.1 400 .*x-request-id: /is,
    ],
    [
      "a folded header",
      "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n b: c\r\nConnection: close\r\n\r\n",
      /^HTTP\/1\.1 [24]0/,
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
    expect(received).not.toMatch(/^HTTP\/1\.1 400/);
  });

  test("reconciliation up to now has what was confirmed before the clock was set back", async () => {
    const id = await stage.settled("pos-from-the-future");
    const store = await stage.place.open();
    const ahead = Date.now() + 3_600_000;
    const set = adhoc((db) => db.updateTable("withdrawals").set({ confirmed_at: ahead }).where("id", "=", id));
    await store.write(() => run(set));
    await store.close();
    const idsIn = async (query: string): Promise<string[]> => {
      const report = await stage.call("GET", `/ext/v1/reconciliation${query}`, { token: await stage.token(bank) });
      return report.body.lines.map((line: { transaction_id: string }) => line.transaction_id);
    };
    expect(await idsIn("")).toContain(id);
    expect(await idsIn(`?to=${new Date().toISOString()}`)).not.toContain(id);
  });

  test("reconciliation: every confirmed transaction, for its own people, as JSON and CSV", async () => {
    const settled = await stage.settled("=cmd|'/C'!A0");
    const unconfirmed = await stage.withdrawal();
    const report = await stage.call("GET", "/ext/v1/reconciliation", { token: await stage.token(bank) });
    expect(report.status).toBe(200);
    expect(report.body.count).toBe(report.body.lines.length);
    const ids = report.body.lines.map((line: { transaction_id: string }) => line.transaction_id);
    expect(ids).toContain(settled);
    expect(ids).not.toContain(unconfirmed);
    expect(report.body.lines.find((line: { transaction_id: string }) => line.transaction_id === settled)).toMatchObject(
      {
        finding: "not_linked",
        transaction_id_partner: "=cmd|'/C'!A0",
      },
    );

    const csv = await stage.call("GET", "/ext/v1/reconciliation?format=csv", { token: await stage.token() });
    const rows = csv.text.split("\r\n");
    expect(rows[0]).toMatch(/^transaction_id,transaction_id_partner,store,/);
    expect(rows).toHaveLength(report.body.lines.length + 2);
    expect(csv.text).toContain(`${settled},'=cmd|'/C'!A0,demo-shop,`);

    for (const fields of [otherTill, otherBank]) {
      const others = await stage.call("GET", "/ext/v1/reconciliation?store=demo-shop", {
        token: await stage.token(fields),
      });
      expect(others.body.lines).toEqual([]);
    }
    for (const query of [
      "from=yesterday",
      "format=xml",
      "from=2026-02-30",
      "from=2026-11-22&to=2026-11-20",
      "to=1&to=2",
    ])
      expect(
        (await stage.call("GET", `/ext/v1/reconciliation?${query}`, { token: await stage.token(bank) })).status,
      ).toBe(400);
  });
});
