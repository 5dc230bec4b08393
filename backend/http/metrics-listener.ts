/** `/metrics` on a listener of its own, so that no proxy in front of the API ever has to keep it in. */
import { createServer } from "node:http";
import { type AddressInfo, isIP } from "node:net";
import { isLoopbackHost } from "../contract/service-url.ts";
import type { Metrics } from "./metrics.ts";

/** The listener that serves `/metrics` alone. */
export interface MetricsListener {
  readonly port: number;
  close(): void;
}

/**
 * Whether a `Host` is this service's: a page of somebody else's reads here under a name that it made lead here (DNS rebinding).
 * @param names that it has beside this machine's own: what it listens on, the name of PUBLIC_URL. Where it listens everywhere, any
 * address is its own too: nobody can make an address lead elsewhere.
 */
export const isOwnHost = (header: string | undefined, names: readonly string[]): boolean => {
  const [, name = ""] = /^(\[[\da-f:.]+\]|[^:[\]@/]+)(?::\d{1,5})?$/i.exec(header ?? "") ?? [];
  const own = name.toLowerCase().replace(/\.$/, "");
  const address = own.replace(/^\[|\]$/g, "");
  if (isLoopbackHost(own) || names.some((each) => each.toLowerCase() === address)) return true;
  return isIP(address) !== 0 && names.some((each) => each === "0.0.0.0" || each === "::");
};

/** What `isOwnHost` is asked with. @param host what is listened on. */
export const ownNames = (host: string, publicUrl: string | null): readonly string[] =>
  publicUrl === null ? [host] : [host, new URL(publicUrl).hostname.replace(/^\[|\]$/g, "")];

/** Answers `GET /metrics`, by exactly this path and under its `names`, and nothing else. Rejects with the system's error when the address is not available. */
export const listenForMetrics = async (
  metrics: Metrics,
  host: string,
  port: number,
  names: readonly string[],
): Promise<MetricsListener> => {
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
