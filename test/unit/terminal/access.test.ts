/** The access token: fetched once, renewed in time, thrown away when refused, and never asked for against Retry-After. */
import { describe, expect, test } from "vitest";
import type { Credential, ServiceAnswer } from "../../../main/terminal/ports.ts";
import { createServiceClient } from "../../../main/terminal/service/client.ts";
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

const make = () => {
  const clock = new VirtualClock();
  const service = new FakeService(clock);
  service.order({ transaction_id: id });
  let saved: Credential | null = credential;
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

test.each(["86400", "soon", null, -1, 0])("an expires_in of %j does not confuse it", async (expiresIn) => {
  const { client, service } = make();
  service.fault = ({ path }) =>
    path === "/oauth2/authorize" ? http(201, { access_token: "t", expires_in: expiresIn }) : null;
  await client.getTransaction(id, null);
  await client.getTransaction(id, null);
  expect(authorizations(service)).toBe(1);
});

describe("a 401", () => {
  test("renews once and sends again", async () => {
    const { client, service } = make();
    service.fault = ({ token }) => (token === "token-1" ? http(401, {}) : null);
    expect(await client.getTransaction(id, null)).toMatchObject({ status: 200 });
    expect(authorizations(service)).toBe(2);
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
  await clock.advance(20_001);
  expect(await client.getTransaction(id, null)).toMatchObject({ status: 200 });
});

test("a Retry-After of a year, or a date read by a till's wrong clock, does not shut the till for long", async () => {
  const { client, service, clock } = make();
  service.fault = ({ path }) => (path === "/oauth2/authorize" ? http(429, {}, 365 * 86_400_000) : null);
  expect(await client.getTransaction(id, null)).toMatchObject({ kind: "unauthorized", why: "throttled" });
  service.fault = () => null;
  await clock.advance(5 * 60_000);
  expect(await client.getTransaction(id, null)).toMatchObject({ status: 200 });
});

test("a key that is refused is tried less and less often, and at once where another one is enrolled", async () => {
  const { client, service, clock } = make();
  service.secret = "a new key";
  for (let second = 0; second < 600; second += 5) {
    expect(await client.probe()).toMatchObject({ kind: "unauthorized", why: "invalid_client" });
    await clock.advance(5_000);
  }
  expect(authorizations(service)).toBeLessThan(15);
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
  await clock.advance(1_000);
  expect(await client.getTransaction(id, null)).toMatchObject({ status: 200 });
});

test.each<[string, ServiceAnswer, string]>([
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
  expect(service.calls("/transaction/confirm")).toEqual([]);
});

test("a credential that is not taken does not replace the one in use", async () => {
  const { client, service, saved } = make();
  expect(await client.enroll({ ...credential, secret: "wrong" }, () => true)).toBe("denied");
  expect(saved()).toEqual(credential);
  service.fault = () => "drop";
  const pending = client.enroll({ ...credential, deviceId: "till-2" }, () => true);
  await service.clock.advance(6_000);
  expect(await pending).toBe("unreachable");
  expect(saved()).toEqual(credential);
});

test("a credential that is taken after a withdrawal was begun under the old one does not replace it", async () => {
  const { client, saved } = make();
  expect(await client.enroll({ ...credential, secret: "till-secret" }, () => false)).toBe("busy");
  expect(await client.enroll({ ...credential, serviceUrl: "http://other" }, () => false)).toBe("busy");
  expect(saved()).toBe(credential);
});
