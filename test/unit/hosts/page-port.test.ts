/** A change between training and real money, in one program: the port of its pages is never free in between, and their sessions go on. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type BrowserHost, type Listener, openBrowserHost } from "../../../main/browser/host.ts";
import { createTillApp, openSessions } from "../../../main/browser/till-app.ts";
import { enterTill } from "../../e2e/stage/bridge-client.ts";
import { freePort } from "../../free-port.ts";
import { sendTo } from "./raw-request.ts";

const data = mkdtempSync(path.join(tmpdir(), "tillcash-page-port-"));
const built = path.join(data, "built");
beforeAll(async () => {
  mkdirSync(path.join(built, "renderer"), { recursive: true });
  writeFileSync(path.join(built, "renderer", "index.html"), "<!doctype html>");
  // As the program before had it: one that nobody else of a test run is given between two hosts.
  writeFileSync(path.join(data, "till-port.json"), String(await freePort()));
});
afterAll(() => rmSync(data, { recursive: true, force: true }));

const open = async (listener?: Listener): Promise<Extract<BrowserHost, { kind: "started" }>> => {
  const host = await openBrowserHost({
    built,
    data,
    port: null,
    listener,
    training: false,
    restart: () => undefined,
    entered: () => undefined,
  });
  if (host.kind !== "started") throw new Error("another host runs on a folder of this test");
  return host;
};
const challenge = "0123456789abcdef";
/** On a connection of its own: a kept one may have ended with the host. @returns the status, and the host's proof. */
const asPage = async (origin: string, session: string) => {
  const headers = { origin, authorization: `Bearer ${session}`, connection: "close", "till-challenge": challenge };
  const { port } = new URL(origin);
  const { statusCode, headers: own } = await sendTo(Number(port), { method: "POST", path: "/bridge/stay", headers });
  return { status: statusCode, proof: own["till-proof"] };
};
const stay = async (origin: string, session: string) => (await asPage(origin, session)).status;
/** @returns why another program cannot have the port; null where it could. */
const whyTaken = async (port: number): Promise<string | null> => {
  const server = createServer().listen({ host: "127.0.0.1", port, exclusive: true });
  const why = await Promise.race([
    once(server, "listening").then(() => null),
    once(server, "error").then(([error]) => (error as NodeJS.ErrnoException).code ?? ""),
  ]).catch((error: NodeJS.ErrnoException) => error.code ?? "");
  server.close();
  return why;
};

test("the next host of this program answers the same page at the same port, which nobody else could take meanwhile", async () => {
  const first = await open();
  const { origin, port, host } = new URL(first.address);
  const proof = first.listener.sessions.prove(challenge, host);
  const session = await enterTill(first.address);
  expect(await asPage(origin, session)).toEqual({ status: 204, proof });
  await first.stop(true);
  // It proves meanwhile that it is the same program: the page goes on waiting.
  expect(await asPage(origin, session)).toEqual({ status: 503, proof });
  expect(await whyTaken(Number(port))).toBe("EADDRINUSE");
  const next = await open(first.listener);
  expect([new URL(next.address).origin, await stay(origin, session)]).toEqual([origin, 204]);
  await next.stop();
  expect(await whyTaken(Number(port))).toBe(null);
});

test("a host that ends for good takes its sessions along, also at the same port", async () => {
  const first = await open();
  const { origin } = new URL(first.address);
  const session = await enterTill(first.address);
  await first.stop();
  const next = await open();
  expect([new URL(next.address).origin, await stay(origin, session)]).toEqual([origin, 401]);
  await next.stop();
});

test("a terminal that has nothing to say gives a sign of life every 15 s, and none to a page whose session has ended", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let nowMs = 0;
  const sessions = openSessions(() => nowMs);
  const app = createTillApp({
    bridge: { dispatch: async () => ({ ok: true }), subscribe: () => () => undefined },
    page: () => ({ status: 404, headers: {}, body: "" }),
    sessions,
    handOverSecret: "",
    port: 1,
    entered: () => undefined,
    handOver: () => "",
    endConnections: () => undefined,
  });
  const headers = { host: "127.0.0.1:1", authorization: `Bearer ${sessions.redeemEntry(sessions.issueEntry())}` };
  const reader = (await app.request("/bridge/events", { headers })).body
    ?.pipeThrough(new TextDecoderStream())
    .getReader();
  expect((await reader?.read())?.value).toBe("retry: 1000\n\n");
  for (const _ of [1, 2]) {
    const next = reader?.read();
    vi.advanceTimersByTime(14_999);
    // What was sent takes some turns to be read.
    expect(await Promise.race([next, delay(50, "nothing")])).toBe("nothing");
    vi.advanceTimersByTime(1);
    // Its page takes a program without one for one that hangs.
    expect((await next)?.value).toBe(": here\n\n");
  }
  const other = await app.request("/bridge/events", { headers });
  nowMs = 7 * 24 * 3_600_000;
  vi.advanceTimersByTime(15_000);
  expect(await Promise.race([reader?.read(), delay(2_000)])).toEqual({ done: true, value: undefined });
  await other.body?.cancel();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
