/** The access token: fetched once, renewed in time, thrown away when refused, and never asked for against Retry-After. */
import { describe, expect, test } from "vitest";
import { throttledMaxMs } from "../../../main/terminal/bounds.ts";
import type { Credential, ServiceAnswer } from "../../../main/terminal/ports.ts";
import { createServiceClient } from "../../../main/terminal/service/client.ts";
import { createKyTransport, type Fetch } from "../../../main/terminal/service/transport.ts";
import { FakeService } from "./fake-service.ts";
import { idNumber } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

const credential: Credential = {
  serviceUrl: "http://service",
  merchantId: "demo-shop",
  deviceId: "till-1",
  secret: "till-secret",
};
const id = idNumber(1);

const make = (held: Credential | null = credential) => {
  const clock = new VirtualClock();
  const service = new FakeService(clock);
  service.order({ transaction_id: id });
  let saved = held;
  const secrets = {
    load: () => saved,
    save: async (next: Credential, mayReplace: () => boolean) => {
      if (!mayReplace()) return false;
      saved = next;
      return true;
    },
  };
  return { clock, service, client: createServiceClient({ clock, transport: service, secrets }), saved: () => saved };
};
const authorizations = (service: FakeService) => service.calls("/oauth2/authorize").length;
const http = (status: number, body: unknown, retryAfterMs: number | null = null): ServiceAnswer => ({
  kind: "answer",
  status,
  body,
  dateMs: null,
  retryAfterMs,
});

test("is asked for as the interface says", async () => {
  const { client, service } = make();
  await client.getTransaction(id, null);
  expect(service.requests[0]).toMatchObject({
    method: "POST",
    path: "/oauth2/authorize",
    body: {
      grant_type: "client_credentials",
      merchant_id: "demo-shop",
      device_id: "till-1",
      device_type: "terminal",
      password: "till-secret",
      scope: "",
    },
  });
  expect(service.requests[0]?.token).toBeUndefined();
});

test("many calls at once fetch one token", async () => {
  const { client, service } = make();
  await Promise.all([1, 2, 3, 4].map(() => client.getTransaction(id, null)));
  expect(authorizations(service)).toBe(1);
  expect(service.calls("GET /transaction").map(({ token }) => token)).toEqual(Array(4).fill("token-1"));
});

test("is renewed before it ends, by the monotonic clock", async () => {
  const { client, service, clock } = make();
  await client.getTransaction(id, null);
  clock.jump(30 * 86_400_000);
  await client.getTransaction(id, null);
  expect(authorizations(service)).toBe(1);
  await clock.advance(86_400_000 * 0.95);
  await client.getTransaction(id, null);
  expect(authorizations(service)).toBe(2);
});

const [hour, days] = [3_600_000, 30 * 86_400_000];
test.each<[unknown, number]>([
  [100, 100_000],
  ["86400", 86_400_000],
  ["soon", hour],
  [null, hour],
  [true, hour],
  [-1, hour],
  [0, hour],
  [1e12, days],
])("an expires_in of %j is renewed when nine tenths of its time are over", async (expiresIn, lifetimeMs) => {
  const { client, service, clock } = make();
  const granted = http(200, { access_token: "t", expires_in: expiresIn });
  service.fault = ({ path }) => (path === "/oauth2/authorize" ? granted : null);
  await client.getTransaction(id, null);
  await clock.advance(lifetimeMs * 0.9 - 1);
  await client.getTransaction(id, null);
  expect(authorizations(service)).toBe(1);
  await clock.advance(1);
  await client.getTransaction(id, null);
  expect(authorizations(service)).toBe(2);
});

describe("a 401", () => {
  test("renews once and sends again", async () => {
    const { client, service } = make();
    service.fault = ({ token }) => (token === "token-1" ? http(401, {}) : null);
    expect(await client.getTransaction(id, null)).toMatchObject({ status: 200 });
    expect(authorizations(service)).toBe(2);
  });

  test("of several calls at once renews once", async () => {
    const { client, service } = make();
    await client.getTransaction(id, null);
    service.fault = ({ token }) => (token === "token-1" ? http(401, {}) : null);
    const answers = await Promise.all([1, 2, 3].map(() => client.getTransaction(id, null)));
    expect(answers).toMatchObject([{ status: 200 }, { status: 200 }, { status: 200 }]);
    expect(authorizations(service)).toBe(2);
  });

  test("that comes late throws no token away that was fetched meanwhile", async () => {
    const { client, service } = make();
    await client.getTransaction(id, null);
    const transport = service.send.bind(service);
    let refuse = (_: ServiceAnswer): void => {};
    service.send = () =>
      new Promise((resolve) => {
        refuse = resolve;
      });
    const late = client.confirmTransaction(id, "p");
    await service.clock.advance(1);
    service.send = transport;
    service.fault = ({ token }) => (token === "token-1" ? http(401, {}) : null);
    expect(await client.getTransaction(id, null)).toMatchObject({ status: 200 });
    refuse(http(401, {}));
    await late;
    expect(authorizations(service)).toBe(2);
    expect(service.calls("/transaction/confirm").at(-1)?.token).toBe("token-2");
  });

  test("that stays is handed on, not repeated for ever", async () => {
    const { client, service } = make();
    service.fault = ({ token }) => (token === undefined ? null : http(401, {}));
    expect(await client.confirmTransaction(id, "p")).toMatchObject({ status: 401 });
    expect(service.calls("/transaction/confirm")).toHaveLength(2);
  });
});

