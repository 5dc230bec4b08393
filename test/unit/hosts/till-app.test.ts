/** What each address of the terminal's loopback app answers to whom, as a table; the guards by themselves: `guard.test.ts`. */
import { expect, test } from "vitest";
import { createStartingApp, createTillApp, openSessions } from "../../../main/browser/till-app.ts";
import { customerPaths } from "../../../main/host/pages.ts";

const port = 4711;
const host = `127.0.0.1:${port}`;
const own = { host, origin: `http://${host}` };
const json = { ...own, "content-type": "application/json" };
const press = JSON.stringify({ type: "check_journal" });

/** `done`: what was called, in order. */
const start = () => {
  const done: string[] = [];
  const finished: (() => void)[] = [];
  const sessions = openSessions(() => 0);
  const app = createTillApp({
    bridge: {
      dispatch: async ({ type }) => {
        done.push(type);
        return { ok: true };
      },
      subscribe: () => () => undefined,
    },
    page: ({ pathname }) => ({ status: 200, headers: {}, body: `the page ${pathname}` }),
    sessions,
    handOverSecret: "the secret",
    port,
    entered: () => done.push("entered"),
    handOver: () => "http://the-entry",
    endConnections: () => done.push("connections ended"),
  });
  const outgoing = { once: (event: string, listener: () => void) => event === "finish" && finished.push(listener) };
  const ask = (method: string, path: string, headers: Record<string, string>, body?: string, raw: string[] = []) =>
    app.request(
      path,
      { method, headers, ...(body !== undefined && { body }) },
      { incoming: { rawHeaders: raw }, outgoing },
    );
  const enter = () => sessions.redeemEntry(sessions.issueEntry()) ?? "";
  return { ask, done, finished, sessions, enter };
};
type Ask = Parameters<ReturnType<typeof start>["ask"]>;

