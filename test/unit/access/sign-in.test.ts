/** Keys of devices and what they are let in with: sign-in, tokens, a changed key, guessing. */
import { expect, test } from "vitest";
import { authorize } from "../../../backend/access/authorize.ts";
import {
  addCredential,
  listCredentials,
  revokeCredential,
  rotateCredential,
  scopesFrom,
  scopesOfKind,
} from "../../../backend/access/credentials.ts";
import { tokenLifetimeSeconds } from "../../../backend/contract/pos.ts";
import type { Scope } from "../../../backend/contract/scopes.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { accessStage } from "./stage.ts";

const stage = accessStage();
const till = { kind: "terminal", ownerId: "corner-shop", deviceId: "till-1" } as const;
const server = { kind: "client", ownerId: "bank", deviceId: "server-1" } as const;
const add = (key: typeof till | typeof server = till, chosen?: string) =>
  addCredential(stage.service, stage.access.secrets, key, undefined, chosen);
const signIn = (password: string, more: object = {}, address = "10.0.0.1") =>
  authorize(
    stage.access,
    {
      grant_type: "client_credentials",
      merchant_id: "corner-shop",
      device_id: "till-1",
      device_type: "terminal",
      password,
      scope: "",
      ...more,
    },
    address,
  );
const atBank = { merchant_id: "bank", device_id: "server-1", device_type: "client" };
const refused = { code: "invalid_client", status: 401, challenge: "Bearer" };
const sessionOf = async (token: string, access = stage.access) => access.tokens.find(token);
const stored = () => stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom("tokens").selectAll())));

test("a key lets its own device in, with all of its scopes, for a day", async () => {
  const secret = await add();
  const answer = await signIn(secret);
  expect(answer).toEqual({
    token_type: "bearer",
    access_token: expect.stringMatching(/^[\w-]{43}$/),
    expires_in: tokenLifetimeSeconds,
    scope: "transactions",
  });
  const expiresAt = stage.clock.now() + tokenLifetimeSeconds * 1_000;
  expect(await sessionOf(answer.access_token)).toEqual({ ...till, scopes: ["transactions"], expiresAt });
  expect(await sessionOf(answer.access_token, stage.another())).toEqual({
    ...till,
    scopes: ["transactions"],
    expiresAt,
  });
});

test.each([
  ["another device", { device_id: "till-2" }],
  ["another shop", { merchant_id: "other-shop" }],
  ["another kind", { device_type: "client" }],
])("a key is not %s's", async (_, more) => {
  await expect(signIn(await add(), more)).rejects.toMatchObject(refused);
  expect(await stage.audited()).toHaveLength(1);
});

test.each(["password", "authorization_code", ""])(
  "the grant %j is refused before anything is looked at",
  async (grant_type) => {
    await expect(signIn("x", { grant_type })).rejects.toMatchObject({
      name: "OAuthRefusal",
      code: "unsupported_grant_type",
      status: 400,
    });
    expect(await stage.audited()).toEqual([]);
  },
);

test.each([
  ["", "checkin users withdrawals reconciliation"],
  ["  users ", "users"],
  ["withdrawals  checkin", "checkin withdrawals"],
])("the scopes %j are granted as %j", async (scope, granted) => {
  const answer = await signIn(await add(server), { ...atBank, scope });
  expect(answer.scope).toBe(granted);
  expect((await sessionOf(answer.access_token))?.scopes).toEqual(granted.split(" "));
});

test.each(["transactions", "users everything"])("the scope %j is not a bank's", async (scope) => {
  await expect(signIn(await add(server), { ...atBank, scope })).rejects.toMatchObject({
    code: "invalid_scope",
    status: 400,
  });
});

test("each kind of key has scopes of its own", () => {
  expect(scopesOfKind).toEqual({
    terminal: ["transactions"],
    client: ["checkin", "users", "withdrawals", "reconciliation"],
    chain: ["reports", "terminals"],
  });
  expect(scopesFrom("users  unknown transactions")).toEqual(["transactions", "users"]);
});

