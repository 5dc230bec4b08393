/** A rolling restart drops no call: `/readyz` turns first, and calls are still taken until everybody goes elsewhere. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { freePort } from "../free-port.ts";
import { ensureBuilt } from "../runner/built.ts";
import { byEffort } from "../runner/effort.ts";
import { type BackendProcess, startBackend } from "./backend-process.ts";
import { createPlace } from "./stores.ts";

const slowMs = byEffort({ usual: 900_000, torture: 3_600_000 });
const rounds = byEffort({ usual: 1, torture: 20 });
const atOnce = 4;
const haproxy = spawnSync("haproxy", ["-v"]).status === 0;

beforeAll(ensureBuilt, slowMs);

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One call, never repeated. Rejects where there is no answer. */
const callOf =
  (agent: Agent) =>
  (base: string, method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const sent = request(`${base}${path}`, {
        method,
        agent,
        headers: { "content-type": "application/json", ...headers },
      });
      sent.on("error", reject);
      sent.on("response", (response) => {
        const chunks: Buffer[] = [];
        response.on("error", reject).on("data", (chunk) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(String(Buffer.concat(chunks)) || "{}") }),
        );
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });

/** Two processes on fixed ports, one restarted after the other while customers ask. @param address where the next call goes. */
const play = async (address: (ports: readonly number[]) => Promise<() => string>) => {
  const place = await createPlace("postgres");
  const ports = [await freePort(), await freePort()];
  const environment = {
    DATABASE_URL: place.url,
    SANDBOX: "1",
    TOKEN_SECRET: "a token secret that all processes share",
    METRICS_PORT: "0",
  };
  const start = (port: number) => startBackend({ ...environment, PORT: String(port) });
  const processes: BackendProcess[] = [];
  const agent = new Agent({ keepAlive: true });
  onTestFinished(async () => {
    agent.destroy();
    await Promise.all(processes.map((each) => each.kill()));
    await place.dispose();
  });
  for (const port of ports) processes.push(await start(port));
  const [next, call] = [await address(ports), callOf(agent)];
  const credential = {
    grant_type: "client_credentials",
    device_type: "client",
    merchant_id: "demo-bank",
    device_id: "server-1",
    password: "bank-secret",
    scope: "",
  };
  const { body: token } = await call(next(), "POST", "/oauth2/authorize", {}, credential);
  const dropped: string[] = [];
  let [calls, isOver] = [0, false];
  onTestFinished(() => {
    isOver = true;
  });
  const customer = async () => {
    const send = async (...what: [string, string, Record<string, string>?, unknown?]) => {
      calls += 1;
      const answer = await call(next(), ...what).catch(
        (error: Error): Answer => ({
          status: 0,
          body: { error: String(error) },
        }),
      );
      if (answer.status === 0 || answer.status >= 500)
        dropped.push(`${what[0]} ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const authorization = `Bearer ${token.access_token}`;
    while (!isOver) {
      const asked = { user_id: randomUUID(), amount: "50.00", currency: "EUR", store: "demo-shop" };
      const made = await send("POST", "/ext/v1/withdrawals", { authorization, "idempotency-key": randomUUID() }, asked);
      await send("GET", `/ext/v1/withdrawals/${made.transaction_id}`, { authorization });
      await send("POST", `/ext/v1/withdrawals/${made.transaction_id}/cancel`, { authorization });
    }
  };
  const customers = Array.from({ length: atOnce }, customer);
  for (let round = 0; round < rounds * ports.length; round += 1) {
    const at = round % ports.length;
    expect(await processes[at]?.stop()).toBe(0);
    processes[at] = await start(ports[at] ?? 0);
    // The proxy sees that it is back before the other one goes.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
  isOver = true;
  await Promise.all(customers);
  console.log(`${calls} calls over ${rounds * ports.length} restarts, ${dropped.length} dropped`);
  expect(calls).toBeGreaterThan(100);
  expect(dropped).toEqual([]);
};

describe("two processes on PostgreSQL, restarted one after the other", () => {
  test("a client that asks /readyz twice a second", { timeout: slowMs }, () =>
    play(async (ports) => {
      const ready = new Set(ports);
      const probe = async (port: number) => {
        const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => ({ ok: false }));
        if (ok) ready.add(port);
        else ready.delete(port);
      };
      const timer = setInterval(() => ports.forEach((port) => void probe(port)), 500);
      onTestFinished(() => clearInterval(timer));
      let turn = 0;
      return () => {
        turn += 1;
        return `http://127.0.0.1:${[...ready][turn % ready.size]}`;
      };
    }),
  );

  test.runIf(haproxy)("behind HAProxy, which repeats nothing (needs haproxy)", { timeout: slowMs }, () =>
    play(async (ports) => {
      const [front, at] = [await freePort(), mkdtempSync(join(tmpdir(), "tillcash-haproxy-"))];
      const servers = ports.map((port) => `  server s${port} 127.0.0.1:${port} check inter 500 fall 2 rise 1`);
      const config = [
        "defaults",
        "  mode http",
        "  retries 0",
        "  timeout connect 2s",
        "  timeout client 40s",
        "  timeout server 40s",
        "frontend all",
        `  bind 127.0.0.1:${front}`,
        "  default_backend tillcash",
        "backend tillcash",
        "  option httpchk GET /readyz",
        "  http-check expect status 200",
        ...servers,
        "",
      ].join("\n");
      writeFileSync(join(at, "haproxy.cfg"), config);
      const proxy: ChildProcess = spawn("haproxy", ["-db", "-f", join(at, "haproxy.cfg")], { stdio: "ignore" });
      onTestFinished(() => {
        proxy.kill("SIGKILL");
        rmSync(at, { recursive: true });
      });
      const base = `http://127.0.0.1:${front}`;
      const answers = () =>
        fetch(`${base}/readyz`).then(
          ({ status }) => status,
          () => 0,
        );
      await expect.poll(answers).toBe(200);
      return () => base;
    }),
  );
});
