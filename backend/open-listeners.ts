/** All that a service listens on: one start, one end. */
import type { Config } from "./config.ts";
import type { App } from "./http/app-context.ts";
import type { Routes } from "./http/create-app.ts";
import { type Listening, listen } from "./http/listen.ts";
import { listenForMetrics, type Metrics, type MetricsListener, ownNames } from "./http/metrics.ts";

/** What listens; `null` where the configuration asks for none. */
export interface Listeners {
  readonly listening: Listening;
  readonly metricsListener: MetricsListener | null;
}

/** Opens both, or none: rejects with the system's error when a port that was asked for is not available. */
export const openListeners = async (config: Config, app: App, routes: Routes, metrics: Metrics): Promise<Listeners> => {
  const listening = await listen(app, routes, config.host, config.port, config.tls);
  try {
    return { listening, metricsListener: await openMetrics(config, metrics, app) };
  } catch (error) {
    await listening.close(0);
    throw error;
  }
};

/** `null` where there is none. Rejects when the port that was asked for is not available. */
const openMetrics = async (config: Config, metrics: Metrics, app: App): Promise<MetricsListener | null> => {
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
