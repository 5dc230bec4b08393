/** The built browser host, listening: who may use the till, and what it serves to whom. */

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { languages } from "../../../preload/choices.ts";
import { customerViewSchema } from "../../../preload/customer-view.ts";
import { dispatchTo, enterTill } from "../../e2e/stage/bridge-client.ts";
import { addressFromRunningTill, startTillHost, type TillHost, trainingServiceOf } from "../../e2e/stage/programs.ts";
import { freePort } from "../../free-port.ts";
import { ensureBuilt } from "../../runner/built.ts";
import { firstEventOf, type Sent, sendTo } from "./raw-request.ts";

const browserHost = path.join(import.meta.dirname, "../../../out/main/browser-host.js");

let data: string;
let host: TillHost;
let port: number;
let session: string;

const send = (sent: Sent): Promise<IncomingMessage> => sendTo(port, sent);
const own = (): Record<string, string> => ({
  authorization: `Bearer ${session}`,
  origin: `http://127.0.0.1:${port}`,
});
const command = (
  headers: Record<string, string>,
  body = '{"type":"check_journal"}',
  twice?: readonly [string, string],
): Sent => ({
  ...(twice === undefined ? {} : { twice }),
  method: "POST",
  path: "/bridge/dispatch",
  headers: { "content-type": "application/json", ...headers },
  body,
});

beforeAll(async () => {
  await ensureBuilt();
  data = mkdtempSync(path.join(tmpdir(), "tillcash-host-"));
  // Whatever the surroundings name: in live the page is this program's own, under its policy.
  port = await freePort();
  host = await startTillHost({ data, live: true, port, env: { ELECTRON_RENDERER_URL: "http://127.0.0.1:9" } });
});

afterAll(async () => {
  await host?.child.stop();
  rmSync(data, { recursive: true, force: true });
});

const enter = (token: string, headers: Record<string, string> = {}): Sent => ({
  method: "POST",
  path: "/enter",
  headers: { origin: `http://127.0.0.1:${port}`, "content-type": "application/json", ...headers },
  body: JSON.stringify({ token }),
});
const tokenOf = (entry: string): string => new URL(entry).hash.replace("#enter=", "");

