/** Sign-in under attack, and requests that no honest client sends: each was possible once. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { bank, createHttpStage, type HttpStage, till, till2 } from "./http-stage.ts";
import { stopClocks } from "./stop-clocks.ts";

let stage: HttpStage;
let shopTill: { merchant_id: string; device_id: string; device_type: string; password: string };
beforeAll(async () => {
  stage = await createHttpStage("sqlite", { TRUSTED_PROXIES: "127.0.0.1" });
  const line = ["credentials", "add", "terminal", "demo-shop", "till-9"];
  const [made] = await manage(parseCommandLine(line, { DATABASE_URL: stage.place.url }));
  shopTill = {
    merchant_id: "demo-shop",
    device_id: "till-9",
    device_type: "terminal",
    password: String(made?.password),
  };
});
afterAll(() => stage.dispose());

const signIn = (fields: object, headers: Record<string, string> = {}) =>
  stage.call("POST", "/oauth2/authorize", {
    json: { grant_type: "client_credentials", scope: "", ...fields },
    headers: { "x-forwarded-for": "203.0.113.7", ...headers },
  });
const from = (address: string) => ({ "x-forwarded-for": address });

/** Sends exactly these headers, also twice; node's fetch would join them. */
const raw = (headers: string[], path = "/healthz", body = "", method = "GET") =>
  new Promise<number>((resolve, reject) => {
    const { port } = new URL(stage.baseUrl());
    const sent = request({ host: "127.0.0.1", port, path, method, setHost: false, headers }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", reject);
    sent.end(body);
  });

describe("guessing", () => {
  test("of guesses sent at once no more are tried than one after the other", async () => {
    stopClocks();
    const guesses = Array.from({ length: 18 }, (_, at) =>
      signIn({ ...till, password: `guess ${at}` }, from("198.51.100.1")),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(5);
  });

  test("a stranger at the till's own address does not lock the till out, not even after a start", async () => {
    stopClocks();
    for (const start of [null, stage.restart]) {
      await start?.();
      for (let tries = 0; tries < 8; tries += 1) await signIn({ ...shopTill, password: "wrong" });
      expect((await signIn({ ...shopTill, password: "wrong" })).status).toBe(429);
      expect((await signIn(shopTill)).status).toBe(201);
    }
  });

  test("form posts from a page of another site are refused and count for nothing", async () => {
    const post = (headers: Record<string, string>) =>
      stage.call("POST", "/oauth2/authorize", {
        body: new URLSearchParams({ grant_type: "client_credentials", ...till, password: "wrong" }),
        headers: { ...from("198.51.100.2"), ...headers },
      });
    for (let tries = 0; tries < 6; tries += 1) {
      expect((await post({ "sec-fetch-site": "cross-site" })).status).toBe(403);
      expect((await post({ origin: "https://evil.example" })).status).toBe(403);
      expect((await post({ origin: "null" })).status).toBe(403);
    }
    expect((await signIn({ ...till, password: "wrong" }, from("198.51.100.2"))).status).toBe(401);
    expect((await signIn(till, from("198.51.100.2"))).status).toBe(201);
  });

  test("creating users does not stand in the way of signing in", async () => {
    // Nearly as costly as outside of the tests, so that as many as may wait do wait.
    const costly = await createHttpStage("sqlite", {}, { N: 16_384, r: 8, p: 1 });
    onTestFinished(() => costly.dispose());
    const token = await costly.token(bank);
    const created: number[] = [];
    const users = Array.from({ length: 18 }, async (_, at) => {
      created.push((await costly.call("POST", "/api/v2/users", { token, json: { id: `flood-${at}` } })).status);
    });
    await Promise.any(users);
    expect((await costly.authorize(till2)).status).toBe(201);
    expect(created.length).toBeLessThan(14);
    await Promise.all(users);
    expect(created).toEqual(Array.from({ length: 18 }, () => 201));
  });

  test("with 50 addresses always trying a wrong secret, a right terminal signs in within 200 of their tries", async () => {
    // Counted in answers, not in seconds: a slow machine is as slow for the strangers.
    const addresses = 50;
    let [answered, going] = [0, true];
    const warm = Promise.withResolvers<void>();
    const stranger = async (at: number) => {
      for (let tries = 0; going; tries += 1) {
        const wrong = {
          ...shopTill,
          device_id: tries % 2 ? "till-9" : `till-${at}-${tries}`,
          password: `wrong ${tries}`,
        };
        await signIn(wrong, from(`192.0.2.${at}`));
        answered += 1;
        if (answered === 4 * addresses) warm.resolve();
      }
    };
    const strangers = Array.from({ length: addresses }, (_, at) => stranger(at));
    await warm.promise;
    const before = answered;
    const { status } = await signIn(shopTill, from("192.0.2.200"));
    const meanwhile = answered - before;
    going = false;
    await Promise.all(strangers);
    expect(status).toBe(201);
    expect(meanwhile).toBeLessThanOrEqual(4 * addresses);
  });
});

describe("requests that two readers would read differently", () => {
  test("two Host headers", async () => {
    expect(await raw(["Host", "one.example", "Host", "two.example"])).toBe(400);
  });

  test("two Authorization headers", async () => {
    const token = await stage.token();
    const path = "/transaction?id=0000000000000000";
    expect(await raw(["Host", "x", "Authorization", `Bearer ${token}`], path)).toBe(404);
    const twice = ["Host", "x", "Authorization", `Bearer ${token}`, "Authorization", "Bearer other"];
    expect(await raw(twice, path)).toBe(400);
  });

  test("an encoded path is no other name of a call", async () => {
    const names = [
      ["/readyz", "/%72eadyz", "GET", 200],
      ["/metrics", "/%6detrics", "GET", 404],
      ["/healthz", "/healt%68z", "GET", 200],
      ["/healthz", "/%2e/healthz", "GET", 200],
      ["/transaction/confirm", "/transaction/%63onfirm", "POST", 401],
    ] as const;
    for (const [path, encoded, method, status] of names) {
      expect([path, await raw(["Host", "x"], path, "", method)]).toEqual([path, status]);
      expect([encoded, await raw(["Host", "x"], encoded, "", method)]).toEqual([encoded, 404]);
    }
  });
});

describe("bounds", () => {
  test("a key's oldest token ends when it has more than its share", async () => {
    const fields = { ...till, device_id: "till-2", password: "second-till-secret" };
    const tokens: string[] = [];
    for (let at = 0; at < 13; at += 1) {
      tokens.push((await signIn(fields)).body.access_token);
      // Tokens of one millisecond have no oldest.
      const issued = Date.now();
      await expect.poll(Date.now, { interval: 1 }).toBeGreaterThan(issued);
    }
    const alive = await Promise.all(
      tokens.map(
        async (token) => (await stage.call("GET", "/transaction?id=0000000000000000", { token })).status !== 401,
      ),
    );
    expect(alive.filter(Boolean).length).toBe(10);
    expect(alive.slice(-10).every(Boolean)).toBe(true);
  });

  test("one token holds no more than its share of answers open", async () => {
    const id = await stage.withdrawal("50.00");
    const token = await stage.token();
    const path = `/transaction?id=${id}&wait=20&status=ready`;
    const early: number[] = [];
    const asked = Array.from({ length: 40 }, async () => {
      const { status } = await stage.call("GET", path, { token });
      early.push(status);
    });
    await expect.poll(() => early.length, { interval: 5 }).toBe(24);
    const held = early.splice(0);
    expect(new Set(held)).toEqual(new Set([429]));
    expect((await stage.call("POST", "/transaction/reject", { token, json: { transaction_id: id } })).status).toBe(201);
    await Promise.all(asked);
    expect(early).toEqual(Array.from({ length: 16 }, () => 200));
  });
});
