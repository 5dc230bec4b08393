/** Sign-in under attack, and requests that no honest client sends: each was possible once. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { bank, createHttpStage, type HttpStage, till } from "./http-stage.ts";

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
    const guesses = Array.from({ length: 18 }, (_, at) =>
      signIn({ ...till, password: `guess ${at}` }, from("198.51.100.1")),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(5);
  });

  test("a stranger at the till's own address does not lock the till out, not even after a start", async () => {
    await stage.restart();
    for (let tries = 0; tries < 8; tries += 1) await signIn({ ...shopTill, password: "wrong" });
    expect((await signIn({ ...shopTill, password: "wrong" })).status).toBe(429);
    expect((await signIn(shopTill)).status).toBe(201);
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
    const token = await stage.token(bank);
    const users = Array.from({ length: 18 }, (_, at) =>
      stage.call("POST", "/api/v2/users", { token, json: { id: `flood-${at}` } }),
    );
    const signedIn = await signIn(
      { ...till, device_id: "till-2", password: "second-till-secret" },
      from("198.51.100.3"),
    );
    expect(signedIn.status).toBe(201);
    await Promise.all(users);
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
    for (const path of ["/%6detrics", "/healt%68z", "/%2e/healthz", "/transaction/%63onfirm"])
      expect([path, await raw(["Host", "x"], path)]).toEqual([path, 404]);
  });
});

describe("bounds", () => {
  test("a key's oldest token ends when it has more than its share", async () => {
    const fields = { ...till, device_id: "till-2", password: "second-till-secret" };
    const tokens: string[] = [];
    for (let at = 0; at < 13; at += 1) tokens.push((await signIn(fields)).body.access_token);
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
    const stop = new AbortController();
    const path = `/transaction?id=${id}&wait=20&status=ready`;
    const held = Array.from({ length: 40 }, () =>
      fetch(stage.baseUrl() + path, { headers: { authorization: `Bearer ${token}` }, signal: stop.signal }).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    const early = await Promise.race([
      Promise.any(held.map(async (each) => ((await each) === 429 ? 429 : Promise.reject()))),
      new Promise((resolve) => setTimeout(resolve, 15_000, "none")),
    ]);
    stop.abort();
    await Promise.all(held);
    expect(early).toBe(429);
  });
});