test("a chosen secret lets in as well, a wrong one does not", async () => {
  await add(till, "chosen by the sandbox");
  expect((await signIn("chosen by the sandbox")).token_type).toBe("bearer");
  await expect(signIn("Chosen by the sandbox")).rejects.toMatchObject(refused);
});

test("a device has one key; rotated, the old one and its tokens end; revoked, all of it; added again, it is new", async () => {
  const first = await add();
  await expect(add()).rejects.toMatchObject({ code: "validation_failed" });
  const { access_token: token } = await signIn(first);
  const second = await rotateCredential(stage.service, till);
  await expect(signIn(first)).rejects.toMatchObject(refused);
  expect(await stored()).toEqual([]);
  expect(await sessionOf(token, stage.another())).toBeNull();
  const { access_token: newer } = await signIn(second);
  await revokeCredential(stage.service, till);
  await expect(signIn(second)).rejects.toMatchObject(refused);
  expect([await stored(), await sessionOf(newer, stage.another())]).toEqual([[], null]);
  // The same refusal within a minute is one entry.
  expect(await stage.audited()).toHaveLength(1);
  for (const gone of [rotateCredential(stage.service, till), revokeCredential(stage.service, till)])
    await expect(gone).rejects.toMatchObject({ code: "not_found", message: expect.stringContaining("till-1") });
  const third = await add();
  await expect(signIn(second)).rejects.toMatchObject(refused);
  expect((await signIn(third)).token_type).toBe("bearer");
});

test("a revoked key is refused as a wrong one is: with the same words, and an entry in the audit", async () => {
  const secret = await add();
  const message = await signIn("wrong", {}, "10.0.0.2").catch((error: Error) => error.message);
  await revokeCredential(stage.service, till);
  await expect(signIn(secret)).rejects.toMatchObject({ ...refused, message });
  expect(await stage.audited()).toHaveLength(2);
});

test("a key that is added again has the scopes that it is given then, and none of its earlier ones", async () => {
  const { service, access } = stage;
  const added = async (granted: readonly Scope[]) => {
    const password = await addCredential(service, access.secrets, server, granted);
    return (await signIn(password, atBank)).scope;
  };
  expect(await added(["users", "withdrawals"])).toBe("users withdrawals");
  await revokeCredential(service, server);
  stage.clock.jump(1_000);
  expect(await added(["reconciliation"])).toBe("reconciliation");
  expect(await listCredentials(service)).toMatchObject([{ created_at: stage.clock.now(), revoked_at: null }]);
});

test("what is done to one key leaves every other as it is", async () => {
  const others = [
    { ...till, deviceId: "till-2" },
    { ...till, ownerId: "other-shop" },
    { ...till, kind: "client" as const },
  ];
  const secrets = [];
  for (const key of [till, ...others]) secrets.push(await addCredential(stage.service, stage.access.secrets, key));
  await rotateCredential(stage.service, till);
  await revokeCredential(stage.service, till);
  expect((await signIn(secrets[1] ?? "", { device_id: "till-2" })).scope).toBe("transactions");
  expect((await signIn(secrets[2] ?? "", { merchant_id: "other-shop" })).scope).toBe("transactions");
  expect((await signIn(secrets[3] ?? "", { device_type: "client" })).scope).toContain("users");
});

test("all keys are listed by kind, owner and device, with when they were made and ended, and no secret", async () => {
  const keys = [till, { ...till, deviceId: "till-0" }, { ...till, ownerId: "a-shop" }, server];
  for (const key of keys) await addCredential(stage.service, stage.access.secrets, key);
  const at = stage.clock.now();
  await revokeCredential(stage.service, server);
  const row = (
    kind: string,
    owner_id: string,
    device_id: string,
    scopes: string,
    revoked_at: number | null = null,
  ) => ({
    kind,
    owner_id,
    device_id,
    scopes,
    created_at: at,
    revoked_at,
  });
  expect(await listCredentials(stage.service)).toEqual([
    row("client", "bank", "server-1", "checkin users withdrawals reconciliation", at),
    row("terminal", "a-shop", "till-1", "transactions"),
    row("terminal", "corner-shop", "till-0", "transactions"),
    row("terminal", "corner-shop", "till-1", "transactions"),
  ]);
});

