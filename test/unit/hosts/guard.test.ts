/** Who is let through to the terminal's loopback app, as a table of what browsers and others send. */
import { createHmac } from "node:crypto";
import { Hono } from "hono";
import { beforeEach, describe, expect, test } from "vitest";
import {
  oneOfEach,
  openSessions,
  proven,
  type Sessions,
  sameSiteOnly,
  sessionOnly,
} from "../../../main/browser/till-app.ts";

const port = 4711;
const own = `127.0.0.1:${port}`;
let sessions: Sessions;
let app: Hono;

beforeEach(() => {
  sessions = openSessions(() => 0);
  app = new Hono();
  app.use(oneOfEach);
  app.use(sameSiteOnly(port));
  app.use(proven(sessions));
  app.all("/open", (context) => context.text("open"));
  app.use(sessionOnly(sessions));
  app.all("/closed", (context) => context.text("closed"));
});

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
});

describe("the proof that the host answers", () => {
  const challenge = "0123456789abcdef0123456789abcdef";
  const proofOf = async (url: string, headers: Record<string, string>): Promise<string | null> =>
    (await send("GET", url, headers)).headers.get("till-proof");
  const expected = (host: string): string =>
    createHmac("sha256", sessions.hostKey).update(`${challenge} ${host}`).digest("hex");

  test("comes with every answer to a challenge, a refusal too, and for the name that was called alone", async () => {
    for (const url of ["/open", "/closed"])
      expect(await proofOf(url, { host: own, "till-challenge": challenge })).toBe(expected(own));
    const other = `localhost:${port}`;
    expect(await proofOf("/open", { host: other, "till-challenge": challenge })).toBe(expected(other));
    expect(expected(other)).not.toBe(expected(own));
  });

  test.each(["", "short", "x".repeat(65), "0123456789abcdef evil.example"])(
    "none for the challenge %j",
    async (one) => {
      expect(await proofOf("/open", { host: own, "till-challenge": one })).toBeNull();
    },
  );

  test("none under another name", async () => {
    expect(await proofOf("/open", { host: "evil.example", "till-challenge": challenge })).toBeNull();
  });
});
