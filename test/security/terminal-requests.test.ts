/**
 * Hostile requests to the terminal's browser host, as a table: what each has to be answered with. None may reach the terminal,
 * read a snapshot, tell a secret or leave a cookie. The service's part is beside this file.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createTillApp, openSessions } from "../../main/browser/till-app.ts";
import { openPageFiles } from "../../main/host/pages.ts";
import type { Snapshot } from "../../preload/contract.ts";
import { bodies, files, methods } from "./terminal-rows.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-hostile-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(path.join(folder, "renderer", "assets"), { recursive: true });
const page = '<!doctype html><div id="root"></div>';
for (const name of ["index.html", "customer-display.html"]) writeFileSync(path.join(folder, "renderer", name), page);
writeFileSync(path.join(folder, "renderer", "assets", "a.js"), "1");
for (const name of ["credential.json", "page.key.txt", "journal.db", ".env"])
  writeFileSync(path.join(folder, name), "the till's secret");

const port = 47_111;
const home = `127.0.0.1:${port}`;
const handOverSecret = "h".repeat(43);
let nowMs = Date.UTC(2026, 0, 1);
const sessions = openSessions(() => nowMs);
const session = sessions.redeemEntry(sessions.issueEntry()) ?? "";
/** Another run of the same terminal, or another one. */
const elsewhere = openSessions(() => nowMs);

