/** All that `serve.ts` begins, sets and closes: what a service does beside its calls, what its settings come to, what its stop ends. */
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, type MockInstance, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { parseConfig } from "../../backend/config.ts";
import { createLog } from "../../backend/log.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { type Running, startService } from "../../backend/serve.ts";
import { freePort } from "../free-port.ts";
import { bank, createHttpStage, type HttpStage } from "./http-stage.ts";
import { createPlace, stores } from "./stores.ts";

/** A process on PostgreSQL looks at the database's time as often. */
const readEveryMs = 2_000;

const configOf = (settings: Record<string, string>) => {
  const parsed = parseConfig({ PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "info", ...settings });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  return parsed.config;
};

describe("on SQLite", () => {
  let folder: string;
  let running: Running;
  let metricsAt: string;
  let closed: MockInstance<Agent["destroy"]>;
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line), flushSync: vi.fn() };
  const rowOf = (text: string): unknown => {
    const database = new DatabaseSync(join(folder, "service.db"), { readOnly: true });
    try {
      return database.prepare(text).get();
    } finally {
      database.close();
    }
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tillcash-serve-"));
    const [file, port] = [join(folder, "service.db"), await freePort()];
    const settings = { DATABASE_URL: `sqlite:${file}`, BACKUP_DIR: join(folder, "copies"), METRICS_PORT: String(port) };
    await manage(parseCommandLine(["merchants", "add", "corner", "--name", "Corner"], settings));
    await manage(parseCommandLine(["partners", "add", "plain", "--url", "https://bank.example"], settings));
    const database = new DatabaseSync(file);
    database.exec("UPDATE partners SET url = 'http://bank.example'");
    database.exec(
      `INSERT INTO tokens (token_hash, credential_id, scopes, created_at, expires_at)
        VALUES ('ahead', 'till', 'transactions', 9000000000000, 9000000000001)`,
    );
    database.close();
    metricsAt = `http://127.0.0.1:${port}/metrics`;
    closed = vi.spyOn(Agent.prototype, "destroy");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    running = await startService(configOf(settings), createLog("info", stream));
    await vi.advanceTimersByTimeAsync(61_000);
    vi.useRealTimers();
  });
  afterAll(() => {
    closed.mockRestore();
    rmSync(folder, { recursive: true });
  });

  test("what a clock was ahead for ends before anything is answered", () => {
    expect(rowOf("SELECT expires_at FROM tokens WHERE token_hash = 'ahead'")).toMatchObject({
      expires_at: expect.toSatisfy((at: number) => at < 9e12),
    });
  });

  const scraped = async () => (await fetch(metricsAt)).text();
  test.each<[string, () => unknown]>([
    ["old data is purged", () => rowOf("SELECT 1 FROM settings WHERE name = 'purge_clock'")],
    ["the history's days are closed", () => rowOf("SELECT 1 FROM audit WHERE event = 'history_begun'")],
    ["settings are recorded as they are found", () => rowOf("SELECT 1 FROM audit WHERE event = 'settings_recorded'")],
    ["the database is copied", () => readdirSync(join(folder, "copies")).find((name) => name.endsWith("Z.db"))],
    ["a bank that cannot be called is named", () => lines.find((line) => line.includes("this bank is not called"))],
    ["an operator's command is logged", () => lines.find((line) => line.includes('"event":"merchants add"'))],
    ["silent terminals are counted", async () => (await scraped()).includes("\ntillcash_silent_terminals 0\n")],
    [
      "paid ones without a word are counted",
      async () => (await scraped()).includes('unlinked_withdrawals{older_than="24h"} 0'),
    ],
  ])("beside its calls %s", async (_, find) => {
    await expect.poll(find).toBeTruthy();
  });

  test("a stop writes its last lines, and closes the port for /metrics and the connections to banks", async () => {
    await running.stop();
    expect(stream.flushSync).toHaveBeenCalled();
    await expect(fetch(metricsAt)).rejects.toThrow();
    // By http and by https.
    expect(closed).toHaveBeenCalledTimes(2);
  });
});

describe.runIf(stores.includes("postgres"))("on PostgreSQL", () => {
  test("partitions are made ahead from the start on, and after the stop nobody reads the database's time", async () => {
    const place = await createPlace("postgres");
    const client = new pg.Client({ connectionString: place.url });
    await client.connect();
    onTestFinished(async () => {
      vi.restoreAllMocks();
      await client.end();
      await place.dispose();
    });
    const parts = "SELECT inhrelid::regclass AS name FROM pg_inherits WHERE inhparent = 'idempotency_keys'::regclass";
    const dated = async () => (await client.query(`${parts} AND inhrelid::regclass::text !~ 'default'`)).rows;
    for (const { name } of await dated()) await client.query(`DROP TABLE ${name}`);
    const waiting = new Map<object, number>();
    const { after } = systemClock;
    vi.spyOn(systemClock, "after").mockImplementation((delayMs, run) => {
      const [timer, done] = [{}, () => waiting.delete(timer)];
      waiting.set(timer, delayMs);
      const cancel = after(delayMs, () => [done(), run()]);
      return () => void [done(), cancel()];
    });
    const config = configOf({ DATABASE_URL: place.url, DATABASE_CONNECTIONS: "4" });
    const running = await startService(config, createLog("silent"));
    await expect.poll(async () => (await dated()).length).toBeGreaterThan(2);
    await expect.poll(() => [...waiting.values()]).toContain(readEveryMs);
    await running.stop();
    expect([...waiting.values()]).not.toContain(readEveryMs);
  });
});

describe("as its settings say", () => {
  let stage: HttpStage;
  beforeAll(async () => {
    const settings = { SCA_TIMEOUT_SECONDS: "50", ORDER_TTL_SECONDS: "120", HELD_READS_PER_TOKEN: "1" };
    stage = await createHttpStage("sqlite", settings);
  });
  afterAll(() => stage.dispose());
  const read = async (path: string, fields?: Record<string, unknown>) =>
    stage.call("GET", path, { token: await stage.token(fields) });

  test("a customer has as long to approve, and a code is good as long", async () => {
    expect((await read("/ext/v1/till")).body).toMatchObject({ sca_timeout_seconds: 50 });
    const { body } = await read(`/ext/v1/withdrawals/${await stage.withdrawal()}`, bank);
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(120_000);
  });

  test("a token holds as many answers", async () => {
    const id = await stage.withdrawal();
    const held = read(`/transaction?id=${id}&wait=20`);
    await expect.poll(async () => (await read(`/transaction?id=${id}&wait=1`)).status).toBe(429);
    await stage.call("POST", "/transaction/reject", { token: await stage.token(), json: { transaction_id: id } });
    expect((await held).body).toMatchObject({ status: "rejected" });
  });

  test("banks are called through the proxy", async () => {
    const asked: string[] = [];
    const proxy = createServer((socket) => {
      socket
        .on("error", () => {})
        .once("data", (data) => {
          asked.push(String(data).split(" HTTP/")[0] ?? "");
          socket.destroy();
        });
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const { port } = proxy.address() as AddressInfo;
    const behind = { PARTNER_URL: "https://bank.invalid", HTTPS_PROXY: `http://127.0.0.1:${port}` };
    const own = await createHttpStage("sqlite", behind);
    onTestFinished(() => void proxy.close());
    const declined = own.withdrawal().catch(() => {});
    await expect.poll(() => asked[0]).toBe("CONNECT bank.invalid:443");
    await own.dispose();
    await declined;
  });
});
