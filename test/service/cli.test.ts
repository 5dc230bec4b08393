import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { serviceVersion } from "../../backend/version.ts";
import { freePort } from "../free-port.ts";
import { ensureBuilt } from "../runner/built.ts";
import { program, run, signIn } from "./cli-program.ts";
import { createPlace, type Place, stores } from "./stores.ts";

/** A program takes seconds to start on a machine that has other work. */
const patientMs = 300_000;

beforeAll(ensureBuilt);

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let settings: Record<string, string>;
  beforeAll(async () => {
    place = await createPlace(dialect, { isBlank: true });
    settings = { DATABASE_URL: place.url, PORT: "0" };
  });
  afterAll(() => place.dispose());

  test("merchants, partners and credentials beside a running service; secrets are told once", {
    timeout: patientMs,
  }, async () => {
    if (dialect === "postgres") {
      const refused = program([], settings);
      await refused.address.catch(() => {});
      expect(await refused.ended).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringMatching(/^the database .*\(migration 1, and \d+ more\): run the command "migrate"/),
      });
      const migrate = (...flags: string[]) => manage(parseCommandLine(["migrate", ...flags], settings));
      const planned = await migrate("--plan");
      expect(planned).toContainEqual({ step: "index outbox_due on outbox (due_at)", state: "to do" });
      expect(await migrate()).toEqual(planned.map(({ step }) => ({ step, state: "done" })));
      expect(await migrate("--plan")).toEqual([]);
    }
    const service = program([], settings);
    const address = await service.address;
    // biome-ignore lint/suspicious/noExplicitAny: rows of several commands
    const json = async (...args: string[]): Promise<any> => manage(parseCommandLine(args, settings));
    expect(await json("merchants", "add", "corner", "--name", "Corner Shop", "--step", "5.00")).toEqual([
      { id: "corner", name: "Corner Shop", currency: "EUR", smallest: "10.00", largest: "500.00", step: "5.00" },
    ]);
    await json("partners", "add", "bank");
    const [own] = await json("partners", "add", "other", "--url", "https://bank.example/");
    expect(own).toEqual({ id: "other", url: "https://bank.example", secret: expect.stringMatching(/^whsec_/) });
    const [till] = await json("credentials", "add", "terminal", "corner", "till-1");
    expect(till).toMatchObject({
      device_type: "terminal",
      scope: "transactions",
      password: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect((await signIn(address, "terminal", "corner", "till-1", till.password)).status).toBe(201);
    const [client] = await json("credentials", "add", "client", "bank", "server", "--scope", "users checkin");
    expect(client.scope).toBe("checkin users");
    const [rotated] = await json("credentials", "rotate", "terminal", "corner", "till-1");
    expect((await signIn(address, "terminal", "corner", "till-1", till.password)).status).toBe(401);
    expect((await signIn(address, "terminal", "corner", "till-1", rotated.password)).status).toBe(201);
    await json("credentials", "revoke", "terminal", "corner", "till-1");
    expect((await signIn(address, "terminal", "corner", "till-1", rotated.password)).status).toBe(401);
    const listed = JSON.stringify([
      await json("credentials", "list"),
      await json("merchants", "list"),
      await json("partners", "list"),
    ]);
    expect(listed).toContain('"status":"revoked"');
    for (const secret of [till.password, rotated.password, client.password, own.secret])
      expect(listed).not.toContain(secret);
    await json("users", "block", "bank", "ann");
    await json("users", "unblock", "bank", "ann");

    const { token } = {
      token: (await (await signIn(address, "client", "bank", "server", client.password)).json()).access_token,
    };
    expect(token).toMatch(/^[\w-]{43}$/);
    service.child.kill("SIGTERM");
    const { code, out, err } = await service.ended;
    expect([code, out]).toEqual([0, `service listening on ${address}\n`]);
    for (const line of err.trim().split("\n"))
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.any(String) });
    for (const secret of [till.password, rotated.password, client.password, own.secret, token])
      expect(err).not.toContain(secret);
  });

  test.runIf(dialect === "postgres")(
    "a migrate that is killed takes its half-built index along, and the next builds it anew",
    async () => {
      const own = await createPlace("postgres");
      const [admin, holder] = [0, 1].map(() => new pg.Client({ connectionString: own.url })) as [pg.Client, pg.Client];
      await Promise.all([admin.connect(), holder.connect()]);
      onTestFinished(async () => {
        await Promise.all([admin.end(), holder.end()]);
        await own.dispose();
      });
      const ask = async (sql: string) => (await admin.query(sql)).rows;
      const builds = () => ask("SELECT pid FROM pg_stat_progress_create_index WHERE datname = current_database()");
      const isValid = () => ask("SELECT indisvalid FROM pg_index WHERE indexrelid = 'outbox_due'::regclass");
      await ask("DROP INDEX outbox_due");
      await holder.query("BEGIN");
      await holder.query("LOCK TABLE outbox IN ROW EXCLUSIVE MODE");
      const migrate = program(["migrate"], { DATABASE_URL: own.url });
      migrate.address.catch(() => {});
      await expect.poll(builds, { timeout: patientMs }).toHaveLength(1);
      migrate.child.kill("SIGKILL");
      await migrate.ended;
      await expect.poll(builds).toEqual([]);
      await holder.query("COMMIT");
      expect(await isValid()).toEqual([{ indisvalid: false }]);
      const { code, out, err } = await run(["migrate"], { DATABASE_URL: own.url });
      expect([code, out]).toEqual([
        0,
        expect.stringMatching(/^step +state\nindex outbox_due on outbox \(due_at\) {2}done\n$/),
      ]);
      expect(err).toMatch(/was cut off, and is dropped\nindex outbox_due/);
      expect(await isValid()).toEqual([{ indisvalid: true }]);
    },
  );

  test("a held answer is given when the service is told to stop", async () => {
    const own = await createPlace(dialect);
    onTestFinished(() => own.dispose());
    const service = program(["--sandbox"], { ...settings, DATABASE_URL: own.url });
    const address = await service.address;
    const token = async (...who: [string, string, string, string]) =>
      (await (await signIn(address, ...who)).json()).access_token as string;
    const till = await token("terminal", "demo-shop", "till-1", "till-secret");
    const bank = await token("client", "demo-bank", "server-1", "bank-secret");
    const asked = await fetch(`${address}/ext/v1/withdrawals`, {
      method: "POST",
      headers: { authorization: `Bearer ${bank}`, "content-type": "application/json", "idempotency-key": "k" },
      body: JSON.stringify({ user_id: "u", amount: "50.00", currency: "EUR", store: "demo-shop" }),
    });
    const { transaction_id } = (await asked.json()) as { transaction_id: string };
    const held = fetch(`${address}/transaction?id=${transaction_id}&wait=25&status=ready`, {
      headers: { authorization: `Bearer ${till}` },
    });
    await fetch(`${address}/healthz`);
    service.child.kill("SIGINT");
    expect(await (await held).json()).toMatchObject({ transaction_id, status: "ready" });
    expect((await service.ended).code).toBe(0);
  });
});