test("a request of the old book that comes back refused is never sent with the credential enrolled meanwhile", async () => {
  const { client, service } = make();
  const other = { ...credential, serviceUrl: "http://other", merchantId: "corner-shop" };
  let refuse = (_: ServiceAnswer): void => {};
  const transport = service.send.bind(service);
  service.send = (request) => {
    if (!request.path.startsWith("/transaction/confirm")) return transport(request);
    service.requests.push(request);
    return new Promise((resolve) => {
      refuse = resolve;
    });
  };
  const pending = client.confirmTransaction(id, "p");
  await service.clock.advance(1);
  expect(await client.enroll(other, () => true)).toBe("accepted");
  service.send = transport;
  refuse(http(401, {}));
  expect(await pending).toMatchObject({ status: 401 });
  expect(service.calls("/transaction/confirm").map(({ baseUrl }) => baseUrl)).toEqual(["http://service"]);
});

test("Retry-After on authorize is honoured without a call", async () => {
  const { client, service, clock } = make();
  service.fault = ({ path }) => (path === "/oauth2/authorize" ? http(429, {}, 30_000) : null);
  expect(await client.getTransaction(id, null)).toEqual({
    kind: "unauthorized",
    why: "throttled",
    retryAfterMs: 30_000,
  });
  await clock.advance(10_000);
  expect(await client.getTransaction(id, null)).toEqual({
    kind: "unauthorized",
    why: "throttled",
    retryAfterMs: 20_000,
  });
  expect(authorizations(service)).toBe(1);
  service.fault = () => null;
  await clock.advance(20_000);
  expect(await client.getTransaction(id, null)).toMatchObject({ status: 200 });
});

test.each([
  ["of a year", "31536000", 0],
  ["that is a date, read by a till's clock that is a year behind", "Fri, 20 Nov 2026 10:00:30 GMT", -365 * 86_400_000],
])("a Retry-After %s does not shut the till for long", async (_, retryAfter, clockOffMs) => {
  const { client, service, clock } = make();
  clock.jump(clockOffMs);
  const own: Fetch = async () => Response.json({}, { status: 429, headers: { "retry-after": retryAfter } });
  const throttling = createKyTransport(clock, { ownServiceAt: () => own });
  const { send } = service;
  service.send = (request) => throttling.send(request);
  expect(await client.getTransaction(id, null)).toMatchObject({ why: "throttled", retryAfterMs: expect.any(Number) });
  service.send = send;
  await clock.advance(throttledMaxMs - 1);
  expect(await client.getTransaction(id, null)).toMatchObject({ why: "throttled", retryAfterMs: 1 });
  await clock.advance(1);
  expect(await client.getTransaction(id, null)).toMatchObject({ status: 200 });
});

test("a key that is refused is tried less and less often, and at once where another one is enrolled", async () => {
  const { client, service, clock } = make();
  service.secret = "a new key";
  const triedAt: number[] = [];
  for (let second = 0; second < 400; second += 1) {
    const before = authorizations(service);
    expect(await client.probe()).toMatchObject({ kind: "unauthorized", why: "invalid_client" });
    if (authorizations(service) > before) triedAt.push(second);
    await clock.advance(1_000);
  }
  const pauses = triedAt.slice(1).map((second, index) => second - (triedAt[index] ?? 0));
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 120, 120]);
  expect(await client.enroll({ ...credential, secret: "a new key" }, () => true)).toBe("accepted");
  expect(await client.getTransaction(id, null)).toMatchObject({ status: 200 });
});

test("a key that is refused after it was taken again waits as it did at first", async () => {
  const { client, service, clock } = make();
  service.fault = ({ path }) => (path === "/oauth2/authorize" ? http(401, {}) : null);
  for (let time = 0; time < 9; time += 1) {
    await client.probe();
    await clock.advance(120_000);
  }
  service.fault = () => null;
  expect(await client.probe()).toMatchObject({ status: 201 });
  service.fault = ({ path }) => (path === "/healthz" ? null : http(401, {}));
  expect(await client.getTransaction(id, null)).toMatchObject({ kind: "unauthorized", why: "invalid_client" });
  service.fault = () => null;
  const asked = authorizations(service);
  expect(await client.getTransaction(id, null)).toMatchObject({ kind: "unauthorized", why: "invalid_client" });
  expect(authorizations(service)).toBe(asked);
  await clock.advance(1_000);
  expect(await client.getTransaction(id, null)).toMatchObject({ status: 200 });
});

