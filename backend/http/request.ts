/** Reads requests (ids, headers, origin, caller's address, body), and the headers of answers; `listen.ts` adds HSTS, the metrics port has its own. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { BlockList, isIP } from "node:net";
import type { Context } from "hono";
import { hasDoubledHeader, parseStrictJson } from "../contract/ambiguity.ts";
import { bodyBytesMax } from "../contract/errors.ts";
import { isLoopbackHost } from "../contract/service-url.ts";
import { familyOf } from "../network.ts";
import type { Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";

/** Headers of every answer, pages and files included. */
export const everyAnswer = { "X-Content-Type-Options": "nosniff" } as const;

/** Headers of every answer except the pages of web SDK and sandbox. */
export const baseHeaders = {
  ...everyAnswer,
  "Cache-Control": "no-store",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

/** Identifies a request in its answer, in the log and in the history. */
export const requestIdHeader = "X-Request-Id";

/**
 * Headers of API answers. `Date` is the service's own clock: Node's would be the machine's, which may have been set
 * back, and terminals compare a withdrawal's times with it.
 */
export const answerHeaders = (requestId: string, nowMs: number, type: string): Record<string, string> => ({
  ...baseHeaders,
  Date: new Date(nowMs).toUTCString(),
  [requestIdHeader]: requestId,
  "Content-Type": type,
});

/** What `@hono/node-server` adds; absent when a test calls `app.request`. */
export interface Bindings {
  readonly incoming?: IncomingMessage;
}

/** Hono's context with node:http's request. */
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

/** Longest id that a caller may choose, in characters. */
export const requestIdLengthMax = 255;

/** Visible ASCII with inner spaces: safe in headers and logs. */
const sane = new RegExp(`^[\\x21-\\x7e]([\\x20-\\x7e]{0,${requestIdLengthMax - 2}}[\\x21-\\x7e])?$`);

/** Whether a caller's request id is safe in logs and headers. */
export const isSaneRequestId = (text: string): boolean => sane.test(text);

/** Whether an id can be echoed as 4.9 requires: header values that arrive have no control characters but tab. */
export const isEchoableRequestId = (text: string): boolean => text !== "" && text.length <= requestIdLengthMax;

/**
 * The body as bytes where the request id is not ASCII: node:http would write head and string body together as UTF-8,
 * which changes the echoed id.
 */
export const encodeBody = (requestId: string, text: string): string | Uint8Array<ArrayBuffer> =>
  /^[\t\x20-\x7e]*$/.test(requestId) ? text : new TextEncoder().encode(text);

/** Checks a request's form; `null`: it may be routed. Our paths need no escapes; an escaped path would only evade a proxy's rules. */
export const formProblem = ({ rawHeaders, headers, httpVersion, url = "" }: IncomingMessage): ServiceError | null => {
  // Some load balancers' health checks use HTTP/1.0, which has no Host header.
  if (headers.host === undefined && httpVersion !== "1.0")
    return new ServiceError("validation_failed", "The Host header is missing");
  if (hasDoubledHeader(rawHeaders))
    return new ServiceError("validation_failed", "A header that may stand once stands twice");
  const query = url.indexOf("?");
  const path = query === -1 ? url : url.slice(0, query);
  return path.includes("%") ? new ServiceError("not_found") : null;
};

/**
 * Whether the request comes from our own page, by the service's address: a Host header may hold a rebound name.
 * @param publicUrl PUBLIC_URL or the listening address. @param host the Host header, which counts only for IP addresses.
 */
export const isOwnOrigin = (origin: string, publicUrl: string, host: string | undefined): boolean => {
  if (!URL.canParse(origin)) return false;
  const [page, own] = [new URL(origin), new URL(publicUrl)];
  if (page.origin === own.origin) return true;
  // An IP address cannot be rebound: a phone in the same network may use it.
  if (page.host === host && isIP(page.hostname.replace(/[[\]]/g, "")) !== 0) return true;
  return isLoopbackHost(page.hostname) && isLoopbackHost(own.hostname) && page.port === own.port;
};

/** Refuses requests that a page of another site made a browser send. @throws ServiceError `cross_site_request`. */
export const refuseCrossSite = (
  { origin, site, host }: { readonly [name in "origin" | "site" | "host"]: string | undefined },
  publicUrl: () => string,
): void => {
  const isForeign = origin !== undefined && !isOwnOrigin(origin, publicUrl(), host);
  if (isForeign || (site !== undefined && site !== "same-origin" && site !== "none"))
    throw new ServiceError("cross_site_request");
};

/** Finds the caller's address from the connection's peer and X-Forwarded-For. */
export type ClientAddress = (peer: string, forwardedFor: string | undefined) => string;

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

/**
 * Each proxy appends its peer: read from the end, the first address that is not a trusted proxy is the caller.
 * Everything before it may be forged.
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

const tooLarge = () => new ServiceError("payload_too_large");
const cutOff = () => new ServiceError("validation_failed", "The body ended before it was complete");

/** Reads from the socket directly: a web stream in between would cost more than the rest of the request. */
const readIncoming = (incoming: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) return void chunks.push(chunk);
      incoming.off("data", onData).pause();
      reject(tooLarge());
    };
    const onEnd = () => resolve(Buffer.concat(chunks));
    const onBroken = () => {
      if (!incoming.readableEnded) reject(cutOff());
    };
    // The listeners are not removed: that costs more than reading a small body.
    incoming.on("data", onData).on("end", onEnd).on("close", onBroken);
    if (incoming.destroyed) onBroken();
  });

