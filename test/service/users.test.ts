/** Create a new user: the published facts, on both stores. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import { ServiceError } from "../../backend/service-error.ts";
import { statement, UniqueViolation } from "../../backend/store/store.ts";
import { createUser } from "../../backend/users/create-user.ts";
import { bank, createHttpStage, type HttpStage, otherBank } from "./http-stage.ts";
import { stores } from "./stores.ts";

const storedUsers = statement("test_users", (db, _: Readonly<Record<never, never>>) =>
  db.selectFrom("users").selectAll(),
);

describe.each(stores)("users on %s", (dialect) => {
  let stage: HttpStage;
  beforeAll(async () => {
    stage = await createHttpStage(dialect);
  });
  afterAll(() => stage.dispose());

  const create = async (json: unknown, headers: Record<string, string> = {}, fields: Record<string, unknown> = bank) =>
    stage.call("POST", "/api/v2/users", { token: await stage.token(fields), json, headers });

  test("with nothing: id and password are made, the rest is left out", async () => {
    const answer = await create({});
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      // Nobody guesses either.
      id: expect.stringMatching(/^[0-9a-f]{30}$/),
      password: expect.stringMatching(/^[\w-]{24}$/),
      isAutoUpdateEnabled: false,
    });
  });

  test("with everything: it comes back as it was sent, and the password is kept as a hash alone", async () => {
    const sent = {
      id: "Ann.Lee+1@example.com",
      password: "pä$$ word`^€",
      email: "ann@example.com",
      phone: "+49 (0) 1 23",
      isAutoUpdateEnabled: true,
    };
    const answer = await create({ ...sent, unknown: 1 });
    expect([answer.status, answer.body]).toEqual([201, sent]);
    const store = await stage.place.open();
    const rows = await store.read((tx) => tx.all(storedUsers({})));
    await store.close();
    expect(JSON.stringify(rows)).not.toContain("pä$$");
    expect(rows.find(({ id }) => id === sent.id)).toMatchObject({
      password_hash: expect.stringMatching(/^scrypt\$/),
      email: sent.email,
      phone: sent.phone,
      auto_update: 1,
    });
    const bare = (await create({})).body;
    const again = await stage.place.open();
    const kept = await again.read((tx) => tx.all(storedUsers({})));
    await again.close();
    expect(kept.find(({ id }) => id === bare.id)).toMatchObject({ email: null, phone: null, auto_update: 0 });
  });

  test("ids are case-insensitive, and apart for each partner", async () => {
    expect((await create({ id: "Bob" })).status).toBe(201);
    const taken = await create({ id: "bOB" });
    expect(taken.status).toBe(422);
    expect(taken.body).toEqual({
      errors: [{ message: expect.any(String), code: "ENTITY_EXISTS", type: "BUSINESS" }],
      date: expect.stringMatching(/Z$/),
      requestId: taken.headers.get("x-request-id"),
      endpoint: "POST /api/v2/users",
      authContext: "demo-bank/server-1",
    });
    expect((await create({ id: "bob" }, {}, otherBank)).status).toBe(201);
  });

  test("of two at once with one id one is created", async () => {
    const both = await Promise.all([create({ id: "ada" }), create({ id: "ADA" })]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 422]);
  });

  const invalid: [string, unknown][] = [
    ["an id with a space", { id: "a b" }],
    ["an id of 37", { id: "a".repeat(37) }],
    ["an empty id", { id: "" }],
    ["a password of 5", { password: "12345" }],
    ["a password of 129", { password: "x".repeat(129) }],
    ["a password with a quote", { password: 'secret"quote' }],
    ["a password with a new line at its end", { password: "secret\n" }],
    ["an email of 321", { email: "a".repeat(321) }],
    ["an email with <", { email: "<ann@example.com>" }],
    ["a phone of 51", { phone: "1".repeat(51) }],
    ["a flag that is text", { isAutoUpdateEnabled: "true" }],
    ["a number for an id", { id: 7 }],
    ["null", null],
    ["a list", []],
  ];
  test.each(invalid)("%s is 400 BAD_REQUEST", async (_, json) => {
    const answer = await create(json);
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.body.errors[0]).toMatchObject({ code: "BAD_REQUEST", type: "BUSINESS" });
  });

  const requestIds: [string, number][] = [
    ["any string, with spaces; and signs", 201],
    ["ä".repeat(255), 201],
    ["x".repeat(255), 201],
    ["x".repeat(256), 400],
  ];
  test.each(requestIds)("X-Request-Id %#", async (sent, status) => {
    const answer = await create({}, { "x-request-id": sent });
    expect(answer.status).toBe(status);
    const back = answer.headers.get("x-request-id");
    if (status === 201) expect(back).toBe(sent);
    else {
      expect(back).toMatch(/^[0-9a-f]{16}$/);
      expect(answer.body).toMatchObject({ errors: [{ code: "BAD_REQUEST" }], requestId: back });
    }
  });

  test("the other refusals", async () => {
    const terminal = await stage.call("POST", "/api/v2/users", { token: await stage.token(), json: {} });
    expect(terminal.status).toBe(403);
    expect(terminal.body).toMatchObject({ errors: [{ code: "UNAUTHORIZED_ACCESS", type: "BUSINESS" }] });
    const anonymous = await stage.call("POST", "/api/v2/users", { json: {} });
    expect([anonymous.status, anonymous.body]).toEqual([
      401,
      { error: "invalid_token", error_description: expect.any(String) },
    ]);
    const token = await stage.token(bank);
    const text = await stage.call("POST", "/api/v2/users", {
      token,
      body: "x",
      headers: { "content-type": "text/plain" },
    });
    expect([text.status, text.body.errors[0].code]).toEqual([415, "BAD_REQUEST"]);
    const method = await stage.call("GET", "/api/v2/users", { token });
    expect([method.status, method.body.errors[0].code]).toEqual([405, "BAD_REQUEST"]);
  });
});

/** Where the store answers so. */
const createdOn = (error: Error) => {
  const service = { store: { write: () => Promise.reject(error) }, clock: systemClock, random: systemRandom };
  const secrets = { hash: async () => "hash" };
  return createUser(service as never, secrets as never, { partnerId: "bank" }, { isAutoUpdateEnabled: false });
};

test("a database that is away is no user that is there", async () => {
  const away = new ServiceError("unavailable");
  await expect(createdOn(away)).rejects.toBe(away);
});

test("a row that the index refuses is a user that is there", async () => {
  const cause = new UniqueViolation(new Error("index"));
  await expect(createdOn(cause)).rejects.toMatchObject({ name: "UserExists", cause });
});