test("a live service believes the machine's authorities, prints its own lines alone, and drains nothing for Ctrl+C", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tillcash-live-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const noise = "process.on('exit', () => console.log('a word of a library'))";
  const service = program([], {
    ...{ DATABASE_URL: `sqlite:${join(folder, "live.db")}`, PORT: "0", METRICS_PORT: "0", DRAIN_SECONDS: "300" },
    NODE_EXTRA_CA_CERTS: join(folder, "missing.pem"),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(noise)}`,
  });
  await service.address;
  service.child.kill("SIGINT");
  expect(await service.ended).toEqual({
    code: 0,
    out: expect.stringMatching(/^service listening on \S+\n$/),
    err: expect.stringMatching(/missing\.pem cannot be read","msg":"authorities".*a word of a library/s),
  });
});

describe("refused", () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tillcash-cli-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const sqlite = (name: string) => ({ DATABASE_URL: `sqlite:${join(folder, name)}`, SANDBOX: "1", PORT: "0" });

  const atTheShell: [string, string[], Record<string, string>, RegExp][] = [
    [
      "a bank in the open",
      [],
      { SANDBOX: "0", PARTNER_ID: "bank", PARTNER_URL: "http://bank.example", PARTNER_SECRET: "short" },
      /^PARTNER_URL must be https.*\nPARTNER_SECRET must be whsec_.*\nSee --help\.\n$/,
    ],
    [
      "a command that does not exist",
      ["merchants", "remove"],
      {},
      /^there is no command "merchants remove"; there are: merchants add, merchants list[a-z, ]*\nSee --help\.\n$/,
    ],
    [
      "a group alone",
      ["merchants"],
      {},
      /^"merchants" needs one word more; there are: merchants add, merchants list[a-z, ]*\n/,
    ],
    ["no group at all", ["nonsense"], {}, /^there is no command "nonsense"; there are merchants, partners, /],
    [
      "a folder that is a file",
      [],
      { DATABASE_URL: "sqlite:/dev/null/x/service.db" },
      /^the database .* cannot be made/,
    ],
  ];
  test.each(atTheShell)("at the shell: %s", async (_, args, settings, sentence) => {
    const { code, out, err } = await run(args, { ...sqlite("shell.db"), ...settings });
    expect([code, out, err]).toEqual([2, "", expect.stringMatching(sentence)]);
  });

  test.each([
    ["nobody", 1, / ECONNREFUSED .* wrong\n/],
    [200, 1, / 200 .* wrong\n/],
    [401, 0, / 401 .* right\n/],
  ])(
    "a bank whose server answers a ping wrong: exit code 1, for a script that goes live; by %s: %i",
    {
      timeout: patientMs,
    },
    async (status, expected, said) => {
      const server = createHttpServer((_, answer) => answer.writeHead(Number(status)).end());
      const port = await freePort();
      if (status !== "nobody") await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
      const settings = sqlite(`ping-${status}.db`);
      const [bank, url] = [`bank-${status}`, `http://127.0.0.1:${port}`];
      await manage(parseCommandLine(["partners", "add", bank, "--url", url], settings));
      const { code, out } = await run(["partners", "test", bank], settings);
      server.close();
      expect([code, out]).toEqual([expected, expect.stringMatching(said)]);
    },
  );

  test("an address that is taken", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const { code, err } = await run(["--port", String(port)], { ...sqlite("taken.db") });
    server.close();
    expect(code).toBe(2);
    expect(err).toMatch(/address cannot be used.*EADDRINUSE.*\n.*--port 0/);
  });

  test("--version is the version alone", async () => {
    expect(await run(["--version"], {})).toMatchObject({ code: 0, out: `${serviceVersion}\n` });
  });

  test("--help has examples", async () => {
    const { code, out } = await run(["--help"], {});
    expect(code).toBe(0);
    expect(out).toMatch(/Examples\n {2}npm run backend -- --sandbox/);
  });
});
