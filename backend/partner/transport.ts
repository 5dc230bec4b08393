import { type LookupAddress, type LookupOptions, promises } from "node:dns";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import pMemoize from "p-memoize";
import type { OutboundProxy } from "../../outbound/proxy.ts";
import type { Clock, PartnerRequest, PartnerTransport } from "../ports.ts";

type Lookup = (host: string, options: LookupOptions) => Promise<LookupAddress | LookupAddress[]>;

/** @param lookup the system's, unless a test brings its own. Nothing is kept once it has answered. */
export const createSharedLookup = (lookup: Lookup = promises.lookup): LookupFunction => {
  const shared = pMemoize(lookup, { cache: false, cacheKey: JSON.stringify });
  return (host, options, callback) => {
    shared(host, options).then(
      (found) => (Array.isArray(found) ? callback(null, found) : callback(null, found.address, found.family)),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
};

/** More than any answer we read; a longer one is no answer. */
const responseBytesMax = 64 * 1024;
/** Connections to one host: more than any partner's calls in flight, so that two behind one host do not wait for each other. */
const socketsPerHostMax = 2_048;
const idleSocketMs = 15_000;

/**
 * HTTP to a partner over kept connections. Follows no redirect, reads no more than 64 KiB, ends after `timeoutMs` in all.
 * Rejects with `timeout`, `too_large`, or the socket's error code. @param proxy between this machine and the partners.
 */
export const createHttpTransport = (clock: Clock, proxy: OutboundProxy | null = null): PartnerTransport => {
  const options = {
    keepAlive: true,
    maxSockets: socketsPerHostMax,
    timeout: idleSocketMs,
    lookup: createSharedLookup(),
    proxyEnv: proxy === null ? undefined : { ...proxy },
  };
  const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };

  return {
    post: ({ url, headers, body, timeoutMs }: PartnerRequest) =>
      new Promise((resolve, reject) => {
        const target = new URL(url);
        const secure = target.protocol === "https:";
        const send = secure ? https.request : http.request;
        const call = send(
          target,
          {
            method: "POST",
            agent: secure ? agents["https:"] : agents["http:"],
            headers: { ...headers, accept: "application/json", "content-length": Buffer.byteLength(body) },
          },
          (response) => {
            const chunks: Buffer[] = [];
            let bytes = 0;
            response.on("data", (chunk: Buffer) => {
              bytes += chunk.length;
              if (bytes > responseBytesMax) return end(new Error("too_large"));
              chunks.push(chunk);
            });
            response.on("error", end);
            response.on("aborted", () => end(new Error("cut_off")));
            response.on("end", () => {
              if (!response.complete || (bytes === 0 && !hasContentLength(response))) return end(new Error("cut_off"));
              cancelTimer();
              const body = Buffer.concat(chunks).toString("utf8");
              const { "retry-after": retryAfter, date } = response.headers;
              resolve({ status: response.statusCode ?? 0, body, retryAfter, date });
            });
          },
        );
        const end = (error: Error) => {
          cancelTimer();
          call.destroy();
          reject(named(error));
        };
        const cancelTimer = clock.after(timeoutMs, () => end(new Error("timeout")));
        call.on("error", end);
        call.end(body);
      }),

    close() {
      agents["http:"].destroy();
      agents["https:"].destroy();
    },
  };
};

/**
 * Without a length the end of the connection ends the body: a bank that dies after its headers looks like an empty answer.
 * A 204 has neither a body nor a length (RFC 9110 §8.6).
 */
const hasContentLength = ({ statusCode, headers }: http.IncomingMessage): boolean =>
  statusCode === 204 || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

/** The code says enough (`ECONNREFUSED`); the message may hold addresses. */
const named = (error: Error): Error =>
  "code" in error && typeof error.code === "string" ? new Error(error.code, { cause: error }) : error;
