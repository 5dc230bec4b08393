/** What Prometheus scrapes of what happened, in its units, and under which names it may ask. */
import { request } from "node:http";
import { expect, test } from "vitest";
import { createMetrics, isOwnHost, listenForMetrics, type Metrics, ownNames } from "../../../backend/http/metrics.ts";

const samplesOf = async ({ render }: Metrics, name: string): Promise<readonly string[]> =>
  (await render()).text.split("\n").filter((line) => line.startsWith(`tillcash_${name}`));

const call = { method: "GET", route: "/x", status: 200, requestId: "r" };
const counts = { "0s": 3, "2m": 2, "15m": 1, "24h": 0 };

test.each<[string, (metrics: Metrics) => void, string, readonly string[]]>([
  ["orders that wait", (m) => m.telemetry.outbox({ depth: 3, oldestAgeMs: 90_000 }), "outbox_depth", ["3"]],
  ["in seconds", (m) => m.telemetry.outbox({ depth: 3, oldestAgeMs: 90_000 }), "outbox_oldest_age_seconds", ["90"]],
  [
    "events in seconds",
    (m) => m.telemetry.statusEvents({ depth: 1, oldestAgeMs: 500 }),
    "status_events_oldest",
    ["0.5"],
  ],
  ["a copy's time in seconds", (m) => m.telemetry.backup(1_763_632_800_000), "backup_timestamp", ["1763632800"]],
  ["silent terminals", (m) => m.telemetry.silentTerminals(2), "silent_terminals", ["2"]],
  [
    "a call to a bank in seconds",
    (m) => m.telemetry.partnerCall("start", "accepted", 250),
    "partner_call_seconds_sum",
    ["0.25"],
  ],
  [
    "a request in seconds",
    (m) => m.observer.answered({ ...call, durationMs: 250 }),
    "http_request_seconds_sum",
    ["0.25"],
  ],
  ["none below zero", (m) => m.observer.answered({ ...call, durationMs: -5 }), "http_request_seconds_sum", ["0"]],
  ["banks that cannot be called", (m) => m.telemetry.unusablePartners(4), "unusable_partners", ["4"]],
  ["lost commits", (m) => m.telemetry.commitsLost(), "commits_lost", ["1"]],
  ["rows that went", (m) => m.telemetry.purged("checkins", 7), "purged_rows_total", ["7"]],
  [
    "money without a word of the cash",
    (m) => m.telemetry.unlinked(counts),
    "unlinked_withdrawals",
    ["3", "2", "1", "0"],
  ],
])("%s", async (_, act, name, values) => {
  const metrics = createMetrics();
  act(metrics);
  expect((await samplesOf(metrics, name)).map((line) => line.split(" ").at(-1))).toEqual(values);
});

test("an alert on an increase finds a series before its first event; of a hundred banks each has its own", async () => {
  const metrics = createMetrics();
  expect(await samplesOf(metrics, "transitions_total")).toEqual([expect.stringMatching(/"partner_unreachable"} 0$/)]);
  for (let n = 0; n < 102; n += 1) metrics.telemetry.partnerAlarm(`bank-${n}`, "start", "down");
  const alarms = await samplesOf(metrics, "partner_alarms_total");
  expect([alarms.length, alarms.at(-1)]).toEqual([101, expect.stringMatching(/bank="other".* 2$/)]);
});

test("what another process of the fleet counts is not exported here any more", async () => {
  const metrics = createMetrics();
  const { telemetry } = metrics;
  telemetry.outbox({ depth: 1, oldestAgeMs: 1 });
  telemetry.statusEvents({ depth: 1, oldestAgeMs: 1 });
  telemetry.silentTerminals(1);
  telemetry.unlinked(counts);
  telemetry.outbox(null);
  telemetry.statusEvents(null);
  telemetry.silentTerminals(null);
  telemetry.unlinked(null);
  for (const name of ["outbox", "status_events", "silent_terminals", "unlinked"])
    expect([name, await samplesOf(metrics, name)]).toEqual([name, []]);
});

const names = ownNames("10.0.0.5", "https://Cash.example/pay");
test.each<[string | undefined, readonly string[], boolean]>([
  ["10.0.0.5:9464", names, true],
  ["cash.example", names, true],
  ["CASH.example.:9464", names, true],
  ["localhost:9464", names, true],
  ["127.0.0.1", names, true],
  ["[::1]:9464", names, true],
  ["[fd00::1]:9464", ["fd00::1"], true],
  ["10.0.0.6", names, false],
  ["evil.example", names, false],
  ["cash.example.evil", names, false],
  ["10.0.0.6", ["0.0.0.0"], true],
  ["[fd00::1]", ["::"], true],
  ["evil.example", ["0.0.0.0"], false],
  ["evil@cash.example", names, false],
  ["cash.example:123456", names, false],
  ["", names, false],
  [undefined, names, false],
])("Host: %s at %j is this service's own: %s", (host, own, isOwn) => {
  expect(isOwnHost(host, own)).toBe(isOwn);
});

test("without a public address the listening one is its name", () => {
  expect(ownNames("127.0.0.1", null)).toEqual(["127.0.0.1"]);
  expect(ownNames("127.0.0.1", "https://[fd00::1]:8443")).toEqual(["127.0.0.1", "fd00::1"]);
});

test.each([
  ["GET", "/metrics", "127.0.0.1", 200],
  ["POST", "/metrics", "127.0.0.1", 404],
  ["GET", "/metrics/", "127.0.0.1", 404],
  ["GET", "/", "127.0.0.1", 404],
  ["GET", "/metrics", "evil.example", 421],
])("%s %s under the name %s is %i", async (method, path, host, status) => {
  const listener = await listenForMetrics(createMetrics(), "127.0.0.1", 0, ["127.0.0.1"]);
  const answer = await new Promise<{ status: number | undefined; cache: string | undefined; text: string }>(
    (resolve, reject) => {
      const sent = request({ port: listener.port, host: "127.0.0.1", method, path, headers: { host } }, (got) => {
        let text = "";
        got.on("data", (piece) => {
          text += piece;
        });
        got.on("end", () => resolve({ status: got.statusCode, cache: got.headers["cache-control"], text }));
      });
      sent.on("error", reject).end();
    },
  );
  listener.close();
  expect(answer.status).toBe(status);
  expect(answer.text.includes("tillcash_")).toBe(status === 200);
  if (status === 200) expect(answer.cache).toBe("no-store");
});
