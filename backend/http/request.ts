/** A request as Hono hands it on, and what node:http knows of it. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { Context } from "hono";
import { isLoopbackHost } from "../contract/service-url.ts";
import { hasDoubledHeader } from "../contract/single-headers.ts";
import { familyOf } from "../network.ts";
import { ServiceError } from "../service-error.ts";

/** What `@hono/node-server` adds; absent when a test calls `app.request`. */
export interface Bindings {
  readonly incoming?: IncomingMessage;
}

/** A request on its way. */
export type HttpContext = Context<{ Bindings: Bindings }>;

/**
 * As `c.req.header`, from the headers that node:http has parsed already: Hono makes a `Headers` of its own first, a quarter of
 * what a read costs.
 * @param name in lower case, and not `set-cookie`.
 */
export const headerOf = (c: HttpContext, name: string): string | undefined => {
  const value = c.env?.incoming === undefined ? c.req.header(name) : c.env.incoming.headers[name];
  return typeof value === "string" ? value : undefined;
};

/** On every answer. */
export const baseHeaders = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Names a request in its answer, in the log and in the history. */
export const requestIdHeader = "X-Request-Id";
/** Longest id that a caller may choose, in characters. */
export const requestIdLengthMax = 255;

/** Visible ASCII, spaces inside: safe in a header, in a log line and in a terminal. */
const sane = new RegExp(`^[\\x21-\\x7e]([\\x20-\\x7e]{0,${requestIdLengthMax - 2}}[\\x21-\\x7e])?$`);

/** Whether a caller's id can stand in a log and in a header. */
export const isSaneRequestId = (text: string): boolean => sane.test(text);

/** A header value that reached us holds no control characters but tab: any of at most 255 characters comes back (4.9). */
export const isEchoableRequestId = (text: string): boolean => text !== "" && text.length <= requestIdLengthMax;

/**
 * The body that goes with an id: as bytes where the id is not ASCII. node:http writes the head and a string body in one
 * piece, as UTF-8, which would change what is echoed.
 */
export const encodeBody = (requestId: string, text: string): string | Uint8Array<ArrayBuffer> =>
  /^[\t\x20-\x7e]*$/.test(requestId) ? text : new TextEncoder().encode(text);

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

/** From the peer of the connection and its X-Forwarded-For to the caller's address. */
export type ClientAddress = (peer: string, forwardedFor: string | undefined) => string;

/** An IPv4 address as an IPv6 socket shows it, as IPv4. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

/**
 * Each proxy adds its peer at the end: read from there, the first address that is no trusted proxy is the caller. What
 * stands before it is the caller's own word.
 * @param proxies addresses and networks that pass `isProxyRange`.
 */
export const createClientAddress = (proxies: readonly string[]): ClientAddress => {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = "", bits] = proxy.split("/");
    if (bits === undefined) trusted.addAddress(address, familyOf(address));
    else trusted.addSubnet(address, Number(bits), familyOf(address));
  }
  return (peer, forwardedFor) => {
    let caller = plain(peer);
    for (const hop of (forwardedFor ?? "").split(",").toReversed()) {
      const next = plain(hop.trim());
      if (isIP(caller) === 0 || !trusted.check(caller, familyOf(caller)) || isIP(next) === 0) break;
      caller = next;
    }
    return caller;
  };
};
