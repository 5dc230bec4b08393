/** `/metrics` on a listener of its own, so that no proxy in front of the API ever has to keep it in. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Metrics } from "./metrics.ts";

/** The listener that serves `/metrics` alone. */
export interface MetricsListener {
  readonly port: number;
  close(): void;
}

/** Answers `GET /metrics`, by exactly this path, and nothing else. Rejects with the system's error when the address is not available. */
export const listenForMetrics = async (metrics: Metrics, host: string, port: number): Promise<MetricsListener> => {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    if (request.url !== "/metrics" || request.method !== "GET") return void response.writeHead(404).end();
    metrics.render().then(
      ({ contentType, text }) =>
        response.writeHead(200, { "Content-Type": contentType, "Cache-Control": "no-store" }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};
