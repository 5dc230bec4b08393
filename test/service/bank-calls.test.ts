/** The calls that a bank's server makes beside those of the interface: token, stores, reading a withdrawal, codes, CSV. */
import * as openid from "openid-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adhoc } from "../../backend/store/store.ts";
import { bank, createHttpStage, type HttpStage, otherBank, till } from "./http-stage.ts";

let stage: HttpStage;
beforeAll(async () => {
  stage = await createHttpStage("sqlite");
});
afterAll(() => stage.dispose());

const form = (fields: Record<string, string>) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { "content-type": "application/x-www-form-urlencoded" },
});
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

describe("POST /oauth2/token", () => {
  const id = "demo-bank/server-1";
  const ways: [string, openid.ClientAuth][] = [
    ["Basic", openid.ClientSecretBasic(bank.password)],
    ["parameters", openid.ClientSecretPost(bank.password)],
  ];
  test.each(ways)("openid-client gets a token by %s", async (_, authentication) => {
    const server = { issuer: stage.baseUrl(), token_endpoint: `${stage.baseUrl()}/oauth2/token` };
    const config = new openid.Configuration(server, id, undefined, authentication);
    openid.allowInsecureRequests(config);
    const granted = await openid.clientCredentialsGrant(config, { scope: "withdrawals" });
    expect(granted).toMatchObject({ token_type: "bearer", expires_in: 86_400, scope: "withdrawals" });
    const answer = await stage.call("GET", "/ext/v1/stores", { token: granted.access_token });
    expect(answer.status).toBe(200);
  });

  test("a terminal asks with device_type", async () => {
    const fields = { grant_type: "client_credentials", device_type: "terminal" };
    const more = { client_id: "demo-shop/till-1", client_secret: till.password };
    const answer = await stage.call("POST", "/oauth2/token", form({ ...fields, ...more }));
    expect([answer.status, answer.body.scope]).toEqual([200, "transactions"]);
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  const grant = { grant_type: "client_credentials" };
  const refused: [string, Record<string, string>, string | undefined, number, string][] = [
    ["a wrong secret", grant, basic(id, "wrong"), 401, "invalid_client"],
    ["no client at all", grant, undefined, 401, "invalid_client"],
    ["an empty header alone", grant, "", 401, "invalid_client"],
    ["an id without a device", grant, basic("demo-bank", bank.password), 401, "invalid_client"],
    ["an id of three parts", grant, basic(`${id}/x`, bank.password), 401, "invalid_client"],
    ["an id without a bank", grant, basic("/server-1", bank.password), 401, "invalid_client"],
    ["another scheme", grant, "Digest x", 401, "invalid_client"],
    ["both ways", { ...grant, client_secret: "x" }, basic(id, bank.password), 400, "invalid_request"],
    ["another's id", { ...grant, client_id: "other-bank/server-1" }, basic(id, bank.password), 400, "invalid_request"],
    ["an empty grant", { grant_type: "" }, basic(id, bank.password), 400, "invalid_request"],
    ["another grant", { grant_type: "password" }, basic(id, bank.password), 400, "unsupported_grant_type"],
    ["more scope than it has", { ...grant, scope: "transactions" }, basic(id, bank.password), 400, "invalid_scope"],
  ];
  const own = { client_id: id, client_secret: bank.password };
  /** An empty parameter counts as left out (RFC 6749 §3.2), and so does an empty header. */
  const granted: [string, Record<string, string>, string | undefined][] = [
    ["an empty secret beside Basic", { ...grant, client_id: "", client_secret: "" }, basic(id, bank.password)],
    ["the same client id beside Basic", { ...grant, client_id: id }, basic(id, bank.password)],
    ["its id form-encoded in Basic", { ...grant, client_id: id }, basic(encodeURIComponent(id), bank.password)],
    ["an empty device type", { ...grant, ...own, device_type: "", scope: "" }, undefined],
    ["an empty header beside parameters", { ...grant, ...own }, ""],
  ];
  test.each(granted)("grants a token for %s", async (_, fields, authorization) => {
    const sent = form(fields);
    const headers = { ...sent.headers, ...(authorization !== undefined && { authorization }) };
    const answer = await stage.call("POST", "/oauth2/token", { body: sent.body, headers });
    expect([answer.status, answer.body.error_description]).toEqual([200, undefined]);
  });

  test("refuses an empty parameter that is there twice", async () => {
    const { headers, body } = form({ ...grant, ...own });
    const answer = await stage.call("POST", "/oauth2/token", { headers, body: `${body}&scope=&scope=withdrawals` });
    expect([answer.status, answer.body.error]).toEqual([400, "invalid_request"]);
  });

  test.each(refused)("refuses %s", async (_, fields, authorization, status, error) => {
    const sent = form(fields);
    const headers = { ...sent.headers, ...(authorization !== undefined && { authorization }) };
    const answer = await stage.call("POST", "/oauth2/token", { body: sent.body, headers });
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    if (status === 401) expect(answer.headers.get("www-authenticate")).toMatch(/^Basic realm=/);
  });

  test("takes no JSON", async () => {
    expect((await stage.call("POST", "/oauth2/token", { json: grant })).status).toBe(415);
  });
});

describe("GET /ext/v1/stores", () => {
  test("lists the shops with their limits, in pages", async () => {
    const token = await stage.token(bank);
    const first = await stage.call("GET", "/ext/v1/stores?limit=1", { token });
    expect(first.body).toEqual({
      stores: [
        {
          store: "demo-shop",
          name: "Demo Shop",
          currency: "EUR",
          amount_min: "10.00",
          amount_max: "500.00",
          amount_step: "0.01",
        },
      ],
      next: "demo-shop",
    });
    const second = await stage.call("GET", "/ext/v1/stores?limit=1&after=demo-shop", { token });
    expect([second.body.stores[0].store, second.body.next]).toEqual(["other-shop", null]);
  });
  test.each(["limit=0", "limit=201", "limit=x", "after="])("refuses %s", async (query) => {
    const answer = await stage.call("GET", `/ext/v1/stores?${query}`, { token: await stage.token(bank) });
    expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
  });
  test("is no call of a terminal", async () => {
    expect((await stage.call("GET", "/ext/v1/stores", { token: await stage.token() })).status).toBe(403);
  });
});

describe("GET /ext/v1/withdrawals", () => {
  const list = async (query = "", fields = bank) =>
    stage.call("GET", `/ext/v1/withdrawals${query}`, { token: await stage.token(fields) });
  const ids = async (query: string): Promise<string[]> =>
    (await list(query)).body.withdrawals.map(({ transaction_id }: { transaction_id: string }) => transaction_id);

  test("lists the bank's own, the newest first, in pages, ended ones too", async () => {
    const made = [await stage.withdrawal("20.00"), await stage.settled("listed-1"), await stage.withdrawal("30.00")];
    const newest = made.toReversed();
    const first = await list("?limit=2");
    expect(first.body.withdrawals[0]).toEqual(
      (await stage.call("GET", `/ext/v1/withdrawals/${newest[0]}`, { token: await stage.token(bank) })).body,
    );
    expect((await ids("?limit=2")).slice(0, 2)).toEqual(newest.slice(0, 2));
    const second = `?limit=1&cursor=${encodeURIComponent(first.body.next)}`;
    expect(await ids(second)).toEqual([newest[2]]);
    const linked = { token: await stage.token(), json: { transaction_id: newest[1] } };
    expect((await stage.call("POST", "/transaction/link", linked)).status).toBe(201);
    expect((await ids("?limit=3")).slice(0, 3)).toEqual(newest);
    expect(await ids("?status=linked&limit=1")).toEqual([newest[1]]);
    expect((await list("", otherBank)).body).toEqual({ withdrawals: [], next: null });
    const { created_at } = first.body.withdrawals[1];
    expect(await ids(`?from=${created_at}`)).toEqual(newest.slice(0, 2));
    expect((await ids(`?to=${created_at}&limit=1`))[0]).toBe(newest[2]);
    expect(await ids("?store=other-shop")).toEqual([]);
    const all = await ids("?limit=200");
    const paged: string[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page = await list(`?limit=2${next && `&cursor=${next}`}`);
      paged.push(...page.body.withdrawals.map(({ transaction_id }: { transaction_id: string }) => transaction_id));
      next = page.body.next;
    }
    expect(paged).toEqual(all);
  });

  test("one whose time has passed is listed as what it is", async () => {
    const id = await stage.withdrawal("40.00");
    const store = await stage.place.open();
    await store.write((tx) =>
      tx.run(adhoc((db) => db.updateTable("withdrawals").set({ deadline_at: 1, expires_at: 1 }).where("id", "=", id))),
    );
    expect(await ids("?status=ready")).not.toContain(id);
    expect((await list("?limit=1")).body.withdrawals[0]).toMatchObject({ transaction_id: id, status: "expired" });
  });

  test.each([
    "limit=201",
    "cursor=x",
    "cursor=MQ",
    "from=2026-11-21&to=2026-11-20",
    "store=nowhere",
    "status=lost",
    "after=x",
  ])("refuses %s", async (query) => {
    const answer = await list(`?${query}`);
    expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
  });

  test("is no call of a terminal", async () => {
    expect((await stage.call("GET", "/ext/v1/withdrawals", { token: await stage.token() })).status).toBe(403);
  });
});

describe("GET /ext/v1/withdrawals/{id}", () => {
  test("shows a bank its own, holds the answer while nothing changes, and hides another bank's", async () => {
    const id = await stage.withdrawal("50.00", { partner_reference: "wd-9" });
    const token = await stage.token(bank);
    const read = await stage.call("GET", `/ext/v1/withdrawals/${id}`, { token });
    expect(read.body).toMatchObject({ transaction_id: id, status: "ready", partner_reference: "wd-9" });
    const held = stage.call("GET", `/ext/v1/withdrawals/${id}?wait=20&status=ready`, { token });
    await stage.call("POST", "/transaction/confirm", {
      token: await stage.token(),
      json: { transaction_id: id, transaction_id_partner: "bank-calls-1" },
    });
    expect((await held).body.status).toBe("awaiting_sca");
    const other = await stage.call("GET", `/ext/v1/withdrawals/${id}`, { token: await stage.token(otherBank) });
    expect([other.status, other.body.code]).toEqual([404, "transaction_not_found"]);
  });
});

test("a refused amount names its code and the limits", async () => {
  const answer = await stage.call("POST", "/ext/v1/withdrawals", {
    token: await stage.token(bank),
    json: { user_id: "ann", amount: "600.00", currency: "EUR", store: "demo-shop" },
    headers: { "idempotency-key": "too-much" },
  });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({
    code: "amount_out_of_range",
    limits: { currency: "EUR", amount_min: "10.00", amount_max: "500.00", amount_step: "0.01" },
  });
});

test("the report is there as CSV under its own address, and as before by format=csv", async () => {
  const token = await stage.token(bank);
  for (const path of ["/ext/v1/reconciliation.csv", "/ext/v1/reconciliation?format=csv"]) {
    const answer = await stage.call("GET", path, { token });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "text/csv; charset=utf-8; header=present",
    ]);
    expect(answer.text).toMatch(/^transaction_id,/);
  }
});

