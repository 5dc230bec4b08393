/** A hostile neighbour in the shop's network while a manager lets a phone in: what is asked for, and what it must come to. */
import { connect } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { operations } from "../../backend/http/operations/index.ts";
import { ask, openPhoneStage, type PhoneStage } from "./phone-stage.ts";

let stage: PhoneStage;
let port: number;
let host: string;
let code: string;
let key: string;
let page: string;
/** A phone that was let in, or a stranger. */
const phone = (): [string, string][] => [
  ["Host", host],
  ["Cookie", key],
];
const stranger = (): [string, string][] => [["Host", host]];

beforeAll(async () => {
  stage = await openPhoneStage();
  ({ port, code } = await stage.open());
  host = `127.0.0.1:${port}`;
  const entered = await ask(port, { path: `/${code}`, headers: stranger() });
  key = entered.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  const begun = await ask(port, { path: "/", headers: phone() });
  page = begun.headers.location?.split("?")[0] ?? "";
  expect(page).toMatch(/^\/websdk\//);
});
afterAll(() => stage.stop());

const secrets = ["till-secret", "bank-secret", "demo-shop", "Demo Bank", "sandbox/bank/ledger"];

test("the code is the way in, in capitals or not", async () => {
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/);
  for (const path of [`/${code}`, `/${code.toLowerCase()}`]) {
    const { status, headers } = await ask(port, { path, headers: stranger() });
    expect(status).toBe(303);
    expect(headers["set-cookie"]?.[0]).toMatch(/^tillcash-phone=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  }
});

test("the service is given the page's cookies, and not the key to the way in", async () => {
  await ask(port, { path: page, headers: [...stranger(), ["Cookie", `first=1; ${key}; last=2=3`]] });
  expect(stage.passed.at(-1)).toBe("first=1; last=2=3");
});

test("a page is waited for longer than the service holds an answer, and then there is no service", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
  onTestFinished(() => timeout.mockRestore());
  expect((await ask(port, { path: page, headers: phone() })).status).toBe(503);
  expect(timeout.mock.calls).toEqual([[30_000]]);
});

/** The whole interface of terminals, banks and operators, the sandbox's other pages, and the terminal's own. */
const elsewhere = [
  ...operations.map(({ method, path }) => [method.toUpperCase(), path.replace(/\{\w+\}/g, "x")] as const),
  ["GET", "/docs"],
  ["GET", "/sandbox/bank/ledger"],
  ["POST", "/sandbox/checkins"],
  ["POST", "/sandbox/withdrawals"],
  ["POST", "/sandbox/bank/start-order"],
  ["POST", "/sandbox/bank/settle-order"],
  ["POST", "/bridge/dispatch"],
  ["GET", "/bridge/events"],
  ["GET", "/enter?token=x"],
  ["POST", "/hand-over"],
  ["GET", "/customer-display"],
  ["GET", "/index.html"],
  ["GET", "//healthz"],
  ["GET", "/websdk-assets/../healthz"],
  ["GET", "/websdk-assets/%2e%2e/healthz"],
  ["GET", "/websdk/x/../../transaction?id=1"],
  ["GET", "/websdk/x%2f..%2f..%2fhealthz"],
  ["GET", "/websdk/x/live/../../../openapi.json"],
  ["GET", "http://127.0.0.1/healthz"],
] as const;
test.each(elsewhere)("%s %s leads nowhere, also for a phone that was let in", async (method, path) => {
  const from = method === "POST" ? ([["Origin", `http://${host}`]] as [string, string][]) : [];
  const inside = await ask(port, { method, path, headers: [...phone(), ...from] });
  expect([404, 400, 405]).toContain(inside.status);
  const outside = await ask(port, { method, path, headers: [...stranger(), ...from] });
  expect([403, 400, 405]).toContain(outside.status);
  for (const secret of secrets) expect(inside.text + outside.text).not.toContain(secret);
});

test("a neighbour without the code sees no page, no file, and nothing of shop, bank or training", async () => {
  for (const path of [
    "/",
    "/sandbox",
    page,
    `${page}/live`,
    "/sandbox/bank/sca/7F3K9Q2M4XJ8A1WN",
    "/websdk-assets/x",
  ]) {
    const { status, text, headers } = await ask(port, { path, headers: stranger() });
    expect(status, path).toBe(403);
    expect(headers["set-cookie"]).toBeUndefined();
    for (const word of [...secrets, "training", "127.0.0.1", "websdk", code])
      expect(text.toLowerCase(), path).not.toContain(word.toLowerCase());
  }
});