test.each<[string, ServiceAnswer, string]>([
  ["a warning that it has no bank", { kind: "silence", why: "refused", because: "sandbox" }, "unsafe_service"],
  ["a refusal of the way there", { kind: "silence", why: "refused", because: "plain_http" }, "unsafe_service"],
  ["a broken certificate", { kind: "silence", why: "reset", because: "certificate" }, "unreachable"],
  ["401", http(401, {}), "denied"],
  ["429", http(429, {}, 30_000), "wait"],
  ["503", http(503, {}), "unreachable"],
  ["silence", { kind: "silence", why: "timeout" }, "unreachable"],
])("a new key that is answered with %s is not kept, and the reason is told", async (_, answer, why) => {
  const { client, service, saved } = make();
  service.fault = ({ path }) => (path === "/oauth2/authorize" ? answer : null);
  expect(await client.enroll({ ...credential, secret: "a new key" }, () => true)).toBe(why);
  expect(saved()).toEqual(credential);
});

test.each<[string, ServiceAnswer, object]>([
  ["401 invalid_client", http(401, { error: "invalid_client" }), { kind: "unauthorized", why: "invalid_client" }],
  ["400 invalid_client", http(400, { error: "invalid_client" }), { kind: "unauthorized", why: "invalid_client" }],
  ["403", http(403, {}), { kind: "unauthorized", why: "invalid_client" }],
  ["300 with a token", http(300, { access_token: "t" }), { kind: "unauthorized", why: "unavailable" }],
  ["199 with a token", http(199, { access_token: "t" }), { kind: "unauthorized", why: "unavailable" }],
  ["201 with an empty token", http(201, { access_token: "" }), { kind: "unauthorized", why: "unavailable" }],
  ["201 with a token that is none", http(201, { access_token: 5 }), { kind: "unauthorized", why: "unavailable" }],
  ["500", http(500, {}), { kind: "unauthorized", why: "unavailable" }],
  ["404", http(404, {}), { kind: "unauthorized", why: "unavailable" }],
  ["409", http(409, {}), { kind: "unauthorized", why: "unavailable" }],
  ["201 without a token", http(201, {}), { kind: "unauthorized", why: "unavailable" }],
  ["silence", { kind: "silence", why: "timeout" }, { kind: "silence" }],
])("authorize answered with %s sends nothing else", async (_, answer, expected) => {
  const { client, service } = make();
  service.fault = ({ path }) => (path === "/oauth2/authorize" ? answer : null);
  const result = await client.confirmTransaction(id, "p");
  expect(result).toMatchObject(expected);
  expect(service.requests.map(({ path }) => path)).toEqual(["/oauth2/authorize"]);
});

test("a credential that is taken after a withdrawal was begun under the old one does not replace it", async () => {
  const { client, saved } = make();
  expect(await client.enroll({ ...credential, secret: "till-secret" }, () => false)).toBe("busy");
  expect(await client.enroll({ ...credential, serviceUrl: "http://other" }, () => false)).toBe("busy");
  expect(saved()).toBe(credential);
});

type Client = ReturnType<typeof createServiceClient>;
const device = { serviceUrl: "http://service", merchantId: "demo-shop", deviceId: "till-1" };
const odd = "a/b?c";
const [noon, inFull] = [Date.UTC(2026, 10, 20, 12), "2026-11-20T12%3A00%3A00.000Z"];
const head = { sequence: 7, at: noon, hash: "h" };
const headBody = { seq: 7, head: "h", at: "2026-11-20T12:00:00.000Z" };
const asReported = { amount: "50.00", currency: "EUR" } as never;