test("an undelivered withdrawal says why, and keeps to the reason it was given", async () => {
  const id = await stage.settled("bank-calls-2");
  const token = await stage.token();
  const declare = (reason: string) =>
    stage.call("POST", `/ext/v1/transactions/${id}/undelivered`, { token, json: { reason } });
  expect((await declare("till_short")).body).toMatchObject({ status: "undelivered", reason: "till_short" });
  expect((await declare("till_short")).status).toBe(201);
  const second = await declare("customer_left");
  expect([second.status, second.body.code]).toEqual([409, "transaction_conflict"]);
  expect(second.body.transaction.reason).toBe("till_short");
});

test.each([
  ["/", "docs"],
  ["/docs/", "../docs"],
])("%s leads to the reference", async (path, location) => {
  const answer = await stage.call("GET", path);
  expect([answer.status, answer.headers.get("location")]).toEqual([302, location]);
  expect(new URL(location, stage.baseUrl() + path).pathname).toBe("/docs");
});

test("check-in refuses a currency that no country has", async () => {
  const token = await stage.token(bank);
  const checkIn = (currency: string) => {
    const user = { brand: "B", userId: "ann", balance: "10.00", currency, urlBack: "https://bank.example/" };
    return stage.call("POST", "/api/v7/partnerCheckin", { token, json: { referenceId: "r", additionalData: user } });
  };
  const { status, body } = await checkIn("ZZZ");
  expect([status, body.code, body.errors]).toMatchObject([
    400,
    "validation_failed",
    [{ path: "additionalData.currency" }],
  ]);
  expect((await checkIn("EUR")).status).toBe(200);
});

test("a value that is not taken is refused in a sentence that says what would be", async () => {
  const token = await stage.token(bank);
  const wait = await stage.call("GET", "/ext/v1/withdrawals/1?wait=26", { token });
  expect(wait.body.errors).toEqual([{ path: "wait", message: "must be at most 25" }]);
  const asked = { user_id: "u", amount: "50.00", currency: "EUR", store: "demo-shop" };
  for (const partner_reference of ["", "wd 117", "wd-ü", "x".repeat(65)]) {
    const headers = { "idempotency-key": "says-why" };
    const answer = await stage.call("POST", "/ext/v1/withdrawals", {
      token,
      headers,
      json: { ...asked, partner_reference },
    });
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ path: "partner_reference", message: "must be 1 to 64 visible ASCII characters" }],
    ]);
  }
});
