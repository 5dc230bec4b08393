/** Traces, as a collector gets them over OTLP: what belongs to which call, and what is in none. */
import { globSync, readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHttpStage } from "./http-stage.ts";
import { stores } from "./stores.ts";

interface Sent {
  readonly name: string;
  readonly spanId: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly status?: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, string | number> }[];
}

const listening = async (listener: RequestListener): Promise<{ server: Server; url: string }> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/** A collector that takes OTLP's JSON. */
const collector = async () => {
  const spans: Sent[] = [];
  const bodies: string[] = [];
  const { url } = await listening((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      bodies.push(body);
      if (request.url === "/v1/traces")
        for (const { scopeSpans } of JSON.parse(body).resourceSpans)
          for (const scope of scopeSpans) spans.push(...scope.spans);
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  return { url, spans, bodies };
};

const attributeOf = (span: Sent | undefined, key: string) =>
  Object.values(span?.attributes.find((each) => each.key === key)?.value ?? {})[0];

describe.each(stores)("on %s", (dialect) => {
  test("a call is a span with its request id, and above those of its database units and its call to the bank", async () => {
    const { url, spans, bodies } = await collector();
    const stage = await createHttpStage(dialect, { OTEL_EXPORTER_OTLP_ENDPOINT: url });
    onTestFinished(() => stage.dispose());
    const token = await stage.token({
      merchant_id: "demo-bank",
      device_id: "server-1",
      device_type: "client",
      password: "bank-secret",
    });
    const json = { user_id: "the-user-of-this-test", amount: "50.00", currency: "EUR", store: "demo-shop" };
    const headers = { "x-request-id": "a-request-of-the-test", "idempotency-key": "one" };
    const { status } = await stage.call("POST", "/ext/v1/withdrawals", { token, json, headers });
    expect(status).toBe(201);
    await stage.stop();
    const ofRequest = () => spans.find((span) => attributeOf(span, "tillcash.request_id") === "a-request-of-the-test");
    // A stop waits a moment for the collector; what was sent arrives all the same.
    await expect.poll(() => ofRequest()?.name, { interval: 5 }).toBe("POST /ext/v1/withdrawals");
    const call = ofRequest();
    expect(attributeOf(call, "http.response.status_code")).toBe(201);
    expect(call?.parentSpanId).toBeUndefined();
    const below = spans.filter(({ traceId, spanId }) => traceId === call?.traceId && spanId !== call?.spanId);
    const bank = below.find(({ name }) => name === "POST bank");
    expect(bank?.parentSpanId).toBe(call?.spanId);
    expect([attributeOf(bank, "http.response.status_code"), attributeOf(bank, "server.address")]).toEqual([
      200,
      "127.0.0.1",
    ]);
    const units = below.filter(
      (span) => attributeOf(span, "db.system.name") === (dialect === "sqlite" ? "sqlite" : "postgresql"),
    );
    expect(new Set(units.map(({ name }) => name))).toEqual(new Set(["read", "write"]));
    expect(new Set(units.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set([call?.spanId]));
    for (const secret of [token, "the-user-of-this-test", "bank-secret", "50.00", "whsec_"])
      expect(bodies.join()).not.toContain(secret);
  });

  test.each<[string, RequestListener]>([
    ["is silent", () => {}],
    ["refuses", (_, response) => void response.writeHead(503).end()],
  ])("a collector that %s holds up neither a call nor the stop", async (_, listener) => {
    const { url } = await listening(listener);
    const stage = await createHttpStage(dialect, { OTEL_EXPORTER_OTLP_ENDPOINT: url });
    onTestFinished(() => stage.dispose());
    await stage.withdrawal();
    await Promise.race([
      stage.stop(),
      new Promise((_resolve, reject) => setTimeout(() => reject(new Error("still not stopped")), 9_000)),
    ]);
  });
});

test("a call that failed on our side is marked, and neither one that went well nor one that was refused", async () => {
  const { url, spans } = await collector();
  const stage = await createHttpStage("sqlite", { OTEL_EXPORTER_OTLP_ENDPOINT: url });
  onTestFinished(() => stage.dispose());
  const other = new DatabaseSync(stage.place.url.slice("sqlite:".length));
  other.exec("ALTER TABLE schema_version RENAME TO elsewhere");
  other.close();
  for (const path of ["/readyz", "/healthz", "/transaction?id=x"]) await stage.call("GET", path);
  await stage.stop();
  const calls = () => spans.filter(({ name }) => name.startsWith("GET "));
  const failedOnOurSide = 2;
  await expect
    .poll(
      () =>
        calls().map((span) => [attributeOf(span, "http.response.status_code"), span.status?.code === failedOnOurSide]),
      { interval: 5 },
    )
    .toEqual([
      [500, true],
      [200, false],
      [401, false],
    ]);
});

test("without a collector nothing of it is loaded", () => {
  const root = join(import.meta.dirname, "../../backend");
  const sources = globSync("**/*.ts", { cwd: root }).map(
    (file) => [file, readFileSync(join(root, file), "utf8")] as const,
  );
  const importing = (what: RegExp) => sources.filter(([, text]) => what.test(text)).map(([file]) => file);
  expect(importing(/from "@opentelemetry/)).toEqual(["tracing.ts"]);
  expect(importing(/^import (?!type)[^;]*tracing\.ts"/m)).toEqual([]);
  expect(importing(/await import\("\.\/tracing\.ts"\)/)).toEqual(["serve.ts"]);
});
