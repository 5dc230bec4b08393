/** What the pauses between tries come to, where something else counts on it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { partnerCallTimeoutMs, startOrderWindowMs } from "../../../backend/contract/partner.ts";
import { eventTriesMin } from "../../../backend/partner/events.ts";
import { retryPauseMs } from "../../../backend/partner/queue.ts";

test("a status event is not given up before about two hours of tries", () => {
  const pausesMs = Array.from({ length: eventTriesMin - 1 }, (_, retries) => retryPauseMs("event", retries, 0.5));
  const hours = pausesMs.reduce((sum, ms) => sum + ms, 0) / 3_600_000;
  expect(hours).toBeGreaterThan(1);
  expect(hours).toBeLessThan(3);
});

test.each(["README.md", "docs/operate.md"])(
  "a request that waits for its Start order ends before the proxy of %s",
  (file) => {
    const text = readFileSync(path.resolve(import.meta.dirname, "../../..", file), "utf8");
    const [, seconds] = /lets? an answer take (\d+) seconds/.exec(text) ?? [];
    const spareMs = 5_000;
    expect(startOrderWindowMs + partnerCallTimeoutMs + spareMs).toBeLessThanOrEqual(Number(seconds) * 1_000);
  },
);
