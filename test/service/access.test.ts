/** Who may call: sign-in, scopes, tokens that last and end, and how guessing is slowed down. */
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAccess } from "../../backend/access/access.ts";
import { addCredential, revokeCredential, rotateCredential } from "../../backend/access/credentials.ts";
import { throttleLimits } from "../../backend/access/rate-limits.ts";
import { createBoundedQueue, createSecretHasher } from "../../backend/access/secrets.ts";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import type { Service } from "../../backend/context.ts";
import { adhoc } from "../../backend/store/store.ts";
import { bank, createHttpStage, type HttpStage, till, tillSecret } from "./http-stage.ts";
import { stopClocks } from "./stop-clocks.ts";
import { stores } from "./stores.ts";
import { testKeys } from "./world.ts";

describe.each(stores)("access on %s", (dialect) => {
  let stage: HttpStage;
  beforeAll(async () => {
    stage = await createHttpStage(dialect);
  });
  afterAll(() => stage.dispose());

  test("the reply is what RFC 6749 and the interface say", async () => {
    const answer = await stage.authorize();
    expect(answer.status).toBe(201);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.body).toEqual({
      token_type: "bearer",
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: 86_400,
      scope: "transactions",
    });
  });

  test("a form-encoded body is taken too", async () => {
    const answer = await stage.call("POST", "/oauth2/authorize", {
      body: new URLSearchParams({ grant_type: "client_credentials", ...till }),
    });
    expect(answer.status).toBe(201);
  });

  const granted: [string, string][] = [
    ["", "checkin users withdrawals reconciliation"],
    ["users", "users"],
    ["  withdrawals   checkin ", "checkin withdrawals"],
  ];
  test.each(granted)("scope %j grants %j", async (scope, expected) => {
    expect((await stage.authorize({ ...bank, scope })).body.scope).toBe(expected);
  });

  test("a token can do what its scope says and no more", async () => {
    const token = (await stage.authorize({ ...bank, scope: "users" })).body.access_token;
    const answer = await stage.call("GET", "/ext/v1/reconciliation", { token });
    expect([answer.status, answer.body.code]).toEqual([403, "insufficient_scope"]);
    // A terminal's scope, which would do too, is none that a bank's server could be given.
    expect(answer.body.detail).toBe("This call needs the scope reconciliation");
    const history = await stage.call("GET", "/ext/v1/transactions/0000000000000000/events", { token });
    expect(history.body.detail).toBe("This call needs the scope withdrawals or reconciliation");
    const terminals = await stage.call("GET", "/transaction?id=0000000000000000", { token });
    expect(terminals.body.detail).toBe("This call is not for a client's token");
    expect([history.status, terminals.status]).toEqual([403, 403]);
    expect((await stage.call("POST", "/api/v2/users", { token, json: {} })).status).toBe(201);
  });

  const wrong: [string, Record<string, unknown>, number, string][] = [
    ["password", { ...till, password: "wrong" }, 401, "invalid_client"],
    ["device", { ...till, device_id: "till-404" }, 401, "invalid_client"],
    ["merchant", { ...till, merchant_id: "nobody" }, 401, "invalid_client"],
    ["device_type", { ...till, device_type: "client" }, 401, "invalid_client"],
    ["scope", { ...till, scope: "users" }, 400, "invalid_scope"],
    ["scope word", { ...till, scope: "everything" }, 400, "invalid_scope"],
    ["grant_type", { ...till, grant_type: "password" }, 400, "unsupported_grant_type"],
    ["grant_type, missing", { ...till, grant_type: undefined }, 400, "invalid_request"],
    ["password, missing", { ...till, password: undefined }, 400, "invalid_request"],
    ["password, a number", { ...till, password: 1 }, 400, "invalid_request"],
    ["device_type, unknown", { ...till, device_type: "toaster" }, 400, "invalid_request"],
    ["merchant_id, long", { ...till, merchant_id: "m".repeat(65) }, 400, "invalid_request"],
  ];
  test.each(wrong)("a wrong %s", async (_, fields, status, error) => {
    const answer = await stage.authorize(fields);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(answer.body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("x-request-id")).toBeTruthy();
  });

  const malformed: [string, BodyInit, Record<string, string>, number][] = [
    ["half JSON", "{", { "content-type": "application/json" }, 400],
    [
      "a parameter twice",
      "grant_type=client_credentials&grant_type=client_credentials",
      { "content-type": "application/x-www-form-urlencoded" },
      400,
    ],
    ["text", "x", { "content-type": "text/plain" }, 415],
    ["too much", "x".repeat(70_000), { "content-type": "application/json" }, 413],
  ];
  test.each(malformed)("%s is invalid_request", async (_, body, headers, status) => {
    const answer = await stage.call("POST", "/oauth2/authorize", { body, headers });
    expect([answer.status, answer.body.error]).toEqual([status, "invalid_request"]);
  });

  test("a token survives a restart", async () => {
    const token = await stage.token();
    await stage.restart();
    expect((await stage.call("GET", "/transaction?id=1", { token })).status).toBe(404);
  });

  test("the database holds neither tokens nor secrets", async () => {
    const token = await stage.token();
    const store = await stage.place.open();
    const raw = (text: string) => adhoc((db) => ({ compile: () => sql.raw<{ name: string }>(text).compile(db) }));
    const tables =
      dialect === "sqlite"
        ? "SELECT name FROM sqlite_schema WHERE type = 'table'"
        : "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()";
    const text = await store.read(async (tx) => {
      const names = (await tx.all(raw(tables))).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["tokens", "credentials", "audit", "settings"]));
      const rows = [];
      for (const name of names) rows.push(...(await tx.all(raw(`SELECT * FROM "${name}"`))));
      return JSON.stringify(rows);
    });
    await store.close();
    expect(text).not.toContain(token);
    expect(text).not.toContain(tillSecret);
    expect(text).toContain("scrypt$2$1$1$");
  });

  test("a rotation and a revocation by another process end the key and its tokens, also those just used", async () => {
    const key = { kind: "terminal", ownerId: "demo-shop", deviceId: "till-1" } as const;
    const token = await stage.token();
    const store = await stage.place.open();
    const on = { store, clock: systemClock, random: systemRandom, keys: stage.keys() };
    const use = async () => (await stage.call("GET", "/transaction?id=1", { token })).status;
    expect(await use()).toBe(404);
    const rotated = await rotateCredential(on, key);
    await expect.poll(use).toBe(401);
    expect((await stage.authorize()).body.error).toBe("invalid_client");
    const next = await stage.authorize({ ...till, password: rotated });
    expect(next.status).toBe(201);
    const nextToken = next.body.access_token;
    const useNext = async () => (await stage.call("GET", "/transaction?id=1", { token: nextToken })).status;
    expect(await useNext()).toBe(404);
    await revokeCredential(on, key);
    await expect.poll(useNext).toBe(401);
    expect((await stage.authorize({ ...till, password: rotated })).body.error).toBe("invalid_client");
    await addCredential(on, createSecretHasher(systemRandom), key, undefined, tillSecret);
    expect((await stage.authorize()).status).toBe(201);
    expect([await use(), await useNext()]).toEqual([401, 401]);
    await store.close();
  });

  test("repeated failures of a credential: 429 with Retry-After, while others sign in", async () => {
    stopClocks();
    const fields = { ...till, device_id: "till-guessed", password: "guess" };
    const seen: number[] = [];
    for (let attempt = 0; attempt <= throttleLimits.freePerCredential; attempt++)
      seen.push((await stage.authorize(fields)).status);
    expect(seen).toEqual([401, 401, 401, 401, 401, 429]);
    const answer = await stage.authorize(fields);
    expect([answer.status, answer.body.error]).toEqual([429, "too_many_requests"]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect((await stage.authorize()).status).toBe(201);
  });

  test("a flood of wrong secrets is shed, and the service goes on answering", async () => {
    const flood = Array.from({ length: 60 }, (_, at) =>
      stage.authorize({ ...till, device_id: `flood-${at}`, password: "x" }),
    );
    const healthy = await Promise.all(Array.from({ length: 20 }, () => stage.call("GET", "/healthz")));
    expect(new Set(healthy.map(({ status }) => status))).toEqual(new Set([200]));
    const answers = await Promise.all(flood);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    for (const answer of answers) if (answer.status === 429) expect(answer.headers.get("retry-after")).toBeTruthy();
  });
});

