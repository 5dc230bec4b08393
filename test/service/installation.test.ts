/** The service as it is installed: who can reach the metrics, read its files and its secrets, and speak to it in the open. */
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { serviceKeysFrom } from "../../backend/access/secrets.ts";
import { systemRandom } from "../../backend/adapters.ts";
import { parseConfig } from "../../backend/config.ts";
import { createLog } from "../../backend/log.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { createKeyCipher } from "../../backend/partner/keys.ts";
import { startService } from "../../backend/serve.ts";
import { freePort } from "../free-port.ts";
import { certificate, privateKey } from "./tls-files.ts";

/** A program that starts from its sources takes seconds on a machine that has other work. */
const patientMs = 300_000;
const serviceKey = "a service key of the tests";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tillcash-installed-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = async (name: string, settings: Record<string, string> = {}) => {
  const line = {
    PORT: "0",
    DATABASE_URL: `sqlite:${join(folder, name)}`,
    METRICS_PORT: "0",
    LOG_LEVEL: "silent",
    ...settings,
  };
  const result = parseConfig(line);
  if (!result.ok) throw new Error(result.problems.join("\n"));
  const running = await startService(result.config, createLog("silent"));
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= running.stop();
    return stopped;
  };
  onTestFinished(stop);
  return { ...running, stop };
};

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

test("metrics are on a listener of their own, by their plain name alone; on the API's port in the sandbox only", async () => {
  const port = await freePort();
  const live = await start("metrics.db", { METRICS_PORT: String(port) });
  const [api, own] = [`http://127.0.0.1:${live.port}`, `http://127.0.0.1:${port}`];
  for (const path of ["/metrics", "/%6detrics", "/Metrics", "/metrics/"])
    expect([path, await statusOf(api + path)]).toEqual([path, 404]);
  const answer = await fetch(`${own}/metrics`);
  expect([answer.status, (await answer.text()).includes("tillcash_http_request_seconds")]).toEqual([200, true]);
  for (const path of ["/", "/%6detrics", "/metrics?x=1", "/healthz"])
    expect([path, await statusOf(own + path)]).toEqual([path, 404]);
  expect((await fetch(`${own}/metrics`, { method: "POST" })).status).toBe(404);
  await expect(start("metrics-again.db", { METRICS_PORT: String(port) })).rejects.toThrow(/EADDRINUSE/);

  const sandbox = await start("metrics-sandbox.db", { SANDBOX: "1" });
  expect(await statusOf(`http://127.0.0.1:${sandbox.port}/metrics`)).toBe(200);
});

/** As a page would ask whose own name was made to lead here (DNS rebinding). */
const statusUnder = (host: string, port: number): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path: "/metrics", headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.once("error", reject).end();
  });

test("metrics are for who calls them by this machine's names or the configured ones, on either port", async () => {
  const port = await freePort();
  const named = { PUBLIC_URL: "https://Cash.example.com/till" };
  await start("metrics-names.db", { METRICS_PORT: String(port), ...named });
  const sandbox = await start("metrics-names-sandbox.db", { SANDBOX: "1", ...named });
  const everywhere = await freePort();
  await start("metrics-everywhere.db", { METRICS_PORT: String(everywhere), METRICS_HOST: "0.0.0.0" });
  const own = [
    "127.0.0.1",
    `127.0.0.1:${port}`,
    "localhost",
    "LOCALHOST.:9464",
    "[::1]:1",
    "cash.example.com",
    "127.0.0.2",
  ];
  for (const host of own) {
    expect([host, await statusUnder(host, port)]).toEqual([host, 200]);
    expect([host, await statusUnder(host, sandbox.port)]).toEqual([host, 200]);
  }
  const foreign = [
    "evil.example",
    `evil.example:${port}`,
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "10.0.0.7",
  ];
  for (const host of [
    ...foreign,
    "xn--cash.example.com",
    "cash.example.com.evil.example",
    "::1",
    "[::1",
    "127.0.0.1@evil.example",
  ]) {
    expect([host, await statusUnder(host, port)]).toEqual([host, 421]);
    expect([host, await statusUnder(host, sandbox.port)]).toEqual([
      host,
      expect.toSatisfy((code) => code === 400 || code === 404),
    ]);
  }
  // Nobody can make an address lead elsewhere.
  for (const host of ["10.0.0.7:9464", "[fd00::7]:9464"]) expect(await statusUnder(host, everywhere)).toBe(200);
  expect(await statusUnder("evil.example", everywhere)).toBe(421);
});

