/** Starts and stops the service: the only place that knows all of its parts. */
import { createAccess } from "./access/access.ts";
import { watchServiceKey } from "./access/key-ring.ts";
import { type HashCost, loadOrCreateTokenSecret } from "./access/secrets.ts";
import { watchTerminals } from "./access/terminals.ts";
import { systemRandom } from "./adapters.ts";
import { pause } from "./background.ts";
import type { Config } from "./config.ts";
import type { BoundPartner } from "./context.ts";
import type { App } from "./http/app-context.ts";
import { createApp, type Mount, type Routes } from "./http/create-app.ts";
import { listen, urlOf } from "./http/listen.ts";
import { createMetrics, listenForMetrics, type Metrics, ownNames } from "./http/metrics.ts";
import { createClientAddress } from "./http/request.ts";
import { type ClosableLog, logRequests } from "./log.ts";
import { officeMount } from "./office/mount.ts";
import { type OpenedDatabase, onDatabase } from "./open-database.ts";
import { watchCommands } from "./operate/audited-store.ts";
import type { CommandContext } from "./operate/context.ts";
import { startDays } from "./operate/proof.ts";
import { startPartitions, startRetention } from "./operate/purge.ts";
import { startSettingRecorder } from "./operate/setting-proof.ts";
import { sandboxKey, sandboxPartnerId } from "./partner/keys.ts";
import { watchPartners } from "./partner/partners.ts";
import { createHttpTransport } from "./partner/send.ts";
import { startDailyBackup } from "./store/copy.ts";
import { openStore } from "./store/open.ts";
import { webSdkMount } from "./websdk/routes.ts";
import { sandboxBankPath } from "./websdk/sandbox-links.ts";
import { watchUnlinked } from "./withdrawals/open.ts";
import { createService } from "./withdrawals/service.ts";
import { endFuture } from "./withdrawals/sweep.ts";

/** A running service. */
export interface Running {
  readonly host: string;
  readonly port: number;
  readonly scheme: "http" | "https";
  /** The context of operator's commands, for the parent process. */
  readonly commandContext: CommandContext;
  /** Handles a call over the parent's channel. Rejects once the service stops. */
  readonly answer: (request: Request) => Promise<Response>;
  /** Resolves with the reason if the service stops by itself. */
  readonly refused: Promise<unknown>;
  /** What destination urls are built on. */
  readonly publicUrl: string;
  /**
   * Stops accepting, finishes what is in flight, and flushes, within 10 s whatever hangs. A second call ends the drain.
   * @param drainMs how long calls are still accepted while `/readyz` fails; what exceeds 3 s adds to the 10 s.
   */
  stop(drainMs?: number): Promise<void>;
}

const stopMaxMs = {
  requests: 6_000,
  calls: 8_600,
  callsMin: 5_600,
  afterRequests: 400,
  traces: 200,
  database: 500,
} as const;

/** Time limits in milliseconds after the drain: running calls to banks end (at most 5 s each), then their results are committed. */
export const stopTimes = (drainMs: number) => {
  const calls = Math.max(stopMaxMs.callsMin, stopMaxMs.calls - drainMs);
  return { calls, requests: Math.min(stopMaxMs.requests, calls - stopMaxMs.afterRequests) };
};

/** Replacements for benchmarks and tests. */
interface OtherParts {
  /** Another store, to measure the cost of this one. */
  readonly open?: typeof openStore;
  /** A cheaper hash, for tests with hundreds of secrets. */
  readonly hashCost?: HashCost;
}

/** @throws StoreRefused when the database or the token secret cannot be used; the system's error when the address is taken. */
export const startService = (
  config: Config,
  log: ClosableLog,
  { open = openStore, hashCost }: OtherParts = {},
): Promise<Running> => onDatabase(config, log, open, (database) => serve(config, log, database, hashCost));