describe("entering", () => {
  test("the printed address says its token to nobody but the page: it is in no request", async () => {
    const { pathname, search, hash } = new URL(host.entry);
    expect([pathname, search]).toEqual(["/", ""]);
    expect(hash).toMatch(/^#enter=[\w-]{43}$/);
  });

  test("a page of another origin, and a request without one, cannot spend it", async () => {
    expect((await send(enter(tokenOf(host.entry), { origin: "https://evil.example" }))).statusCode).toBe(403);
    expect((await send(enter(tokenOf(host.entry), { origin: `http://127.0.0.1:${port + 1}` }))).statusCode).toBe(403);
    const { origin: _, ...headers } = enter("").headers ?? {};
    expect((await send({ ...enter(tokenOf(host.entry)), headers })).statusCode).toBe(403);
  });

  test("it gives the page a session, and no cookie, which every port of this machine would get", async () => {
    const answer = await send(enter(tokenOf(host.entry)));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    expect(answer.headers["cache-control"]).toBe("no-store");
    ({ session } = JSON.parse(await text(answer)));
    expect(session).toMatch(/^[\w-]{43}$/);
  });

  test("it works once", async () => {
    expect((await send(enter(tokenOf(host.entry)))).statusCode).toBe(401);
  });

  test.each(["", "guess", "x".repeat(101)])("the token %j is refused", async (token) => {
    expect((await send(enter(token))).statusCode).toBe(401);
  });
});

test.each(["/enter", "/enter?token=spent"])("a person at %s is told how to come in", async (target) => {
  const answer = await send({ path: target, headers: { accept: "text/html,*/*" } });
  expect(answer.statusCode).toBe(401);
  expect(answer.headers["content-type"]).toMatch(/^text\/html/);
  expect(answer.headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(answer.headers["content-security-policy"]).toContain("frame-ancestors 'none'");
  const page = await text(answer);
  for (const language of languages) expect(page).toMatch(new RegExp(`<p lang="${language}">.*<code>npm start</code>`));
});

describe("guards", () => {
  // The rest of them, in-process: test/security/terminal-requests.test.ts.
  test.each<[string, () => Sent, number]>([
    ["no session: a command", () => command({ origin: `http://127.0.0.1:${port}` }), 401],
    ["no session: the events", () => ({ path: "/bridge/events" }), 401],
    ["no session: the customer's events", () => ({ path: "/customer-display/events" }), 401],
    ["another name for this address", () => ({ path: "/", headers: { ...own(), host: "evil.example" } }), 421],
    ["a command from another origin", () => command({ ...own(), origin: "https://evil.example" }), 403],
    ["a hand-over without the secret", () => ({ method: "POST", path: "/hand-over" }), 403],
    ["ending the sessions without the secret", () => ({ method: "POST", path: "/end-sessions" }), 403],
    ["two origins", () => command(own(), undefined, ["Origin", "http://evil.example"]), 400],
    ["two Hosts", () => command(own(), undefined, ["Host", "evil.example"]), 400],
    ["two sessions", () => command(own(), undefined, ["Authorization", "Bearer x"]), 400],
    ["too large a command", () => command(own(), JSON.stringify({ type: "scan", text: "x".repeat(70_000) })), 413],
  ])("%s is refused", async (_what, sent, status) => {
    const answer = await send(sent());
    expect(answer.statusCode).toBe(status);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("F12 in an idle terminal names no other service: an enrolment without a manager is refused, and no key is kept", async () => {
    const evil = { serviceUrl: "https://evil.example", merchantId: "m", deviceId: "d", secret: "s" };
    for (const body of [
      { type: "enroll", ...evil },
      { type: "enroll_by_code", ...evil, code: "7F3K9Q2M4XTZ" },
    ]) {
      const answer = await send(command(own(), JSON.stringify(body)));
      expect(JSON.parse(await text(answer))).toEqual({ ok: false, code: "no_manager" });
    }
    expect(existsSync(path.join(data, "credential.json"))).toBe(false);
  });

  test("the own page's command is answered", async () => {
    const reply = async (body?: string): Promise<unknown> => {
      const answer = await send(command(own(), body));
      expect(answer.statusCode).toBe(200);
      return JSON.parse(await text(answer));
    };
    expect(await reply()).toEqual({ ok: false, code: "no_manager" });
    expect(await reply('{"type":"set_manager_pin","name":"Ida","pin":"482915"}')).toEqual({ ok: true, data: "M1" });
    expect(await reply()).toMatchObject({ ok: true, data: { damaged: [] } });
  });

  test("an open page stays in use", async () => {
    const answer = await send({ method: "POST", path: "/bridge/stay", headers: own() });
    expect(answer.statusCode).toBe(204);
  });

  const firstEvent = async (path: string): Promise<unknown> => {
    const answer = await send({ path, headers: { ...own(), "sec-fetch-site": "same-origin" } });
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    return firstEventOf(answer);
  };

  test("the own page's events begin with a snapshot", async () => {
    const expected = { screen: { kind: "setup", why: "not_enrolled" }, header: { training: false } };
    expect(await firstEvent("/bridge/events")).toMatchObject(expected);
  });

  test("the customer's display hears its own view and nothing more", async () => {
    const view = await firstEvent("/customer-display/events");
    expect(customerViewSchema.parse(view)).toMatchObject({ moment: { kind: "closed" }, training: false });
  });

  test("the customer's display may ask for its events alone: its page can send no command", async () => {
    const answer = await send({ path: "/customer-display", headers: own() });
    expect(await text(answer)).toContain('<div id="root">');
    const policy = String(answer.headers["content-security-policy"]).split("; ");
    expect(policy).toContain(`connect-src http://127.0.0.1:${port}/customer-display/events`);
    expect(policy).toContain("form-action 'none'");
    expect(answer.headers["permissions-policy"]).toContain("camera=()");
    // Not to be had as a file either, under the policy of the terminal's page.
    expect((await send({ path: "/customer-display.html", headers: own() })).statusCode).toBe(303);
  });
});

describe("the page", () => {
  test("comes with a policy that allows our own files and nothing else", async () => {
    const answer = await send({ path: "/", headers: own() });
    const policy = String(answer.headers["content-security-policy"]).split("; ");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(policy).toContain("style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("webrtc 'block'");
    expect(policy.join(" ")).not.toMatch(/unsafe-inline| 'unsafe-eval|\*|https?:/);
    expect(answer.headers["permissions-policy"]).toMatch(/camera=\(self\).*microphone=\(\)/);
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(await text(answer)).toContain('<div id="root">');
  });

  test("its scripts are served as what they are", async () => {
    const html = await text(await send({ path: "/", headers: own() }));
    const script = /src="\.?(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? "";
    const answer = await send({ path: script, headers: own() });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["content-type"]).toMatch(/^text\/javascript/);
  });

  test.each([
    "/../main/index.js",
    "/assets/../../main/index.js",
    "/%2e%2e/main/index.js",
    "/..%2fmain%2findex.js",
    "/assets/..%5c..%5cmain%5cindex.js",
    "/%00/index.html",
    "//etc/passwd",
    "/assets",
    "/assets/",
    "/.vite/manifest.json",
  ])("%s is not to be had", async (target) => {
    expect((await send({ path: target, headers: own() })).statusCode).toBe(404);
  });
});

describe("beside it", () => {
  test("what is kept is readable by this user alone", () => {
    const kept = readdirSync(data);
    expect(kept).toEqual(expect.arrayContaining(["till-host.json", "till.log", "journal.db", "people.json"]));
    for (const name of kept) {
      expect(statSync(path.join(data, name)).mode & 0o077, name).toBe(0);
    }
  });

  test("a second start hands over: it prints another address of the first, which works", async () => {
    const second = await addressFromRunningTill(data, true);
    expect(Number(new URL(second).port)).toBe(port);
    expect(await enterTill(second)).not.toBe("");
  });

  test("--end-sessions ends what every open page came in with", async () => {
    const stay = (): Sent => ({ method: "POST", path: "/bridge/stay", headers: own() });
    expect((await send(stay())).statusCode).toBe(204);
    const stream = await send({ path: "/bridge/events", headers: own() });
    const cut = expect(text(stream)).rejects.toThrow("aborted");
    spawnSync(process.execPath, [browserHost, "--end-sessions", "--data", data]);
    const late = connect({ host: "127.0.0.1", port });
    expect((await send(stay())).statusCode).toBe(401);
    await cut;
    await delay(100);
    late.write(`GET /bridge/events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
    expect(String(await Promise.race([once(late, "data"), once(late, "close")]))).toContain(" 401 ");
    late.destroy();
    session = await enterTill(await addressFromRunningTill(data, true));
    expect((await send(stay())).statusCode).toBe(204);
  });

  test("after it was killed the next start takes its place, and an open page has to come in again: its session is worth nothing to whoever had the port meanwhile", async () => {
    await host.child.kill();
    host = await startTillHost({ data, live: true, port });
    expect((await send({ method: "POST", path: "/bridge/stay", headers: own() })).statusCode).toBe(401);
    session = await enterTill(host.entry);
    expect((await send({ method: "POST", path: "/bridge/stay", headers: own() })).statusCode).toBe(204);
  });

  test("it stops in order and leaves no trace of where it was", async () => {
    expect(await host.child.stop()).toBe(0);
    expect(() => readFileSync(path.join(data, "till-host.json"))).toThrow(/ENOENT/);
    await expect(send({ path: "/" })).rejects.toThrow(/ECONNREFUSED/);
  });
});

/** Processes whose environment names this folder (Linux: /proc; elsewhere none are seen). */
function processesOn(folder: string): readonly string[] {
  const all = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return all.filter((id) => {
    try {
      return readFileSync(`/proc/${id}/environ`, "utf8").includes(folder);
    } catch {
      return false;
    }
  });
}

test("a way to real money that is pressed twice is gone once, and the page goes on there", async () => {
  const training = await startTillHost({ data: path.join(data, "twice"), live: false });
  const { origin } = new URL(training.entry);
  const page = await enterTill(training.entry);
  const go = () => dispatchTo(origin, page, { type: "switch_purpose", training: false });
  // The second while the first is answered: a moment later the way is begun.
  expect(await Promise.all([go(), go()])).toEqual([{ ok: true }, { ok: true }]);
  const look = () => dispatchTo(origin, page, { type: "check_journal" }).catch(() => null);
  // In training everything is open until somebody has set a PIN.
  await expect.poll(look, { interval: 100, timeout: 60_000 }).toEqual({ ok: false, code: "no_manager" });
  expect(training.child.running).toBe(true);
  await training.child.stop();
});

test("a host that is killed leaves no service behind", async () => {
  const folder = path.join(data, "training");
  const killed = await startTillHost({ data: folder, live: false });
  const service = await trainingServiceOf(folder);
  if (process.platform === "linux") expect(processesOn(folder)).toHaveLength(1);
  await killed.child.kill();
  if (process.platform === "linux") await expect.poll(() => processesOn(folder), { interval: 100 }).toEqual([]);
  // Where another program's service may not have taken the port meanwhile, as hosts of other tests do with the usual one.
  else await expect.poll(() => fetch(service).catch(() => "gone"), { interval: 100 }).toBe("gone");
});