test("the queue runs so many at once, lets so many wait, refuses the rest, and goes on after a failure", async () => {
  const queue = createBoundedQueue({ atOnce: 1, waiting: 1 });
  let finish = () => {};
  const first = queue.run(() => new Promise<void>((resolve) => (finish = resolve)));
  let hasBegun = false;
  const second = queue.run(() => {
    hasBegun = true;
    return Promise.reject(new Error("second"));
  });
  await expect(queue.run(async () => "third")).rejects.toMatchObject({ code: "too_many_requests" });
  expect(hasBegun).toBe(false);
  finish();
  await first;
  await expect(second).rejects.toThrow("second");
  expect(await queue.run(async () => "fourth")).toBe("fourth");
});

test("hashes of a service that says nothing of their cost: costly, salted, right for the right secret alone", async () => {
  const service = { clock: systemClock, random: systemRandom } as Service;
  const { secrets, userSecrets } = createAccess(service, "a token secret of the tests", { keys: testKeys });
  const [one, two] = [await secrets.hash("sécret"), await secrets.hash("sécret")];
  expect(one).not.toBe(two);
  for (const hash of [one, two, await userSecrets.hash("s")]) expect(hash).toMatch(/^scrypt\$16384\$8\$5\$/);
  expect(await secrets.verify("sécret", one)).toBe(true);
  expect(await secrets.verify("sécret", two)).toBe(true);
  expect(await secrets.verify("secret", one)).toBe(false);
  expect(await secrets.verify("", null)).toBe(false);
});
