/** What an operator sees: metrics for all that happens, logs that give nobody away, and 503 when the disk says no. */
import { DatabaseSync } from "node:sqlite";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLog } from "../../backend/log.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { serviceVersion } from "../../backend/version.ts";
import { bank, createHttpStage, type HttpStage, till, tillSecret } from "./http-stage.ts";
import { stores } from "./stores.ts";

describe.each(stores)("on %s", (dialect) => {
  let stage: HttpStage;
  beforeAll(async () => {
    stage = await createHttpStage(dialect);
  });
  afterAll(() => stage.dispose());

  test("metrics count transitions, partner calls, the outbox and requests, and name nobody", async () => {
    const id = await stage.settled("pos-metrics");
    await stage.call("GET", `/nowhere/${id}`);
    const { text, headers } = await stage.call("GET", "/metrics");
    expect(headers.get("content-type")).toMatch(/^text\/plain/);
    for (const line of [
      /^tillcash_transitions_total\{from="none",to="requested",reason="none"\} [1-9]/m,
      /^tillcash_transitions_total\{from="requested",to="ready",reason="none"\} [1-9]/m,
      /^tillcash_transitions_total\{from="ready",to="settling",reason="none"\} [1-9]/m,
      /^tillcash_transitions_total\{from="settling",to="settled",reason="none"\} [1-9]/m,
      /^tillcash_partner_call_seconds_count\{call="start",outcome="accepted"\} [1-9]/m,
      /^tillcash_partner_call_seconds_count\{call="settle",outcome="accepted"\} [1-9]/m,
      /^tillcash_outbox_depth \d/m,
      /^tillcash_outbox_oldest_age_seconds \d/m,
      /^tillcash_status_events_depth \d/m,
      /^tillcash_status_events_oldest_age_seconds \d/m,
      /^tillcash_http_request_seconds_count\{method="POST",route="\/transaction\/confirm",status="201"\} [1-9]/m,
      /^tillcash_http_request_seconds_count\{method="other",route="other",status="404"\} [1-9]/m,
      /^process_cpu_seconds_total /m,
    ])
      expect(text).toMatch(line);
    expect(text).not.toContain(id);
    expect(text).not.toContain("customer-77");
  });

  test("every request is a line with its id; nobody's id, balance, token or secret is in any", async () => {
    const secrets = ["customer-77", "987.65", "shop-password", tillSecret, bank.password, "ann@example.com"];
    const tokens = [await stage.token(), await stage.token(bank)];
    await stage.settled("pos-logs");
    const refused = await stage.authorize({ ...till, password: "shop-password" });
    const additionalData = {
      brand: "b",
      userId: "customer-77",
      balance: "987.65",
      currency: "EUR",
      urlBack: "https://b.example",
    };
    const checkin = await stage.call("POST", "/api/v7/partnerCheckin", {
      token: tokens[1],
      json: { referenceId: "r", additionalData },
    });
    const linkToken = new URL(checkin.body.destination_url).searchParams.get("token") ?? "none";
    await fetch(
      stage.baseUrl() + new URL(checkin.body.destination_url).pathname + new URL(checkin.body.destination_url).search,
    );
    const created = await stage.call("POST", "/api/v2/users", { token: tokens[1], json: { email: "ann@example.com" } });
    const asked = await stage.call("GET", `/transaction?id=${tokens[0]}`, {
      token: tokens[0],
      headers: { "x-request-id": "find-me" },
    });
    const log = stage.log();
    for (const secret of [...secrets, ...tokens, linkToken, created.body.password]) expect(log).not.toContain(secret);
    const lines = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    for (const answer of [refused, checkin, created, asked]) {
      const id = answer.headers.get("x-request-id");
      const told = lines.filter((line) => line.request_id === id && line.route !== undefined);
      expect(told.map(({ status }) => status)).toEqual([answer.status]);
    }
    expect(lines.find((line) => line.request_id === "find-me")).toMatchObject({
      level: "info",
      method: "GET",
      route: "/transaction",
      status: 404,
      duration_ms: expect.any(Number),
    });
  });

  test("money of which no word of the cash has come is counted, and its withdrawal named by the list", async () => {
    const id = await stage.settled("pos-unlinked");
    const count = async () =>
      Number(
        /^tillcash_unlinked_withdrawals\{older_than="0s"\} (\d+)$/m.exec(
          (await stage.call("GET", "/metrics")).text,
        )?.[1],
      );
    await expect.poll(count).toBeGreaterThan(0);
    const listed = await manage(
      parseCommandLine(["withdrawals", "list", "--status", "settled"], { DATABASE_URL: stage.place.url }),
    );
    expect(listed.map(({ transaction }) => transaction)).toContain(id);
    await expect.poll(count).toBe(listed.length);
  });

  test("healthz says which version it is", async () => {
    expect((await stage.call("GET", "/healthz")).body).toEqual({ status: "ok", version: serviceVersion });
  });

  test("readyz says that the database answers", async () => {
    expect((await stage.call("GET", "/readyz")).body).toEqual({ status: "ready" });
  });
});