const readStream = async (stream: ReadableStream<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Rejects with ServiceError `payload_too_large`, or `validation_failed` when the peer hung up in the middle. */
export const readBody = (c: HttpContext): Promise<Buffer> => {
  if (Number(headerOf(c, "content-length") ?? 0) > bodyBytesMax) return Promise.reject(tooLarge());
  const incoming = c.env?.incoming;
  // A request without a body has ended before anybody listens (`optimizeEmptyRequests`).
  if (incoming?.readableEnded) return Promise.resolve(Buffer.alloc(0));
  if (incoming !== undefined) return readIncoming(incoming);
  return c.req.raw.body === null ? Promise.resolve(Buffer.alloc(0)) : readStream(c.req.raw.body);
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** @throws ServiceError `validation_failed` for bytes that are not UTF-8. */
export const decodeText = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new ServiceError("validation_failed", "The body is not valid UTF-8");
  }
};

const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;
const formType = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

const invalid = (detail: string) => new ServiceError("validation_failed", detail);

/** Parses a form: empty parameters count as absent, duplicates are refused (RFC 6749 §3.2). */
const parseForm = (text: string): Record<string, string> => {
  const fields: Record<string, string> = {};
  const names = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (names.has(name)) throw invalid("The body has a parameter twice");
    if (name === "__proto__" || `${name}${value}`.includes("\0"))
      throw invalid("The body has a parameter that cannot be");
    names.add(name);
    if (value !== "") fields[name] = value;
  }
  return fields;
};

/** @throws ServiceError `unsupported_media_type`, `payload_too_large` or `validation_failed`. */
export const parseBody = async (c: HttpContext, takesForms: "too" | "only" | undefined): Promise<unknown> => {
  const type = headerOf(c, "content-type") ?? "";
  const isForm = takesForms !== undefined && formType.test(type);
  if (takesForms === "only" && !isForm)
    throw new ServiceError("unsupported_media_type", "The body must be application/x-www-form-urlencoded");
  if (!isForm && !jsonType.test(type)) throw new ServiceError("unsupported_media_type");
  const encoding = headerOf(c, "content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw new ServiceError("unsupported_media_type", "The body must not be compressed");
  const text = decodeText(await readBody(c));
  if (isForm) return parseForm(text);
  const parsed = parseStrictJson(text);
  if (!parsed.ok) throw invalid(`The body ${parsed.why}`);
  return parsed.value;
};

/** Lets the answer reach the caller before the connection is cut, as a reset would discard it. */
const lingerMs = 500;

/**
 * Call it before handling the request. node:http drains an unread body of any length after the answer; this closes the
 * connection after 64 KiB. A body with a smaller Content-Length is drained.
 */
export const endAfterUnreadBody = (incoming: IncomingMessage, outgoing: ServerResponse, clock: Clock): void => {
  // A request without a body has ended already (`optimizeEmptyRequests`).
  if (incoming.readableEnded || Number(incoming.headers["content-length"]) <= bodyBytesMax) return;
  outgoing.once("prefinish", () => {
    if (incoming.complete) return;
    // Without this, node:http emits no data of an unread body after the answer.
    incoming.read(0);
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bodyBytesMax) return;
      incoming.off("data", count).pause();
      incoming.socket.end();
      clock.after(lingerMs, () => incoming.socket.destroy());
    };
    incoming.on("data", count).resume();
  });
};

/**
 * Returns the same response.
 * @param ended called once, when its body has ended: with the error, or with none when it was read to its end or the reader left.
 */
export const watchBody = (response: Response, ended: (error?: unknown) => void): Response => {
  if (response.body === null) {
    ended();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          ended();
          controller.close();
        } catch (error) {
          ended(error);
          controller.error(error);
        }
      },
      async cancel(reason) {
        ended();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
};