let reached: unknown[] = [];
const app = createTillApp({
  bridge: {
    async dispatch(command) {
      reached.push(command);
      return { ok: true, data: "the till's secret" };
    },
    subscribe(listener) {
      listener({ secret: "the till's secret" } as unknown as Snapshot);
      return () => undefined;
    },
  },
  page: openPageFiles(path.join(folder, "renderer")),
  sessions,
  handOverSecret,
  port,
  entered: () => reached.push("entered"),
  handOver: () => String(reached.push("handed over")),
  endConnections: () => reached.push("cut the connections"),
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

const own = { host: home, origin: `http://${home}`, authorization: `Bearer ${session}` };
const json = { "content-type": "application/json" };
const dispatch: Asked = { method: "POST", path: "/bridge/dispatch", headers: json, body: '{"type":"check_journal"}' };
const stay: Asked = { method: "POST", path: "/bridge/stay" };
const events: Asked = { method: "GET", path: "/bridge/events" };
const customerEvents: Asked = { method: "GET", path: "/customer-display/events" };
const enter = (token: unknown): Asked => ({
  method: "POST",
  path: "/enter",
  headers: json,
  body: JSON.stringify({ token }),
});
/** A value of "" takes a header of `own` away. */
const ask = async (asked: Asked, headers: Readonly<Record<string, string>> = {}) => {
  const all = Object.entries({ ...own, ...asked.headers, ...headers }).filter(([, value]) => value !== "");
  return app.fetch(
    new Request(`http://${home}${asked.path}`, {
      method: asked.method,
      headers: Object.fromEntries(all),
      ...(asked.body === undefined ? {} : { body: asked.body }),
    }),
  );
};
const expectRefused = async (answer: Response, statuses: readonly number[]) => {
  expect(statuses).toContain(answer.status);
  expect(await answer.text()).not.toContain("secret");
  expect(answer.headers.get("set-cookie")).toBeNull();
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  expect(reached).toEqual([]);
};
beforeEach(() => {
  reached = [];
});

test("what the table leads to: the page's own command, events and entry are answered", async () => {
  expect(await (await ask(dispatch)).json()).toMatchObject({ ok: true });
  expect(reached).toEqual([{ type: "check_journal" }]);
  for (const asked of [stay, events]) {
    const answer = await ask(asked);
    expect(answer.status).toBeLessThan(300);
    await answer.body?.cancel();
  }
  const entered = await ask(enter(sessions.issueEntry()), { authorization: "" });
  const { session: given, hostKey } = await entered.json();
  expect([sessions.isOpen(given), hostKey]).toEqual([true, sessions.hostKey]);
});

const name = ({ method, path: at }: Asked) => `${method} ${at}`;
const guarded = [dispatch, stay, events, customerEvents].map((asked) => [name(asked), asked] as const);

const keys: readonly [string, Record<string, string>][] = [
  ["without a session", { authorization: "" }],
  ["with an invented session", { authorization: "Bearer a.b.c" }],
  ["with a part of a session", { authorization: `Bearer ${session.slice(0, -1)}` }],
  ["with another end of it", { authorization: `Bearer ${session.slice(0, -2)}xx` }],
  ["with a part more", { authorization: `Bearer ${session}.x` }],
  ["with the key by which the page knows the host", { authorization: `Bearer ${sessions.hostKey}` }],
  [
    "with a session of another terminal, or of another run",
    { authorization: `Bearer ${elsewhere.redeemEntry(elsewhere.issueEntry())}` },
  ],
  ["with the session as a cookie", { authorization: "", cookie: `till-${port}=${session}; till-session=${session}` }],
  ["with the session by Basic", { authorization: `Basic ${Buffer.from(`x:${session}`).toString("base64")}` }],
  ["with a one-time token in its place", { authorization: `Bearer ${sessions.issueEntry()}` }],
  ["with the hand-over's secret in its place", { authorization: `Bearer ${handOverSecret}` }],
  ["with a session too long", { authorization: `Bearer ${"A".repeat(4_000)}` }],
];
describe.each(guarded)("%s", (_, asked) => {
  test.each(keys)("%s", async (_what, headers) => expectRefused(await ask(asked, headers), [401]));
  test("with a session that has ended", async () => {
    const unused = sessions.redeemEntry(sessions.issueEntry());
    nowMs += 96 * 60 * 60_000;
    const answer = await ask(asked, { authorization: `Bearer ${unused}` });
    nowMs -= 96 * 60 * 60_000;
    await expectRefused(answer, [401]);
  });
  test("with the session in the address", async () => {
    const at = { ...asked, path: `${asked.path}?session=${session}&access_token=${session}` };
    await expectRefused(await ask(at, { authorization: "" }), [401]);
  });
});

const everything = [dispatch, stay, events, customerEvents, enter(sessions.issueEntry()), { method: "GET", path: "/" }];
const names = [
  "evil.example",
  `evil.example:${port}`,
  "127.0.0.1",
  `127.0.0.1:${port + 1}`,
  `127.0.0.1:${port}.evil.example`,
  `127.0.0.1.evil.example:${port}`,
  `127.1:${port}`,
  `2130706433:${port}`,
  `[::1]:${port}`,
  `[::ffff:127.0.0.1]:${port}`,
  `0.0.0.0:${port}`,
  `till.localhost:${port}`,
  `localhost.:${port}`,
  `x@127.0.0.1:${port}`,
];
describe.each(everything.map((asked) => [name(asked), asked] as const))("%s by another name", (_, asked) => {
  test.each(names)("%s", async (host) => {
    await expectRefused(await ask(asked, { host, ...(asked.method === "GET" ? { origin: "" } : {}) }), [421]);
    await expectRefused(await ask(asked, { host, origin: `http://${host}` }), [421]);
  });
});

const origins: readonly [string, Record<string, string>][] = [
  ["of another site", { origin: "https://evil.example" }],
  ["of another port", { origin: `http://127.0.0.1:${port + 1}` }],
  ["of another scheme", { origin: `https://${home}` }],
  ["of the other name", { origin: `http://localhost:${port}` }],
  ["of a name that begins as ours", { origin: `http://${home}.evil.example` }],
  ["without a name (a sandboxed frame)", { origin: "null" }],
  ["in upper case", { origin: `HTTP://${home}` }],
  ["another site, as the browser says", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }],
  ["a neighbour port, as the browser says", { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }],
];
describe.each(everything.slice(0, 5).map((asked) => [name(asked), asked] as const))("%s from a page", (_, asked) => {
  test.each(origins)("%s", async (_what, headers) => expectRefused(await ask(asked, headers), [403]));
});
test.each([dispatch, stay, enter("x")].map((asked) => [name(asked), asked] as const))(
  "%s by a form that says no origin",
  async (_, asked) => expectRefused(await ask(asked, { origin: "" }), [403]),
);
test.each([dispatch, stay].map((asked) => [name(asked), asked] as const))(
  "%s as a link of another site",
  async (_, asked) =>
    expectRefused(await ask(asked, { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }), [403]),
);

const tokens: readonly unknown[] = [
  "",
  "guess",
  "x".repeat(43),
  "x".repeat(4_000),
  null,
  1,
  {},
  ["x"],
  handOverSecret,
  session,
  "__proto__",
];
test.each(tokens)("the one-time token %j", async (token) => {
  await expectRefused(await ask(enter(token), { authorization: "" }), [401]);
});
test.each(["", "{", "[]", "null", "token=x", "\u0000"])("an entry whose body is %j", async (body) => {
  await expectRefused(await ask({ ...enter("x"), body }, { authorization: "" }), [401]);
});
test("a one-time token a second time", async () => {
  const token = sessions.issueEntry();
  expect((await ask(enter(token))).status).toBe(200);
  reached = [];
  await expectRefused(await ask(enter(token)), [401]);
});
test("a one-time token after a quarter of an hour", async () => {
  const token = sessions.issueEntry();
  nowMs += 15 * 60_000 + 1;
  await expectRefused(await ask(enter(token)), [401]);
});
test("a one-time token in the address, as it was once", async () => {
  const token = sessions.issueEntry();
  await expectRefused(await ask({ method: "GET", path: `/enter?token=${token}` }), [401]);
  expect(sessions.redeemEntry(token)).not.toBeNull();
});

test.each(bodies)("a command %s", async (_what, body, headers, status) => {
  await expectRefused(await ask({ ...dispatch, body }, headers), [status]);
});

test.each(files)("the file %s is not to be had", async (at) => {
  await expectRefused(await ask({ method: "GET", path: at }), [404]);
});

test.each(methods)("%s %s does nothing", async (method, at) => {
  await expectRefused(await ask({ method, path: at }), [404]);
});

const guesses: readonly string[] = [
  "",
  "x",
  "h".repeat(42),
  "h".repeat(44),
  "H".repeat(43),
  "é".repeat(43),
  session,
  "null",
];
describe.each(["/hand-over", "/end-sessions"])("POST %s", (at) => {
  test.each(guesses)("with the secret %j", async (secret) => {
    // As node:http reads it: bytes of a header are letters of Latin 1.
    const headers = { "x-hand-over": Buffer.from(secret).toString("latin1") };
    await expectRefused(await ask({ method: "POST", path: at }, headers), [403]);
  });
});