test("after five wrong ones a guess has to wait, a right generated secret does not, and the audit says so", async () => {
  const secret = await add();
  const codes: string[] = [];
  for (let n = 0; n < 6; n += 1) codes.push(await signIn("wrong").then(String, ({ code }) => code));
  expect(codes).toEqual([...Array.from({ length: 5 }, () => "invalid_client"), "too_many_requests"]);
  await expect(signIn("wrong")).rejects.toMatchObject({ extra: { retryAfterSeconds: 1 } });
  await expect(signIn("wrong", { device_id: "till-2" })).rejects.toMatchObject(refused);
  expect((await signIn(secret)).token_type).toBe("bearer");
  const name = "terminal corner-shop/till-1";
  const other = "terminal corner-shop/till-2";
  expect((await signIn(secret)).token_type).toBe("bearer");
  expect(await stage.audited()).toEqual([
    `sign_in_refused | ${name}`,
    `sign_in_refused | ${other}`,
    `sign_in_granted_after_pause | ${name}`,
  ]);
  // The address that has signed in is counted apart from now on.
  for (let n = 0; n < 5; n += 1) await signIn("wrong").catch(() => {});
  await expect(signIn("wrong")).rejects.toMatchObject({ code: "too_many_requests" });
});

test("a chosen secret that is right has to wait as well: it could be guessed", async () => {
  await add(till, "chosen");
  for (let n = 0; n < 5; n += 1) await signIn("wrong").catch(() => {});
  await expect(signIn("chosen")).rejects.toMatchObject({ code: "too_many_requests" });
  stage.clock.jump(1_000);
  expect((await signIn("chosen")).token_type).toBe("bearer");
});

test.each([
  ["device", { device_id: "till-2" }],
  ["shop", { merchant_id: "other-shop" }],
  ["kind", { device_type: "client" }],
])("who guesses at another %s makes nobody wait", async (_, more) => {
  for (let n = 0; n < 6; n += 1) await signIn("wrong", more).catch(() => {});
  await expect(signIn("wrong", more)).rejects.toMatchObject({ code: "too_many_requests" });
  await expect(signIn("wrong")).rejects.toMatchObject(refused);
});

test("whoever has a revoked key waits as well after five tries", async () => {
  const secret = await add();
  await revokeCredential(stage.service, till);
  for (let n = 0; n < 5; n += 1) await expect(signIn(secret)).rejects.toMatchObject(refused);
  await expect(signIn(secret)).rejects.toMatchObject({ code: "too_many_requests" });
});

test("a secret that could not be looked at counts as no failure, and takes back none", async () => {
  await add(till, "chosen");
  for (let n = 0; n < 4; n += 1) await expect(signIn("wrong", {}, "10.0.0.2")).rejects.toMatchObject(refused);
  const { secrets } = stage.access;
  const busy = { ...secrets, verify: () => Promise.reject(new Error("busy")) };
  Object.assign(stage.access, { secrets: busy });
  for (let n = 0; n < 9; n += 1) await expect(signIn("wrong")).rejects.toThrow("busy");
  Object.assign(stage.access, { secrets });
  await expect(signIn("wrong")).rejects.toMatchObject(refused);
  await expect(signIn("wrong", {}, "10.0.0.2")).rejects.toMatchObject({ code: "too_many_requests" });
  stage.clock.jump(1_000);
  expect((await signIn("chosen")).token_type).toBe("bearer");
});

test.each([
  ["rotated", rotateCredential],
  ["revoked", revokeCredential],
])("a key that is %s while its secret is looked at gives no token", async (_, change) => {
  const secret = await add();
  const { store } = stage;
  Object.assign(stage.service, {
    store: {
      ...store,
      async write(unit: Parameters<typeof store.write>[0]) {
        await change({ ...stage.service, store }, till);
        return store.write(unit);
      },
    },
  });
  await expect(
    authorize(
      stage.another(),
      {
        grant_type: "client_credentials",
        merchant_id: "corner-shop",
        device_id: "till-1",
        device_type: "terminal",
        password: secret,
        scope: "",
      },
      "10.0.0.1",
    ),
  ).rejects.toMatchObject(refused);
  expect(await stored()).toEqual([]);
});