test.each<[string, (client: Client) => Promise<unknown>, object]>([
  [
    "a look-up",
    (to) => to.getTransaction(odd, null),
    { method: "GET", path: "/transaction?id=a%2Fb%3Fc", timeoutMs: 4_000 },
  ],
  [
    "a held look-up",
    (to) => to.getTransaction(odd, "settling"),
    { method: "GET", path: "/transaction?id=a%2Fb%3Fc&wait=20&status=settling", timeoutMs: 25_000 },
  ],
  [
    "a confirm",
    (to) => to.confirmTransaction(id, "p"),
    { path: "/transaction/confirm", body: { transaction_id: id, transaction_id_partner: "p" } },
  ],
  [
    "a reject",
    (to) => to.sendReport("reject", id, "", "C1", asReported, "H1", head),
    { path: "/transaction/reject", body: { transaction_id: id } },
  ],
  [
    "a reject with its reason",
    (to) => to.sendReport("reject", id, "sca_timeout", null, null, null, null),
    { path: "/transaction/reject", body: { transaction_id: id, reason: "sca_timeout" } },
  ],
  [
    "a bare link",
    (to) => to.sendReport("link", id, "", null, null, null, null),
    { path: "/transaction/link", body: { transaction_id: id } },
  ],
  [
    "a whole link",
    (to) => to.sendReport("link", id, "", "C1", asReported, "H1", head),
    {
      path: "/transaction/link",
      body: { transaction_id: id, hand_out_id: "H1", cashier: "C1", as_reported: asReported, journal_head: headBody },
    },
  ],
  [
    "undelivered",
    (to) => to.sendReport("undelivered", odd, "other", "C1", asReported, "H1", head),
    {
      path: "/ext/v1/transactions/a%2Fb%3Fc/undelivered",
      body: { reason: "other", cashier: "C1", as_reported: asReported, journal_head: headBody },
    },
  ],
  ["the shop", (to) => to.getShop(null), { method: "GET", path: "/ext/v1/till" }],
  ["the shop and a double", (to) => to.getShop(noon), { method: "GET", path: `/ext/v1/till?since=${inFull}` }],
  ["the journal's head", (to) => to.reportJournalHead(head), { path: "/ext/v1/journal-heads", body: headBody }],
  ["the heads", (to) => to.listJournalHeads(), { method: "GET", path: "/ext/v1/journal-heads" }],
  ["the newest heads", (to) => to.listJournalHeads(3), { method: "GET", path: "/ext/v1/journal-heads?limit=3" }],
  [
    "the report",
    (to) => to.getReport("a&b", noon, noon),
    { method: "GET", path: `/ext/v1/reconciliation?from=${inFull}&to=${inFull}&store=a%26b&format=json` },
  ],
  ["the history", (to) => to.getEvents(odd), { method: "GET", path: "/ext/v1/transactions/a%2Fb%3Fc/events" }],
  [
    "an enrolment code",
    (to) => to.redeemEnrolmentCode("http://service", "X"),
    { token: undefined, path: "/ext/v1/enrolments", body: { code: "X" } },
  ],
  [
    "a manager's code",
    (to) => to.redeemManagerReset(device, "X"),
    {
      token: undefined,
      path: "/ext/v1/manager-resets",
      body: { merchant_id: "demo-shop", device_id: "till-1", code: "X" },
    },
  ],
])("%s goes out as the interface says", async (_, call, request) => {
  const { client, service } = make();
  await call(client);
  const usual = { baseUrl: "http://service", method: "POST", token: "token-1", body: undefined, timeoutMs: 5_000 };
  expect(service.requests.at(-1)).toEqual({ ...usual, ...request });
});

test("a probe asks for a token, and with one whether anybody is there; without a key nothing goes out", async () => {
  const { client, service } = make();
  expect([await client.probe(), await client.probe()]).toMatchObject([{ status: 201 }, { status: 200 }]);
  expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /oauth2/authorize",
    "GET /healthz",
  ]);
  const keyless = make(null);
  const refused = { kind: "unauthorized", why: "invalid_client", retryAfterMs: null };
  expect([await keyless.client.probe(), await keyless.client.getTransaction(id, null)]).toEqual([refused, refused]);
  expect(keyless.service.requests).toEqual([]);
});

const key = { merchant_id: "demo-shop", device_id: "till-1", password: "pw" };
test.each<[string, ServiceAnswer, unknown, unknown]>([
  ["a 201 that grants it", http(201, key), { ...device, secret: "pw" }, "accepted"],
  ["a 200 that grants it", http(200, key), "unreachable", "unreachable"],
  ["a 201 with half of it", http(201, { merchant_id: "demo-shop" }), "unreachable", "unreachable"],
  ["a 201 of a key that no terminal can keep", http(201, { ...key, device_id: "" }), "unreachable", "accepted"],
  ["a refusal", http(404, { code: "not_found" }), "denied", "denied"],
  ["a code that is none", http(422, { code: "validation_failed" }), "denied", "denied"],
  ["another refusal", http(403, { code: "forbidden" }), "unreachable", "unreachable"],
  ["too many tries", http(429, { code: "not_found" }), "wait", "wait"],
  [
    "a service without a bank",
    { kind: "silence", why: "refused", because: "sandbox" },
    "unsafe_service",
    "unreachable",
  ],
  ["silence", { kind: "silence", why: "timeout" }, "unreachable", "unreachable"],
])("a one-time code that is answered with %s", async (_, answer, enrolment, reset) => {
  const { client, service } = make();
  service.fault = () => answer;
  expect(await client.redeemEnrolmentCode("http://service", "X")).toEqual(enrolment);
  expect(await client.redeemManagerReset(device, "X")).toEqual(reset);
});