test("a wrong code and a made-up key open nothing", async () => {
  const wrong = `${code.slice(0, -1)}${code.endsWith("0") ? "1" : "0"}`;
  for (const path of [`/${wrong}`, `/${code}/`, `/${code}${code}`, `/${code.slice(1)}`, `/x/${code}`])
    expect((await ask(port, { path, headers: stranger() })).status, path).toBe(403);
  const forged = await ask(port, {
    path: "/",
    headers: [...stranger(), ["Cookie", `tillcash-phone=${"A".repeat(43)}`]],
  });
  expect(forged.status).toBe(403);
});

const names = () => [
  "evil.example",
  `evil.example:${port}`,
  "127.0.0.1",
  `localhost:${port}`,
  `127.0.0.1:${port + 1}`,
  `127.1:${port}`,
  `0.0.0.0:${port}`,
];
test("no other name leads here: a rebound one is refused with the key and without", async () => {
  for (const name of names()) {
    const headers: [string, string][] = [
      ["Host", name],
      ["Cookie", key],
    ];
    expect((await ask(port, { path: "/", headers })).status, name).toBe(421);
    const way = await ask(port, { path: `/${code}`, headers: [["Host", name]] });
    expect(way.status, name).toBe(421);
  }
});

const foreign: [string, [string, string][]][] = [
  ["a form of another site", [["Origin", "https://evil.example"]]],
  ["a form without an origin", []],
  ["a form of a page without a name", [["Origin", "null"]]],
  ["a form of a neighbour port", [["Origin", "http://127.0.0.1:1"]]],
  ["a form that the browser calls foreign", [["Sec-Fetch-Site", "cross-site"]]],
];
test.each(foreign)("%s moves nothing", async (_, more) => {
  const own: [string, string][] = more.some(([name]) => name === "Sec-Fetch-Site")
    ? [["Origin", `http://${host}`]]
    : [];
  for (const path of [`${page}/withdrawal`, `${page}/cancel`, "/sandbox/bank/sca/7F3K9Q2M4XJ8A1WN"])
    expect((await ask(port, { method: "POST", path, headers: [...phone(), ...own, ...more] })).status).toBe(403);
});

test("a page of another site can load nothing from here", async () => {
  for (const [site, mode] of [
    ["cross-site", "no-cors"],
    ["same-site", "cors"],
  ] as const) {
    const headers: [string, string][] = [...phone(), ["Sec-Fetch-Site", site], ["Sec-Fetch-Mode", mode]];
    expect((await ask(port, { path: page, headers })).status).toBe(403);
  }
});

const methods = ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"];
test.each(methods)("%s is not known", async (method) => {
  expect((await ask(port, { method, path: page, headers: phone() })).status).toBe(405);
});

test("a body beyond 4 KiB, or of an unsaid length, is not read", async () => {
  const origin: [string, string] = ["Origin", `http://${host}`];
  const path = `${page}/withdrawal`;
  const long = "x".repeat(5_000);
  const said = await ask(
    port,
    { method: "POST", path, headers: [...phone(), origin, ["Content-Length", "5000"]] },
    long,
  );
  expect(said.status).toBe(413);
  const chunked = [...phone(), origin, ["Transfer-Encoding", "chunked"]] as [string, string][];
  expect((await ask(port, { method: "POST", path, headers: chunked }, "a=b")).status).toBe(413);
});

/** Sends bytes as they are; whatever comes back until the connection ends. */
const raw = (bytes: string): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setTimeout(2_000, () => socket.destroy());
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
  });
const smuggled: [string, () => string][] = [
  ["two Hosts", () => `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: evil\r\nConnection: close\r\n\r\n`],
  [
    "two Cookies",
    () => `GET / HTTP/1.1\r\nHost: ${host}\r\nCookie: a=b\r\nCookie: ${key}\r\nConnection: close\r\n\r\n`,
  ],
  ["a tunnel", () => "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n"],
  [
    "another protocol",
    () =>
      `GET ${page} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${key}\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n`,
  ],
  [
    "an address of elsewhere",
    () => `GET http://169.254.169.254/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  ],
  ["no Host", () => "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"],
  ["a header without an end", () => `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${"a".repeat(20_000)}\r\n\r\n`],
];
test.each(smuggled)("raw: %s gets no page", async (_, bytes) => {
  const answer = await raw(bytes());
  expect(answer).not.toMatch(/^HTTP\/1.1 (101|2\d\d|303)/);
  for (const secret of secrets) expect(answer).not.toContain(secret);
});

test("where the training service has gone, whoever has its port is asked for nothing", async () => {
  stage.isRunning = false;
  const before = await ask(port, { path: page, headers: phone() });
  stage.isRunning = true;
  expect(before.status).toBe(503);
  expect(before.text).not.toContain("Demo");
});
