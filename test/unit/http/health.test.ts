/** What a balancer, a scraper and a reader of the reference are answered without a token. */
import { expect, test } from "vitest";
import { example } from "../../../backend/contract/field.ts";
import { toTime } from "../../../backend/contract/times.ts";
import type { App } from "../../../backend/http/app-context.ts";
import { createApp } from "../../../backend/http/create-app.ts";
import { ServiceError } from "../../../backend/service-error.ts";
import { serviceVersion } from "../../../backend/version.ts";
import { scriptedTx } from "../../service/test-tx.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const metrics = {
  names: ["cash.example"],
  render: async () => ({ contentType: "text/plain; version=0.0.4", text: "tillcash_x 1\n" }),
};
/** A store that answers, and what it was asked. */
const answering = () => {
  const asked: (string | null)[] = [];
  const unit = scriptedTx(({ name }) => {
    asked.push(name);
    return [];
  });
  return { asked, read: (work: (tx: typeof unit) => unknown) => work(unit) };
};
const ask = async (
  path: string,
  app: object = {},
  headers: Record<string, string> = {},
  store: object = answering(),
) => {
  const service = {
    ...{ clock: new VirtualClock(0), log: { error: () => {} }, random: { id: () => "r-1" } },
    options: { scaTimeoutMs: 41_000, orderTtlMs: 901_000 },
    store,
  };
  const usual = {
    ...{ service, observer: { answered: () => {} }, publicUrl: () => "https://cash.example", metrics, isSandbox: true },
    leaving: new AbortController().signal,
  };
  const answer = await createApp({ ...usual, ...app } as unknown as App).request(path, { headers });
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    headers: answer.headers,
    text: await answer.text(),
  };
};

test("the process is alive, and says which it is", async () => {
  const { status, text } = await ask("/healthz");
  expect([status, JSON.parse(text)]).toEqual([200, { status: "ok", version: serviceVersion }]);
});

test.each([
  ["is there", {}, 200, "ready"],
  ["is told to stop", { leaving: AbortSignal.abort() }, 503, 503],
])("whether a process that %s can do its work", async (_, app, status, said) => {
  const answer = await ask("/readyz", app);
  expect([answer.status, JSON.parse(answer.text).status]).toEqual([status, said]);
});

test("a process is ready while its database answers, and no longer", async () => {
  const store = answering();
  expect((await ask("/readyz", {}, {}, store)).status).toBe(200);
  expect(store.asked).toEqual(["schema_version"]);
  const away = { read: () => Promise.reject(new ServiceError("unavailable")) };
  expect((await ask("/readyz", {}, {}, away)).status).toBe(503);
});

test.each<[string, string | undefined, object, number]>([
  ["under its own name", "cash.example", {}, 200],
  ["on this machine", "127.0.0.1:8787", {}, 200],
  ["under a rebound name", "evil.example", {}, 404],
  ["under no name", undefined, {}, 404],
  ["where they are not on this port", "cash.example", { metrics: null }, 404],
])("metrics that are asked for %s", async (_, host, app, status) => {
  const { text, type, headers, ...answer } = await ask("/metrics", app, host === undefined ? {} : { host });
  expect([answer.status, text.includes("tillcash_x 1")]).toEqual([status, status === 200]);
  if (status === 200) expect([type, headers.get("cache-control")]).toEqual(["text/plain; version=0.0.4", "no-store"]);
});

test("the reference is of this service's own address and times", async () => {
  const { text, type, headers } = await ask("/openapi.json");
  expect([type, headers.get("cache-control")]).toEqual(["application/json", "no-store"]);
  expect(JSON.parse(text).servers[0].url).toBe("https://cash.example");
  const expires_at = toTime(Date.parse(example.createdAt) + 901_000);
  expect([text.includes("41 seconds"), text.includes(expires_at)]).toEqual([true, true]);
  expect(await ask("/docs")).toMatchObject({ status: 200, type: expect.stringContaining("text/html") });
});
