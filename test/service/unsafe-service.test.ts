/** Where money is real the terminal signs in to no service without a bank, and sends nothing in the open beyond its machine. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClock } from "../../main/terminal/adapters.ts";
import { checkConnection } from "../../main/terminal/commands.ts";
import type { Credential } from "../../main/terminal/ports.ts";
import { createServiceClient } from "../../main/terminal/service/client.ts";
import { createKyTransport } from "../../main/terminal/service/transport.ts";
import { type Stage, startStage } from "./sandbox-stage.ts";
import { createPlace, type Place } from "./stores.ts";

const clock = createClock();
const places: Place[] = [];
const stages: Stage[] = [];
const start = async (sandbox: boolean): Promise<Stage> => {
  const place = await createPlace("sqlite");
  const stage = await startStage(await place.open(), {}, undefined, sandbox);
  places.push(place);
  stages.push(stage);
  return stage;
};
let sandbox: Stage;
let live: Stage;

beforeAll(async () => {
  sandbox = await start(true);
  live = await start(false);
});
afterAll(async () => {
  for (const stage of stages) await stage.stop();
  for (const place of places) await place.dispose();
});

const keyAt = (serviceUrl: string): Credential => ({
  serviceUrl,
  merchantId: "demo-shop",
  deviceId: "till-1",
  secret: "till-secret",
});
const terminal = (kept: Credential | null, takesSandbox: boolean, takesPlainHttp = true) => {
  let credential = kept;
  const secrets = {
    load: () => credential,
    async save(next: Credential) {
      credential = next;
      return true;
    },
  };
  const transport = createKyTransport(clock, { takesSandbox, takesPlainHttp });
  return { client: createServiceClient({ clock, transport, secrets }), kept: () => credential, transport };
};

test("a service says with every sign-in that it has no bank, and says nothing where it has one", async () => {
  const said = async ({ url }: Stage, path: string) =>
    (await fetch(url + path, { method: "POST" })).headers.get("tillcash-environment");
  for (const path of ["/oauth2/authorize", "/oauth2/token"]) {
    expect(await said(sandbox, path)).toBe("sandbox");
    expect(await said(live, path)).toBeNull();
  }
});

test("where money is real nothing is enrolled there, and the key that was kept stays", async () => {
  const before = keyAt("https://cash.example");
  const till = terminal(before, false);
  expect(await till.client.enroll(keyAt(sandbox.url), () => true)).toBe("unsafe_service");
  expect(till.kept()).toBe(before);
  expect(await checkConnection({ transport: till.transport, clock }, sandbox.url)).toMatchObject({
    trouble: "sandbox",
  });
  expect(await checkConnection({ transport: till.transport, clock }, live.url)).toMatchObject({ trouble: null });
  expect(await terminal(null, true).client.enroll(keyAt(sandbox.url), () => true)).toBe("accepted");
});

test("a terminal that was enrolled there before asks for a token, and calls nothing any more", async () => {
  const asked: (string | undefined)[] = [];
  const before = createServer((request, response) => {
    asked.push(request.url);
    const token = { token_type: "bearer", access_token: "t", expires_in: 600, scope: "transactions" };
    response.writeHead(200, { "content-type": "application/json", "tillcash-environment": "sandbox" });
    response.end(JSON.stringify(token));
  });
  await new Promise<void>((resolve) => void before.listen(0, "127.0.0.1", resolve));
  const { client } = terminal(keyAt(`http://127.0.0.1:${(before.address() as AddressInfo).port}`), false);
  expect(await client.getTransaction("0".repeat(16), null)).toMatchObject({ kind: "silence", because: "sandbox" });
  expect(await client.confirmTransaction("0".repeat(16), "1")).toMatchObject({ kind: "silence", why: "refused" });
  expect(asked.length).toBeGreaterThan(0);
  expect(new Set(asked)).toEqual(new Set(["/oauth2/authorize"]));
  before.closeAllConnections();
  before.close();
});

test("an address in the open that was kept before is called no more", async () => {
  const { client } = terminal(keyAt("http://192.0.2.1:8787"), true);
  expect(await client.probe()).toEqual({ kind: "silence", why: "refused", because: "plain_http" });
});

test("nor one of this machine: whatever program has that port could answer", async () => {
  const till = terminal(keyAt(live.url), false, false);
  expect(await till.client.probe()).toEqual({ kind: "silence", why: "refused", because: "plain_http" });
  expect(await till.client.enroll(keyAt(live.url), () => true)).toBe("unsafe_service");
  expect(await till.client.redeemEnrolmentCode(live.url, "7F3K9Q2M4XTZ")).toBe("unsafe_service");
  const test = await checkConnection({ transport: till.transport, clock }, live.url);
  expect(test).toMatchObject({ trouble: "plain_http" });
});
