/** What is refused before a request is routed: what a proxy and this service could read differently. */
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { isLoopbackHost } from "../contract/service-url.ts";
import { hasDoubledHeader } from "../contract/single-headers.ts";
import { ServiceError } from "../service-error.ts";

/** `null` when the request may be routed. No path of ours needs an escape: an escaped one only evades a proxy's rule. */
export const formProblem = ({ rawHeaders, headers, httpVersion, url = "" }: IncomingMessage): ServiceError | null => {
  // Health checks of some load balancers speak 1.0, which has none.
  if (headers.host === undefined && httpVersion !== "1.0")
    return new ServiceError("validation_failed", "The Host header is missing");
  // node:http keeps one of each name: as many as were sent are as many names.
  if (Object.keys(headers).length * 2 !== rawHeaders.length && hasDoubledHeader(rawHeaders))
    return new ServiceError("validation_failed", "A header that may stand once stands twice");
  const query = url.indexOf("?");
  const path = query === -1 ? url : url.slice(0, query);
  return path.includes("%") ? new ServiceError("not_found") : null;
};

/**
 * Whether a page of our own sent it, by the address of the service: a Host header may hold a name that was rebound.
 * @param publicUrl PUBLIC_URL or the listening address. @param host the Host header; it counts for addresses in figures alone.
 */
export const isOwnOrigin = (origin: string, publicUrl: string, host: string | undefined): boolean => {
  if (!URL.canParse(origin)) return false;
  const [page, own] = [new URL(origin), new URL(publicUrl)];
  if (page.origin === own.origin) return true;
  // An address in figures cannot be rebound: a phone in the same network may use it.
  if (page.host === host && isIP(page.hostname.replace(/^\[|\]$/g, "")) !== 0) return true;
  return isLoopbackHost(page.hostname) && isLoopbackHost(own.hostname) && page.port === own.port;
};

/**
 * Refuses what a page of another site made a browser send: terminals and banks are no browsers.
 * @throws ServiceError `cross_site_request`.
 */
export const refuseCrossSite = (
  { origin, site, host }: { readonly [name in "origin" | "site" | "host"]: string | undefined },
  publicUrl: string,
): void => {
  const isForeign = origin !== undefined && !isOwnOrigin(origin, publicUrl, host);
  if (isForeign || (site !== undefined && site !== "same-origin" && site !== "none"))
    throw new ServiceError("cross_site_request");
};