describe("a database that cannot be read", () => {
  test("is not ready, though the process is alive, and is again once it can", async () => {
    const stage = await createHttpStage("sqlite");
    const statuses = async () => [
      (await stage.call("GET", "/healthz")).status,
      (await stage.call("GET", "/readyz")).status,
    ];
    const other = new DatabaseSync(stage.place.url.slice("sqlite:".length));
    other.exec("ALTER TABLE schema_version RENAME TO elsewhere");
    expect(await statuses()).toEqual([200, 500]);
    other.exec("ALTER TABLE elsewhere RENAME TO schema_version");
    other.close();
    expect(await statuses()).toEqual([200, 200]);
    await stage.dispose();
  });
});

describe("a database that cannot be written", () => {
  test("locked: 503 after a while, a clear line, nothing half-done, and it mends itself", async () => {
    const stage = await createHttpStage("sqlite");
    const id = await stage.withdrawal();
    const token = await stage.token();
    const confirm = () =>
      stage.call("POST", "/transaction/confirm", {
        token,
        json: { transaction_id: id, transaction_id_partner: "pos-1" },
      });
    const other = new DatabaseSync(stage.place.url.slice("sqlite:".length));
    other.exec("BEGIN IMMEDIATE");
    const refused = await confirm();
    expect([refused.status, refused.body.code]).toEqual([503, "unavailable"]);
    expect(refused.text).not.toMatch(/sqlite|database is locked|SQL/i);
    expect(stage.log()).toMatch(/"level":"error".*"code":"unavailable".*locked/);
    const seen = await stage.call("GET", `/transaction?id=${id}`, { token });
    expect(seen.body).toMatchObject({ status: "ready", transaction_id_partner: null });
    other.exec("ROLLBACK");
    other.close();
    expect((await confirm()).body.status).toBe("awaiting_sca");
    await stage.dispose();
  });

  test("a statement that fails: 500 without a word of why, reads go on, and it mends itself", async () => {
    const stage = await createHttpStage("sqlite");
    const id = await stage.withdrawal();
    const token = await stage.token();
    const other = new DatabaseSync(stage.place.url.slice("sqlite:".length));
    other.exec(
      "CREATE TRIGGER full BEFORE UPDATE ON withdrawals BEGIN SELECT RAISE(ABORT, 'the trigger says no'); END",
    );
    const refused = await stage.call("POST", "/transaction/reject", { token, json: { transaction_id: id } });
    expect([refused.status, refused.body.code]).toEqual([500, "internal_error"]);
    expect(refused.text).not.toMatch(/trigger|UPDATE|\s+at /);
    expect(stage.log()).toMatch(/"level":"error".*the trigger says no/);
    expect(stage.log()).toMatch(/"level":"error".*"route":"\/transaction\/reject","status":500/);
    expect((await stage.call("GET", `/transaction?id=${id}`, { token })).body.status).toBe("ready");
    other.exec("DROP TRIGGER full");
    other.close();
    expect((await stage.call("POST", "/transaction/reject", { token, json: { transaction_id: id } })).status).toBe(201);
    await stage.dispose();
  });
});

test("a report that breaks off is a failure in the metrics and in the log, not a success", async () => {
  const stage = await createHttpStage("sqlite");
  const db = new DatabaseSync(stage.place.url.slice("sqlite:".length));
  const rows = 40_000;
  db.exec(`INSERT INTO withdrawals (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status,
    created_at, expires_at, confirmed_at, settle_attempts, idempotency_key, request_hash)
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    SELECT 'ROW' || i, 'demo-bank', 'demo-shop', 'ann', 5000, 'EUR', 0, 'linked', 1, 2, ${Date.now()} - i, 1, 'row ' || i, '' FROM n`);
  const reply = await fetch(`${stage.baseUrl()}/ext/v1/reconciliation`, {
    headers: { authorization: `Bearer ${await stage.token(bank)}` },
  });
  const reader = reply.body?.getReader();
  await reader?.read();
  db.exec("ALTER TABLE restored_reports RENAME TO broken");
  await expect(
    (async () => {
      while (!(await reader?.read())?.done);
    })(),
  ).rejects.toThrow();
  const counted =
    /tillcash_http_request_seconds_count\{method="GET",route="\/ext\/v1\/reconciliation",status="(\d+)"\} (\d+)/g;
  await expect
    .poll(async () =>
      [...(await stage.call("GET", "/metrics")).text.matchAll(counted)].map(([, status, n]) => [status, n]),
    )
    .toEqual([["500", "1"]]);
  expect(stage.log()).toMatch(/"level":"error".*"route":"\/ext\/v1\/reconciliation","status":500/);
  expect(stage.log()).toMatch(/restored_reports/);
  db.exec("ALTER TABLE broken RENAME TO restored_reports");
  db.close();
  await stage.dispose();
});

test("what should never be logged is cut out all the same, and errors are cut down", () => {
  let text = "";
  const sink = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  const detail = Object.assign(new Error("duplicate key"), { code: "23505", detail: "Key (user_id)=(ann) exists" });
  const names = ["user_id", "userId", "balance", "password", "secret", "access_token", "token", "authorization"];
  const secret = Object.fromEntries(names.map((name) => [name, "ann"]));
  createLog("info", sink).error({ ...secret, nested: secret, err: detail }, "x");
  expect(text).not.toContain("ann");
  expect(JSON.parse(text)).toMatchObject({ err: { code: "23505", message: "duplicate key" }, user_id: "[redacted]" });
});
