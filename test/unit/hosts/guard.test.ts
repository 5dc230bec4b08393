/** Who is let through to the terminal's loopback app, as a table of what browsers and others send. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { oneOfEach, sameSiteOnly, sessionOnly } from "../../../main/browser/guard.ts";
import { openSessions, type Sessions } from "../../../main/browser/session.ts";

const port = 4711;
const own = `127.0.0.1:${port}`;
const hourMs = 60 * 60_000;
let folder: string;
let nowMs: number;
let sessions: Sessions;
let app: Hono;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-guard-"));
  nowMs = Date.UTC(2026, 0, 1);
  sessions = openSessions(path.join(folder, "page.key"), { monotonicMs: () => nowMs, wallMs: () => nowMs });
  app = new Hono();
  app.use(oneOfEach);
  app.use(sameSiteOnly(() => port));
  app.all("/open", (context) => context.text("open"));
  app.use(sessionOnly(sessions));
  app.all("/closed", (context) => context.text("closed"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const send = (method: string, url: string, headers: Record<string, string>, raw: readonly string[] = []) =>
  app.request(url, { method, headers }, { incoming: { rawHeaders: raw } });

describe("another site, another name", () => {
  const page = { host: own, origin: `http://${own}` };
  test.each<[string, string, Record<string, string>, number]>([
    ["a read at the own address", "GET", { host: own }, 200],
    ["a read as localhost", "GET", { host: `localhost:${port}` }, 200],
    ["a HEAD without an origin", "HEAD", { host: own }, 200],
    ["a read at another name", "GET", { host: `till.example:${port}` }, 421],
    ["a read at another port", "GET", { host: "127.0.0.1:4712" }, 421],
    ["a read without a name", "GET", {}, 421],
    ["a command of the own page", "POST", page, 200],
    ["a command as localhost", "POST", { host: `localhost:${port}`, origin: `http://localhost:${port}` }, 200],
    ["a command of no page", "POST", { host: own }, 403],
    ["a command of another origin", "POST", { host: own, origin: "http://evil.example" }, 403],
    ["a command of the other own name", "POST", { host: own, origin: `http://localhost:${port}` }, 403],
    ["a read of another origin", "GET", { host: own, origin: "http://evil.example" }, 403],
    ["a read of the own page", "GET", { host: own, "sec-fetch-site": "same-origin" }, 200],
    ["an address typed in", "GET", { host: own, "sec-fetch-site": "none" }, 200],
    ["an image on another site", "GET", { host: own, "sec-fetch-site": "cross-site" }, 403],
    ["another port of this machine", "GET", { host: own, "sec-fetch-site": "same-site" }, 403],
    ["a link on another site", "GET", { host: own, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, 200],
    ["a form on another site", "POST", { ...page, "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, 403],
  ])("%s", async (_, method, headers, status) => {
    expect((await send(method, "/open", headers)).status).toBe(status);
  });

  test.each<[string, readonly string[], number]>([
    ["once", ["Host", own, "Origin", `http://${own}`], 200],
    ["a host twice", ["Host", own, "host", "evil.example"], 400],
    ["an origin twice", ["Host", own, "Origin", `http://${own}`, "origin", "http://evil.example"], 400],
  ])("what may stand once: %s", async (_, raw, status) => {
    expect((await send("GET", "/open", { host: own }, raw)).status).toBe(status);
  });

  test("a server that shows no raw headers is no reason to refuse", async () => {
    for (const surroundings of [undefined, {}])
      expect((await app.request("/open", { headers: { host: own } }, surroundings)).status).toBe(200);
  });
});

describe("the session", () => {
  const enter = (): string => sessions.redeemEntry(sessions.issueEntry()) ?? "";
  const closed = (authorization?: string) =>
    send("GET", "/closed", { host: own, ...(authorization === undefined ? {} : { authorization }) });

  test("without it, or with another one, nothing is reached", async () => {
    const session = enter();
    expect(await (await closed(`Bearer ${session}`)).text()).toBe("closed");
    for (const other of [
      undefined,
      "",
      session,
      "Bearer",
      `Basic ${session}`,
      `xBearer ${session}`,
      `Bearer ${session}x`,
    ]) {
      const answer = await closed(other);
      expect([other, answer.status]).toEqual([other, 401]);
      expect(await answer.text()).not.toBe("closed");
    }
  });

  test("is replaced with a newer one once it is an hour old, and not before", async () => {
    const session = enter();
    expect((await closed(`Bearer ${session}`)).headers.get("till-session")).toBeNull();
    nowMs += hourMs + 1;
    const renewed = (await closed(`Bearer ${session}`)).headers.get("till-session");
    expect(renewed).not.toBeNull();
    nowMs += 95.5 * hourMs;
    expect((await closed(`Bearer ${session}`)).status).toBe(401);
    expect((await closed(`Bearer ${renewed}`)).status).toBe(200);
  });
});