test("with TLS_CERT and TLS_KEY it speaks HTTPS and says so for a year", async () => {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(cert, certificate);
  writeFileSync(key, privateKey);
  const running = await start("tls.db", { TLS_CERT: cert, TLS_KEY: key });
  expect(running.scheme).toBe("https");
  const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
    const url = `https://127.0.0.1:${running.port}/healthz`;
    get(url, { rejectUnauthorized: false }, (answer) => resolve({ status: answer.statusCode, ...answer.headers })).on(
      "error",
      reject,
    );
  });
  expect(headers).toMatchObject({ status: 200, "strict-transport-security": "max-age=31536000" });
  await expect(fetch(`http://127.0.0.1:${running.port}/healthz`)).rejects.toThrow();
  expect(parseConfig({ TLS_CERT: cert })).toEqual({
    ok: false,
    problems: ["TLS_KEY is missing: HTTPS needs both files"],
  });
});

test("everything that the program makes is its owner's alone, also a database that was open to others", {
  timeout: patientMs,
}, async () => {
  const path = join(folder, "modes", "service.db");
  const settings = { DATABASE_URL: `sqlite:${path}`, PORT: "0", METRICS_PORT: "0" };
  const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
  /** Of each file, as it was last while the program ran. */
  const modes = new Map<string, string>();
  const run = () =>
    new Promise<string>((resolve) => {
      const child = spawn("sh", ["-c", `umask 0; exec "${process.execPath}" backend/cli.ts`], {
        env: { PATH: process.env.PATH ?? "", ...settings },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk) => {
          output += chunk;
          // Told to stop, it takes files away while its last lines come.
          if (child.killed || !/^service listening/m.test(output)) return;
          for (const file of readdirSync(join(folder, "modes"))) modes.set(file, modeOf(join(folder, "modes", file)));
          child.kill("SIGTERM");
        });
      child.on("close", () => resolve(output));
    });
  await run();
  const files = [path, `${path}.token-secret`, `${path}.service-key`];
  expect([modeOf(join(folder, "modes")), ...files.map(modeOf)]).toEqual(["700", "600", "600", "600"]);
  // With what SQLite keeps beside it while it runs.
  expect(modes.keys().toArray()).toEqual(expect.arrayContaining(["service.db-shm", "service.db-wal"]));
  expect(new Set(modes.values())).toEqual(new Set(["600"]));
  chmodSync(path, 0o644);
  chmodSync(join(folder, "modes"), 0o777);
  await run();
  // Whoever may write the folder can put another database in the place of ours.
  expect([modeOf(path), modeOf(join(folder, "modes"))]).toEqual(["600", "775"]);
  expect(new Set(modes.values())).toEqual(new Set(["600"]));
  for (const secret of [`${path}.token-secret`, `${path}.service-key`]) {
    chmodSync(secret, 0o666);
    expect(await run()).toMatch(/others on this machine can use it \(mode 666\)/);
    chmodSync(secret, 0o600);
  }
});

test("banks' keys are encrypted under SERVICE_KEY, those from before it too; without it the service does not start", async () => {
  const path = join(folder, "sealed.db");
  const command = (settings: Record<string, string>, ...args: string[]) =>
    manage(parseCommandLine(args, { DATABASE_URL: `sqlite:${path}`, ...settings }));
  const stored = () => {
    const db = new DatabaseSync(path, { readOnly: true });
    const rows = db.prepare("SELECT id, secret, previous_secret FROM partners ORDER BY id").all() as Record<
      string,
      string | null
    >[];
    db.close();
    return rows;
  };
  const [before] = await command({}, "partners", "add", "before", "--url", "https://before.example");
  expect(stored()[0]?.secret).toBe(before?.secret);
  const [replaced] = await command({}, "partners", "rotate", "before");
  expect(stored()[0]).toMatchObject({ secret: replaced?.secret, previous_secret: before?.secret });
  const [after] = await command(
    { SERVICE_KEY: serviceKey },
    "partners",
    "add",
    "later",
    "--url",
    "https://later.example",
  );
  expect(stored()[1]?.secret).toMatch(/^sealed1:/);
  await (await start("sealed.db", { SERVICE_KEY: serviceKey })).stop();
  await command({ SERVICE_KEY: serviceKey }, "partners", "rotate", "later");
  for (const { secret, previous_secret } of stored())
    expect([secret, previous_secret]).toEqual([expect.stringMatching(/^sealed1:/), expect.stringMatching(/^sealed1:/)]);

  const cipher = createKeyCipher(serviceKeysFrom(serviceKey, true).encryption, systemRandom);
  expect(cipher.open("before", stored()[0]?.secret ?? "")).toBe(replaced?.secret);
  expect(cipher.open("before", stored()[0]?.previous_secret ?? "")).toBe(before?.secret);
  expect(cipher.open("later", stored()[1]?.previous_secret ?? "")).toBe(after?.secret);
  expect(() => cipher.open("later", stored()[0]?.secret ?? "")).toThrow(/cannot be read with this SERVICE_KEY/);
  await expect(start("sealed.db")).rejects.toThrow(/SERVICE_KEY is missing/);
  await expect(start("sealed.db", { SERVICE_KEY: "another key of the tests!" })).rejects.toThrow(
    /cannot be read with this SERVICE_KEY/,
  );
});