test.each<[string, Ask, number, string | RegExp]>([
  [
    "a second start with the secret",
    ["POST", "/hand-over", { "x-hand-over": "the secret" }],
    200,
    '{"address":"http://the-entry"}',
  ],
  ["a second start with another one", ["POST", "/hand-over", { "x-hand-over": "another" }], 403, "Refused.\n"],
  ["a second start without one", ["POST", "/hand-over", {}], 403, "Refused.\n"],
  [
    "a second start with a header twice",
    ["POST", "/hand-over", { "x-hand-over": "the secret" }, undefined, ["Host", host, "Host", "x"]],
    400,
    /twice/,
  ],
  [
    "the end of sessions with another secret",
    ["POST", "/end-sessions", { "x-hand-over": "another" }],
    403,
    "Refused.\n",
  ],
  ["the end of sessions without one", ["POST", "/end-sessions", {}], 403, "Refused.\n"],
  ["a page at another name", ["GET", "/", { host: "till.example" }], 421, /not the terminal's/],
  ["a page", ["GET", "/index.html", { host }], 200, "the page /index.html"],
  ["an entry's address, opened once more", ["GET", "/enter", { host, accept: "text/html,*/*" }], 401, /<h1>/],
  [
    "the same by a program",
    ["GET", "/enter", { host, accept: "*/*" }],
    401,
    /^This address no longer opens the terminal\. .*\n$/,
  ],
  [
    "the same by one that names nothing",
    ["GET", "/enter", { host }],
    401,
    /^This address no longer opens the terminal\. .*\n$/,
  ],
  ["an entry that nobody issued", ["POST", "/enter", json, '{"token":"x"}'], 401, /^This address/],
  ["an entry without a token", ["POST", "/enter", json, "{}"], 401, /^This address/],
  ["an entry that is no JSON", ["POST", "/enter", json, "{"], 401, /^This address/],
  ["an entry of 65 kB", ["POST", "/enter", json, "x".repeat(65 * 1024)], 413, /./],
  ["the customer's page by its file's name", ["GET", customerPaths.file, { host }], 303, ""],
  ["the customer's page", ["GET", customerPaths.page, { host }], 200, `the page ${customerPaths.file}`],
  ["a press without a session", ["POST", "/bridge/dispatch", json, press], 401, /^This address/],
  ["a sign of life without a session", ["POST", "/bridge/stay", own], 401, /^This address/],
  ["snapshots without a session", ["GET", "/bridge/events", { host }], 401, /^This address/],
  ["the customer's snapshots without a session", ["GET", customerPaths.events, { host }], 401, /^This address/],
])("%s", async (_, asked, status, text) => {
  const { ask, done, sessions, enter } = start();
  const session = enter();
  const answer = await ask(...asked);
  expect(answer.status).toBe(status);
  const said = await answer.text();
  if (typeof text === "string") expect(said).toBe(text);
  else expect(said).toMatch(text);
  if (status === 401) expect(answer.headers.get("cache-control")).toBe("no-store");
  expect([done, sessions.isOpen(session)]).toEqual([[], true]);
});

test.each<[string, Record<string, string>, string, number, readonly string[]]>([
  ["a press", json, press, 200, ["check_journal"]],
  [
    "a press with its characters named",
    { ...json, "content-type": "application/json ; charset=utf-8" },
    press,
    200,
    ["check_journal"],
  ],
  ["a press as a form", { ...json, "content-type": "text/plain" }, press, 415, []],
  ["a press of no kind", own, press, 415, []],
  ["a press that is no JSON", json, "{", 400, []],
  ["a press that there is not", json, '{"type":"give"}', 400, []],
  ["a press of 65 kB", json, `{"type":"check_journal"${" ".repeat(65 * 1024)}}`, 413, []],
])("with a session, %s", async (_, headers, body, status, did) => {
  const { ask, done, enter } = start();
  const answer = await ask("POST", "/bridge/dispatch", { ...headers, authorization: `Bearer ${enter()}` }, body);
  expect([answer.status, done]).toEqual([status, did]);
  if (status === 400 || status === 415) expect(await answer.json()).toEqual({ ok: false, code: "invalid" });
});

test.each(["/bridge/events", customerPaths.events])(
  "with a session, %s is a stream that nobody keeps",
  async (path) => {
    const { ask, enter } = start();
    const { body, headers } = await ask("GET", path, { host, authorization: `Bearer ${enter()}` });
    await body?.cancel();
    expect(["content-type", "cache-control", "x-content-type-options"].map((name) => headers.get(name))).toEqual([
      "text/event-stream",
      "no-store",
      "nosniff",
    ]);
  },
);

test("an entry opens once, says so, and is kept nowhere", async () => {
  const { ask, done, sessions } = start();
  const token = sessions.issueEntry();
  const answer = await ask("POST", "/enter", json, JSON.stringify({ token }));
  const { session, hostKey } = (await answer.json()) as { session: string; hostKey: string };
  expect([sessions.isOpen(session), hostKey, done]).toEqual([true, sessions.hostKey, ["entered"]]);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect((await ask("POST", "/enter", json, JSON.stringify({ token }))).status).toBe(401);
});

test("whoever has the secret ends all sessions, and connections once that was answered", async () => {
  const { ask, done, finished, sessions, enter } = start();
  const session = enter();
  expect((await ask("POST", "/end-sessions", { "x-hand-over": "the secret" })).status).toBe(204);
  expect([sessions.isOpen(session), done]).toEqual([false, []]);
  for (const finish of finished) finish();
  expect(done).toEqual(["connections ended"]);
});

test("between two terminals nothing is there, and the same guards are", async () => {
  const app = createStartingApp(
    openSessions(() => 0),
    port,
  );
  const asked = (headers: Record<string, string>, rawHeaders: string[] = []) =>
    app.request("/", { headers }, { incoming: { rawHeaders } });
  const answers = [
    await asked({ host }),
    await asked({ host: "till.example" }),
    await asked({ host }, ["Host", host, "Host", "x"]),
  ];
  expect(answers.map(({ status }) => status)).toEqual([503, 421, 400]);
});
