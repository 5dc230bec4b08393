/** The service's Prometheus metrics. No label holds an id, so the number of series is bounded. */

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { isLoopbackHost } from "../contract/service-url.ts";
import type { Telemetry } from "../telemetry.ts";
import { serviceVersion } from "../version.ts";
import type { HttpObserver } from "./app-context.ts";

/** In seconds; held reads take longest. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
const partnerBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Number of banks labelled by name; further ones are `other`. */
const banksMax = 100;

/** Creates the metrics of one process. */
export const createMetrics = () => {
  const registry = new Registry();
  const registers = [registry];
  const transitions = new Counter({
    name: "tillcash_transitions_total",
    help: "Committed transitions of withdrawals",
    labelNames: ["from", "to", "reason"],
    registers,
  });
  // Starts at 0, because an alert on its increase misses a series that appears with its first event.
  transitions.inc({ from: "requested", to: "declined", reason: "partner_unreachable" }, 0);
  const partnerCalls = new Histogram({
    name: "tillcash_partner_call_seconds",
    help: "Calls to partners by outcome; none: no usable answer",
    labelNames: ["call", "outcome"],
    buckets: partnerBuckets,
    registers,
  });
  const partnerAlarms = new Counter({
    name: "tillcash_partner_alarms_total",
    help: "Partner calls without a usable answer that somebody has to look at",
    labelNames: ["bank", "call", "why"],
    registers,
  });
  const banks = new Set<string>();
  const bankLabel = (bank: string): string => {
    if (banks.size < banksMax) banks.add(bank);
    return banks.has(bank) ? bank : "other";
  };
  const unlinked = new Gauge({
    name: "tillcash_unlinked_withdrawals",
    help: "Paid withdrawals of which no word of the cash has come for so long, or longer (withdrawals list)",
    labelNames: ["older_than"],
    registers,
  });
  new Gauge({ name: "tillcash_build_info", help: "The program's version", labelNames: ["version"], registers }).set(
    { version: serviceVersion },
    1,
  );
  const queue = (name: string, what: string): Telemetry["outbox"] => {
    const depth = new Gauge({ name: `${name}_depth`, help: what, registers });
    const age = new Gauge({
      name: `${name}_oldest_age_seconds`,
      help: `${what}: how long the oldest waits`,
      registers,
    });
    return (state) => {
      if (state === null) {
        depth.remove();
        age.remove();
        return;
      }
      depth.set(state.depth);
      age.set(state.oldestAgeMs / 1000);
    };
  };
  const unusablePartners = new Gauge({
    name: "tillcash_unusable_partners",
    help: "Banks that are not called because of the address or the key that is stored of them (partners list)",
    registers,
  });
  const silentTerminals = new Gauge({
    name: "tillcash_silent_terminals",
    help: "Terminals that were not heard of for 20 minutes while their shops are open (terminals list --silent)",
    registers,
  });
  // Removed until somebody has counted: it would start at 0.
  silentTerminals.remove();
  const commitsLost = new Gauge({
    name: "tillcash_commits_lost",
    help: "1: the database has lost commits, and nothing is confirmed or approved (restored --since)",
    registers,
  });
  const outbox = queue("tillcash_outbox", "Settle orders without a definite answer");
  const statusEvents = queue("tillcash_status_events", "Status events that a bank has not taken");
  const purged = new Counter({
    name: "tillcash_purged_rows_total",
    help: "Rows that were deleted, forgotten or archived because of their age",
    labelNames: ["what"],
    registers,
  });
  const backupAt = new Gauge({
    name: "tillcash_backup_timestamp_seconds",
    help: "When the database was last copied (BACKUP_DIR)",
    registers,
  });
  // Removed where no copies are made: it would start at 0, meaning that there never was one.
  backupAt.remove();
  const requests = new Histogram({
    name: "tillcash_http_request_seconds",
    help: "Requests by route and status; held reads include their wait",
    labelNames: ["method", "route", "status"],
    buckets: requestBuckets,
    registers,
  });
  let processIsWatched = false;
  return {
    telemetry: {
      transition: (from, to, reason) => transitions.inc({ from: from ?? "none", to, reason: reason ?? "none" }),
      partnerCall: (call, outcome, durationMs) => partnerCalls.observe({ call, outcome }, durationMs / 1000),
      partnerAlarm: (bank, call, why) => partnerAlarms.inc({ bank: bankLabel(bank), call, why }),
      unusablePartners: (count) => unusablePartners.set(count),
      commitsLost: () => commitsLost.set(1),
      backup: (atMs) => backupAt.set(atMs / 1000),
      purged: (what, rows) => purged.inc({ what }, rows),
      silentTerminals: (count) => (count === null ? silentTerminals.remove() : silentTerminals.set(count)),
      outbox,
      statusEvents,
      unlinked(counts) {
        unlinked.reset();
        for (const [older_than, count] of Object.entries(counts ?? {})) unlinked.set({ older_than }, count);
      },
    } satisfies Telemetry as Telemetry,
    observer: {
      answered: ({ method, route, status, durationMs }) =>
        requests.observe({ method, route, status }, Math.max(0, durationMs) / 1000),
    } satisfies HttpObserver as HttpObserver,
    async render(): Promise<{ readonly contentType: string; readonly text: string }> {
      if (!processIsWatched) {
        // Only from the first scrape on, which makes the start quicker.
        collectDefaultMetrics({ register: registry });
        processIsWatched = true;
      }
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
  };
};

/** The metrics: inputs from service and HTTP, output for Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

/** Whether a `Host` header names this service; protects against DNS rebinding. */
export const isOwnHost = (header: string | undefined, names: readonly string[]): boolean => {
  const [, name = ""] = /^(\[[\da-f:.]+\]|[^:[\]@/]+)(?::\d{1,5})?$/i.exec(header ?? "") ?? [];
  const own = name.toLowerCase().replace(/\.$/, "");
  const address = own.replace(/^\[|\]$/g, "");
  if (isLoopbackHost(own) || names.some((each) => each.toLowerCase() === address)) return true;
  return isIP(address) !== 0 && names.some((each) => each === "0.0.0.0" || each === "::");
};

/** The names for `isOwnHost`. @param host the listening address. */
export const ownNames = (host: string, publicUrl: string | null): readonly string[] =>
  publicUrl === null ? [host] : [host, new URL(publicUrl).hostname.replace(/^\[|\]$/g, "")];

/** Serves `GET /metrics` under its `names`, and nothing else. Rejects with the system's error when the address is not available. */
export const listenForMetrics = async (metrics: Metrics, host: string, port: number, names: readonly string[]) => {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    if (!isOwnHost(request.headers.host, names))
      return void response.writeHead(421).end("This name is not the service's: METRICS_HOST or PUBLIC_URL names it.\n");
    if (request.url !== "/metrics" || request.method !== "GET") return void response.writeHead(404).end();
    metrics.render().then(
      ({ contentType, text }) =>
        response.writeHead(200, { "Content-Type": contentType, "Cache-Control": "no-store" }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await once(server.listen({ host, port }), "listening");
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
};
