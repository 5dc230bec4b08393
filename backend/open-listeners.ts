/** All that a service listens on: one start, one end. */
import type { Config } from "./config.ts";
import type { App } from "./http/app-context.ts";
import type { Routes } from "./http/create-app.ts";
import { type Listening, listen } from "./http/listen.ts";
import type { Metrics } from "./http/metrics.ts";
import { listenForMetrics, type MetricsListener } from "./http/metrics-listener.ts";

/** What listens; `null` where the configuration asks for none. */
export interface Listeners {
  readonly listening: Listening;
  /** For this machine alone, beside one that speaks HTTPS. */
  readonly loopback: Listening | null;
  readonly metricsListener: MetricsListener | null;
}

/** Opens all of them, or none: rejects with the system's error when a port that was asked for is not available. */
export const openListeners = async (config: Config, app: App, routes: Routes, metrics: Metrics): Promise<Listeners> => {
  const opened: Listening[] = [];
  const open = async (...at: Parameters<typeof listen>) => {
    const listening = await listen(...at);
    opened.push(listening);
    return listening;
  };
  try {
    const listening = await open(app, routes, config.host, config.port, config.tls);
    const loopback = config.loopbackPort === null ? null : await open(app, routes, "127.0.0.1", config.loopbackPort);
    return { listening, loopback, metricsListener: await openMetrics(config, metrics, app) };
  } catch (error) {
    await Promise.all(opened.map((each) => each.close(0)));
    throw error;
  }
};

/** `null` where there is none. Rejects when the port that was asked for is not available. */
const openMetrics = async (config: Config, metrics: Metrics, app: App): Promise<MetricsListener | null> => {
  if (config.metrics === null) return null;
  const { host, port, isAsked } = config.metrics;
  try {
    return await listenForMetrics(metrics, host, port);
  } catch (error) {
    if (isAsked) throw error;
    app.service.log.warn({ host, port }, "another program has the port for /metrics: set METRICS_PORT");
    return null;
  }
};
