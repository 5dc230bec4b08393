/** A deploy: the service is told to stop while a slow bank is thinking, and started again. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { partnerCallTimeoutMs } from "../../backend/contract/partner.ts";
import { stopTimes } from "../../backend/serve.ts";
import { bank as bankFields, createHttpStage, type HttpStage } from "./http-stage.ts";

const secret = `whsec_${Buffer.from("the secret of a slow bank in a test").toString("base64")}`;

/** A bank that takes its time, and answers a repeat that comes meanwhile with a code that says nothing. */
class SlowBank {
  startMs = 0;
  settleMs = 0;
  readonly calls: string[] = [];
  #working = new Set<string>();
  readonly server: Server = createServer((request, response) => {
    void this.#answer(request).then(([status, body]) => response.writeHead(status).end(body));
  });

  async #answer(request: IncomingMessage): Promise<[number, string]> {
    for await (const _ of request);
    const id = String(request.headers["webhook-id"]);
    this.calls.push(id.split("_")[0] ?? "");
    if (this.#working.has(id)) return [422, '{"error":"in_progress"}'];
    this.#working.add(id);
    const waitMs = request.url?.endsWith("/startwithdrawal") ? this.startMs : this.settleMs;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    this.#working.delete(id);
    return [200, '{"status":"accepted"}'];
  }
}

let bank: SlowBank;
let stage: HttpStage;
beforeEach(async () => {
  bank = new SlowBank();
  await new Promise<void>((resolve) => void bank.server.listen(0, "127.0.0.1", resolve));
  stage = await createHttpStage("sqlite", {
    PARTNER_ID: "demo-bank",
    PARTNER_URL: `http://127.0.0.1:${(bank.server.address() as AddressInfo).port}`,
    PARTNER_SECRET: secret,
  });
});
afterEach(async () => {
  await stage.dispose();
  bank.server.closeAllConnections();
  bank.server.close();
});

const read = async (id: string, wait = "") =>
  (await stage.call("GET", `/transaction?id=${id}${wait}`, { token: await stage.token() })).body;

test("a Settle order that the bank needs 4 s for is answered before the process goes", async () => {
  const id = await stage.withdrawal("50.08");
  bank.settleMs = 4_000;
  const token = await stage.token();
  const confirmed = { transaction_id: id, transaction_id_partner: "stop-1" };
  expect((await stage.call("POST", "/transaction/confirm", { token, json: confirmed })).body.status).toBe("settling");
  await stage.restart();
  expect(await read(id)).toMatchObject({ status: "settled" });
  expect(bank.calls).toEqual(["start", "settle"]);
});

test("a Start order whose caller has gone is answered before the process goes", async () => {
  bank.startMs = 3_000;
  const hangUp = new AbortController();
  const token = await stage.token(bankFields);
  const call = fetch(`${stage.baseUrl()}/ext/v1/withdrawals`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", "idempotency-key": "gone" },
    body: JSON.stringify({ user_id: "ann", amount: "50.00", currency: "EUR", store: "demo-shop" }),
    signal: hangUp.signal,
  });
  while (bank.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  hangUp.abort();
  await expect(call).rejects.toThrow();
  await stage.restart();
  const again = await stage.call("POST", "/ext/v1/withdrawals", {
    token: await stage.token(bankFields),
    json: { user_id: "ann", amount: "50.00", currency: "EUR", store: "demo-shop" },
    headers: { "idempotency-key": "gone" },
  });
  expect(again.body).toMatchObject({ status: "ready" });
  expect(bank.calls).toEqual(["start"]);
});

test("a bank that never answers holds up no deploy, and gets its order from the next process", async () => {
  const id = await stage.withdrawal("50.08");
  bank.settleMs = 600_000;
  const token = await stage.token();
  const confirmed = { transaction_id: id, transaction_id_partner: "stop-2" };
  await stage.call("POST", "/transaction/confirm", { token, json: confirmed });
  await stage.restart();
  expect(await read(id)).toMatchObject({ status: "settling" });
  // Its answer to the repeat says nothing: soon it is asked once more.
  await expect.poll(() => bank.calls.slice(0, 3)).toEqual(["start", "settle", "settle"]);
});

test("told to stop again, a service takes no more calls at once", async () => {
  // Longer than a test may last: the end of the drain ends nothing.
  const drainMs = 3_600_000;
  const stopped = stage.stop(drainMs);
  await expect.poll(async () => (await stage.call("GET", "/readyz")).status).toBe(503);
  await Promise.all([stage.stop(drainMs), stopped]);
  await expect(stage.call("GET", "/readyz")).rejects.toThrow();
});

test("however long calls are still taken, those under way get a bank's time, and the last commits theirs", () => {
  for (const drainMs of [0, 1_000, 3_000, 10_000, 300_000]) {
    const { calls, requests } = stopTimes(drainMs);
    expect(requests).toBeGreaterThan(partnerCallTimeoutMs);
    expect(calls - requests).toBeGreaterThanOrEqual(400);
    expect(Math.min(drainMs, 3_000) + calls).toBeLessThanOrEqual(8_600);
  }
});