const serve = async (
  config: Config,
  log: ClosableLog,
  { store: plainStore, clock, keys, keyCipher, close, release }: OpenedDatabase,
  hashCost: HashCost | undefined,
): Promise<Running> => {
  const random = systemRandom;
  const tracing = config.tracesTo === null ? null : (await import("./tracing.ts")).startTracing(config.tracesTo);
  const store = tracing?.store(plainStore) ?? plainStore;
  const plainTransport = createHttpTransport(clock, config.proxy);
  const transport = tracing?.transport(plainTransport) ?? plainTransport;
  const metrics = createMetrics();
  const [leaving, stopping] = [new AbortController(), new AbortController()];
  let address = urlOf(config, config.tls !== null);
  const publicUrl = () => config.publicUrl ?? address;

  const service = createService({
    store,
    clock,
    random,
    transport,
    log,
    telemetry: metrics.telemetry,
    keys,
    options: {
      scaTimeoutMs: config.scaTimeoutMs,
      orderTtlMs: config.orderTtlMs,
      boundPartners: boundPartners(config, () => address),
      keyCipher,
      isSandbox: config.sandbox,
      ...(config.sandbox ? (await import("./sandbox/mount.ts")).sandboxOptions : {}),
    },
  });
  const tokenSecret = config.tokenSecret ?? (await loadOrCreateTokenSecret(store, config.database, random));
  const app: App = {
    service,
    access: createAccess(service, tokenSecret, { heldReadsMax: config.heldReadsMax, keys, hashCost }),
    observer: logRequests(log, metrics.observer),
    tracing,
    publicUrl,
    clientAddress: createClientAddress(config.trustedProxies),
    metrics: config.sandbox ? { render: metrics.render, names: ownNames(config.host, config.publicUrl) } : null,
    isSandbox: config.sandbox,
    leaving: leaving.signal,
    stopping: stopping.signal,
  };
  const mounts: Mount[] = [webSdkMount(config.sandbox), officeMount];
  if (config.sandbox) {
    const { sandboxMount } = await import("./sandbox/mount.ts");
    mounts.push(await sandboxMount(app, sandboxKey));
  }
  const routes = createApp(app, mounts);
  if (store.dialect === "sqlite") await endFuture(service);
  const { listening, metricsListener } = await openListeners(config, app, routes, metrics);
  address = urlOf(listening, config.tls !== null);
  service.start();
  const refused = Promise.withResolvers<unknown>();
  const beside = [
    await watchPartners(service),
    watchUnlinked(service),
    watchTerminals(service),
    watchCommands(service),
    startSettingRecorder(service),
    watchServiceKey(service, keys, (error) => {
      log.error({ err: error }, "the service key in use is another one: stopping");
      refused.resolve(error);
      void stop();
    }),
    startPartitions(service, config.retention.idempotency_keys),
    startRetention(service, config.retention),
    startDays(service),
    dailyBackup(service, config),
  ];

  const inFlight = new Set<Promise<Response>>();

  const within = (ms: number, task: Promise<unknown>) => Promise.race([task, pause(clock, ms)]);
  const drained = Promise.withResolvers<void>();
  const stopAfter = async (drainMs: number): Promise<void> => {
    leaving.abort();
    if (drainMs > 0) await within(drainMs, drained.promise);
    const max = stopTimes(drainMs);
    const endAt = clock.now() + max.calls;
    stopping.abort();
    service.drain(endAt);
    await Promise.all([listening.close(max.requests), within(max.requests, Promise.allSettled([...inFlight]))]);
    metricsListener?.close();
    await within(Math.max(0, endAt - clock.now()), Promise.all([service, ...beside].map((each) => each?.stop())));
    plainTransport.close();
    if (tracing)
      await within(
        stopMaxMs.traces,
        tracing.stop().catch(() => {}),
      );
    await within(stopMaxMs.database, close());
    release();
    log.info({}, "stopped");
    log.flush();
  };
  let stopped: Promise<void> | null = null;
  const stop = (drainMs = 0): Promise<void> => {
    if (stopped !== null) drained.resolve();
    stopped ??= stopAfter(drainMs);
    return stopped;
  };
  return {
    host: listening.host,
    port: listening.port,
    scheme: config.tls === null ? "http" : "https",
    publicUrl: publicUrl(),
    answer(request) {
      if (stopping.signal.aborted) return Promise.reject(new Error("the service is stopping"));
      const answered = Promise.resolve(routes.fetch(request));
      inFlight.add(answered);
      return answered.finally(() => inFlight.delete(answered));
    },
    commandContext: {
      store,
      clock,
      random,
      keys,
      keyCipher,
      partner: config.partner,
      partnerSecret: null,
      proxy: config.proxy,
      publicUrl: publicUrl(),
      database: config.database,
      backups: config.backups,
    },
    refused: refused.promise,
    stop,
  };
};

const dailyBackup = (service: Parameters<typeof startDailyBackup>[0], { backups, database }: Config) =>
  backups === null || database.kind !== "sqlite" ? null : startDailyBackup(service, database.path, backups);

/** Banks from the configuration. The sandbox's bank is this service itself, so its address is known only once it listens. */
const boundPartners = ({ partner, sandbox }: Config, address: () => string): ReadonlyMap<string, BoundPartner> => {
  const sandboxBank: BoundPartner = {
    get url() {
      return `${address()}${sandboxBankPath}`;
    },
    secret: sandboxKey,
  };
  return new Map([
    ...(sandbox ? [[sandboxPartnerId, sandboxBank] as const] : []),
    ...(partner === null ? [] : [[partner.id, partner] as const]),
  ]);
};

/** Opens both listeners, or none. Rejects with the system's error when a configured port is not available. */
const openListeners = async (config: Config, app: App, routes: Routes, metrics: Metrics) => {
  const listening = await listen(app, routes, config.host, config.port, config.tls);
  try {
    return { listening, metricsListener: await openMetrics(config, metrics, app) };
  } catch (error) {
    await listening.close(0);
    throw error;
  }
};

/** Opens the metrics listener; `null` where there is none. Rejects when a configured port is not available. */
const openMetrics = async (config: Config, metrics: Metrics, app: App) => {
  if (config.metrics === null) return null;
  const { host, port, isAsked } = config.metrics;
  try {
    return await listenForMetrics(metrics, host, port, ownNames(host, config.publicUrl));
  } catch (error) {
    if (isAsked) throw error;
    app.service.log.warn({ host, port }, "another program has the port for /metrics: set METRICS_PORT");
    return null;
  }
};
