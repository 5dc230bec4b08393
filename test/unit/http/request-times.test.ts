/** The histogram of requests is, line by line, what prom-client would have written of the same requests. */
import fc from "fast-check";
import { Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createRequestTimes } from "../../../backend/http/request-times.ts";

const request = fc.record({
  method: fc.constantFrom("GET", "POST", "other"),
  route: fc.constantFrom("/transaction", "/ext/v1/withdrawals/{id}", "other"),
  status: fc.constantFrom(200, 201, 404, 503),
  durationMs: fc.oneof(fc.integer({ min: -2, max: 30_000 }), fc.constantFrom(0, 1, 2.5, 5, 25_000, 25_001)),
});

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

const linesOf = (text: string): readonly string[] =>
  text.split("\n").filter((line) => line !== "" && !line.includes("_sum{"));
const sumsOf = (text: string): ReadonlyMap<string, number> =>
  new Map([...text.matchAll(/^(\S+_sum\{.*\}) (\S+)$/gm)].map(([, series = "", sum]) => [series, Number(sum)]));

test("buckets, counts and sums by method, route and status", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 40 }), async (requests) => {
      const registry = new Registry();
      const theirs = new Histogram({
        name: "tillcash_http_request_seconds",
        help: "Requests by route and status; held reads include their wait",
        labelNames: ["method", "route", "status"],
        buckets,
        registers: [registry],
      });
      const ours = createRequestTimes();
      for (const each of requests) {
        const { method, route, status, durationMs } = each;
        theirs.observe({ method, route, status }, Math.max(0, durationMs) / 1000);
        ours.answered({ ...each, requestId: "" });
      }
      const text = await registry.metrics();
      expect([...linesOf(ours.text())].sort()).toEqual([...linesOf(text)].sort());
      const [ourSums, theirSums] = [sumsOf(ours.text()), sumsOf(text)];
      expect([...ourSums.keys()].sort()).toEqual([...theirSums.keys()].sort());
      for (const [series, sum] of theirSums) expect(ourSums.get(series)).toBeCloseTo(sum, 6);
    }),
  );
});
